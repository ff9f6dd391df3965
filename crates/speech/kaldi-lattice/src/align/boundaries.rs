//! Tables of word boundaries: where in a word a phone may be.

use bstr::{BStr, ByteSlice};
use kaldi_io::{TextError, read_text_file};

use crate::error::{Error, Result};

/// Where in a word a phone may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// In no word, such as silence.
    Outside,
    Begin,
    End,
    Internal,
    /// The phone is the whole word.
    Whole,
    /// No line of the table has the phone.
    Unknown,
}

/// For each phone, where in a word it may be: lines such as `2 begin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordBoundaries(Vec<Position>);

/// Phones are smaller than this.
const LARGEST_PHONE: usize = 1 << 24;

impl WordBoundaries {
    /// Reads the table that an rxfilename names.
    ///
    /// # Errors
    /// Those of [`Self::parse`], and if the file cannot be read.
    pub fn read(rxfilename: &BStr) -> Result<Self, TextError> {
        let (name, text) = read_text_file(rxfilename)?;
        Self::parse(&name, &text)
    }

    /// Parses the text of the file `name`. The last line of a phone counts.
    ///
    /// # Errors
    /// If there are no lines, or a line is not a phone and one of the words `nonword`, `begin`, `end`, `internal` and
    /// `singleton`.
    pub fn parse(name: &str, text: &[u8]) -> Result<Self, TextError> {
        let mut positions = Vec::new();
        for (line, number) in text.lines().zip(1..) {
            let fields: Vec<&[u8]> = line.fields_with(char::is_whitespace).collect();
            let parsed = match fields[..] {
                [phone, position] => parse_phone(phone).zip(parse_position(position)),
                _ => None,
            };
            let (phone, position) = parsed.ok_or_else(|| TextError::Line {
                name: name.to_owned(),
                line: number,
                message: format!(
                    "expected a phone and one of nonword, begin, end, internal or singleton, got {:?}",
                    line.as_bstr().to_string()
                ),
            })?;
            if positions.len() <= phone {
                positions.resize(phone + 1, Position::Unknown);
            }
            positions[phone] = position;
        }
        if positions.is_empty() {
            return Err(TextError::Whole {
                name: name.to_owned(),
                message: "expected phones and their positions in words, got an empty file".to_owned(),
            });
        }
        Ok(Self(positions))
    }

    pub(super) fn position(&self, phone: i32) -> Result<Position> {
        let position = usize::try_from(phone).ok().and_then(|phone| self.0.get(phone));
        position.copied().ok_or(Error::UnknownPhone(phone))
    }
}

fn parse_phone(word: &[u8]) -> Option<usize> {
    let (phone, length) = kaldi_value::number::parse_integer(word).ok()?;
    let phone = usize::try_from(phone).ok().filter(|phone| (1..LARGEST_PHONE).contains(phone))?;
    (length == word.len()).then_some(phone)
}

fn parse_position(word: &[u8]) -> Option<Position> {
    Some(match word {
        b"nonword" => Position::Outside,
        b"begin" => Position::Begin,
        b"end" => Position::End,
        b"internal" => Position::Internal,
        b"singleton" => Position::Whole,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_phone_counts() {
        let table = WordBoundaries::parse("w", b"1 nonword\n2 begin\n4 singleton\n2 end\n").unwrap();
        let positions: Vec<_> = (1..5).map(|phone| table.position(phone).unwrap()).collect();
        assert_eq!(positions, [Position::Outside, Position::End, Position::Unknown, Position::Whole]);
        assert_eq!(table.position(5), Err(Error::UnknownPhone(5)));
        assert_eq!(table.position(-1), Err(Error::UnknownPhone(-1)));
    }

    #[test]
    fn a_line_has_a_phone_and_a_position() {
        for (text, line) in
            [("1 nonword\n2\n", 2), ("1 begin x\n", 1), ("x begin\n", 1), ("0 end\n", 1), ("1 middle\n", 1)]
        {
            let error = WordBoundaries::parse("w", text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("w:{line}: expected a phone and one of")), "{error}");
        }
        assert!(WordBoundaries::parse("w", b"").is_err());
        assert!(WordBoundaries::parse("w", b"99999999999 end\n").is_err());
    }
}
