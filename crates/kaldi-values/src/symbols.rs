//! Symbol tables: the names of integers, as OpenFst keeps them in text.

use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice};

use kaldi_io::is_space;
use kaldi_io::{Error, Input, ParseError, Result};
use kaldi_number::parse_integer;

/// Names of integers: words, phones.
///
/// The file has a line for each, with the symbol and its integer; lines of white space are passed over.
///
/// ```text
/// <eps> 0
/// sil 1
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolTable {
    symbols: HashMap<i64, BString>,
}

impl SymbolTable {
    /// Reads the symbol table that an rxfilename names.
    ///
    /// # Errors
    /// Where it cannot be read, or a line has something else.
    pub fn read(rxfilename: &BStr) -> Result<Self> {
        let mut input = Input::open(rxfilename)?;
        let (name, begin) = (input.name().to_owned(), input.offset());
        let text = input.read_to_end()?;
        input.finish()?;
        Self::parse(&text).map_err(|source| Error::Content { name, offset: begin + source.offset as u64, source })
    }

    /// Parses the lines of a symbol table. Where an integer has several symbols the last one counts.
    ///
    /// # Errors
    /// Where a line does not have a symbol and an integer.
    pub fn parse(text: &[u8]) -> Result<Self, ParseError> {
        let mut symbols = HashMap::new();
        let mut offset = 0;
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let words: Vec<&[u8]> = line.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()).collect();
            match words[..] {
                [] => {}
                [symbol, number] => match parse_integer(number) {
                    Ok((integer, length)) if length == number.len() => {
                        symbols.insert(integer, symbol.into());
                    }
                    _ => {
                        let number = number.as_bstr();
                        return Err(ParseError::new(
                            offset,
                            format!("expected an integer after a symbol, got {number:?}"),
                        ));
                    }
                },
                _ => {
                    let count = words.len();
                    return Err(ParseError::new(
                        offset,
                        format!("expected a symbol and an integer, got {count} words"),
                    ));
                }
            }
            offset += line.len();
        }
        Ok(Self { symbols })
    }

    /// The symbol of an integer, if it has one.
    pub fn symbol(&self, integer: i64) -> Option<&BStr> {
        self.symbols.get(&integer).map(|symbol| symbol.as_bstr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_symbol_and_an_integer() {
        let table = SymbolTable::parse(b"<eps> 0\n\n \xc3\xa4\t-1 \r\nb  7").unwrap();
        assert_eq!(
            [0, -1, 7, 1].map(|integer| table.symbol(integer)),
            [Some("<eps>".into()), Some("\u{e4}".into()), Some("b".into()), None]
        );
    }

    #[test]
    fn other_lines_are_refused() {
        for (text, offset) in [("a 0\nb\n", 4), ("a 0\nb 1 2\n", 4), ("a x\n", 0), ("a 1x\n", 0), ("a 1.5", 0)] {
            assert_eq!(SymbolTable::parse(text.as_bytes()).unwrap_err().offset, offset, "{text:?}");
        }
    }
}
