//! Symbol tables inside of files of FSTs.

use std::sync::Arc;

/// The first four bytes of a symbol table.
pub(crate) const SYMBOLS_MAGIC: i32 = 2_125_658_996;

/// The symbol table of a side of an FST, as a file has it.
///
/// Nothing looks into it: it is kept when an FST is changed and written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FstSymbols(Arc<[u8]>);

impl FstSymbols {
    /// A table of this name with symbols in their order. `next` is the next number that is free.
    ///
    /// A file has symbols first whose numbers are their places, and then all others by their numbers.
    pub fn new<'a>(name: &[u8], next: i64, symbols: impl IntoIterator<Item = (&'a [u8], i64)>) -> Self {
        let mut symbols: Vec<_> = symbols.into_iter().collect();
        let in_place = symbols.iter().zip(0..).take_while(|((_, number), place)| number == place).count();
        symbols[in_place..].sort_by_key(|(_, number)| *number);
        let mut bytes = SYMBOLS_MAGIC.to_le_bytes().to_vec();
        write_name(&mut bytes, name);
        bytes.extend_from_slice(&next.to_le_bytes());
        bytes.extend_from_slice(&(symbols.len() as i64).to_le_bytes());
        for (symbol, number) in symbols {
            write_name(&mut bytes, symbol);
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        Self(bytes.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Appends a word and its length.
pub(crate) fn write_name(out: &mut Vec<u8>, name: &[u8]) {
    out.extend_from_slice(&(name.len() as i32).to_le_bytes());
    out.extend_from_slice(name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_in_their_place_come_first_and_then_the_others_by_number() {
        let table = |symbols: &[(&'static str, i64)]| {
            FstSymbols::new(b"t", 10, symbols.iter().map(|(word, number)| (word.as_bytes(), *number)))
        };
        let ordered = table(&[("a", 0), ("b", 1), ("e", 3), ("d", 9)]);
        assert_eq!(table(&[("a", 0), ("b", 1), ("d", 9), ("e", 3)]), ordered);
        assert_ne!(table(&[("b", 1), ("a", 0), ("d", 9), ("e", 4)]), ordered);
        assert_eq!(ordered.bytes()[..9], [0x74, 0xfb, 0xb2, 0x7e, 1, 0, 0, 0, b't']);
    }
}
