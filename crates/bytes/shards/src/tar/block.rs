//! Blocks, and the zeros that fill files.

/// Headers take one block. Contents are filled with zeros to whole blocks.
pub const BLOCK: usize = 512;

/// A file is filled with zeros to a multiple of this.
pub(crate) const RECORD: u64 = 10240;

/// How many zeros follow a content of `size` bytes.
pub fn padding(size: u64) -> usize {
    (size.wrapping_neg() % BLOCK as u64) as usize
}

/// The length of a file whose members take `size` bytes: two blocks of zeros end it, and zeros fill its last record.
pub fn whole_size(size: u64) -> u64 {
    (size + 2 * BLOCK as u64).next_multiple_of(RECORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_filled_up_to_records() {
        assert_eq!([0, 1, 511, 512, 513].map(padding), [0, 511, 1, 0, 511]);
        assert_eq!([0, 9216, 9217, 10240].map(whole_size), [10240, 10240, 20480, 20480]);
    }
}
