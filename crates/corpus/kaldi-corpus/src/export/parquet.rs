//! Files of Parquet with sound in them, as the library `datasets` writes and reads them.
//!
//! A row is an utterance. The entry `huggingface` of a file says what the columns are, so that `audio` is sound for the reader without
//! more words.

use column_files::{Cell, ColumnValue, ParquetOptions, ParquetWriter};
use kaldi_io::Output;
use serde_json::{Map, Value, json};

use super::audio::ExportedSound;
use super::tables::{DirectoryTables, LineKind, integer, number};
use crate::{DirectoryContent, DirectoryUtterance, Error, Result};

/// The most rows of a row group.
const GROUP_ROWS: usize = 100;

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

/// A file of Parquet that is written row by row.
pub struct ParquetFile {
    file: ParquetWriter,
    columns: Vec<(String, Content)>,
    num_rows: usize,
}

impl ParquetFile {
    /// Starts a file for utterances of a data directory. A column without a table is left out.
    ///
    /// # Errors
    /// If two columns have one name, or the output cannot be written.
    pub fn create(output: Output, directory: &DirectoryContent, tables: &DirectoryTables) -> Result<Self> {
        let columns = columns(directory, tables)?;
        let fields: Vec<String> = columns.iter().map(|(name, content)| content.field(name)).collect();
        // The sound is the second column.
        let schema = format!(
            "message table {{ {} optional group audio {{ optional binary bytes; optional binary path (UTF8); }} {} }}",
            fields[0],
            fields[1..].join(" ")
        );
        let features = json!({ "info": { "features": features(&columns) } });
        let options = ParquetOptions {
            notes: vec![("huggingface".to_owned(), features.to_string())],
            is_compressed: true,
            plain: vec![vec!["audio".to_owned(), "bytes".to_owned()]],
            group_rows: GROUP_ROWS,
        };
        Ok(Self { file: ParquetWriter::create(output, &schema, options)?, columns, num_rows: 0 })
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
        self.num_rows += 1;
        let path = format!("{}.{}", utterance.key, sound.suffix);
        let cells = self.columns.iter();
        let mut row: Vec<ColumnValue> =
            cells.map(|(name, content)| content.cell(name, utterance, tables, sound.seconds)).collect();
        row.splice(1..1, [ColumnValue::Bytes(sound.bytes), text(&path)]);
        Ok(self.file.put(row.into_iter().map(Cell::from).collect())?)
    }

    /// Writes what is left, and returns the output, which has its name when it is finished.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn finish(self) -> Result<Output> {
        Ok(self.file.finish()?)
    }
}

fn text(text: &str) -> ColumnValue {
    ColumnValue::Bytes(text.to_owned().into())
}

fn columns(directory: &DirectoryContent, tables: &DirectoryTables) -> Result<Vec<(String, Content)>> {
    let has_text = directory.utterances.iter().any(|utterance| utterance.text.is_some());
    let known = [
        ("id", Content::Id, true),
        ("text", Content::Text, has_text),
        ("speaker", Content::Speaker, true),
        ("language", Content::Language, tables.has_languages()),
        ("gender", Content::Gender, tables.has_genders()),
        ("duration", Content::Duration, true),
    ];
    let others = tables.others().map(|(name, table)| (name, Content::Other(table.column_kind()), true));
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

    fn cell(&self, name: &str, utterance: &DirectoryUtterance, tables: &DirectoryTables, seconds: f64) -> ColumnValue {
        let cell = match self {
            Self::Id => Some(text(&utterance.key)),
            Self::Text => utterance.text.as_deref().map(text),
            Self::Speaker => Some(text(&utterance.speaker)),
            Self::Language => tables.language(&utterance.key).map(text),
            Self::Gender => tables.gender(&utterance.speaker).map(text),
            Self::Duration => Some(ColumnValue::Double(seconds)),
            Self::Other(kind) => {
                let table = tables.others().find(|(other, _)| *other == name);
                table.and_then(|(_, table)| table.line(&utterance.key)).and_then(|line| value(*kind, line))
            }
        };
        cell.unwrap_or(ColumnValue::Null)
    }
}

/// The value of a line of a table; `None` if it is not of this kind.
fn value(kind: LineKind, line: &str) -> Option<ColumnValue> {
    let words = line.split_whitespace();
    Some(match kind {
        LineKind::Integer => ColumnValue::Integer(integer(line)?),
        LineKind::Number => ColumnValue::Double(number(line)?),
        LineKind::Integers => ColumnValue::List(words.filter_map(integer).map(ColumnValue::Integer).collect()),
        LineKind::Numbers => ColumnValue::List(words.filter_map(number).map(ColumnValue::Double).collect()),
        LineKind::Words => text(line),
    })
}
