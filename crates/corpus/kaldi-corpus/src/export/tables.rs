//! What other tables of a data directory say about its utterances.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::{BStr, ByteSlice};
use kaldi_io::{Input, names_in_folder};
use serde_json::json;

use crate::{CorpusPlace, DataDirectory, Result, read_text};

/// Tables of utterances that are exported under names of their own.
const KNOWN: [&str; 3] = [DataDirectory::UTT2SPK, DataDirectory::UTT2LANG, DataDirectory::UTT2DUR];

/// The file with the seconds from one frame to the next.
const SHIFT: &str = "frame_shift";
/// These seconds, if there is no such file.
const FRAME_SHIFT: f64 = 0.01;

/// The tables of a data directory besides those of [`DirectoryContent`](crate::DirectoryContent): languages, genders, features, and
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

/// What all lines of a table are. It is a type of numbers only if each line comes back from them letter by letter.
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
        let names = names_in_folder(folder)?;
        let has = |file: &str| names.iter().any(|name| name == file) && !folder.join(file).is_dir();
        let optional = |file: &str| if has(file) { table(&folder.join(file)).map(Some) } else { Ok(None) };
        let frame_shift = if has(SHIFT) { read_shift(&folder.join(SHIFT))? } else { FRAME_SHIFT };
        let mut others = Vec::new();
        for name in names.iter().filter_map(|name| name.to_str()).filter(|name| is_other(name)) {
            if let Some(lines) = optional(name)? {
                let kind = LineKind::of(lines.values());
                others.push((name["utt2".len()..].to_owned(), OtherTable { kind, lines }));
            }
        }
        let place = |(key, place)| (key, Features { place, num_frames: 0, dim: 0 });
        let feats = optional(DataDirectory::FEATS_SCP)?.map(|feats| feats.into_iter().map(place).collect());
        Ok(Self {
            languages: optional(DataDirectory::UTT2LANG)?,
            genders: optional(DataDirectory::SPK2GENDER)?,
            feats,
            frame_shift,
            others,
        })
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

    /// Where the features of an utterance are, as `feats.scp` says it.
    pub fn place_of_features(&self, key: &str) -> Option<&str> {
        Some(&self.features(key)?.place)
    }

    /// The language of an utterance.
    pub fn language(&self, key: &str) -> Option<&str> {
        Some(self.languages.as_ref()?.get(key)?)
    }

    /// The gender of a speaker.
    pub fn gender(&self, speaker: &str) -> Option<&str> {
        Some(self.genders.as_ref()?.get(speaker)?)
    }

    /// What the tables of other names say about an utterance: what follows `utt2` in their names, and values in JSON.
    pub fn entries<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (&'a str, String)> {
        self.others().filter_map(move |(name, table)| Some((name, table.json(key)?)))
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
    let is_plain = |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
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
    let text = Input::open(BStr::new(path.as_os_str().as_bytes()))?.read_text()?;
    let text = text.to_str_lossy();
    let shift = text.trim().parse::<f64>().ok().filter(|shift| *shift > 0.0 && shift.is_finite());
    shift.ok_or_else(|| place().error(format!("expected a number of seconds above 0, got {:?}", text.trim())))
}

impl LineKind {
    /// The narrowest kind that all lines fit.
    fn of<'a>(lines: impl Iterator<Item = &'a String> + Clone) -> Self {
        let all = |fits: &dyn Fn(&str) -> bool| lines.clone().all(|line| fits(line));
        // Lists come back with single blanks.
        let each = |line: &str, fits: fn(&str) -> bool| line.is_empty() || line.split(' ').all(fits);
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

/// A finite number with no digit more and none less than it needs, `0.5`, `1.0` or `1e-7`. Integers beyond those that double precision
/// counts are none, and names rather than numbers.
pub(super) fn number(word: &str) -> Option<f64> {
    const LAST_INTEGER: f64 = (1_u64 << 53) as f64;
    let number = word.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let is_long = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') && number.abs() > LAST_INTEGER;
    let is_shortest = number.to_string() == word || format!("{number:?}") == word;
    (is_shortest && !is_long).then_some(number)
}

impl OtherTable {
    pub(super) fn line(&self, key: &str) -> Option<&str> {
        self.lines.get(key).map(String::as_str)
    }

    /// The line of an utterance in JSON: a number, a list of integers or text. Numbers keep their letters.
    fn json(&self, key: &str) -> Option<String> {
        let line = self.line(key)?;
        Some(match self.kind {
            LineKind::Integer | LineKind::Number => line.to_owned(),
            LineKind::Integers => format!("[{}]", line.split_whitespace().collect::<Vec<_>>().join(", ")),
            LineKind::Numbers | LineKind::Words => json!(line).to_string(),
        })
    }

    /// What the lines are in a column, whose numbers do not keep their letters: `1.0` would come back as `1`.
    pub(super) fn column_kind(&self) -> LineKind {
        let comes_back = |word: &str| number(word).is_none_or(|number| number.to_string() == word);
        match self.kind {
            LineKind::Number | LineKind::Numbers
                if !self.lines.values().flat_map(|line| line.split_whitespace()).all(comes_back) =>
            {
                LineKind::Words
            }
            kind => kind,
        }
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
        assert_eq!(kind(&["1", "-0", "1.0", "0.25", "9007199254740992"]), LineKind::Number);
        assert_eq!(kind(&["0.25", "9007199254740993"]), LineKind::Words);
        assert_eq!(kind(&["9223372036854775807"]), LineKind::Integer);
        for other in
            ["007", "nan", "inf", "00.5", "1 x", "+1", "happy", "+5", ".5", "5.", "1.50", "1E5", "1e5", "0x10", "1_000"]
        {
            assert_eq!(kind(&["1", other]), LineKind::Words, "{other}");
            assert_eq!(kind(&["1 2", &format!("3 {other}")]), LineKind::Words, "{other}");
        }
        for long in ["12345678901234567890", "10000000000000000000", "-9223372036854775809", "0.1234567890123456789"] {
            assert_eq!(kind(&[long]), LineKind::Words, "{long}");
        }
        // A list has single blanks.
        assert_eq!(kind(&["1 2", "3  4"]), LineKind::Words);
        assert_eq!(kind(&["1 2", "3\t4"]), LineKind::Words);
    }

    #[test]
    fn lines_come_back_letter_by_letter() {
        let table = |lines: &[&str]| {
            let lines: HashMap<String, String> =
                lines.iter().enumerate().map(|(at, line)| (at.to_string(), (*line).to_owned())).collect();
            OtherTable { kind: LineKind::of(lines.values()), lines }
        };
        for (lines, json, column) in [
            (&["7", "-1"][..], &["7", "-1"][..], LineKind::Integer),
            (&["1", "17.5"], &["1", "17.5"], LineKind::Number),
            (&["1.0", "17.5"], &["1.0", "17.5"], LineKind::Words),
            (&["1e-7"], &["1e-7"], LineKind::Words),
            (&["007 1 2"], &["\"007 1 2\""], LineKind::Words),
            (&["1 2", "3"], &["[1, 2]", "[3]"], LineKind::Integers),
            (&["0.5 2"], &["\"0.5 2\""], LineKind::Numbers),
            (&["0.5 2.0"], &["\"0.5 2.0\""], LineKind::Words),
        ] {
            let table = table(lines);
            let got: Vec<String> = (0..lines.len()).filter_map(|at| table.json(&at.to_string())).collect();
            assert_eq!(
                (got.iter().map(String::as_str).collect::<Vec<_>>(), table.column_kind()),
                (json.into(), column)
            );
        }
    }

    #[test]
    fn other_tables_are_named_by_letters_digits_and_underscores() {
        assert!(
            ["utt2snr", "utt2num_frames", "utt2uniq", "utt2snr-db", "utt2\u{e4}"].iter().all(|name| is_other(name))
        );
        assert!(
            ["utt2spk", "utt2lang", "utt2dur", "utt2", "utt2snr.bak", "utt2snr~", "spk2utt"]
                .iter()
                .all(|name| !is_other(name))
        );
    }
}
