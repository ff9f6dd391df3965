//! Files of other programs, written entry by entry.

use std::collections::HashSet;
use std::path::PathBuf;

use array_files::{DType, npy::header};
use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_inspect::Named;
use kaldi_io::Output;
use kaldi_io::log::warning;
use kaldi_table::{Entry, Erased, WorkError};

use crate::array::{Array, FloatType};
use crate::exact::to_single;
use crate::example_names::each_named;
use crate::file_format::FileFormat;
use crate::item::Item;
use crate::npy;
use crate::npz::NpzWriter;
use crate::parquet_write::ParquetTable;
use crate::safetensors::SafetensorsWriter;
use crate::spool::Spool;
use crate::tensor_header::header_of;
use crate::text_read::{is_name, no_number};
use crate::text_write::{write_names, write_object, write_rows, write_time_names, write_times};
use crate::types::{ExportedType, part_names};
use crate::{Error, Result};

/// What is written, and how.
#[derive(Clone, Copy, Debug)]
pub struct ExportOptions {
    /// The format of the files.
    pub format: FileFormat,
    /// The type of numbers that are not integers; that of the table if it is not given.
    pub dtype: Option<FloatType>,
    /// Whether all rows of the table become one `.npy`.
    pub stack: bool,
    /// The type of the table, if it was given.
    pub table_type: Option<ValueType>,
    /// Whether a line of names comes first, in CSV and TSV.
    pub header: bool,
    /// Whether the words of a table are lines of a CTM file: in CSV and TSV, each is a field, and keys come many times.
    pub is_ctm: bool,
}

/// An entry in the form in which it is written; made by workers.
#[derive(Debug)]
pub enum Piece {
    /// The value.
    Item(Item),
    /// The lines, and the line of names before them, if one is wanted.
    Text(Vec<u8>, Vec<u8>),
    /// The format has no place for it, which was a warning.
    Nothing,
}

impl ExportOptions {
    /// Reads an entry of a table and puts it into the form in which it is written. What is lost is a warning.
    ///
    /// # Errors
    /// If the entry cannot be read, or cannot be written in this format.
    pub fn encode(&self, value_type: ExportedType, entry: &Entry<'_, Erased>) -> Result<Piece, WorkError> {
        let item = self.shaped(value_type.read(entry)?)?;
        self.check_names(entry.bytes(), item.table_type())?;
        if item.table_type().is_example() && self.dtype.is_some_and(|dtype| dtype != FloatType::Float32) {
            return Err("expected no `dtype` for training examples, whose numbers are of single precision".into());
        }
        let item = self.converted(item, entry.key());
        let (mut lines, mut names) = (Vec::new(), Vec::new());
        match self.format {
            FileFormat::Csv | FileFormat::Tsv => {
                let delimiter = if self.format == FileFormat::Csv { b',' } else { b'\t' };
                if let (true, Item::Words(words)) = (self.is_ctm, &item) {
                    if write_times(&mut lines, entry.key(), words, delimiter).is_none() {
                        return Err("expected channel, start, duration and word, as in the lines of CTM before".into());
                    }
                    if self.header {
                        write_time_names(&mut names, words, delimiter);
                    }
                    return Ok(Piece::Text(lines, names));
                }
                write_rows(&mut lines, entry.key(), &item, delimiter)?;
                if self.header {
                    write_names(&mut names, &item, delimiter)?;
                }
                if lines.is_empty() {
                    warning!("{} has no rows, and so no line in a file of {}", entry.key(), self.format);
                    return Ok(Piece::Nothing);
                }
            }
            FileFormat::Jsonl => {
                let key = entry.key().to_str().map_err(|_| "expected a key in UTF-8, which JSON is")?;
                write_object(&mut lines, key, &item)?;
            }
            _ => return Ok(Piece::Item(item)),
        }
        Ok(Piece::Text(lines, names))
    }

    /// Refuses text with names of digits, such as `007`, if numbers were found in it by looking only: they would lose letters.
    fn check_names(&self, bytes: Option<&[u8]>, found: ValueType) -> Result<(), String> {
        let is_line = matches!(found, ValueType::Int32 | ValueType::Float | ValueType::Double | ValueType::Int32Vector);
        let text = bytes.filter(|bytes| self.table_type.is_none() && is_line && !bytes.starts_with(b"\0"));
        let odd = text.and_then(|text| {
            text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).find(|word| is_odd_name(word, found))
        });
        odd.map_or(Ok(()), |odd| Err(no_number(odd)))
    }

    /// Puts an array of a model into the form in which it is written. What is lost is a warning.
    ///
    /// # Errors
    /// If the format has no place for arrays of several sizes and dimensions.
    pub fn encode_array(&self, name: &BStr, array: Array) -> Result<Piece> {
        match self.format {
            FileFormat::Npy | FileFormat::Npz | FileFormat::Safetensors => {
                Ok(Piece::Item(self.converted(Item::Array(array), name)))
            }
            format => Err(Error::value(
                name,
                format!(
                    "a model is arrays of several sizes, for which {format} has no place: npz and safetensors have"
                ),
            )),
        }
    }

    /// Holds an array against the type that was asked for. In text, a vector may be the row of a matrix, and integers the
    /// numbers of a vector.
    fn shaped(&self, item: Item) -> Result<Item, String> {
        let found = item.table_type();
        let Item::Array(array) = item else { return Ok(item) };
        let array = match (self.table_type, found) {
            (Some(ValueType::Matrix), ValueType::Vector) => Array { dims: vec![1, array.dims[0]], ..array },
            (Some(ValueType::Vector), ValueType::Int32Vector) => to_single(&array)?,
            (Some(wanted @ (ValueType::Matrix | ValueType::Vector | ValueType::Int32Vector)), found)
                if wanted != found =>
            {
                return Err(format!("expected a {wanted}, got a {found}"));
            }
            _ => array,
        };
        Ok(Item::Array(array))
    }

    /// The value in the type of numbers that was asked for.
    fn converted(&self, item: Item, key: &BStr) -> Item {
        let (Item::Array(array), Some(dtype)) = (&item, self.dtype) else { return item };
        let dtype = DType::from(dtype);
        let (converted, lost) = array.to_float(dtype);
        if lost > 0 {
            warning!("{key}: {lost} numbers are too large for {dtype:?}, and became infinite");
        }
        Item::Array(converted)
    }
}

/// Whether a word is a name rather than an integer or a number of single precision.
fn is_odd_name(word: &[u8], found: ValueType) -> bool {
    match found {
        ValueType::Int32 | ValueType::Int32Vector => word
            .to_str()
            .ok()
            .and_then(|text| text.parse::<i64>().ok())
            .is_some_and(|it| it.to_string().as_bytes() != word),
        _ => is_name(word),
    }
}

/// A file that is being written.
#[must_use = "a file is complete only after finish()"]
pub struct Exporter(Writer);

enum Writer {
    Npy { output: Output, is_written: bool },
    Stack(Stack),
    Npz(Box<NpzWriter>),
    Safetensors(Box<SafetensorsWriter>),
    Parquet(Box<ParquetTable>),
    Lines(LinesFile),
}

/// Lines that are being written.
struct LinesFile {
    output: Output,
    /// The keys that came; `None` where they may come again.
    keys: Option<HashSet<BString>>,
    /// The line of names that was written.
    names: Option<Vec<u8>>,
}

impl LinesFile {
    fn put(&mut self, key: &BStr, lines: &[u8], names: Vec<u8>) -> Result<()> {
        if self.keys.as_mut().is_some_and(|keys| !keys.insert(key.to_owned())) {
            return Err(Error::value(key, "this key comes twice, which lines of one key do not show"));
        }
        match &self.names {
            None => {
                self.output.write_all(&names)?;
                self.names = Some(names);
            }
            Some(written) if *written == names => {}
            Some(written) => {
                let [written, names] = [written, &names].map(|names| names.trim_ascii().as_bstr().to_string());
                return Err(Error::value(key, format!("expected fields with the names {written}, got {names}")));
            }
        }
        Ok(self.output.write_all(lines)?)
    }
}

impl Exporter {
    /// Creates the file `path`, whose printable name is `name`; `-` is standard output.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(output: Output, path: PathBuf, options: &ExportOptions) -> Result<Self> {
        Ok(Self(match options.format {
            FileFormat::Npy if options.stack => Writer::Stack(Stack::new(Spool::create(&output, &path)?, output)),
            FileFormat::Npy => Writer::Npy { output, is_written: false },
            FileFormat::Npz => Writer::Npz(NpzWriter::new(output).into()),
            FileFormat::Safetensors => {
                let spool = Spool::create(&output, &path)?;
                Writer::Safetensors(SafetensorsWriter::new(output, spool).into())
            }
            FileFormat::Parquet => Writer::Parquet(ParquetTable::new(output).into()),
            FileFormat::Csv | FileFormat::Tsv => {
                let keys = (!options.is_ctm).then(HashSet::new);
                Writer::Lines(LinesFile { output, keys, names: None })
            }
            FileFormat::Jsonl => Writer::Lines(LinesFile { output, keys: None, names: None }),
        }))
    }

    /// As [`Exporter::create`], for the entries of a table. If a first pass over its headers shows the sizes of all values, their numbers
    /// are written only once.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create_for(output: Output, path: PathBuf, options: &ExportOptions, source: &Named) -> Result<Self> {
        let header = (options.format == FileFormat::Safetensors).then(|| header_of(source, options)).flatten();
        match header {
            Some(header) => Ok(Self(Writer::Safetensors(SafetensorsWriter::with_header(output, header)?.into()))),
            None => Self::create(output, path, options),
        }
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// If the file cannot be written, or cannot have this entry.
    pub fn put(&mut self, key: &BStr, piece: Piece) -> Result<()> {
        match (&mut self.0, piece) {
            (_, Piece::Nothing) => Ok(()),
            (Writer::Lines(file), Piece::Text(lines, names)) => file.put(key, &lines, names),
            (Writer::Npy { is_written: true, .. }, Piece::Item(_)) => Err(Error::value(
                key,
                "a .npy has one value, got a second: `stack` stacks rows; a folder has a file for each",
            )),
            (Writer::Npy { output, is_written }, Piece::Item(item)) => {
                *is_written = true;
                let array = single_array(key, item, "a .npy")?;
                let (header, data) = npy::encode(&array);
                output.write_all(&header)?;
                Ok(output.write_encoded(data)?)
            }
            (Writer::Stack(stack), Piece::Item(item)) => stack.put(key, &single_array(key, item, "a .npy")?),
            (Writer::Npz(npz), Piece::Item(item)) => {
                each_array(key, item, "a .npz", |name, array| npz.put(name, array))
            }
            (Writer::Safetensors(safetensors), Piece::Item(item)) => {
                each_array(key, item, "a file of tensors", |name, array| safetensors.put(name, array))
            }
            (Writer::Parquet(parquet), Piece::Item(item)) => parquet.put(key, item),
            (Writer::Lines(file), Piece::Item(_)) => {
                Err(Error::content(file.output.name(), "expected lines, got a value"))
            }
            (_, Piece::Text(..)) => Err(Error::value(key, "expected a value, got lines")),
        }
    }

    /// Completes the file, which gets its name.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(self) -> Result<()> {
        let output = match self.0 {
            Writer::Npy { output, is_written: true } => output,
            Writer::Npy { output, .. } => return Err(Error::content(output.name(), "a .npy has one value, got none")),
            Writer::Stack(stack) => stack.finish()?,
            Writer::Npz(npz) => npz.finish()?,
            Writer::Safetensors(safetensors) => safetensors.finish()?,
            Writer::Parquet(parquet) => parquet.finish()?,
            Writer::Lines(file) => file.output,
        };
        Ok(output.finish()?)
    }
}

/// The array that a value is.
fn single_array(key: &BStr, item: Item, file: &str) -> Result<Array> {
    match item {
        Item::Array(array) => Ok(array),
        Item::Word(_) | Item::Words(_) => Err(no_words(key, file)),
        Item::Compound(value) => {
            let found = value.table_type();
            let message = format!(
                "a {found} is several arrays, for which {file} has no place: npz, safetensors, parquet and jsonl have"
            );
            Err(Error::value(key, message))
        }
    }
}

/// Hands over the arrays that a value becomes, each with its name.
fn each_array(key: &BStr, item: Item, file: &str, mut put: impl FnMut(&BStr, &Array) -> Result<()>) -> Result<()> {
    if let Item::Array(array) = item {
        return put(key, &array);
    }
    let Item::Compound(value) = item else { return Err(no_words(key, file)) };
    let table_type = value.table_type();
    if table_type.is_example() {
        return each_named(key, &value.examples(), put);
    }
    let (names, parts) = (part_names(table_type), value.parts());
    // A single value has no key.
    let dot = if key.is_empty() { "" } else { "." };
    names
        .iter()
        .zip(&parts)
        .try_for_each(|(name, array)| put(BString::from(format!("{key}{dot}{name}")).as_ref(), array))
}

fn no_words(key: &BStr, file: &str) -> Error {
    Error::value(key, format!("{file} has arrays of numbers and no words: parquet, jsonl, csv and tsv have words"))
}

/// All rows of a table as one array.
struct Stack {
    output: Output,
    spool: Spool,
    num_rows: u64,
    /// Columns and type of the first entry that has rows.
    row: Option<(usize, DType)>,
}

impl Stack {
    fn new(spool: Spool, output: Output) -> Self {
        Self { output, spool, num_rows: 0, row: None }
    }

    fn put(&mut self, key: &BStr, array: &Array) -> Result<()> {
        let (rows, columns) = array.size();
        if rows == 0 {
            return Ok(());
        }
        let (wanted, dtype) = *self.row.get_or_insert((columns, array.dtype));
        if (wanted, dtype) != (columns, array.dtype) {
            let message = format!("expected rows of {wanted} {dtype:?} as before, got {columns} {:?}", array.dtype);
            return Err(Error::value(key, message));
        }
        self.num_rows += rows as u64;
        self.spool.write(&array.data)
    }

    fn finish(mut self) -> Result<Output> {
        let (columns, dtype) = self.row.unwrap_or((0, DType::Float32));
        self.output.write_all(&header(dtype, &[self.num_rows, columns as u64]))?;
        self.spool.into_output(&mut self.output)?;
        Ok(self.output)
    }
}
