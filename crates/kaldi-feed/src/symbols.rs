//! The numbers of a model's symbols.

use std::collections::HashMap;

use crate::{Error, Result};

/// A symbol table: a line for each symbol with its number, such as `<blank> 0`.
///
/// ```
/// let symbols = kaldi_feed::Symbols::parse("units.txt", "<blank> 0\n<unk> 1\nA 2\n")?;
/// assert_eq!((symbols.id("A"), symbols.symbol(1)), (Some(2), Some("<unk>")));
/// # Ok::<(), kaldi_feed::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    ids: HashMap<String, i32>,
    symbols: HashMap<i32, String>,
}

impl Symbols {
    /// Parses the text of the file `name`. Lines without anything are passed over.
    ///
    /// # Errors
    /// Where a line does not have two fields, the second one a number of 32 bits, or a symbol or a number comes twice.
    pub fn parse(name: &str, text: &str) -> Result<Self> {
        let mut table = Self::default();
        for (line, number) in text.lines().zip(1..) {
            let place = || format!("{name}:{number}");
            let fields: Vec<&str> = line.split_whitespace().collect();
            let (symbol, id) = match fields[..] {
                [] => continue,
                [symbol, id] => (symbol, id),
                _ => return Err(Error::SymbolFields { place: place(), got: fields.len() }),
            };
            let Ok(id) = id.parse() else { return Err(Error::SymbolId { place: place(), got: id.to_owned() }) };
            if table.ids.insert(symbol.to_owned(), id).is_some() {
                return Err(Error::SymbolTwice { place: place(), symbol: symbol.to_owned() });
            }
            if let Some(other) = table.symbols.insert(id, symbol.to_owned()) {
                return Err(Error::IdTwice { place: place(), id, symbols: [other, symbol.to_owned()] });
            }
        }
        Ok(table)
    }

    /// The number of a symbol.
    pub fn id(&self, symbol: &str) -> Option<i32> {
        self.ids.get(symbol).copied()
    }

    /// The symbol of a number.
    pub fn symbol(&self, id: i32) -> Option<&str> {
        self.symbols.get(&id).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_make_no_sense_are_refused_with_their_place() {
        let refused = |text| Symbols::parse("units.txt", text).unwrap_err().to_string();
        assert_eq!(refused("a 0\nb\n"), "units.txt:2: expected a symbol and a number, got 1 fields");
        assert_eq!(refused("a 0 1"), "units.txt:1: expected a symbol and a number, got 3 fields");
        assert_eq!(refused("a x"), "units.txt:1: expected a number of 32 bits, got \"x\"");
        assert_eq!(refused("a 4294967296"), "units.txt:1: expected a number of 32 bits, got \"4294967296\"");
        assert_eq!(refused("a 0\n\na 1"), "units.txt:3: the symbol \"a\" comes twice");
        assert_eq!(refused("a 7\nb 7"), "units.txt:2: the number 7 stands for \"a\" and for \"b\"");
    }
}
