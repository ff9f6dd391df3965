//! The files `text` and `wav.scp` as the input of shards and lists, read as WeNet's scripts do. White space is what Python counts as such,
//! including the blanks of other scripts.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;

use bstr::BStr;
use kaldi_io::Lines;
use shards::is_sound as is_sound_suffix;

use crate::{CorpusPlace, Result};

/// Texts that are looked at to find out what a file has.
const LOOKED_AT: usize = 10;

/// Reads a text: the key and the words of each utterance, in the order of the file. A key may come several times.
///
/// # Errors
/// If it cannot be read, or a line makes no sense.
pub fn read_text(rxfilename: &BStr) -> Result<Vec<(String, String)>> {
    let mut text = Vec::new();
    for_each_line(rxfilename, |line| {
        let (key, words) = split_word(line);
        text.push((key.to_owned(), words.to_owned()));
        Ok(())
    })?;
    Ok(text)
}

/// Reads a script file of recordings: the name of each, by its key. Whether it is a file or a command is not checked.
///
/// # Errors
/// If it cannot be read, a line makes no sense, or a key comes twice.
pub fn read_recordings(rxfilename: &BStr) -> Result<HashMap<String, String>> {
    let mut recordings = HashMap::new();
    for_each_line(rxfilename, |line| {
        let (key, name) = split_word(line);
        if name.is_empty() {
            return Err(format!("expected a key and a file name, got {line:?}"));
        }
        match recordings.insert(key.to_owned(), name.to_owned()) {
            None => Ok(()),
            Some(_) => Err(format!("expected each key once, got {key} again")),
        }
    })?;
    Ok(recordings)
}

/// Whether the first texts are names of sound files or commands, so that the file is one of recordings.
pub fn are_recordings(text: &[(String, String)]) -> bool {
    let is_recording = |name: &str| {
        let archive = name.rsplit_once(':').filter(|(_, offset)| offset.parse::<u64>().is_ok());
        let suffix = Path::new(archive.map_or(name, |(name, _)| name)).extension().and_then(OsStr::to_str);
        let suffix = suffix.unwrap_or_default().to_ascii_lowercase();
        name.ends_with('|') || is_sound_suffix(suffix.as_str().into()) || (archive.is_some() && suffix == "ark")
    };
    !text.is_empty() && text.iter().take(LOOKED_AT).all(|(_, words)| is_recording(words))
}

/// Calls `work` for each line, without the white space around it.
fn for_each_line(rxfilename: &BStr, mut work: impl FnMut(&str) -> Result<(), String>) -> Result<()> {
    let mut lines = Lines::open(rxfilename)?;
    let name = lines.name().into();
    let mut number = 0;
    while let Some(line) = lines.next_line()? {
        number += 1;
        let worked = match std::str::from_utf8(line) {
            Ok(line) => match line.trim_matches(is_python_space) {
                "" => Err("expected a key, got an empty line".to_owned()),
                line => work(line),
            },
            Err(error) => Err(format!("expected text in UTF-8, got something else at byte {}", error.valid_up_to())),
        };
        worked.map_err(|message| CorpusPlace::line(&name, number).error(message))?;
    }
    Ok(())
}

/// Splits the first word off.
fn split_word(line: &str) -> (&str, &str) {
    match line.split_once(is_python_space) {
        Some((word, rest)) => (word, rest.trim_start_matches(is_python_space)),
        None => (line, ""),
    }
}

/// Whether Python's `str.split` splits there.
fn is_python_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_file<T>(text: &[u8], read: impl Fn(&BStr) -> Result<T>) -> Result<T, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, text).unwrap();
        read(path.to_str().unwrap().into())
            .map_err(|error| error.to_string().rsplit_once("file:").unwrap().1.to_owned())
    }

    #[test]
    fn text_is_split_as_python_does() {
        let text = "u1 a  b \r\n\u{3000}u2\u{a0}\u{3000}c\u{3000}d\u{1f}\nu3\n".as_bytes();
        let expected = [("u1", "a  b"), ("u2", "c\u{3000}d"), ("u3", "")];
        let expected: Vec<_> = expected.map(|(key, words)| (key.to_owned(), words.to_owned())).into();
        assert_eq!(with_file(text, read_text), Ok(expected));
        assert_eq!(with_file(b"u1 a\n\nu2", read_text).unwrap_err(), "2: expected a key, got an empty line");
        assert_eq!(
            with_file(b"u1 a\xff", read_text).unwrap_err(),
            "1: expected text in UTF-8, got something else at byte 4"
        );
    }

    #[test]
    fn names_of_recordings_may_have_blanks() {
        let recordings = with_file(b"r1 a b.wav\nr2 sox a -t wav - |\n", read_recordings).unwrap();
        assert_eq!((recordings["r1"].as_str(), recordings["r2"].as_str()), ("a b.wav", "sox a -t wav - |"));
        let refused = with_file(b"r1 a\nr1 b\n", read_recordings).unwrap_err();
        assert_eq!(refused, "2: expected each key once, got r1 again");
        assert!(with_file(b"r1\n", read_recordings).unwrap_err().starts_with("1: expected a key and a file name"));
    }

    #[test]
    fn names_of_recordings_are_told_from_text() {
        let told = |texts: &[&str]| {
            are_recordings(&texts.iter().map(|text| (String::new(), text.to_string())).collect::<Vec<_>>())
        };
        assert!(told(&["a.wav", "b/c.FLAC", "sox a -t wav - |", "x/raw.ark:17", "s3://b/a.mp3"]));
        for texts in [&[][..], &[""], &["hello world"], &["a.wav", "hello"], &["it is 12:17"], &["see a.txt"]] {
            assert!(!told(texts), "{texts:?}");
        }
    }
}
