//! Which columns say what.

use std::collections::HashMap;

use column_files::{ColumnFile, Leaf, LeafType};
use serde_json::Value;

use crate::manifest::table::{GENDER, ID, LANGUAGE, SPEAKER, TEXT};
use crate::{CorpusPlace, FieldNames, Result};

/// More names of columns than lists have.
const MORE_TEXT: [&str; 3] = ["transcription", "normalized_text", "raw_text"];
const MORE_ID: [&str; 2] = ["utt", "segment_id"];

/// A leaf that says something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) leaf: usize,
}

/// The leaves of a file.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub(super) bytes: Option<Field>,
    pub(super) path: Option<Field>,
    pub(super) text: Option<Field>,
    pub(super) speaker: Option<Field>,
    pub(super) id: Option<Field>,
    pub(super) language: Option<Field>,
    pub(super) gender: Option<Field>,
    /// Names of the values of columns that are labels.
    pub(super) labels: HashMap<String, Vec<String>>,
}

impl Fields {
    /// Finds them: those that are asked for, or the usual ones.
    pub(super) fn find(file: &ColumnFile, asked: &FieldNames) -> Result<Self> {
        let finder = Finder { file, labels: labels(file) };
        let (bytes, path) = finder.sound(asked.audio.as_deref())?;
        let text: Vec<&str> = TEXT.iter().copied().chain(MORE_TEXT).collect();
        let id: Vec<&str> = ID.iter().copied().chain(MORE_ID).collect();
        Ok(Self {
            bytes,
            path,
            text: finder.words(asked.text.as_deref(), &text, false, "text")?,
            speaker: finder.words(asked.speaker.as_deref(), SPEAKER, true, "speaker")?,
            id: finder.words(asked.utterance.as_deref(), &id, true, "name")?,
            language: finder.words(asked.language.as_deref(), LANGUAGE, true, "language")?,
            gender: finder.words(asked.gender.as_deref(), GENDER, true, "gender")?,
            labels: finder.labels,
        })
    }

    fn all(&self) -> [&Option<Field>; 7] {
        [&self.bytes, &self.path, &self.text, &self.speaker, &self.id, &self.language, &self.gender]
    }

    /// The name of a column that these have and others lack.
    pub(super) fn missing(&self, others: &Self) -> Option<&str> {
        let pairs = self.all().into_iter().zip(others.all());
        let mut missing = pairs.filter_map(|(one, other)| one.as_ref().filter(|_| other.is_none()));
        missing.next().map(|field| field.name.as_str())
    }

    /// Whether a leaf says something.
    pub(super) fn has(&self, leaf: usize) -> bool {
        self.all().into_iter().flatten().any(|field| field.leaf == leaf)
    }
}

/// The names of the values of labels, which the features of Hugging Face say.
fn labels(file: &ColumnFile) -> HashMap<String, Vec<String>> {
    let features = file.note("huggingface").and_then(|note| serde_json::from_str::<Value>(note).ok());
    let features = features.as_ref().and_then(|note| note["info"]["features"].as_object());
    let labels = features.into_iter().flatten().filter(|(_, feature)| feature["_type"] == "ClassLabel");
    labels
        .filter_map(|(name, feature)| {
            let names = feature["names"].as_array()?.iter().map(|name| name.as_str().map(str::to_owned));
            Some((name.clone(), names.collect::<Option<Vec<_>>>()?))
        })
        .collect()
}

struct Finder<'a> {
    file: &'a ColumnFile,
    labels: HashMap<String, Vec<String>>,
}

impl Finder<'_> {
    fn error<T>(&self, message: String) -> Result<T> {
        Err(CorpusPlace { name: self.file.name().into(), line: None }.error(message))
    }

    fn field(&self, name: &str) -> Option<Field> {
        self.file.find(name).map(|leaf| Field { name: name.to_owned(), leaf })
    }

    fn leaf(&self, field: &Field) -> &Leaf {
        &self.file.leaves()[field.leaf]
    }

    /// The columns of the bytes and the path of sound.
    fn sound(&self, asked: Option<&str>) -> Result<(Option<Field>, Option<Field>)> {
        let name = match asked {
            Some(name) => name.to_owned(),
            None => self.usual_sound()?,
        };
        let has_type = |field: &Field, leaf_type: LeafType| {
            let leaf = self.leaf(field);
            leaf.leaf_type == leaf_type && !leaf.is_list()
        };
        if let Some(field) = self.field(&name) {
            if has_type(&field, LeafType::Bytes) {
                let path = name.strip_suffix(".bytes").and_then(|name| self.field(&format!("{name}.path")));
                return Ok((Some(field), path.filter(|path| has_type(path, LeafType::Text))));
            }
            return match has_type(&field, LeafType::Text) {
                true => Ok((None, Some(field))),
                false => self.error(format!(
                    "{name}: expected sound, which is bytes, a path or a struct of them, got a {}",
                    self.leaf(&field)
                )),
            };
        }
        let member = |member: &str, leaf_type| {
            self.field(&format!("{name}.{member}")).filter(|field| has_type(field, leaf_type))
        };
        let found = (member("bytes", LeafType::Bytes), member("path", LeafType::Text));
        if found.0.is_some() || found.1.is_some() {
            return Ok(found);
        }
        let prefix = format!("{name}.");
        let members = self.file.leaves().iter().filter_map(|leaf| leaf.name.strip_prefix(&prefix));
        let members = members.collect::<Vec<_>>().join(", ");
        match members.is_empty() {
            true => self.error(format!("expected a column {name}, got {}", self.file.names())),
            false => self.error(format!("{name}: expected a struct with bytes or path, got one of {members}")),
        }
    }

    /// The name of the column of sound: `audio`, or the only one that can be it.
    fn usual_sound(&self) -> Result<String> {
        let is_of = |name: &str, of: &str| name == of || name.strip_prefix(of).is_some_and(|it| it.starts_with('.'));
        if self.file.leaves().iter().any(|leaf| is_of(&leaf.name, "audio")) {
            return Ok("audio".to_owned());
        }
        let fits = |leaf: &Leaf| match (&leaf.leaf_type, leaf.name.rsplit_once('.')) {
            _ if leaf.is_list() => None,
            (LeafType::Bytes, Some((column, "bytes"))) | (LeafType::Text, Some((column, "path"))) => {
                Some(column.to_owned())
            }
            (LeafType::Bytes, None) => Some(leaf.name.clone()),
            _ => None,
        };
        let mut found: Vec<String> = self.file.leaves().iter().filter_map(fits).collect();
        found.dedup();
        match found.as_slice() {
            [name] => Ok(name.clone()),
            [] => self.error(format!("expected a column of sound, such as audio, got {}", self.file.names())),
            several => {
                self.error(format!("expected `audio_field` with one of {}, which all can be sound", several.join(", ")))
            }
        }
    }

    /// A column of words, and of integers if these are `numbers`, or of labels.
    fn words(&self, asked: Option<&str>, usual: &[&str], numbers: bool, what: &str) -> Result<Option<Field>> {
        let Some(field) = asked.map_or_else(|| usual.iter().find_map(|name| self.field(name)), |name| self.field(name))
        else {
            return match asked {
                None => Ok(None),
                Some(name) => self.error(format!("expected a column {name}, got {}", self.file.names())),
            };
        };
        let leaf = self.leaf(&field);
        let fits = match leaf.leaf_type {
            _ if leaf.is_list() => false,
            LeafType::Text => true,
            LeafType::Integer => numbers || self.labels.contains_key(&field.name),
            _ => false,
        };
        match fits {
            true => Ok(Some(field)),
            false => self.error(format!("{}: expected a {what}, got a {leaf}", field.name)),
        }
    }
}
