//! Extended filenames: what can be given in place of a file.
//!
//! | name | for reading | for writing |
//! | --- | --- | --- |
//! | `-` or empty | standard input | standard output |
//! | `command \|` | the command's output | |
//! | `\| command` | | the command's input |
//! | `file:1234` | the file from byte 1234 on | |
//! | `file:///path`, `file:/path` | a file | a file |
//! | `s3://bucket/key` and similar | an object, as a file | an object |
//! | anything else | a file | a file |
//!
//! Remote names ([`is_remote`](crate::is_remote)) are classified like files: the path is the whole name.
//!
//! Follows Kaldi's `util/kaldi-io.h`, with the mistakes that it refuses: white space at either end, a pipe sign on the
//! wrong side or in the middle, and the name of a table (`ark:...`) in place of a file.

use std::borrow::Cow;
use std::path::PathBuf;

use crate::log::hide_secrets;
use bstr::{BStr, BString, ByteSlice};

use crate::address::to_path;
use crate::characters::is_space;
use crate::{Error, Result, specifier};

/// Something to read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rxfilename {
    /// `-` or the empty string.
    Stdin,
    /// A file or a remote object from its start.
    File(PathBuf),
    /// A file or a remote object from a byte offset on.
    Offset(PathBuf, u64),
    /// The output of a shell command (without the pipe sign).
    Pipe(BString),
}

impl Rxfilename {
    /// Classifies `name`.
    ///
    /// # Errors
    /// If it cannot be an rxfilename, with advice.
    pub fn parse(name: &BStr) -> Result<Self> {
        let bad =
            |advice: &'static str| Err(Error::Name { role: "input", name: name.to_owned(), advice: advice.into() });
        match (name.first(), name.last()) {
            (None, _) | (_, None) => return Ok(Self::Stdin),
            _ if name == "-" => return Ok(Self::Stdin),
            (Some(b'|'), _) => return bad("a pipe to read from ends in \"|\", this one starts with it"),
            (_, Some(b'|')) => return Ok(Self::Pipe(name[..name.len() - 1].into())),
            (Some(&first), Some(&last)) if is_space(first) || is_space(last) => {
                return bad("it starts or ends with white space");
            }
            _ => {}
        }
        if matches!(name[0], b'a' | b's') && specifier::is_specifier(name) {
            return bad("this is the name of a table (ark: or scp:), not of a file");
        }
        if let Some((path, digits)) = split_offset(name) {
            let Ok(offset) = digits.to_str_lossy().parse::<u64>() else {
                return bad("the offset after the colon is out of range");
            };
            return to_path(path).map_or_else(bad, |path| Ok(Self::Offset(path, offset)));
        }
        if name.contains(&b'|') {
            return bad("a pipe sign in the middle: pipes to read from end in \"|\"");
        }
        to_path(name).map_or_else(bad, |path| Ok(Self::File(path)))
    }
}

/// Something to write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wxfilename {
    /// `-` or the empty string.
    Stdout,
    /// A file or a remote object.
    File(PathBuf),
    /// The input of a shell command (without the pipe sign).
    Pipe(BString),
}

impl Wxfilename {
    /// Classifies `name`.
    ///
    /// # Errors
    /// If it cannot be a wxfilename, with advice.
    pub fn parse(name: &BStr) -> Result<Self> {
        let bad =
            |advice: &'static str| Err(Error::Name { role: "output", name: name.to_owned(), advice: advice.into() });
        match (name.first(), name.last()) {
            (None, _) | (_, None) => return Ok(Self::Stdout),
            _ if name == "-" => return Ok(Self::Stdout),
            (Some(b'|'), _) => return Ok(Self::Pipe(name[1..].into())),
            (_, Some(b'|')) => return bad("a pipe to write to starts with \"|\", this one ends in it"),
            (Some(&first), Some(&last)) if is_space(first) || is_space(last) => {
                return bad("it starts or ends with white space");
            }
            _ => {}
        }
        if matches!(name[0], b'a' | b's') && specifier::is_specifier(name) {
            return bad("this is the name of a table (ark: or scp:), not of a file");
        }
        if split_offset(name).is_some() {
            return bad("an offset (file:123) is only for reading");
        }
        if name.contains(&b'|') {
            return bad("a pipe sign in the middle: pipes to write to start with \"|\"");
        }
        to_path(name).map_or_else(bad, |path| Ok(Self::File(path)))
    }
}

/// A name to read from, as messages show it: quoted for the shell if necessary.
pub fn printable_rxfilename(name: &BStr) -> Cow<'static, str> {
    if name.is_empty() || name == "-" {
        "standard input".into()
    } else {
        crate::quote::quote_on_one_line(&hide_secrets(name)).to_string().into()
    }
}

/// A name to write to, as messages show it: quoted for the shell if necessary.
pub fn printable_wxfilename(name: &BStr) -> Cow<'static, str> {
    if name.is_empty() || name == "-" {
        "standard output".into()
    } else {
        crate::quote::quote_on_one_line(&hide_secrets(name)).to_string().into()
    }
}

/// Splits `path:digits`.
pub(crate) fn split_offset(name: &BStr) -> Option<(&[u8], &[u8])> {
    let colon = name.rfind_byte(b':')?;
    let digits = &name[colon + 1..];
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some((&name[..colon], digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_to_read_from_are_classified_as_kaldi_does() {
        let t = |name: &str, expected: Option<Rxfilename>| {
            assert_eq!(Rxfilename::parse(name.into()).ok(), expected, "{name:?}");
        };
        t("", Some(Rxfilename::Stdin));
        t("-", Some(Rxfilename::Stdin));
        t("foo", Some(Rxfilename::File("foo".into())));
        t("foo bar", Some(Rxfilename::File("foo bar".into())));
        t("-:", Some(Rxfilename::File("-:".into())));
        t("foo:12", Some(Rxfilename::Offset("foo".into(), 12)));
        t("a:b:12", Some(Rxfilename::Offset("a:b".into(), 12)));
        t("foo:1x", Some(Rxfilename::File("foo:1x".into())));
        t("foo12", Some(Rxfilename::File("foo12".into())));
        t("foo:99999999999999999999", None);
        t("cat x |", Some(Rxfilename::Pipe("cat x ".into())));
        t(" cat x|", Some(Rxfilename::Pipe(" cat x".into())));
        t("|", None);
        t("| cat", None);
        t("a | b", None);
        t(" foo", None);
        t("foo ", None);
        t("ark:foo", None);
        t("scp,p:foo", None);
        t("b,ark:foo", Some(Rxfilename::File("b,ark:foo".into())));
        t("t:foo", Some(Rxfilename::File("t:foo".into())));
        t("file:12", Some(Rxfilename::Offset("file".into(), 12)));
        t("file:/a%20b:12", Some(Rxfilename::Offset("/a b".into(), 12)));
        t("file://a/b", None);
        t("file://a/b:12", None);
    }

    #[test]
    fn names_to_write_to_are_classified_as_kaldi_does() {
        let t = |name: &str, expected: Option<Wxfilename>| {
            assert_eq!(Wxfilename::parse(name.into()).ok(), expected, "{name:?}");
        };
        t("", Some(Wxfilename::Stdout));
        t("-", Some(Wxfilename::Stdout));
        t("| cat", Some(Wxfilename::Pipe(" cat".into())));
        t("| cat |", Some(Wxfilename::Pipe(" cat |".into())));
        t("cat |", None);
        t("foo:12", None);
        t("foo:1x", Some(Wxfilename::File("foo:1x".into())));
        t("a|b", None);
        t("ark,t:foo", None);
        t("foo\t", None);
    }
}
