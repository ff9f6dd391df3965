//! The names of the two files of a dataset.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::shown;
use crate::layout::MAGIC;
use crate::{Error, Result};

/// The common start of the names of the two files of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix(PathBuf);

impl Prefix {
    /// Makes a prefix from a prefix or from the name of one of the two files.
    pub fn new(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        match path.extension() {
            Some(extension) if extension == "idx" || extension == "bin" => Self(path.with_extension("")),
            _ => Self(path.to_owned()),
        }
    }

    /// The name of the index.
    pub fn idx(&self) -> PathBuf {
        self.with(".idx")
    }

    /// The name of the file of tokens.
    pub fn bin(&self) -> PathBuf {
        self.with(".bin")
    }

    /// The prefix itself.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// The prefix with something appended.
    pub(crate) fn with(&self, end: &str) -> PathBuf {
        let mut name = OsString::from(&self.0);
        name.push(end);
        PathBuf::from(name)
    }

    /// Whether there is a dataset with this prefix, or a part of one that is not empty.
    pub fn has_files(&self) -> bool {
        [self.idx(), self.bin()].iter().any(|path| fs::metadata(path).is_ok_and(|file| file.len() > 0))
    }

    /// Returns an error if a dataset with this prefix would replace files that are none: an index of another format, or
    /// a `.bin` without an index.
    ///
    /// # Errors
    /// [`Error::Request`] in that case.
    pub fn refuse_others(&self) -> Result<()> {
        if !self.has_files() {
            return Ok(());
        }
        let mut head = [0; MAGIC.len()];
        let is_index =
            File::open(self.idx()).and_then(|mut index| index.read_exact(&mut head)).is_ok() && head == MAGIC;
        if is_index {
            return Ok(());
        }
        Err(Error::Request(format!("{self}.idx or {self}.bin is there, and they are no token dataset")))
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

fn is_same_file(one: &Path, other: &Path) -> bool {
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
    }
}
