//! Symbol tables: the integers of symbols, as OpenFst keeps them in text.

use std::collections::HashMap;

use crate::number::parse_integer;
use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{TextError, is_space, read_text_file};

/// Symbols and their integers: words, phones, units of a model, speakers.
///
/// The file has a line for each, with the symbol and its integer; lines of white space are skipped. A symbol has one
/// integer, and an integer one symbol.
///
/// ```text
/// <eps> 0
/// sil 1
/// ```
///
/// ```
/// let symbols = kaldi_value::SymbolTable::parse("units.txt", b"<blank> 0\n<unk> 1\nA 2\n")?;
/// assert_eq!((symbols.integer("A"), symbols.symbol(1)), (Some(2), Some("<unk>".into())));
/// # Ok::<(), kaldi_io::TextError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolTable {
    integers: HashMap<BString, i32>,
    symbols: HashMap<i32, BString>,
}

impl SymbolTable {
    /// Reads the symbol table that an rxfilename names.
    ///
    /// # Errors
    /// Those of [`Self::parse`], and if the file cannot be read.
    pub fn read(rxfilename: &BStr) -> Result<Self, TextError> {
        let (name, text) = read_text_file(rxfilename)?;
        Self::parse(&name, &text)
    }

    /// Parses the text of the file `name`.
    ///
    /// # Errors
    /// If a line does not have two fields, the second one an integer of 32 bits, or if a symbol or an integer comes twice.
    pub fn parse(name: &str, text: &[u8]) -> Result<Self, TextError> {
        let mut table = Self::default();
        for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
            table.add(line).map_err(|message| TextError::Line { name: name.to_owned(), line: number, message })?;
        }
        Ok(table)
    }

    fn add(&mut self, line: &[u8]) -> Result<(), String> {
        let fields: Vec<&[u8]> = line.split(|&byte| is_space(byte)).filter(|field| !field.is_empty()).collect();
        let (symbol, text) = match fields[..] {
            [] => return Ok(()),
            [symbol, text] => (symbol.as_bstr(), text.as_bstr()),
            _ => return Err(format!("expected a symbol and a number, got {} fields", fields.len())),
        };
        let parsed = parse_integer(text).ok().filter(|(_, length)| *length == text.len());
        let Some(integer) = parsed.and_then(|(integer, _)| i32::try_from(integer).ok()) else {
            return Err(format!("expected a number of 32 bits, got {text:?}"));
        };
        if self.integers.insert(symbol.to_owned(), integer).is_some() {
            return Err(format!("the symbol {symbol:?} comes twice"));
        }
        match self.symbols.insert(integer, symbol.to_owned()) {
            Some(other) => Err(format!("the number {integer} stands for {other:?} and for {symbol:?}")),
            None => Ok(()),
        }
    }

    /// Whether there are no symbols.
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The integer of a symbol, if it is in the table.
    pub fn integer(&self, symbol: impl AsRef<[u8]>) -> Option<i32> {
        self.integers.get(symbol.as_ref().as_bstr()).copied()
    }

    /// The symbol of an integer, if it has one.
    pub fn symbol(&self, integer: i32) -> Option<&BStr> {
        self.symbols.get(&integer).map(|symbol| symbol.as_bstr())
    }

    /// The symbols of integers, with a space after each.
    ///
    /// # Errors
    /// The first integer that has no symbol.
    pub fn sentence(&self, integers: &[i32]) -> Result<BString, UnknownSymbol> {
        let mut sentence = BString::default();
        for &integer in integers {
            sentence.extend_from_slice(self.symbol(integer).ok_or(UnknownSymbol(integer))?);
            sentence.push(b' ');
        }
        Ok(sentence)
    }
}

/// An integer that has no symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not in the symbol table")]
pub struct UnknownSymbol(pub i32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_symbol_and_an_integer() {
        let table = SymbolTable::parse("x", b"<eps> 0\n\n \xc3\xa4\t-1 \r\nb  7").unwrap();
        assert_eq!(
            [0, -1, 7, 1].map(|integer| table.symbol(integer)),
            [Some("<eps>".into()), Some("\u{e4}".into()), Some("b".into()), None]
        );
        assert_eq!(["\u{e4}", "b", "c"].map(|symbol| table.integer(symbol)), [Some(-1), Some(7), None]);
    }

    #[test]
    fn lines_that_make_no_sense_are_refused_with_their_place() {
        let refused = |text: &str| SymbolTable::parse("units.txt", text.as_bytes()).unwrap_err().to_string();
        assert_eq!(refused("a 0\nb\n"), "units.txt:2: expected a symbol and a number, got 1 fields");
        assert_eq!(refused("a 0 1"), "units.txt:1: expected a symbol and a number, got 3 fields");
        assert_eq!(refused("a x"), "units.txt:1: expected a number of 32 bits, got \"x\"");
        assert_eq!(refused("a 1.5"), "units.txt:1: expected a number of 32 bits, got \"1.5\"");
        assert_eq!(refused("a 4294967296"), "units.txt:1: expected a number of 32 bits, got \"4294967296\"");
        assert_eq!(refused("a 0\n\na 1"), "units.txt:3: the symbol \"a\" comes twice");
        assert_eq!(refused("a 7\nb 7"), "units.txt:2: the number 7 stands for \"a\" and for \"b\"");
    }
}
