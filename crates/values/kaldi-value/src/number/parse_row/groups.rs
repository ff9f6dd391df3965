//! Eight numbers at once by AVX2, of any type, where all of them are usual.

use std::arch::x86_64::*;

use crate::number::avx2::load_bytes;

/// Numbers that are read together.
pub(super) const GROUP: usize = 8;

/// Bytes that are searched for white space at once.
const BLOCK: usize = 64;

/// Bytes from the start of a word on in which a usual number has its end: a minus sign, and what is read at once.
pub(super) const WINDOW: usize = 17;

/// Appends numbers at the start of `bytes`, separated by spaces and tabs, as long as they are usual and not close to the
/// end of the bytes; returns the length consumed, after which there is a byte up to a space unless it is 0. `take` takes a
/// word, given the bytes from its start on and its length, and `read` makes numbers of words, if all of them are usual.
#[target_feature(enable = "avx2,bmi1")]
#[inline]
pub(super) fn parse<'a, W: Copy, T: Copy>(
    bytes: &'a [u8],
    values: &mut Vec<T>,
    take: impl Fn(&'a [u8; WINDOW], usize) -> W,
    read: impl Fn(&[W; GROUP]) -> Option<[T; GROUP]>,
) -> usize {
    // Where words are missing at the end of a row, others stand that were read before, or these.
    let mut words = [take(&[b'0'; WINDOW], 1); GROUP];
    let mut count = 0;
    let mut consumed = 0;
    let mut start = 0;
    let mut at = 0;
    let mut row_ends = false;
    while let Some(block) = bytes[at..].first_chunk::<{ BLOCK + WINDOW }>()
        && at <= start + BLOCK
        && !row_ends
    {
        let (ends, stops) = spaces(block);
        row_ends = stops != 0;
        // Up to the first that ends the row.
        let mut ends = ends & (stops ^ stops.wrapping_sub(1));
        while ends != 0 {
            let end = at + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            if start < end {
                let Some(window) = bytes[start..].first_chunk() else { return consumed };
                words[count & (GROUP - 1)] = take(window, end - start);
                count += 1;
                if count == GROUP {
                    let Some(numbers) = read(&words) else { return consumed };
                    values.extend_from_slice(&numbers);
                    consumed = end;
                    count = 0;
                }
            }
            start = end + 1;
        }
        at += BLOCK;
    }
    // The row ends, or a word does not, or the bytes do.
    if count > 0
        && let Some(numbers) = read_rest(&words, read)
    {
        values.extend_from_slice(&numbers[..count & (GROUP - 1)]);
        consumed = start - 1;
    }
    consumed
}

/// `read`, once more for the ends of rows.
#[target_feature(enable = "avx2,bmi1")]
#[inline(never)]
fn read_rest<W, T>(words: &[W; GROUP], read: impl Fn(&[W; GROUP]) -> Option<[T; GROUP]>) -> Option<[T; GROUP]> {
    read(words)
}

/// Returns which of 64 bytes end a word, and which of them the row.
#[target_feature(enable = "avx2")]
#[inline]
fn spaces(block: &[u8; BLOCK + WINDOW]) -> (u64, u64) {
    let (blocks, _) = block.as_chunks();
    let low = spaces_of_half(&blocks[0], &blocks[1]);
    let high = spaces_of_half(&blocks[2], &blocks[3]);
    (low.0 | high.0 << 32, low.1 | high.1 << 32)
}

#[target_feature(enable = "avx2")]
#[inline]
fn spaces_of_half(low: &[u8; 16], high: &[u8; 16]) -> (u64, u64) {
    let bytes = _mm256_set_m128i(load_bytes(high), load_bytes(low));
    let space = _mm256_set1_epi8(b' ' as i8);
    let ends = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, space), bytes);
    let tabs = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'\t' as i8));
    let stops = _mm256_andnot_si256(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, space), tabs), ends);
    (u64::from(_mm256_movemask_epi8(ends) as u32), u64::from(_mm256_movemask_epi8(stops) as u32))
}
