//! Names of inputs and outputs as fields of options.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::ops::Deref;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use bstr::{BStr, BString};

/// An argument or option that names an input: an rspecifier or an rxfilename.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputName(BString);

/// An argument or option that names a map from keys to words or numbers, such as utt2spk: an rspecifier. The name of a file
/// becomes that of a text archive: `data/utt2spk` is `ark:data/utt2spk`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapName(BString);

/// An argument or option that names an output: a wspecifier or a wxfilename.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputName(BString);

macro_rules! name_type {
    ($name:ident) => {
        impl $name {
            /// Returns the name as a path.
            pub fn as_path(&self) -> &Path {
                Path::new(OsStr::from_bytes(&self.0))
            }
        }

        impl Deref for $name {
            type Target = BStr;

            fn deref(&self) -> &BStr {
                self.0.as_ref()
            }
        }

        impl AsRef<BStr> for $name {
            fn as_ref(&self) -> &BStr {
                self
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                self
            }
        }

        impl From<OsString> for $name {
            fn from(argument: OsString) -> Self {
                Self::new(argument.into_vec())
            }
        }

        impl From<&str> for $name {
            fn from(argument: &str) -> Self {
                Self::new(argument.into())
            }
        }

        /// Shows bytes that are not UTF-8 as replacement characters.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

name_type!(InputName);
name_type!(MapName);
name_type!(OutputName);

impl InputName {
    fn new(name: Vec<u8>) -> Self {
        Self(name.into())
    }
}

impl MapName {
    /// An empty name stays empty: it means that there is no map. A misspelt rspecifier stays as it is, too.
    fn new(name: Vec<u8>) -> Self {
        let words = name.iter().position(|&byte| byte == b':').map_or(&[][..], |colon| &name[..colon]);
        let is_table = words.split(|&byte| byte == b',').any(crate::specifier::is_kind);
        if name.is_empty() || is_table {
            return Self(name.into());
        }
        Self([b"ark:", name.as_slice()].concat().into())
    }
}

impl OutputName {
    fn new(name: Vec<u8>) -> Self {
        Self(name.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_map_is_a_text_archive() {
        for (name, expected) in [
            ("data/utt2spk", "ark:data/utt2spk"),
            ("-", "ark:-"),
            ("cat x |", "ark:cat x |"),
            ("ark:x", "ark:x"),
            ("s,cs,scp:x", "s,cs,scp:x"),
            ("ark,x:y", "ark,x:y"),
            ("x.ark:7", "ark:x.ark:7"),
            ("", ""),
        ] {
            assert_eq!(*MapName::from(name), expected);
        }
    }
}
