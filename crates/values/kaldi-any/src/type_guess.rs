//! The probable type if several fit.

use crate::value_type::ValueType;

/// Integers from here on are more probably the bytes of floats: 2^28 is 2.5e-29 as a float.
const LARGE: u32 = 1 << 28;

/// Observations about values that may be of several types.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence {
    is_text: bool,
    /// Whether there were numbers in binary form that look like the bytes of floats.
    has_floats: bool,
    /// Whether there were numbers of eight bytes.
    has_doubles: bool,
}

impl Evidence {
    /// Looks at a value that starts with `head`.
    pub fn add(&mut self, head: &[u8], is_text: bool) {
        self.is_text = is_text;
        let Some(mut units) = head.strip_prefix(b"\0B") else { return };
        // Each number is after its width.
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

    /// The most probable of the types that fit; there must be one.
    ///
    /// Integers are integers unless their bytes look like floats, and brackets on one line are a vector.
    pub fn choose(self, candidates: &[ValueType]) -> ValueType {
        let first = candidates[0];
        let better = match first {
            ValueType::Matrix if self.is_text => ValueType::Vector,
            ValueType::Int32 | ValueType::Float if self.has_doubles => ValueType::Double,
            ValueType::Int32 if self.has_floats => ValueType::Float,
            ValueType::Int32Pairs if self.has_floats => ValueType::FloatPairs,
            other => other,
        };
        if candidates.contains(&better) { better } else { first }
    }
}
