//! Eight integers at once by AVX2, where all of them are one to eight digits and nothing else.

use std::arch::x86_64::*;

use super::groups::{self, GROUP};
use crate::number::avx2::store;

/// Digits of the longest usual integer.
const LONGEST: usize = 8;

/// A word: its digits from 0 to 9 at the end of eight bytes, zeros before them, and one less than its length.
type Word = (u64, usize);

/// Appends integers at the start of `bytes`, as long as they are usual; see [`groups::parse`].
#[target_feature(enable = "avx2,bmi1")]
pub(super) fn parse(bytes: &[u8], values: &mut Vec<i32>) -> usize {
    groups::parse(bytes, values, take, |words| read(words))
}

#[inline(always)]
fn take(window: &[u8; groups::WINDOW], length: usize) -> Word {
    let bytes = window.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let digits = bytes ^ u64::from_le_bytes([b'0'; 8]);
    (digits << (8 * (LONGEST.wrapping_sub(length) & 7)), length - 1)
}

/// Reads words, where all of them are usual integers.
#[target_feature(enable = "avx2,bmi1")]
#[inline]
fn read(words: &[Word; GROUP]) -> Option<[i32; GROUP]> {
    let lengths = words.iter().fold(0, |all, word| all | word.1);
    let four = |at: usize| {
        let word = |index: usize| words[at + index].0 as i64;
        _mm256_set_epi64x(word(3), word(2), word(1), word(0))
    };
    let digits = [four(0), four(4)];
    let others = digits.map(|digits| _mm256_subs_epu8(digits, _mm256_set1_epi8(9)));
    let others = _mm256_or_si256(others[0], others[1]);
    if lengths >= LONGEST || _mm256_testz_si256(others, others) == 0 {
        return None;
    }
    let fours = digits.map(|digits| {
        let twos = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(1 << 8 | 10));
        _mm256_madd_epi16(twos, _mm256_set1_epi32(1 << 16 | 100))
    });
    // In each half of the register two numbers of the first four, then two of the others.
    let fours = _mm256_packus_epi32(fours[0], fours[1]);
    let numbers = _mm256_madd_epi16(fours, _mm256_set1_epi32(1 << 16 | 10_000));
    let numbers = _mm256_permute4x64_epi64(numbers, 0b11_01_10_00);
    Some(store(numbers).map(|number| number as i32))
}
