//! The names of the two files of a dataset.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::shown;
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
