//! Lattices of tests, from their text.

use kaldi_value::{Cursor, Value};

use crate::value::{CompactLattice, Lattice};

fn read<T: Value>(text: &str) -> T {
    T::read(&mut Cursor::new(format!("\n{text}\n").as_bytes())).unwrap()
}

pub(crate) fn compact(text: &str) -> CompactLattice {
    read(text)
}

pub(crate) fn plain(text: &str) -> Lattice {
    read(text)
}
