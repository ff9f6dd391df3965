//! Files that may replace each other: those of one kind.
//!
//! If the name of an output is forgotten, the last input takes its place. Tools that Kaldi does not have therefore replace
//! a file or an object by one of the same kind only, unless they get `--force`. What the kinds are follows from the first
//! bytes. If the name of an output says what is planned, it is compared before the tool starts.

use bstr::BStr;
use kaldi_io::{
    Session, Wspecifier, WspecifierKind, first_bytes_of_old, is_script_line, is_space, printable_wxfilename,
};

use crate::standard::is_forced;

/// What a file is, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A format of others, or of token datasets.
    Other(&'static str),
    /// Keys before values in binary form.
    BinaryArchive,
    /// Keys before numbers in text form.
    TextArchive,
    /// A value without a key.
    Value,
    /// Keys before names of files.
    Script,
    /// Lines of two words and more, which may be entries of an archive.
    Lines,
    /// Any other text.
    Text,
    /// Bytes that are no text.
    Binary,
}

/// Returns why a file that starts with `old` must not be replaced by one that starts with `new`, if that is so. If `new` is
/// not known, only what no table and no list can be is kept.
pub(crate) fn refuse(old: &[u8], new: Option<&[u8]>) -> Option<String> {
    let old = kind(old);
    let Some(new) = new else {
        let is_other = matches!(old, Kind::Other(_));
        return is_other.then(|| format!("it is {}, and would be written in place; {FORCE}", old.name()));
    };
    let new = kind(new);
    (!may_replace(old, new)).then(|| format!("it is {}, and would become {}; {FORCE}", old.name(), new.name()))
}

/// Refuses outputs whose names, or those of the tool, say that they are of another kind than what is there.
///
/// # Errors
/// Names the output, and says why.
pub(crate) fn check<'a>(outputs: impl Iterator<Item = &'a BStr>, writes_lists: bool) -> Result<(), String> {
    for output in outputs {
        match Wspecifier::parse(output) {
            None if writes_lists => {
                // The lines of some lists are objects of JSON.
                let object = kind(b"{\"key\": \"a\"}\n");
                check_planned(output, "a list", &[Kind::Script, Kind::Text, object])?;
            }
            None => {}
            Some(Wspecifier { kind, .. }) => match kind {
                WspecifierKind::Archive(archive) => check_archive(archive.as_ref())?,
                WspecifierKind::Both { archive, script } => {
                    check_archive(archive.as_ref())?;
                    check_planned(script.as_ref(), Kind::Script.name(), &[Kind::Script])?;
                }
                WspecifierKind::Script(_) => {}
            },
        }
    }
    Ok(())
}

/// Refuses to write a list over a file that is not a list, unless the tool got `--force`: for outputs that no [`OutputName`] names.
///
/// [`OutputName`]: crate::OutputName
///
/// # Errors
/// Names the output, and says why.
pub fn keep_no_lists<'a>(outputs: impl Iterator<Item = &'a BStr>) -> anyhow::Result<()> {
    if is_forced() { Ok(()) } else { check(outputs, true).map_err(anyhow::Error::msg) }
}

fn check_archive(name: &BStr) -> Result<(), String> {
    check_planned(name, "an archive", &[Kind::BinaryArchive, Kind::TextArchive, Kind::Lines])
}

/// Refuses to replace what is there if none of the planned kinds may.
fn check_planned(name: &BStr, what: &str, planned: &[Kind]) -> Result<(), String> {
    let Some(old) = first_bytes_of_old(name).map(|head| kind(&head)) else { return Ok(()) };
    if planned.iter().any(|new| may_replace(old, *new)) {
        return Ok(());
    }
    let name = printable_wxfilename(name);
    Err(format!("cannot replace {name}: it is {}, and would become {what}; {FORCE}", old.name()))
}

const FORCE: &str = "choose another name, or replace it with --force";

fn may_replace(old: Kind, new: Kind) -> bool {
    use Kind::{Binary, BinaryArchive, Lines, Other, Script, Text, TextArchive, Value};
    match (old, new) {
        _ if old == new => true,
        (Other(_) | Binary, _) | (_, Other(_) | Binary) => false,
        // An archive, or a value, has a text form and a binary form.
        (BinaryArchive | TextArchive | Lines, BinaryArchive | TextArchive | Lines) => true,
        (BinaryArchive, _) | (_, BinaryArchive) => false,
        (Script, TextArchive) | (TextArchive, Script) => false,
        (Script | TextArchive | Lines | Text | Value, Script | TextArchive | Lines | Text | Value) => true,
    }
}

fn kind(head: &[u8]) -> Kind {
    if let Some(what) = Session::current().settings().advice.as_ref().and_then(|advice| advice.file_kind(head)) {
        return Kind::Other(what);
    }
    if head.starts_with(b"\0B") {
        return Kind::Value;
    }
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_binary = head.contains(&0);
    match split_key(line) {
        Some(_) if is_binary => Kind::BinaryArchive,
        _ if is_binary => Kind::Binary,
        Some((_, value)) if is_numbers(value) => Kind::TextArchive,
        Some(_) if is_script_line(line) => Kind::Script,
        Some(_) => Kind::Lines,
        None => Kind::Text,
    }
}

/// Splits the key of an entry off a line.
fn split_key(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let length = line.iter().position(|&byte| is_space(byte))?;
    let is_key = length > 0 && line[..length].iter().all(|&byte| byte.is_ascii_graphic() || byte >= 0x80);
    is_key.then(|| (&line[..length], &line[length + 1..]))
}

/// Whether the text has a matrix, a vector or only numbers.
fn is_numbers(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let mut words = text.split(|&byte| is_space(byte)).filter(|word| !word.is_empty());
    let is_number = |word: &[u8]| std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok());
    !text.is_empty() && (text.starts_with(b"[") || words.all(is_number))
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Other(what) => what,
            Self::BinaryArchive => "a binary archive",
            Self::TextArchive => "a text archive",
            Self::Value => "a value without a key",
            Self::Script => "a script file",
            Self::Lines => "lines of text",
            Self::Text => "text",
            Self::Binary => "binary data",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kaldi_io::{Advice, ExpectedStream, Moved, ParseError};

    use super::*;

    /// Knows three formats.
    struct Formats;

    impl Advice for Formats {
        fn on_stream(&self, _: &[u8], _: ExpectedStream, _: &str, _: usize) -> Option<String> {
            None
        }

        fn on_value(&self, _: &ParseError) -> Option<String> {
            None
        }

        fn on_moved(&self, _: &Moved) -> String {
            String::new()
        }

        fn file_kind(&self, head: &[u8]) -> Option<&'static str> {
            let starts = |magic: &[u8]| head.starts_with(magic);
            match head {
                _ if head.get(257..262) == Some(b"ustar") => Some("a tar file"),
                _ if starts(b"RIFF") => Some("a WAV file"),
                _ if starts(b"PAR1") => Some("a Parquet file"),
                _ if starts(b"MMIDIDX") => Some("the index of a token dataset"),
                _ if starts(b"{") => Some("JSON text"),
                _ => None,
            }
        }
    }

    fn refuse(old: &[u8], new: Option<&[u8]>) -> Option<String> {
        Session::default()
            .change(|settings| settings.advice = Some(Arc::new(Formats)))
            .enter(|| super::refuse(old, new))
    }

    const TAR: &[u8] = &{
        let mut tar = [0; 512];
        (tar[0], tar[257], tar[258], tar[259], tar[260], tar[261]) = (b'a', b'u', b's', b't', b'a', b'r');
        tar
    };

    #[test]
    fn only_files_of_one_kind_replace_each_other() {
        let script: &[u8] = b"utt1 raw.ark:5\n";
        let binary: &[u8] = b"utt1 \0BFM \x04";
        let text: &[u8] = b"utt1  [\n  1 2 ]\n";
        let numbers: &[u8] = b"utt1 2.97\n";
        let words: &[u8] = b"utt1 hello world\n";
        let keys: &[u8] = b"utt1\nutt2\n";
        let objects: &[u8] = b"{\"key\": \"a\", \"wav\": \"a.wav\"}\n";
        for (one, other) in [
            (script, script),
            (binary, binary),
            (binary, text),
            (binary, words),
            (numbers, text),
            (words, script),
            (keys, script),
            (keys, numbers),
            (b"0 1 2\n", b"0 \0B\x04"),
            (b"\0BFV \x04", b" [ 1 ]\n"),
            (b"RIFF....WAVE", b"RIFF    WAVE"),
            (objects, objects),
        ] {
            assert_eq!((refuse(one, Some(other)), refuse(other, Some(one))), (None, None), "{}", one.escape_ascii());
        }
        for (one, other) in [
            (script, binary),
            (script, text),
            (script, numbers),
            (keys, binary),
            (script, b"RIFF....WAVE"),
            (words, b"MMIDIDX\0\0\x01"),
            (binary, b"PAR1\x15"),
            (binary, b"\x01\0\x02\0\x03\0"),
            (b"RIFF....WAVE", b"PAR1\x15"),
            (objects, script),
        ] {
            assert!(refuse(one, Some(other)).is_some(), "{}", one.escape_ascii());
            assert!(refuse(other, Some(one)).is_some(), "{}", one.escape_ascii());
        }
        let said = refuse(TAR, Some(script)).unwrap();
        let expected =
            "it is a tar file, and would become a script file; choose another name, or replace it with --force";
        assert_eq!(said, expected);
    }

    #[test]
    fn what_is_written_in_place_must_not_be_of_others() {
        assert!(refuse(b"RIFF....WAVE", None).is_some());
        assert_eq!(refuse(b"utt1 1\n", None), None);
    }
}
