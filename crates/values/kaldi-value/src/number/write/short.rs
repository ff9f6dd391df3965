//! Eight integers at once by AVX2, where all of them are from 0 to 9999, as in most alignments.

use std::arch::x86_64::*;

use super::integers::put_integers;
use super::{GROUP, TextSpace};
use crate::number::avx2::{load, store};

/// Adds the values.
#[target_feature(enable = "avx2,bmi1")]
pub(super) fn put(room: &mut TextSpace<'_>, values: &[i32]) {
    let (groups, rest) = values.as_chunks();
    for group in groups {
        if let Some(window) = room.bytes[room.at..].first_chunk_mut()
            && let Some(length) = put_group(window, group)
        {
            room.at += length;
        } else {
            put_integers(room, group);
        }
    }
    put_integers(room, rest);
}

/// Stores the values, each with a space after it, and returns their length; `None` if one of them has a sign or more than
/// four digits.
#[target_feature(enable = "avx2,bmi1")]
#[inline]
fn put_group(window: &mut [u8; GROUP * 8], values: &[i32; GROUP]) -> Option<usize> {
    let values = load(&values.map(|value| value as u32));
    let most = _mm256_set1_epi32(9999);
    let others = _mm256_xor_si256(_mm256_max_epu32(values, most), most);
    if _mm256_testz_si256(others, others) == 0 {
        return None;
    }
    // Divisions by 100 and by 10 are multiplications. The first digit comes into the lowest byte.
    let hundreds = _mm256_srli_epi32(_mm256_mullo_epi32(values, _mm256_set1_epi32(5243)), 19);
    let rest = _mm256_sub_epi32(values, _mm256_mullo_epi32(hundreds, _mm256_set1_epi32(100)));
    let pairs = _mm256_or_si256(hundreds, _mm256_slli_epi32(rest, 16));
    let tens = _mm256_srli_epi16(_mm256_mullo_epi16(pairs, _mm256_set1_epi16(103)), 10);
    let ones = _mm256_sub_epi16(pairs, _mm256_mullo_epi16(tens, _mm256_set1_epi16(10)));
    let digits = store(_mm256_or_si256(tens, _mm256_slli_epi16(ones, 8)));
    let mut at = 0;
    for digits in digits {
        let zeros = (digits | 1 << 24).trailing_zeros() & 24;
        let text = (u64::from(digits) | u64::from_le_bytes(*b"0000 \0\0\0")) >> zeros;
        // The mask bounds the place for the compiler, which leaves out its check then.
        if let Some(place) = window[at & 63..].first_chunk_mut() {
            *place = text.to_le_bytes();
        }
        at += 5 - zeros as usize / 8;
    }
    Some(at)
}
