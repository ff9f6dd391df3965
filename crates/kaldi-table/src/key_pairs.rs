//! Lists of pairs of keys.

use bstr::BStr;
use kaldi_io::{Lines, excerpt};

use crate::{Error, Result};

/// A file with two keys a line, such as the trials of speaker verification.
///
/// ```text
/// spk1 utt7
/// spk1 utt9
/// ```
#[derive(Debug)]
pub struct KeyPairs {
    name: String,
    lines: Lines,
}

impl KeyPairs {
    /// Opens what `rxfilename` names.
    ///
    /// # Errors
    /// Where it cannot be opened.
    pub fn open(rxfilename: &BStr) -> Result<Self> {
        let lines = Lines::open(rxfilename)?;
        Ok(Self { name: lines.name().to_owned(), lines })
    }

    /// The keys of the next line; nothing at the end.
    ///
    /// # Errors
    /// Where the file cannot be read, or a line has not got two words.
    pub fn next_pair(&mut self) -> Result<Option<(&BStr, &BStr)>> {
        let number = self.lines.number() + 1;
        let Some(line) = self.lines.next_line()? else { return Ok(None) };
        let mut words = line.split(|byte| b" \t\r".contains(byte)).filter(|word| !word.is_empty());
        match (words.next(), words.next(), words.next()) {
            (Some(first), Some(second), None) => Ok(Some((first.into(), second.into()))),
            _ => {
                let message = format!("expected two fields: key1 key2, got \"{}\"", excerpt(line));
                Err(Error::ScriptLine { script: self.name.clone(), line: number, message })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_two_keys() {
        let mut pairs = KeyPairs::open("printf 'a b\\n  c\\t d \\r\\ne f' |".into()).unwrap();
        let mut all = Vec::new();
        while let Some((first, second)) = pairs.next_pair().unwrap() {
            all.push(format!("{first}-{second}"));
        }
        assert_eq!(all, ["a-b", "c-d", "e-f"]);
    }

    #[test]
    fn other_numbers_of_words_are_refused() {
        for line in ["a", "", "a b target"] {
            let mut pairs = KeyPairs::open(format!("echo x y; echo '{line}' |").as_str().into()).unwrap();
            pairs.next_pair().unwrap();
            let message = pairs.next_pair().unwrap_err().to_string();
            let expected = format!(":2: expected two fields: key1 key2, got {line:?}");
            assert!(message.ends_with(&expected), "{message}");
        }
    }
}
