//! Words as numbers, which are quick to compare.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Gives the words of two sentences numbers; equal words have equal numbers.
pub(crate) fn number_words<W: AsRef<[u8]>>(sentences: [&[W]; 2]) -> [Vec<u32>; 2] {
    let num_words = sentences.iter().map(|words| words.len()).sum();
    let mut numbers: HashMap<&[u8], u32, _> =
        HashMap::with_capacity_and_hasher(num_words, BuildHasherDefault::<WordHasher>::default());
    sentences.map(|words| {
        let number = |word| {
            let next = numbers.len() as u32;
            *numbers.entry(AsRef::as_ref(word)).or_insert(next)
        };
        words.iter().map(number).collect()
    })
}

/// A hash that costs little more than a look at the word; the standard one would take as long as all the rest.
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        // First whole words of eight bytes, then the last bytes, which may include some that were used before.
        let (chunks, _) = bytes.as_chunks();
        chunks.iter().for_each(|&chunk| self.write_u64(u64::from_le_bytes(chunk)));
        let rest = match (bytes.last_chunk::<8>(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>(), bytes) {
            (Some(last), ..) => u64::from_le_bytes(*last),
            (_, Some(first), Some(last), _) => {
                u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
            }
            (.., [first, .., last]) => u64::from_le_bytes([*first, bytes[bytes.len() / 2], *last, 0, 0, 0, 0, 0]),
            (.., [only]) => u64::from(*only),
            (.., []) => 0,
        };
        self.write_u64(rest);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, length: usize) {
        self.write_u64(length as u64);
    }

    fn finish(&self) -> u64 {
        // The high bits depend on all of the word; tables use the low ones, too.
        self.0.rotate_left(32)
    }
}
