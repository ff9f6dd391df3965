//! Eight floats at once by AVX2, where all of them are usual: up to 15 characters, digits with or without a point among
//! them and a minus sign before them.
//!
//! One shuffle takes the point out of a number and moves its digits to the end of 16 bytes; a table has it for each length
//! and place of the point. The digits are an integer up to 2^24 and the power of ten that divides it is at most 10^10: both
//! are exact as `f32`, so that one division makes the number, correctly rounded.

use std::arch::x86_64::*;

use super::groups::{self, GROUP, WINDOW};
use crate::number::avx2::{load_bytes, look_up, store};

/// A word: the bytes from its start on, and its length.
type Word<'a> = (&'a [u8; WINDOW], usize);

/// Appends floats at the start of `bytes`, as long as they are usual; see [`groups::parse`].
#[target_feature(enable = "avx2,bmi1")]
pub(super) fn parse(bytes: &[u8], values: &mut Vec<f32>) -> usize {
    groups::parse(bytes, values, |window, length| (window, length), |words| read(words))
}

/// Reads words, where all of them are usual numbers.
#[target_feature(enable = "avx2,bmi1")]
#[inline]
fn read(words: &[Word<'_>; GROUP]) -> Option<[f32; GROUP]> {
    let mut texts = [_mm_setzero_si128(); GROUP];
    let mut shuffles = texts;
    // Of each word a byte: how many characters there are from the point on, and the sign.
    let mut parts = 0_u64;
    let mut lengths = 0;
    for lane in (0..GROUP).rev() {
        let (window, length) = words[lane];
        let negative = usize::from(window[0] == b'-');
        let length = length - negative;
        lengths |= length;
        texts[lane] = load_bytes(window[negative..].first_chunk()?);
        let points = _mm_cmpeq_epi8(texts[lane], _mm_set1_epi8(b'.' as i8));
        let points = _mm_movemask_epi8(points) as u32 | 1 << (length & 15);
        let point = points.trailing_zeros() as usize;
        // The mask bounds the place for the compiler, which leaves out its check then.
        shuffles[lane] = load_bytes(&SHUFFLES[(16 * length + point) & 255]);
        parts = parts << 8 | ((length & 15) - point + 128 * negative) as u64;
    }
    let mut fours = [_mm256_setzero_si256(); GROUP / 2];
    let mut others = _mm256_setzero_si256();
    for lane in 0..GROUP / 2 {
        let text = _mm256_set_m128i(texts[lane + 4], texts[lane]);
        let shuffle = _mm256_set_m128i(shuffles[lane + 4], shuffles[lane]);
        let digits = _mm256_shuffle_epi8(_mm256_sub_epi8(text, _mm256_set1_epi8(b'0' as i8)), shuffle);
        others = _mm256_or_si256(others, _mm256_subs_epu8(digits, _mm256_set1_epi8(9)));
        let twos = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(1 << 8 | 10));
        fours[lane] = _mm256_madd_epi16(twos, _mm256_set1_epi32(1 << 16 | 100));
    }
    let weights = _mm256_set1_epi32(1 << 16 | 10_000);
    let a = _mm256_castsi256_ps(_mm256_madd_epi16(_mm256_packus_epi32(fours[0], fours[1]), weights));
    let b = _mm256_castsi256_ps(_mm256_madd_epi16(_mm256_packus_epi32(fours[2], fours[3]), weights));
    let first = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0b10_00_10_00));
    let last = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0b11_01_11_01));

    let parts = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(parts as i64));
    let numbers = _mm256_div_ps(_mm256_cvtepi32_ps(last), _mm256_castsi256_ps(look_up(&POWERS, parts)));
    let too_large = _mm256_cmpgt_epi32(last, _mm256_set1_epi32(1 << 24));
    let no_powers = _mm256_castps_si256(_mm256_cmp_ps::<_CMP_UNORD_Q>(numbers, numbers));
    let unusual = _mm256_or_si256(_mm256_or_si256(others, first), _mm256_or_si256(too_large, no_powers));
    if lengths > LONGEST || _mm256_testz_si256(unusual, unusual) == 0 {
        return None;
    }
    let signs = _mm256_slli_epi32(_mm256_srli_epi32(parts, 7), 31);
    Some(store(_mm256_or_si256(_mm256_castps_si256(numbers), signs)).map(f32::from_bits))
}

/// The characters of the longest usual number, besides a minus sign.
const LONGEST: usize = 15;

/// The bits of the powers of ten, which are exact, by the number of characters from the point on, and without a point;
/// where a power is not exact, not a number.
static POWERS: [[u32; 8]; 2] = {
    let mut powers = [[f32::NAN.to_bits(); 8]; 2];
    let mut power = 1.0_f32;
    powers[0][0] = power.to_bits();
    let mut characters = 1;
    while characters <= 11 {
        powers[characters / 8][characters % 8] = power.to_bits();
        power *= 10.0;
        characters += 1;
    }
    powers
};

/// Where the digits of a number come from that end 16 bytes, by its length and the place of its point.
static SHUFFLES: [[u8; 16]; 256] = {
    let mut shuffles = [[0x80; 16]; 256];
    let mut row = 0;
    while row < 256 {
        let (length, point) = (row / 16, row % 16);
        let (mut from, mut to) = (length, 16);
        while from > 0 {
            from -= 1;
            if from != point {
                to -= 1;
                shuffles[row][to] = from as u8;
            }
        }
        if to == 16 {
            // Without a digit, the byte that is no digit shows that this is no number.
            shuffles[row][15] = 0;
        }
        row += 1;
    }
    shuffles
};
