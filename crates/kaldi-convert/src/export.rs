//! Files of other programs, written entry by entry.

use std::collections::HashSet;
use std::path::PathBuf;

use bstr::{BStr, BString, ByteSlice};
use kaldi_inspect::{Layout, Numbers};
use kaldi_io::Output;
use kaldi_log::warning;
use kaldi_table::{Entry, WorkError};

use crate::array::{Array, DType};
use crate::file_format::FileFormat;
use crate::npy;
use crate::npz::NpzWriter;
use crate::parquet_write::ParquetWriter;
use crate::safetensors::SafetensorsWriter;
use crate::spool::Spool;
use crate::text_write::{write_object, write_rows};
use crate::{Error, Result};

/// What is written, and how.
#[derive(Clone, Copy, Debug)]
pub struct ExportOptions {
    /// The format of the files.
    pub format: FileFormat,
    /// The type of numbers that are not integers; that of the table where it is not given.
    pub dtype: Option<DType>,
    /// Whether all rows of the table become one `.npy`.
    pub stack: bool,
}

/// An entry in the form in which it is written; made by workers.
#[derive(Debug)]
pub enum Piece {
    /// The numbers.
    Array(Array),
    /// The lines.
    Text(Vec<u8>),
    /// The format has no place for it, which was a warning.
    Nothing,
}

impl ExportOptions {
    /// Reads an entry of a table and puts it into the form in which it is written. What is lost is a warning.
    ///
    /// # Errors
    /// Where the entry cannot be read, or cannot be written in this format.
    pub fn encode(&self, entry: &Entry<'_, Numbers>) -> Result<Piece, WorkError> {
        let mut array = read(entry)?;
        if let Some(dtype) = self.dtype {
            let (converted, lost) = array.to_float(dtype);
            if lost > 0 {
                warning!("{}: {lost} numbers are too large for {dtype:?}, and became infinite", entry.key());
            }
            array = converted;
        }
        let mut lines = Vec::new();
        match self.format {
            FileFormat::Csv | FileFormat::Tsv => {
                if array.size().0 == 0 {
                    warning!("{} has no rows, and so no line in a file of {}", entry.key(), self.format);
                    return Ok(Piece::Nothing);
                }
                let delimiter = if self.format == FileFormat::Csv { b',' } else { b'\t' };
                write_rows(&mut lines, entry.key(), &array, delimiter);
            }
            FileFormat::Jsonl => {
                let key = entry.key().to_str().map_err(|_| entry.error("expected a key in UTF-8, which JSON is"))?;
                write_object(&mut lines, key, &array);
            }
            _ => return Ok(Piece::Array(array)),
        }
        Ok(Piece::Text(lines))
    }
}

/// The array of an entry, whose bytes stay where they are if possible.
fn read(entry: &Entry<'_, Numbers>) -> Result<Array, WorkError> {
    let lies_there = entry.bytes().and_then(Layout::find).zip(entry.shared_bytes());
    if let Some((Layout { dims, is_double, header }, mut data)) = lies_there {
        data.skip(header);
        let dtype = if is_double { DType::Float64 } else { DType::Float32 };
        return Ok(Array { dtype, dims, data });
    }
    Ok(entry.read()?.into())
}

/// A file that is being written.
#[must_use = "a file is complete only after finish()"]
pub struct Exporter(Writer);

enum Writer {
    Npy { output: Output, is_written: bool },
    Stack(Stack),
    Npz(Box<NpzWriter>),
    Safetensors(Box<SafetensorsWriter>),
    Parquet(Box<ParquetWriter>),
    Lines { output: Output, keys: HashSet<BString>, is_json: bool },
}

impl Exporter {
    /// Creates the file `path`, whose printable name is `name`; `-` is standard output.
    ///
    /// # Errors
    /// Where it cannot be created.
    pub fn create(output: Output, path: PathBuf, options: &ExportOptions) -> Result<Self> {
        Ok(Self(match options.format {
            FileFormat::Npy if options.stack => Writer::Stack(Stack::new(Spool::create(&output, &path)?, output)),
            FileFormat::Npy => Writer::Npy { output, is_written: false },
            FileFormat::Npz => Writer::Npz(NpzWriter::new(output).into()),
            FileFormat::Safetensors => {
                let spool = Spool::create(&output, &path)?;
                Writer::Safetensors(SafetensorsWriter::new(output, spool).into())
            }
            FileFormat::Parquet => Writer::Parquet(ParquetWriter::new(output).into()),
            FileFormat::Csv | FileFormat::Tsv => Writer::Lines { output, keys: HashSet::new(), is_json: false },
            FileFormat::Jsonl => Writer::Lines { output, keys: HashSet::new(), is_json: true },
        }))
    }

    /// Appends an entry.
    ///
    /// # Errors
    /// Where the file cannot be written, or cannot have this entry.
    pub fn put(&mut self, key: &BStr, piece: Piece) -> Result<()> {
        match (&mut self.0, piece) {
            (_, Piece::Nothing) => Ok(()),
            (Writer::Lines { output, keys, is_json }, Piece::Text(lines)) => {
                if !*is_json && !keys.insert(key.to_owned()) {
                    return Err(Error::value(key, "this key comes twice, which lines of one key do not show"));
                }
                Ok(output.write_all(&lines)?)
            }
            (Writer::Npy { is_written: true, .. }, Piece::Array(_)) => Err(Error::value(
                key,
                "a .npy has one value, got a second: --stack stacks rows; a folder has a file for each",
            )),
            (Writer::Npy { output, is_written }, Piece::Array(array)) => {
                *is_written = true;
                let (header, data) = npy::encode(&array);
                output.write_all(&header)?;
                Ok(output.write_encoded(data)?)
            }
            (Writer::Stack(stack), Piece::Array(array)) => stack.put(key, &array),
            (Writer::Npz(npz), Piece::Array(array)) => npz.put(key, &array),
            (Writer::Safetensors(safetensors), Piece::Array(array)) => safetensors.put(key, &array),
            (Writer::Parquet(parquet), Piece::Array(array)) => parquet.put(key, array),
            (Writer::Lines { output, .. }, Piece::Array(_)) => {
                Err(Error::content(output.name(), "expected lines, got an array"))
            }
            (_, Piece::Text(_)) => Err(Error::value(key, "expected an array, got lines")),
        }
    }

    /// Completes the file, which gets its name.
    ///
    /// # Errors
    /// Where anything could not be written.
    pub fn finish(self) -> Result<()> {
        let output = match self.0 {
            Writer::Npy { output, is_written: true } => output,
            Writer::Npy { output, .. } => return Err(Error::content(output.name(), "a .npy has one value, got none")),
            Writer::Stack(stack) => stack.finish()?,
            Writer::Npz(npz) => npz.finish()?,
            Writer::Safetensors(safetensors) => safetensors.finish()?,
            Writer::Parquet(parquet) => parquet.finish()?,
            Writer::Lines { output, .. } => output,
        };
        Ok(output.finish()?)
    }
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
        self.output.write_all(&npy::header(dtype, &[self.num_rows, columns as u64]))?;
        self.spool.into_output(&mut self.output)?;
        Ok(self.output)
    }
}
