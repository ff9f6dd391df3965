//! FSTs with standard arcs as files of their own, such as the graph of a language model or a lexicon.

mod labels;
pub(crate) mod properties;
mod self_loops;
mod sums;
pub(crate) mod symbols;

use kaldi_io::ParseError;

pub use labels::LabelSet;
pub use properties::Side;
pub use sums::{Semiring, StateSums};
pub use symbols::FstSymbols;

use crate::{Fst, binary};

impl Fst {
    /// Whether it has a symbol table, which text cannot hold.
    pub fn has_symbols(&self) -> bool {
        self.0.symbols.iter().any(Option::is_some)
    }

    /// Reads the file at the start of `bytes`, of the type `vector`; returns its length, too.
    ///
    /// # Errors
    /// If it is no such file, it is cut, or an arc leads to a state that does not exist.
    pub fn read_vector(bytes: &[u8]) -> Result<(Self, usize), ParseError> {
        binary::read_fst(bytes, false).map(|(graph, length)| (Self(graph), length))
    }

    /// Reads the file at the start of `bytes`, of the type `vector` or `const`; returns its length, too.
    ///
    /// # Errors
    /// As [`Self::read_vector`].
    pub fn read_file(bytes: &[u8]) -> Result<(Self, usize), ParseError> {
        binary::read_fst(bytes, true).map(|(graph, length)| (Self(graph), length))
    }
}
