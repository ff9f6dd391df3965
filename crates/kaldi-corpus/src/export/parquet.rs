//! Files of Parquet with sound in them, as the library `datasets` writes and reads them.
//!
//! A row is an utterance. The entry `huggingface` of a file says what the columns are, so that `audio` is sound for the reader without
//! more words.

use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use kaldi_io::Output;
use parquet::basic::Compression;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;
use serde_json::{Map, Value, json};

use super::tables::{DirectoryTables, LineKind, integer, number};
use crate::shard::pack::{Sound, blob_of, decode, encode, load, seconds, span};
use crate::shard::sound::is_as_written;
use crate::shard::{Packing, ShardFormat, Stored};
use crate::{DataDirectory, DirectoryUtterance, Error, Result};

/// The most rows of a row group.
const GROUP_ROWS: usize = 100;

/// Bytes of sound in a row group, unless one alone has more. They wait in memory.
const GROUP_BYTES: usize = 32 << 20;

/// What becomes of whole recordings in a file of Parquet. Segments are cut, and become WAV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParquetSound {
    /// Their bytes stay as they are.
    #[default]
    Copy,
    /// They become WAV of 16 bits.
    Wav,
}

/// The sound of an utterance.
#[derive(Debug)]
pub struct ExportedSound {
    suffix: String,
    bytes: Bytes,
    seconds: f64,
    /// How many of its samples were clipped.
    pub num_clipped: usize,
}

impl ParquetSound {
    /// Every kind with its name.
    pub const NAMES: [(&str, Self); 2] = [("copy", Self::Copy), ("wav", Self::Wav)];

    /// The sound of utterances of a recording.
    ///
    /// # Errors
    /// What is wrong, with the key of the utterance: the recording cannot be read, or a segment is outside of it.
    pub fn read(self, recording: &Stored, utterances: &[DirectoryUtterance]) -> Result<Vec<ExportedSound>, String> {
        let wave = match utterances.iter().find(|utterance| utterance.times.is_some()) {
            Some(first) => {
                let wave = load(recording).and_then(|bytes| decode(recording, &bytes));
                Some(wave.map_err(|message| format!("{}: {message}", first.key))?)
            }
            None => None,
        };
        let read = |utterance: &DirectoryUtterance| {
            let sound = match (utterance.times, &wave) {
                (Some((start, end)), Some(wave)) => {
                    let end = if end < 0.0 { wave.duration() } else { end };
                    let samples = span(wave, start, end)?;
                    let channels = match utterance.channel.map(|channel| channel as usize) {
                        None => 0..wave.num_channels(),
                        Some(channel) if channel < wave.num_channels() => channel..channel + 1,
                        Some(channel) => {
                            return Err(format!("expected a channel below {}, got {channel}", wave.num_channels()));
                        }
                    };
                    let channels = channels.map(|channel| wave.channel(channel)[samples.clone()].to_vec()).collect();
                    encode(kaldi_wave::Wave::new(wave.sample_rate(), channels), wave.sample_rate() as u32)
                }
                _ => self.whole(recording),
            };
            let Sound { suffix, content, num_clipped } = sound?;
            let seconds = seconds(&content)?;
            let bytes = content.load().map_err(|error| error.to_string())?.into_owned().into();
            Ok(ExportedSound { suffix: suffix.to_string(), bytes, seconds, num_clipped })
        };
        let named =
            |utterance: &DirectoryUtterance| read(utterance).map_err(|message| format!("{}: {message}", utterance.key));
        utterances.iter().map(named).collect()
    }

    fn whole(self, recording: &Stored) -> Result<Sound, String> {
        let unchanged = Packing { format: ShardFormat::Wenet, sample_rate: None, gzip: false };
        let is_wav = || Ok::<_, String>(blob_of(recording)?.is_some_and(|blob| is_as_written(&blob)));
        if self == Self::Copy || is_wav()? {
            return unchanged.whole(recording);
        }
        let wave = decode(recording, &load(recording)?)?;
        let rate = wave.sample_rate() as u32;
        encode(wave, rate)
    }
}

/// What a column has, besides the sound.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Id,
    Text,
    Speaker,
    Language,
    Gender,
    Duration,
    /// A table `utt2<name>`.
    Other(LineKind),
}

/// What a row has in a column.
enum Cell {
    Word(ByteArray),
    Integer(i64),
    Number(f64),
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
}

struct Row {
    sound: ByteArray,
    path: ByteArray,
    cells: Vec<Option<Cell>>,
}

/// A file of Parquet that is written row by row.
pub struct ParquetFile {
    file: SerializedFileWriter<Sink>,
    columns: Vec<(String, Content)>,
    rows: Vec<Row>,
    num_bytes: usize,
    num_rows: usize,
}

impl ParquetFile {
    /// Starts a file for utterances of a data directory. A column without a table is left out.
    ///
    /// # Errors
    /// If two columns have one name, or the output cannot be written.
    pub fn create(output: Output, directory: &DataDirectory, tables: &DirectoryTables) -> Result<Self> {
        let name = output.name();
        let columns = columns(directory, tables)?;
        let fields: Vec<String> = columns.iter().map(|(name, content)| content.field(name)).collect();
        // The sound is the second column.
        let schema = format!(
            "message table {{ {} optional group audio {{ optional binary bytes; optional binary path (UTF8); }} {} }}",
            fields[0],
            fields[1..].join(" ")
        );
        let sound = ColumnPath::new(vec!["audio".to_owned(), "bytes".to_owned()]);
        let features = json!({ "info": { "features": features(&columns) } });
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_compression(Compression::SNAPPY)
            .set_column_compression(sound.clone(), Compression::UNCOMPRESSED)
            .set_column_statistics_enabled(sound, EnabledStatistics::None)
            .set_key_value_metadata(Some(vec![KeyValue::new("huggingface".to_owned(), features.to_string())]))
            .build();
        let failed = |error: ParquetError| Error::Nothing(format!("{name}: {error}"));
        let schema = parse_message_type(&schema).map_err(failed)?;
        let sink = Sink { output: Some(output), fault: None };
        let file = SerializedFileWriter::new(sink, Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        Ok(Self { file, columns, rows: Vec::new(), num_bytes: 0, num_rows: 0 })
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// Appends an utterance with its sound.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn put(
        &mut self,
        utterance: &DirectoryUtterance,
        tables: &DirectoryTables,
        sound: ExportedSound,
    ) -> Result<()> {
        let is_full = self.rows.len() >= GROUP_ROWS || self.num_bytes + sound.bytes.len() > GROUP_BYTES;
        if is_full && !self.rows.is_empty() {
            self.write_group()?;
        }
        self.num_bytes += sound.bytes.len();
        self.num_rows += 1;
        let path = format!("{}.{}", utterance.key, sound.suffix);
        let cells = self.columns.iter();
        let cells = cells.map(|(name, content)| content.cell(name, utterance, tables, sound.seconds)).collect();
        self.rows.push(Row { sound: sound.bytes.into(), path: path.into_bytes().into(), cells });
        Ok(())
    }

    /// Writes what is left, and returns the output, which has its name when it is finished.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(mut self) -> Result<Output> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        let finished = self.file.finish().map(drop);
        let sink = self.file.inner_mut();
        finished.map_err(|error| sink.explain(&error))?;
        sink.output.take().ok_or_else(|| Error::Nothing("the file is finished".to_owned()))
    }

    fn write_group(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.num_bytes = 0;
        write_rows(&mut self.file, self.columns.len(), &rows).map_err(|error| self.file.inner_mut().explain(&error))
    }
}

fn columns(directory: &DataDirectory, tables: &DirectoryTables) -> Result<Vec<(String, Content)>> {
    let has_text = directory.utterances.iter().any(|utterance| utterance.text.is_some());
    let known = [
        ("id", Content::Id, true),
        ("text", Content::Text, has_text),
        ("speaker", Content::Speaker, true),
        ("language", Content::Language, tables.has_languages()),
        ("gender", Content::Gender, tables.has_genders()),
        ("duration", Content::Duration, true),
    ];
    let others = tables.others().map(|(name, table)| (name, Content::Other(table.kind), true));
    let mut columns: Vec<(String, Content)> = Vec::new();
    for (name, content, _) in known.into_iter().chain(others).filter(|(.., is_there)| *is_there) {
        if name == "audio" || columns.iter().any(|(other, _)| other == name) {
            return Err(Error::Nothing(format!("utt2{name}: expected another name than that of the column {name}")));
        }
        columns.push((name.to_owned(), content));
    }
    Ok(columns)
}

/// The columns as `datasets` describes them.
fn features(columns: &[(String, Content)]) -> Map<String, Value> {
    let mut features = Map::new();
    for (name, content) in columns {
        features.insert(name.clone(), content.feature());
        if *content == Content::Id {
            features.insert("audio".to_owned(), json!({ "_type": "Audio" }));
        }
    }
    features
}

impl Content {
    fn kind(&self) -> LineKind {
        match self {
            Self::Duration => LineKind::Number,
            Self::Other(kind) => *kind,
            _ => LineKind::Words,
        }
    }

    /// The field in a schema.
    fn field(&self, name: &str) -> String {
        let list =
            |kind| format!("optional group {name} (LIST) {{ repeated group list {{ optional {kind} element; }} }}");
        match self.kind() {
            LineKind::Integer => format!("optional int64 {name};"),
            LineKind::Number => format!("optional double {name};"),
            LineKind::Integers => list("int64"),
            LineKind::Numbers => list("double"),
            LineKind::Words => format!("optional binary {name} (UTF8);"),
        }
    }

    fn feature(&self) -> Value {
        let value = |dtype: &str| json!({ "dtype": dtype, "_type": "Value" });
        // Old versions of the library know no `List`, and new ones know this.
        let list = |dtype| json!({ "feature": value(dtype), "_type": "Sequence" });
        match self.kind() {
            LineKind::Integer => value("int64"),
            LineKind::Number => value("float64"),
            LineKind::Integers => list("int64"),
            LineKind::Numbers => list("float64"),
            LineKind::Words => value("string"),
        }
    }

    fn cell(&self, name: &str, utterance: &DirectoryUtterance, tables: &DirectoryTables, seconds: f64) -> Option<Cell> {
        let word = |word: &str| Cell::Word(word.into());
        match self {
            Self::Id => Some(word(&utterance.key)),
            Self::Text => utterance.text.as_deref().map(word),
            Self::Speaker => Some(word(&utterance.speaker)),
            Self::Language => tables.language(&utterance.key).map(word),
            Self::Gender => tables.gender(&utterance.speaker).map(word),
            Self::Duration => Some(Cell::Number(seconds)),
            Self::Other(kind) => {
                let (_, table) = tables.others().find(|(other, _)| *other == name)?;
                let line = table.line(&utterance.key)?;
                Some(match kind {
                    LineKind::Integer => Cell::Integer(integer(line)?),
                    LineKind::Number => Cell::Number(number(line)?),
                    LineKind::Integers => Cell::Integers(line.split_whitespace().filter_map(integer).collect()),
                    LineKind::Numbers => Cell::Numbers(line.split_whitespace().filter_map(number).collect()),
                    LineKind::Words => word(line),
                })
            }
        }
    }
}

fn write_rows(file: &mut SerializedFileWriter<Sink>, num_columns: usize, rows: &[Row]) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    let words = |word: &Row| -> [ByteArray; 2] { [word.sound.clone(), word.path.clone()] };
    for column in 0..num_columns {
        write_column(&mut group, |writer| {
            rows.iter().try_for_each(|row| write_cell(writer, row.cells[column].as_ref()))
        })?;
        if column > 0 {
            continue;
        }
        for part in 0..2 {
            write_column(&mut group, |writer| {
                let ColumnWriter::ByteArrayColumnWriter(writer) = writer else { return Err(other_type()) };
                // One by one, so that a page ends as soon as it has enough bytes.
                rows.iter().try_for_each(|row| writer.write_batch(&words(row)[part..=part], Some(&[2]), None).map(drop))
            })?;
        }
    }
    group.close().map(drop)
}

fn write_column(
    group: &mut SerializedRowGroupWriter<'_, Sink>,
    write: impl FnOnce(&mut ColumnWriter<'_>) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(other_type)?;
    write(column.untyped())?;
    column.close()
}

fn other_type() -> ParquetError {
    ParquetError::General("a column of another type".to_owned())
}

/// A value is there at level 1, one of a list at level 3; a list that is empty has level 1.
fn write_cell(column: &mut ColumnWriter<'_>, cell: Option<&Cell>) -> Result<(), ParquetError> {
    let levels = |count: usize| -> (Vec<i16>, Vec<i16>) {
        match count {
            0 => (vec![1], vec![0]),
            count => (vec![3; count], (0..count).map(|at| i16::from(at > 0)).collect()),
        }
    };
    match (column, cell) {
        (ColumnWriter::ByteArrayColumnWriter(column), None) => column.write_batch(&[], Some(&[0]), None),
        (ColumnWriter::ByteArrayColumnWriter(column), Some(Cell::Word(word))) => {
            column.write_batch(std::slice::from_ref(word), Some(&[1]), None)
        }
        (ColumnWriter::Int64ColumnWriter(column), None) => column.write_batch(&[], Some(&[0]), Some(&[0])),
        (ColumnWriter::Int64ColumnWriter(column), Some(Cell::Integer(value))) => {
            column.write_batch(&[*value], Some(&[1]), None)
        }
        (ColumnWriter::Int64ColumnWriter(column), Some(Cell::Integers(values))) => {
            let (definitions, repetitions) = levels(values.len());
            column.write_batch(values, Some(&definitions), Some(&repetitions))
        }
        (ColumnWriter::DoubleColumnWriter(column), None) => column.write_batch(&[], Some(&[0]), Some(&[0])),
        (ColumnWriter::DoubleColumnWriter(column), Some(Cell::Number(value))) => {
            column.write_batch(&[*value], Some(&[1]), None)
        }
        (ColumnWriter::DoubleColumnWriter(column), Some(Cell::Numbers(values))) => {
            let (definitions, repetitions) = levels(values.len());
            column.write_batch(values, Some(&definitions), Some(&repetitions))
        }
        _ => return Err(other_type()),
    }
    .map(drop)
}

/// The output as the library wants it; keeps what the system says, which the library passes on in other words.
struct Sink {
    /// Nothing once it was given back.
    output: Option<Output>,
    fault: Option<kaldi_io::Error>,
}

impl Sink {
    fn explain(&mut self, error: &ParquetError) -> Error {
        let name = self.output.as_ref().map(Output::name).unwrap_or_default();
        self.fault.take().map_or_else(|| Error::Nothing(format!("{name}: {error}")), Error::from)
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(output) = &mut self.output else { return Err(io::ErrorKind::BrokenPipe.into()) };
        match output.write_all(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                let told = io::Error::other(error.to_string());
                self.fault = Some(error);
                Err(told)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
