//! The type that is meant where several fit.

use kaldi_scan::ValueType;

use crate::entry::Entry;

/// Integers from here on are rather the bytes of floats: 2^28 is 2.5e-29 as a float.
const LARGE: u32 = 1 << 28;

/// What was seen of values that may be of several types.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    is_text: bool,
    /// Numbers in binary form whose bytes are rather those of floats.
    has_floats: bool,
    /// Numbers of eight bytes.
    has_doubles: bool,
}

impl Evidence {
    /// Looks at a value.
    pub(crate) fn add(&mut self, entry: &Entry) {
        self.is_text = entry.is_text();
        let Some(mut units) = entry.head().strip_prefix(b"\0B") else { return };
        // Each number stands behind its width.
        loop {
            match units {
                [4, a, b, c, d, rest @ ..] => {
                    let magnitude = i32::from_le_bytes([*a, *b, *c, *d]).unsigned_abs();
                    self.has_floats |= magnitude >= LARGE;
                    units = rest;
                }
                [8, rest @ ..] => {
                    self.has_doubles = true;
                    units = rest.get(8..).unwrap_or_default();
                }
                _ => return,
            }
        }
    }

    /// The most likely one of the types that fit, of which there must be one.
    ///
    /// Integers are taken for such unless their bytes are rather those of floats, and brackets on one line for a vector.
    pub(crate) fn choose(self, candidates: &[&'static ValueType]) -> &'static ValueType {
        let find = |name: &str| candidates.iter().copied().find(|candidate| candidate.name() == name);
        let first = candidates[0];
        let better = match first.name() {
            "matrix" if self.is_text => find("vector"),
            "int32" | "float" if self.has_doubles => find("double"),
            "int32" if self.has_floats => find("float"),
            "int32-pairs" if self.has_floats => find("float-pairs"),
            _ => None,
        };
        better.unwrap_or(first)
    }
}
