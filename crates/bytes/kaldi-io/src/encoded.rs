//! Serialized values: blocks of bytes that are written without a copy.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Memory that is written without a copy.
pub type Block = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The bytes of a value that is going to be written: a head that was made for it, and pieces of a block that already
/// holds the rest. Pieces may overlap and come in any order.
#[derive(Clone)]
pub struct Encoded {
    head: Vec<u8>,
    body: Option<(Block, Vec<Range<usize>>)>,
}

impl Encoded {
    /// Puts all of `block` after `head`.
    pub fn of_block(head: Vec<u8>, block: Block) -> Self {
        let whole = 0..(*block).as_ref().len();
        Self { head, body: Some((block, Vec::from([whole]))) }
    }

    /// Puts `pieces` of `block`, one after the other, after `head`.
    ///
    /// # Panics
    /// If a piece is not within the block.
    pub fn of_pieces(head: Vec<u8>, block: Block, pieces: Vec<Range<usize>>) -> Self {
        let length = (*block).as_ref().len();
        assert!(pieces.iter().all(|piece| piece.start <= piece.end && piece.end <= length), "pieces of {length} bytes");
        Self { head, body: Some((block, pieces)) }
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.slices().map(<[u8]>::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Removes the first bytes. The rest is not copied.
    pub fn skip(&mut self, count: usize) {
        let from_head = count.min(self.head.len());
        self.head.drain(..from_head);
        let mut left = count - from_head;
        for piece in self.body.iter_mut().flat_map(|(_, pieces)| pieces) {
            let skipped = left.min(piece.len());
            piece.start += skipped;
            left -= skipped;
        }
    }

    /// The number of [`Encoded::slices`].
    pub fn num_slices(&self) -> usize {
        1 + self.body.as_ref().map_or(0, |(_, pieces)| pieces.len())
    }

    /// All bytes, slice by slice.
    pub fn slices(&self) -> impl Iterator<Item = &[u8]> {
        let pieces = self.body.iter().flat_map(|(block, pieces)| {
            let bytes = (**block).as_ref();
            pieces.iter().map(|piece| &bytes[piece.clone()])
        });
        std::iter::once(self.head.as_slice()).chain(pieces)
    }
}

/// Bytes that were made for writing.
impl From<Vec<u8>> for Encoded {
    fn from(bytes: Vec<u8>) -> Self {
        Self { head: bytes, body: None }
    }
}

impl fmt::Debug for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.slices()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_behind_the_head_in_their_order() {
        let block: Block = Arc::new(b"0123456789".to_vec());
        let encoded = Encoded::of_pieces(b"<".to_vec(), block, vec![7..10, 0..2, 1..3, 4..4]);
        assert_eq!(encoded.slices().collect::<Vec<_>>().concat(), b"<7890112");
        assert_eq!((encoded.len(), encoded.is_empty()), (8, false));
        assert_eq!(encoded.num_slices(), encoded.slices().count());
        for (count, expected) in [(0, "<7890112"), (1, "7890112"), (5, "112"), (8, ""), (9, "")] {
            let mut rest = encoded.clone();
            rest.skip(count);
            assert_eq!(rest.slices().collect::<Vec<_>>().concat(), expected.as_bytes(), "{count}");
        }
        assert!(Encoded::from(Vec::new()).is_empty());
    }

    #[test]
    #[should_panic(expected = "pieces of 3 bytes")]
    fn a_piece_beyond_the_block_is_a_mistake() {
        Encoded::of_pieces(Vec::new(), Arc::new([1, 2, 3]), vec![0..1, 2..4]);
    }
}
