//! Transcripts.

use bstr::{BStr, BString};
use kaldi_io::{Lines, Rspecifier, is_specifier};
use kaldi_table::{Reader, Rows, SequentialReader};
use kaldi_value::Tokens;

use crate::{Error, Result};

/// The texts of utterances: the lines of a file, each with a key, white space and the text; or a table of words.
///
/// The text of a line keeps its inner blanks and loses those at its ends. It may be empty. Blank lines are skipped.
pub struct Text(Source);

enum Source {
    Lines(Lines),
    Table(Box<Rows<Tokens>>),
}

impl Text {
    /// Opens the file or the table of this name.
    ///
    /// # Errors
    /// If it cannot be opened, or the name is neither a file nor a table.
    pub fn open(name: &BStr) -> Result<Self> {
        if Rspecifier::parse(name).is_some() {
            return Ok(Self(Source::Table(SequentialReader::open(name)?.values().into())));
        }
        if is_specifier(name) {
            return Err(Error::Name { got: name.to_owned() });
        }
        Ok(Self(Source::Lines(Lines::open(name)?)))
    }

    /// The key and the text of the next utterance; `None` at the end.
    ///
    /// # Errors
    /// If the file or the table cannot be read.
    #[expect(clippy::should_implement_trait, reason = "an error is no item")]
    pub fn next(&mut self) -> Result<Option<(BString, BString)>> {
        match &mut self.0 {
            Source::Lines(lines) => Ok(lines.next_keyed()?.map(|(_, line)| (line.key.into(), line.rest.into()))),
            Source::Table(rows) => match rows.next()? {
                Some((key, words)) => Ok(Some((key, bstr::join(" ", words.iter()).into()))),
                None => Ok(None),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_keeps_inner_blanks_and_a_table_has_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        std::fs::write(&path, "utt1  two  words \n\n utt2\nutt3\tx\r\n").unwrap();
        let read = |name: String| {
            let mut text = Text::open(name.as_str().into()).unwrap();
            let next = || text.next().unwrap().map(|(key, text)| (key.to_string(), text.to_string()));
            std::iter::from_fn(next).collect::<Vec<_>>()
        };
        let pair = |key: &str, text: &str| (key.to_owned(), text.to_owned());
        let lines = read(path.display().to_string());
        assert_eq!(lines, [pair("utt1", "two  words"), pair("utt2", ""), pair("utt3", "x")]);
        std::fs::write(&path, "utt1 two  words \nutt2 \n").unwrap();
        let entries = read(format!("ark:{}", path.display()));
        assert_eq!(entries, [pair("utt1", "two words"), pair("utt2", "")]);
        assert!(Text::open("ark,scp:a,b".into()).is_err());
    }
}
