//! Which utterances there are, and which lists say something about them.

use std::ops::Range;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_io::KeyedLine;

use crate::server::failure::Answer;
use crate::server::lines::{KeyedLines, Line};

/// What a list says about its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Speaker,
    Text,
    /// Seconds.
    Duration,
    /// The number of frames.
    Frames,
    /// Where the values are.
    Values(ValueType),
    /// Parts of the recordings of the list of this number.
    Segments(usize),
    /// Where recordings are, of which utterances are parts.
    Recordings,
    /// Lines of words with their times.
    Times,
    /// Nothing about utterances.
    Nothing,
}

impl Says {
    /// Whether each of its keys is an utterance.
    pub(super) fn is_of_utterances(self) -> bool {
        !matches!(self, Self::Recordings | Self::Times | Self::Nothing | Self::Duration | Self::Frames)
    }
}

/// Where the values of a list are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    /// The list says it: it is a script file.
    Listed,
    /// In this archive; the list has their offsets.
    Archive(BString),
    /// In this archive, which is compressed: it is read up to the value.
    Compressed(BString),
    /// In these shards; the list has the number of a shard, the offset in it and the length.
    Shards(Vec<BString>),
}

/// Where a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValuePlace {
    pub rxfilename: BString,
    /// The key under which it is in an archive that has to be searched.
    pub key: Option<BString>,
    /// Which bytes of a file it has, if it is a member of a shard.
    pub bytes: Option<Range<u64>>,
}

/// A list.
#[derive(Debug)]
pub(crate) struct List {
    pub lines: KeyedLines,
    pub says: Says,
    /// What the list is called in `api/info`.
    pub kind: &'static str,
    pub places: Places,
    /// The row of each line.
    pub(super) rows: LineRows,
}

impl List {
    /// Whether its values can be measured.
    pub(super) fn is_measurable(&self) -> bool {
        let is_measured =
            |value_type| matches!(value_type, ValueType::Wave | ValueType::Matrix | ValueType::Int32Vector);
        match self.says {
            Says::Segments(_) => true,
            Says::Values(value_type) => is_measured(value_type),
            _ => false,
        }
    }
}

/// The rows of the lines of a list.
#[derive(Debug)]
pub(super) enum LineRows {
    /// As far as it goes, its lines are those of the first list.
    Same,
    /// The row of each line, or [`NO_ROW`].
    Each(Vec<u32>),
    /// Its keys are not those of utterances.
    None,
}

/// The row of a key that is no utterance.
pub(super) const NO_ROW: u32 = u32::MAX;

/// Which utterances there are. Each is a row: first the lines of the first list, then what only other lists have.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub lists: Vec<List>,
    /// The list of the first rows.
    pub(super) first: Option<usize>,
    /// Rows that the first list lacks: a list, and a line; sorted.
    pub(super) others: Vec<(u32, u32)>,
    /// Directories and tables whose values can be measured.
    pub measurable: Vec<BString>,
    /// Seconds from one frame to the next one, as a directory says.
    pub frame_shift: Option<f64>,
}

impl Catalog {
    /// The number of rows.
    pub fn len(&self) -> u32 {
        self.first_rows() + self.others.len() as u32
    }

    fn first_rows(&self) -> u32 {
        self.first.map_or(0, |first| self.lists[first].lines.len())
    }

    /// How many values can be measured.
    pub fn num_measurable(&self) -> u64 {
        self.lists.iter().filter(|list| list.is_measurable()).map(|list| u64::from(list.lines.len())).sum()
    }

    /// Whether some utterances have sound.
    pub fn has_sound(&self) -> bool {
        self.lists_that(|says| matches!(says, Says::Values(ValueType::Wave) | Says::Segments(_))).next().is_some()
    }

    /// Whether rows are in the order of their keys.
    pub fn is_sorted(&self) -> bool {
        self.others.is_empty() && self.first.is_none_or(|first| self.lists[first].lines.is_sorted())
    }

    /// The lists whose keys make rows.
    pub fn lists_of_rows(&self) -> impl Iterator<Item = usize> + '_ {
        let has_others = |list: usize| {
            let next = self.others.partition_point(|&(other, _)| (other as usize) < list);
            self.others.get(next).is_some_and(|&(other, _)| other as usize == list)
        };
        (0..self.lists.len()).filter(move |&list| self.first == Some(list) || has_others(list))
    }

    /// The lists that say this.
    pub fn lists_that(&self, says: impl Fn(Says) -> bool) -> impl Iterator<Item = usize> {
        (0..self.lists.len()).filter(move |&list| says(self.lists[list].says))
    }

    /// The row of a line whose key made one, besides other lists perhaps.
    fn row_of_own_line(&self, list: usize, line: u32) -> Option<u32> {
        if self.first == Some(list) {
            return Some(line);
        }
        let place = self.others.binary_search(&(list as u32, line)).ok()?;
        Some(self.first_rows() + place as u32)
    }

    /// The row of a line of a list.
    pub fn row_of_line(&self, list: usize, line: u32) -> Option<u32> {
        match &self.lists[list].rows {
            LineRows::Same => Some(line),
            LineRows::Each(rows) => rows.get(line as usize).copied().filter(|&row| row != NO_ROW),
            LineRows::None => None,
        }
    }

    /// The row of a key.
    pub fn row(&self, key: &BStr) -> Answer<Option<u32>> {
        for list in self.lists_of_rows() {
            if let Some(row) = self.lists[list].lines.find(key)?.and_then(|line| self.row_of_own_line(list, line)) {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The first key that is shown as this text, if bytes of it are no UTF-8: such keys are known to a page as they are shown.
    pub fn key_shown_as(&self, text: &BStr) -> Answer<Option<BString>> {
        if text.to_str().is_ok_and(|text| !text.contains(char::REPLACEMENT_CHARACTER)) {
            return Ok(None);
        }
        let mut found = None;
        for list in self.lists_of_rows() {
            self.lists[list].lines.scan(|_, line| {
                let key = KeyedLine::split(line).key;
                if found.is_none() && key.to_str_lossy().as_bytes() == text.as_bytes() {
                    found = Some(BString::from(key));
                }
                Ok(())
            })?;
        }
        Ok(found)
    }

    /// The keys of rows.
    pub fn keys(&self, rows: &[u32]) -> Answer<Vec<BString>> {
        let first_rows = self.first_rows();
        let own = |row: u32| match row.checked_sub(first_rows) {
            None => (self.first.unwrap_or(0), row),
            Some(other) => {
                let (list, line) = self.others[other as usize];
                (list as usize, line)
            }
        };
        let mut keys = Vec::with_capacity(rows.len());
        for run in rows.chunk_by(|&left, &right| {
            let ((left, before), (right, after)) = (own(left), own(right));
            left == right && before.checked_add(1) == Some(after)
        }) {
            let (list, start) = own(run[0]);
            let lines = self.lists[list].lines.read(start..start + run.len() as u32)?;
            keys.extend(lines.into_iter().map(|line| line.key));
        }
        Ok(keys)
    }

    /// What a list has after the keys of rows; `None` if it lacks the key.
    pub fn rests(&self, list: usize, rows: &[u32], keys: &[BString]) -> Answer<Vec<Option<BString>>> {
        let lines = &self.lists[list].lines;
        let is_same = matches!(self.lists[list].rows, LineRows::Same);
        let mut rests = Vec::with_capacity(rows.len());
        let mut keys = keys.iter();
        for run in rows.chunk_by(|left, right| left.checked_add(1) == Some(*right)) {
            let end = run[0] + run.len() as u32;
            if is_same && end <= lines.len() {
                rests.extend(lines.read(run[0]..end)?.into_iter().map(|line| Some(line.rest)));
                keys.by_ref().take(run.len()).for_each(drop);
                continue;
            }
            for key in keys.by_ref().take(run.len()) {
                rests.push(self.line(list, key.as_bstr())?.map(|line| line.rest));
            }
        }
        Ok(rests)
    }

    /// The line of a key in a list.
    pub fn line(&self, list: usize, key: &BStr) -> Answer<Option<Line>> {
        let lines = &self.lists[list].lines;
        lines.find(key)?.map(|number| lines.line(number)).transpose()
    }

    /// Where the value of a key is.
    pub fn place(&self, list: usize, key: &BStr) -> Answer<Option<ValuePlace>> {
        Ok(self.line(list, key)?.and_then(|line| self.place_of(list, line)))
    }

    /// Where the value of a line is.
    pub fn place_of(&self, list: usize, line: Line) -> Option<ValuePlace> {
        Some(match &self.lists[list].places {
            Places::Listed => ValuePlace { rxfilename: line.rest, key: None, bytes: None },
            Places::Archive(name) => {
                ValuePlace { rxfilename: [name.as_slice(), &line.rest].concat().into(), key: None, bytes: None }
            }
            Places::Compressed(name) => ValuePlace { rxfilename: name.clone(), key: Some(line.key), bytes: None },
            Places::Shards(shards) => {
                let text = line.rest.to_str_lossy();
                let mut numbers = text.split(':').filter_map(|number| number.parse::<u64>().ok());
                let (shard, start, length) = (numbers.next()?, numbers.next()?, numbers.next()?);
                let rxfilename = shards.get(shard as usize)?.clone();
                ValuePlace { rxfilename, key: None, bytes: Some(start..start + length) }
            }
        })
    }

    /// What is after the key in the first list that says this and has the key.
    pub fn rest(&self, key: &BStr, says: Says) -> Answer<Option<BString>> {
        for list in self.lists_that(|other| other == says) {
            if let Some(line) = self.line(list, key)? {
                return Ok(Some(line.rest));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalog(files: &[(&str, &str)]) -> (tempfile::TempDir, Catalog) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let name = BString::from(folder.path().as_os_str().as_encoded_bytes());
        (folder, Catalog::open(&[name]).unwrap())
    }

    #[test]
    fn rows_are_the_keys_of_all_lists() {
        let (_folder, catalog) = catalog(&[
            ("utt2spk", "a x\nb x\nc y\n"),
            ("text", "b two words\nd four\n"),
            ("wav.scp", "a 1\nb 2\nc 3\n"),
            ("feats.scp", "e 1\nd 2\na 3\n"),
        ]);
        let rows: Vec<u32> = (0..catalog.len()).collect();
        let keys = catalog.keys(&rows).unwrap();
        assert_eq!(keys, ["a", "b", "c", "d", "e"]);
        for (row, key) in keys.iter().enumerate() {
            assert_eq!(catalog.row(key.as_bstr()), Ok(Some(row as u32)));
        }
        let texts = catalog.lists_that(|says| says == Says::Text).next().unwrap();
        let texts = catalog.rests(texts, &rows, &keys).unwrap();
        assert_eq!(texts, [None, Some("two words".into()), None, Some("four".into()), None]);
        let speakers = catalog.lists_that(|says| says == Says::Speaker).next().unwrap();
        let speakers = catalog.rests(speakers, &[2, 0, 4], &["c".into(), "a".into(), "e".into()]).unwrap();
        assert_eq!(speakers, [Some("y".into()), Some("x".into()), None]);
        let lines: Vec<Option<u32>> = (0..3).map(|line| catalog.row_of_line(3, line)).collect();
        assert_eq!((catalog.lists[3].kind, lines), ("matrix", vec![Some(4), Some(3), Some(0)]));
        assert!(!catalog.is_sorted());
    }

    #[test]
    fn a_list_that_starts_as_the_first_one_is_read_line_by_line() {
        let (_folder, catalog) = catalog(&[("utt2spk", "b x\na y\nc z\n"), ("text", "b 1\na 2\n")]);
        let text = catalog.lists_that(|says| says == Says::Text).next().unwrap();
        assert_eq!((catalog.row_of_line(text, 1), catalog.len()), (Some(1), 3));
        let keys = catalog.keys(&[0, 1, 2]).unwrap();
        assert_eq!(catalog.rests(text, &[0, 1, 2], &keys).unwrap(), [Some("1".into()), Some("2".into()), None]);
    }
}
