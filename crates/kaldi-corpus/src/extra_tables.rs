//! Tables of utterances that other formats have as entries of their own.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::BStr;
use serde_json::json;

use crate::{Error, Result, read_text};

/// Tables with a meaning of their own.
const KNOWN: [&str; 3] = ["spk", "lang", "dur"];

/// A table `utt2<name>` of a data directory whose name says nothing to Kaldi.
#[derive(Clone, Debug)]
pub struct ExtraTable {
    name: String,
    form: Form,
    values: HashMap<String, String>,
}

/// What all values of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Integer,
    Number,
    Integers,
    Text,
}

impl ExtraTable {
    /// Reads the tables of a data directory, by their names.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn read_all(folder: &Path) -> Result<Vec<Self>> {
        let failed = |source| Error::Folder { name: folder.display().to_string(), source };
        let mut tables = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(name) = file.strip_prefix("utt2").filter(|name| !name.is_empty() && !KNOWN.contains(name)) else {
                continue;
            };
            if !path.is_file() {
                continue;
            }
            let values: HashMap<String, String> =
                read_text(BStr::new(path.as_os_str().as_bytes()))?.into_iter().collect();
            let form = [Form::Integer, Form::Number, Form::Integers];
            let form =
                form.into_iter().find(|form| values.values().all(|value| form.fits(value))).unwrap_or(Form::Text);
            tables.push(Self { name: name.to_owned(), form, values });
        }
        tables.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(tables)
    }

    /// What follows `utt2`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The value of an utterance in JSON: a number if all values of the table are numbers, a list if all are integers with blanks
    /// between them, else text. `None` if it has none.
    pub fn json(&self, utterance: &str) -> Option<String> {
        let value = self.values.get(utterance)?;
        Some(match self.form {
            Form::Integer => value.clone(),
            Form::Number => value.parse::<f64>().map_or_else(|_| value.clone(), |number| json!(number).to_string()),
            Form::Integers => format!("[{}]", value.split_ascii_whitespace().collect::<Vec<_>>().join(", ")),
            Form::Text => json!(value).to_string(),
        })
    }
}

impl Form {
    fn fits(self, value: &str) -> bool {
        let is_integer = |word: &str| word.parse::<i64>().is_ok_and(|number| number.to_string() == word);
        match self {
            Self::Integer => is_integer(value),
            Self::Number => value.parse::<f64>().is_ok_and(f64::is_finite),
            Self::Integers => !value.is_empty() && value.split_ascii_whitespace().all(is_integer),
            Self::Text => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_all_lines_fit() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("utt2n", "a 1\nb -20\n"),
            ("utt2x", "a 1\nb 2.5\n"),
            ("utt2list", "a 1 2\nb 3\n"),
            ("utt2word", "a 01\nb x y\n"),
            ("utt2spk", "a s\nb s\n"),
            ("other", ""),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let tables = ExtraTable::read_all(folder.path()).unwrap();
        let got: Vec<_> = tables.iter().map(|it| (it.name(), it.json("a").unwrap(), it.json("b").unwrap())).collect();
        let t = |name, a: &str, b: &str| (name, a.to_owned(), b.to_owned());
        assert_eq!(
            got,
            [t("list", "[1, 2]", "[3]"), t("n", "1", "-20"), t("word", "\"01\"", "\"x y\""), t("x", "1.0", "2.5"),]
        );
        assert_eq!(tables[0].json("c"), None);
    }
}
