//! Which files a data directory has.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use crate::Result;
use crate::rows::{Row, each_row};

/// The files of a data directory.
#[derive(Clone, Debug)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    /// Those of the folder at `path`.
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// The name of a file in it, as bytes.
    pub(crate) fn name(&self, file: &str) -> BString {
        self.path.join(file).as_os_str().as_encoded_bytes().into()
    }

    /// Whether there is such a file.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.path.join(file).is_file()
    }

    /// Whether the last line of a file lacks its newline.
    pub(crate) fn ends_within_line(&self, file: &str) -> bool {
        let last = || -> std::io::Result<u8> {
            let mut file = fs::File::open(self.path.join(file))?;
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            Ok(last[0])
        };
        // An empty file is reported in another way.
        last().is_ok_and(|last| last != b'\n')
    }

    /// The name of a file in it; `None` if it is not there.
    pub fn file(&self, file: &str) -> Option<BString> {
        self.has(file).then(|| self.name(file))
    }

    /// Tables of alignments: `ali.scp`, or else `ali.*.gz` and `ali.*.ark`.
    pub fn alignments(&self) -> Vec<BString> {
        let is_archive = |name: &[u8]| name.starts_with(b"ali.") && (name.ends_with(b".gz") || name.ends_with(b".ark"));
        self.file("ali.scp").map_or_else(|| self.files(is_archive), |name| vec![name])
    }

    /// Lists of words with their times: `ctm` and `*.ctm`.
    pub fn time_marks(&self) -> Vec<BString> {
        self.files(|name| name == b"ctm" || name.ends_with(b".ctm"))
    }

    /// The names of the files for which `is_wanted` holds, sorted.
    fn files(&self, is_wanted: impl Fn(&[u8]) -> bool) -> Vec<BString> {
        let entries = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let wanted = entries.filter(|entry| is_wanted(entry.file_name().as_encoded_bytes()) && entry.path().is_file());
        let mut names: Vec<BString> = wanted.map(|entry| entry.path().as_os_str().as_encoded_bytes().into()).collect();
        names.sort();
        names
    }

    /// Passes every line of a file to `each`. Returns whether the file exists.
    ///
    /// # Errors
    /// If it cannot be read or is not text.
    pub(crate) fn for_each(&self, file: &str, each: impl FnMut(Row)) -> Result<bool> {
        let is_there = self.has(file);
        if is_there {
            each_row(self.name(file).as_bstr(), each)?;
        }
        Ok(is_there)
    }

    /// The lines of a file; `None` if there is no such file.
    ///
    /// # Errors
    /// As [`DataFolder::for_each`].
    pub(crate) fn rows(&self, file: &str) -> Result<Option<Vec<Row>>> {
        let mut rows = Vec::new();
        Ok(self.for_each(file, |row| rows.push(row))?.then_some(rows))
    }
}

/// When the last word of each utterance or recording ends, in seconds; and the number of lines. `name` is a list of words with their
/// times: key, channel, start, duration, word.
///
/// # Errors
/// If it cannot be read.
pub fn last_ends(name: &BStr) -> Result<(BTreeMap<BString, f64>, u64)> {
    let (mut ends, mut count) = (BTreeMap::<BString, f64>::new(), 0);
    each_row(name, |row| {
        count += u64::from(!row.key.is_empty());
        if let (Some(start), Some(duration)) = (row.number_at(1), row.number_at(2)) {
            let end = ends.entry(row.key).or_insert(f64::NEG_INFINITY);
            *end = end.max(start + duration);
        }
    })?;
    Ok((ends, count))
}
