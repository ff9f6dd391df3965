//! The names of the two files of a dataset.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use kaldi_io::{local_path, remote_name};

use crate::error::shown;
use crate::layout::MAGIC;
use crate::open::{head, open_ranges};
use crate::{Error, Result};

/// The common start of the names of the two files of a dataset: a path, `file:` and a path, or the name of an object, such
/// as `s3://bucket/text`. In an address of the web, the ends of names come before the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix(PathBuf);

impl Prefix {
    /// Makes a prefix from a prefix or from the name of one of the two files.
    pub fn new(path: impl AsRef<Path>) -> Self {
        let name = path.as_ref().as_os_str().as_bytes();
        let name = local_path(name).unwrap_or(name.into());
        let (stem, query) = name.split_at(end_of_stem(&name));
        let mut stem = PathBuf::from(OsStr::from_bytes(stem));
        if stem.extension().is_some_and(|extension| extension == "idx" || extension == "bin") {
            stem = stem.with_extension("");
        }
        stem.as_mut_os_string().push(OsStr::from_bytes(query));
        Self(stem)
    }

    /// The name of the index.
    pub fn idx(&self) -> PathBuf {
        self.with(".idx")
    }

    /// The name of the file of tokens.
    pub fn bin(&self) -> PathBuf {
        self.with(".bin")
    }

    /// Whether the files are objects of a store or of the web.
    pub(crate) fn is_remote(&self) -> bool {
        remote_name(&self.0).is_some()
    }

    /// The prefix itself.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// The prefix with something appended.
    pub(crate) fn with(&self, end: &str) -> PathBuf {
        let name = self.0.as_os_str().as_bytes();
        let (stem, query) = name.split_at(end_of_stem(name));
        let mut path = OsString::from(OsStr::from_bytes(stem));
        path.push(end);
        path.push(OsStr::from_bytes(query));
        PathBuf::from(path)
    }

    /// Whether there is a dataset with this prefix, or a part of one that is not empty.
    pub fn has_files(&self) -> bool {
        let is_there = |path: &PathBuf| match remote_name(path) {
            Some(_) => open_ranges(path).is_ok_and(|object| object.length() > 0),
            None => fs::metadata(path).is_ok_and(|file| file.len() > 0),
        };
        [self.idx(), self.bin()].iter().any(is_there)
    }

    /// Returns an error if a dataset with this prefix would replace files that are not a dataset: an index of another format, or
    /// a `.bin` without an index.
    ///
    /// # Errors
    /// [`Error::Request`] in that case.
    pub fn refuse_others(&self) -> Result<()> {
        if !self.has_files() {
            return Ok(());
        }
        let path = self.idx();
        let start = open_ranges(&path).and_then(|index| head(&*index, &path, MAGIC.len()));
        if start.is_ok_and(|start| start == MAGIC) {
            return Ok(());
        }
        let [index, tokens] = [&path, &self.bin()].map(|path| shown(path));
        Err(Error::Request(format!("{index} or {tokens} is there, and they are no token dataset")))
    }

    /// Returns an error if a dataset with this prefix would replace one of the `inputs`, whatever its name looks like.
    ///
    /// # Errors
    /// [`Error::Request`] in that case.
    pub fn refuse_inputs(&self, inputs: &[&Path]) -> Result<()> {
        for output in [self.idx(), self.bin()] {
            if let Some(input) = inputs.iter().find(|input| is_same_file(input, &output)) {
                return Err(Error::Request(format!(
                    "{} is to be read and written: write to another name",
                    shown(input)
                )));
            }
        }
        Ok(())
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.0))
    }
}

/// Where the query of an address of the web starts; the end of every other name.
fn end_of_stem(name: &[u8]) -> usize {
    let is_web = name.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case(b"http"))
        && remote_name(Path::new(OsStr::from_bytes(name))).is_some();
    name.iter().position(|byte| is_web && b"?#".contains(byte)).unwrap_or(name.len())
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    if remote_name(one).is_some() || remote_name(other).is_some() {
        // The scheme may be in capital letters.
        let [one, other] = [one, other].map(|path| path.to_string_lossy());
        return match (one.split_once("://"), other.split_once("://")) {
            (Some(one), Some(other)) => one.0.eq_ignore_ascii_case(other.0) && one.1 == other.1,
            _ => false,
        };
    }
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_appended_and_taken_off() {
        for name in ["d/a.b", "d/a.b.idx", "d/a.b.bin"] {
            let prefix = Prefix::new(name);
            assert_eq!((prefix.idx(), prefix.bin()), ("d/a.b.idx".into(), "d/a.b.bin".into()), "{name}");
        }
        assert_eq!(Prefix::new("file:///d/a%20b.idx").bin(), Path::new("/d/a b.bin"));
        assert_eq!(Prefix::new("s3://b/k?v.idx").bin(), Path::new("s3://b/k?v.bin"));
        assert_eq!(Prefix::new("d?x.idx").idx(), Path::new("d?x.idx"));
        for name in ["https://h/a.b?sig=x/y.bin", "https://h/a.b.idx?sig=x/y.bin"] {
            assert_eq!(Prefix::new(name).idx(), Path::new("https://h/a.b.idx?sig=x/y.bin"));
        }
    }
}
