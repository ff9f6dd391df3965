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
                Self(argument.into_vec().into())
            }
        }

        impl From<&str> for $name {
            fn from(argument: &str) -> Self {
                Self(argument.into())
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
name_type!(OutputName);
