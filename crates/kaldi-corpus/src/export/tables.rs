//! What other tables of a data directory say about its utterances.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::BStr;
use serde_json::{Value, json};

use crate::{CorpusPlace, Error, Result, read_text};

/// Tables of utterances that are exported under names of their own.
const KNOWN: [&str; 3] = ["utt2spk", "utt2lang", "utt2dur"];

/// Seconds from one frame to the next, unless the file `frame_shift` says it.
const FRAME_SHIFT: f64 = 0.01;

/// The tables of a data directory besides those of [`DataDirectory`](crate::DataDirectory): languages, genders, features, and
/// `utt2<name>` of other names. Each may be missing.
#[derive(Clone, Debug)]
pub struct DirectoryTables {
    languages: Option<HashMap<String, String>>,
    genders: Option<HashMap<String, String>>,
    feats: Option<HashMap<String, Features>>,
    /// Seconds from one frame of features to the next.
    pub frame_shift: f64,
    others: Vec<(String, OtherTable)>,
}

/// The features of an utterance.
#[derive(Clone, Debug)]
pub(super) struct Features {
    /// Where they are, as `feats.scp` says it.
    pub(super) place: String,
    pub(super) num_frames: usize,
    pub(super) dim: usize,
}

/// What all lines of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    Integer,
    Number,
    Integers,
    Numbers,
    Words,
}

/// A table `utt2<name>`: lines by utterance.
#[derive(Clone, Debug)]
pub(super) struct OtherTable {
    pub(super) kind: LineKind,
    lines: HashMap<String, String>,
}

impl DirectoryTables {
    /// Reads the tables of a folder. Features have no sizes yet.
    ///
    /// # Errors
    /// If a file cannot be read, or a key comes twice.
    pub fn read(folder: &Path) -> Result<Self> {
        let optional = |name: &str| {
            let path = folder.join(name);
            if path.is_file() { table(&path).map(Some) } else { Ok(None) }
        };
        let shift = folder.join("frame_shift");
        let frame_shift = if shift.is_file() { read_shift(&shift)? } else { FRAME_SHIFT };
        let failed = |source| Error::Folder { name: folder.display().to_string(), source };
        let mut names = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            names.extend(name.to_str().filter(|name| is_other(name)).map(str::to_owned));
        }
        names.sort();
        let mut others = Vec::new();
        for name in names {
            if let Some(lines) = optional(&name)? {
                let kind = LineKind::of(lines.values());
                others.push((name["utt2".len()..].to_owned(), OtherTable { kind, lines }));
            }
        }
        let place = |(key, place)| (key, Features { place, num_frames: 0, dim: 0 });
        let feats = optional("feats.scp")?.map(|feats| feats.into_iter().map(place).collect());
        Ok(Self { languages: optional("utt2lang")?, genders: optional("spk2gender")?, feats, frame_shift, others })
    }

    /// Whether there are features.
    pub fn has_features(&self) -> bool {
        self.feats.is_some()
    }

    /// Says how many frames the features of an utterance have, and how many numbers a frame.
    pub fn set_size_of_features(&mut self, key: &str, num_frames: usize, dim: usize) {
        if let Some(features) = self.feats.as_mut().and_then(|feats| feats.get_mut(key)) {
            (features.num_frames, features.dim) = (num_frames, dim);
        }
    }

    pub(super) fn features(&self, key: &str) -> Option<&Features> {
        self.feats.as_ref()?.get(key)
    }

    pub(super) fn language(&self, key: &str) -> Option<&str> {
        Some(self.languages.as_ref()?.get(key)?)
    }

    pub(super) fn gender(&self, speaker: &str) -> Option<&str> {
        Some(self.genders.as_ref()?.get(speaker)?)
    }

    pub(super) fn has_languages(&self) -> bool {
        self.languages.is_some()
    }

    pub(super) fn has_genders(&self) -> bool {
        self.genders.is_some()
    }

    /// The tables of other names, in the order of these.
    pub(super) fn others(&self) -> impl Iterator<Item = (&str, &OtherTable)> {
        self.others.iter().map(|(name, table)| (name.as_str(), table))
    }
}

/// Whether a file of this name is a table `utt2<name>` of which nothing else is known.
fn is_other(name: &str) -> bool {
    let is_plain =
        |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    name.strip_prefix("utt2").is_some_and(is_plain) && !KNOWN.contains(&name)
}

fn table(path: &Path) -> Result<HashMap<String, String>> {
    let mut lines = HashMap::new();
    for (key, line) in read_text(BStr::new(path.as_os_str().as_bytes()))? {
        if lines.contains_key(&key) {
            let place = CorpusPlace { name: path.display().to_string().into(), line: None };
            return Err(place.error(format!("expected each key once, got {key} again")));
        }
        lines.insert(key, line);
    }
    Ok(lines)
}

fn read_shift(path: &Path) -> Result<f64> {
    let place = || CorpusPlace { name: path.display().to_string().into(), line: None };
    let text = std::fs::read_to_string(path).map_err(|error| place().error(format!("cannot read it: {error}")))?;
    let shift = text.trim().parse::<f64>().ok().filter(|shift| *shift > 0.0 && shift.is_finite());
    shift.ok_or_else(|| place().error(format!("expected a number of seconds above 0, got {:?}", text.trim())))
}

impl LineKind {
    /// The narrowest kind that all lines fit.
    fn of<'a>(lines: impl Iterator<Item = &'a String> + Clone) -> Self {
        let all = |fits: &dyn Fn(&str) -> bool| lines.clone().all(|line| fits(line));
        let each = |line: &str, fits: fn(&str) -> bool| line.split_whitespace().all(fits);
        let is_integer = |word: &str| integer(word).is_some();
        let is_number = |word: &str| number(word).is_some();
        if all(&is_integer) {
            Self::Integer
        } else if all(&is_number) {
            Self::Number
        } else if all(&|line| each(line, is_integer)) {
            Self::Integers
        } else if all(&|line| each(line, is_number)) {
            Self::Numbers
        } else {
            Self::Words
        }
    }
}

/// An integer as it is written usually: `007` is none, which would lose its zeros.
pub(super) fn integer(word: &str) -> Option<i64> {
    word.parse().ok().filter(|number: &i64| number.to_string() == word)
}

/// A finite number that starts with a digit, a point or a sign, and not with two zeros.
pub(super) fn number(word: &str) -> Option<f64> {
    let size = word.strip_prefix('-').unwrap_or(word);
    let starts_well = size.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let has_zeros = size.len() > 1 && size.starts_with('0') && !size.starts_with("0.") && !size.starts_with("0e");
    word.parse().ok().filter(|number: &f64| starts_well && !has_zeros && number.is_finite())
}

impl OtherTable {
    pub(super) fn line(&self, key: &str) -> Option<&str> {
        self.lines.get(key).map(String::as_str)
    }

    /// The line of an utterance: a number, a list of integers or text.
    pub(super) fn json(&self, key: &str) -> Option<Value> {
        let line = self.line(key)?;
        Some(match self.kind {
            LineKind::Integer => json!(integer(line)),
            LineKind::Number => json!(number(line)),
            LineKind::Integers => json!(line.split_whitespace().filter_map(integer).collect::<Vec<_>>()),
            LineKind::Numbers | LineKind::Words => json!(line),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_of_the_narrowest_kind_that_all_lines_fit() {
        let kind =
            |lines: &[&str]| LineKind::of(lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>().iter());
        assert_eq!(kind(&["1", "-20"]), LineKind::Integer);
        assert_eq!(kind(&["1", "2.5", "1e-5"]), LineKind::Number);
        assert_eq!(kind(&["1 2", "", "7"]), LineKind::Integers);
        assert_eq!(kind(&["1 2.5", "7"]), LineKind::Numbers);
        for other in ["007", "nan", "inf", "00.5", "1 x", "+1", "happy"] {
            assert_eq!(kind(&["1", other]), LineKind::Words, "{other}");
        }
    }

    #[test]
    fn other_tables_are_named_by_letters_digits_and_underscores() {
        assert!(["utt2snr", "utt2num_frames", "utt2uniq"].iter().all(|name| is_other(name)));
        assert!(
            ["utt2spk", "utt2lang", "utt2dur", "utt2", "utt2snr.bak", "utt2snr~", "spk2utt"]
                .iter()
                .all(|name| !is_other(name))
        );
    }
}
