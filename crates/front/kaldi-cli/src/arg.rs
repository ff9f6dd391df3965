//! Arguments as the bytes they are.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::ops::Deref;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use bstr::{BStr, BString};

/// An argument or the value of a string option: any bytes, as the system passed them.
///
/// Use it in an `Options` struct for names and specifiers, which may not be UTF-8: `Arg` for an argument that must
/// be there, `Option<Arg>` for one that may be left out and for a string option without a default, `Vec<Arg>` for any
/// number.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arg(BString);

impl Arg {
    /// Returns the argument as a path.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }
}

impl Deref for Arg {
    type Target = BStr;

    fn deref(&self) -> &BStr {
        self.0.as_ref()
    }
}

impl AsRef<[u8]> for Arg {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<BStr> for Arg {
    fn as_ref(&self) -> &BStr {
        self
    }
}

impl From<OsString> for Arg {
    fn from(argument: OsString) -> Self {
        Self(BString::from(argument.into_vec()))
    }
}

impl From<&str> for Arg {
    fn from(argument: &str) -> Self {
        Self(BString::from(argument))
    }
}

impl PartialEq<str> for Arg {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Arg {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// Shows bytes that are not UTF-8 as replacement characters.
impl fmt::Display for Arg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
