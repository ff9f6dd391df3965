//! Eight numbers at once by AVX-512 with its instructions on bytes, where all of them are usual.
//!
//! Words are found in blocks of 64 bytes. One instruction lists where they end, another gathers the last eight characters of
//! eight words, wherever these are in the block and the one before it. So there is no loop over words.

use std::arch::x86_64::*;

use crate::number::avx2::store;
use crate::number::avx512::{load, load_bytes, places};

/// Numbers that are read together.
const GROUP: usize = 8;

/// Bytes that are searched for white space at once.
const BLOCK: usize = 64;

/// Characters of the longest usual float, besides a minus sign.
const LONGEST_FLOAT: i8 = 16;

/// Digits of the longest usual integer.
const LONGEST_INTEGER: i8 = 8;

/// Appends floats at the start of `bytes`, as long as they are usual: up to 16 characters, digits with or without a point
/// among them and a minus sign before them; see [`parse`].
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx512cd,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn parse_floats(bytes: &[u8], values: &mut Vec<f32>) -> usize {
    parse(bytes, values, |words| {
        let (numbers, others) = floats(words);
        (store(_mm256_castps_si256(numbers)).map(f32::from_bits), others)
    })
}

/// Appends integers at the start of `bytes`, as long as they are usual: up to eight digits and a minus sign before them; see
/// [`parse`].
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx512cd,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
pub(super) fn parse_integers(bytes: &[u8], values: &mut Vec<i32>) -> usize {
    parse(bytes, values, |words| {
        let (numbers, others) = integers(words);
        (store(numbers).map(|number| number as i32), others)
    })
}

/// Eight words, each in a lane of eight bytes.
struct Words {
    /// The block before the one in which the words end, and that one, with digits as numbers, minus signs as zeros, and other
    /// characters of numbers above 127. Places are counted from the start of the first.
    blocks: [__m512i; 2],
    /// Where each starts, in each byte of its lane.
    starts: __m512i,
    /// Where each ends.
    ends: __m512i,
    /// Which have a minus sign.
    negative: __mmask8,
}

/// Appends numbers at the start of `bytes`, separated by spaces and tabs, as long as they are usual; returns the length
/// consumed, after which there is a byte up to a space, or none, unless it is 0. `read` makes numbers of words, and says of
/// which it cannot.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx512cd,avx512vbmi,avx512vbmi2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn parse<T: Copy>(bytes: &[u8], values: &mut Vec<T>, read: impl Fn(&Words) -> ([T; GROUP], u8)) -> usize {
    let places = _mm512_add_epi8(places(), _mm512_set1_epi8(BLOCK as i8));
    let mut before = _mm512_setzero_si512();
    // Whether a word goes on from the block before, where it starts there, and whether that is a minus sign.
    let mut goes_on = 0_u64;
    let mut start = 0;
    let mut sign = 0;
    let mut consumed = 0;
    let mut at = 0;
    loop {
        let block = match bytes[at..].first_chunk() {
            Some(block) => load_bytes(block),
            None => load_last(&bytes[at..]),
        };
        let are = |byte: u8| _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(byte as i8));
        let digits = _mm512_sub_epi8(block, _mm512_set1_epi8(b'0' as i8));
        let minus = are(b'-');
        let blanks = _mm512_cmple_epu8_mask(block, _mm512_set1_epi8(b' ' as i8));
        let usual = _mm512_cmple_epu8_mask(digits, _mm512_set1_epi8(9)) | are(b' ') | are(b'\t') | are(b'.');
        let after_blanks = blanks << 1 | (goes_on ^ 1);
        // What ends the row, or belongs to no usual number.
        let stops = !(usual | (minus & after_blanks));
        let starts = !blanks & after_blanks;
        let ends = blanks & !after_blanks & (stops ^ stops.wrapping_sub(1));

        let block = _mm512_maskz_mov_epi8(!minus, digits);
        let starts_list = _mm512_maskz_compress_epi8(starts, places);
        let ends_list = _mm512_maskz_compress_epi8(ends, places);
        let negative = _pext_u64(minus, starts) << goes_on | sign;
        let mut index = load_bytes(&LANES);
        let mut starts_of_group =
            _mm512_permutexvar_epi8(_mm512_sub_epi8(index, _mm512_set1_epi8(goes_on as i8)), starts_list);
        let first_lane = goes_on.wrapping_neg() & 0xff;
        starts_of_group = _mm512_mask_mov_epi8(starts_of_group, first_lane, _mm512_set1_epi8(start as i8));
        let count = ends.count_ones() as usize;
        let mut done = 0;
        while done < count {
            let words = Words {
                blocks: [before, block],
                starts: starts_of_group,
                ends: _mm512_permutexvar_epi8(index, ends_list),
                negative: (negative >> done) as __mmask8,
            };
            let (numbers, others) = read(&words);
            let wanted = (count - done).min(GROUP);
            let usual = wanted.min(others.trailing_zeros() as usize);
            values.extend_from_slice(&numbers);
            values.truncate(values.len() - GROUP + usual);
            if usual < wanted {
                done += usual;
                return if done == 0 { consumed } else { at + nth(ends, done - 1) };
            }
            done += GROUP;
            index = _mm512_add_epi8(index, _mm512_set1_epi8(GROUP as i8));
            let index = _mm512_sub_epi8(index, _mm512_set1_epi8(goes_on as i8));
            starts_of_group = _mm512_permutexvar_epi8(index, starts_list);
        }
        if ends != 0 {
            consumed = at + (BLOCK - 1) - ends.leading_zeros() as usize;
        }
        goes_on = blanks >> (BLOCK - 1) ^ 1;
        // A word that is as long as a block is not usual.
        if stops != 0 || starts < goes_on {
            return consumed;
        }
        // Of a number up to 63 the difference to 63, without an instruction on bytes, which would wait for another register.
        start = starts.leading_zeros() ^ (BLOCK as u32 - 1);
        sign = minus >> (start & (BLOCK as u32 - 1)) & goes_on;
        before = block;
        at += BLOCK;
    }
}

/// The last bytes, which are fewer than a block; a newline after them ends the row.
#[target_feature(enable = "avx512f")]
#[cold]
fn load_last(bytes: &[u8]) -> __m512i {
    let mut block = [b'\n'; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    load_bytes(&block)
}

/// The place of a bit that is set, by the number of those before it.
#[cold]
fn nth(mut bits: u64, number: usize) -> usize {
    for _ in 0..number {
        bits &= bits.wrapping_sub(1);
    }
    bits.trailing_zeros() as usize
}

/// The lane of each byte.
static LANES: [u8; BLOCK] = {
    let mut lanes = [0; BLOCK];
    let mut place = 0;
    while place < BLOCK {
        lanes[place] = (place / 8) as u8;
        place += 1;
    }
    lanes
};

impl Words {
    /// Other bits than 0 in lanes of words that have no character or more than so many, besides a minus sign.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn of_other_lengths(&self, longest: i8) -> __m512i {
        let one = _mm512_set1_epi8(1);
        let lengths = _mm512_sub_epi8(_mm512_sub_epi8(self.ends, self.starts), one);
        let lengths = _mm512_mask_sub_epi64(lengths, self.negative, lengths, one);
        _mm512_subs_epu8(lengths, _mm512_set1_epi8(longest - 1))
    }

    /// Eight characters of each word, with zeros where the word has not started yet. The first of them is so many before
    /// the end of the word.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn characters(&self, before_end: i8) -> __m512i {
        let from_first = _mm512_set1_epi64(0x0706_0504_0302_0100);
        let places = _mm512_add_epi8(self.ends, _mm512_sub_epi8(from_first, _mm512_set1_epi8(before_end)));
        let inside = _mm512_cmpge_epu8_mask(places, self.starts);
        _mm512_maskz_permutex2var_epi8(inside, self.blocks[0], places, self.blocks[1])
    }
}

/// The number of eight digits in each lane, and other bits than 0 where not all of them are digits.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn sum(digits: __m512i) -> (__m512i, __m512i) {
    let others = _mm512_subs_epu8(digits, _mm512_set1_epi8(9));
    let twos = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(1 << 8 | 10));
    let fours = _mm512_madd_epi16(twos, _mm512_set1_epi32(1 << 16 | 100));
    let first = _mm512_mul_epu32(fours, _mm512_set1_epi64(10_000));
    (_mm512_add_epi64(first, _mm512_srli_epi64(fours, 32)), others)
}

/// Reads words as integers; returns which are not usual, too.
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
#[inline]
fn integers(words: &Words) -> (__m256i, __mmask8) {
    let (numbers, others) = sum(words.characters(8));
    let others = _mm512_or_si512(others, words.of_other_lengths(LONGEST_INTEGER));
    let numbers = _mm512_cvtepi64_epi32(numbers);
    let numbers = _mm256_mask_sub_epi32(numbers, words.negative, _mm256_setzero_si256(), numbers);
    (numbers, _mm512_test_epi64_mask(others, others))
}

/// Reads words as floats; returns which are not usual, too.
///
/// The digits are an integer up to 2^24 and the power of ten that divides it is at most 10^10: both are exact as `f32`, so
/// that one division makes the number, correctly rounded.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx512cd,avx512vbmi,avx512vbmi2")]
#[inline]
fn floats(words: &Words) -> (__m256, __mmask8) {
    let (first, last) = (words.characters(16), words.characters(8));
    // Of the usual characters, only points are above 127.
    let points = _mm512_set1_epi8(i8::MIN);
    let last_points = _mm512_and_si512(last, points);
    let pointed = _mm512_test_epi64_mask(last_points, last_points);
    let after_last = _mm512_lzcnt_epi64(last_points);
    let after_first = _mm512_lzcnt_epi64(_mm512_and_si512(first, points));

    // What comes before a point among the last eight characters moves by one, the rest stays. Then these are eight digits.
    let moves = _mm512_srlv_epi64(_mm512_set1_epi64(-1), after_last);
    let moved = _mm512_shldi_epi64::<8>(last, first);
    let eight = _mm512_ternarylogic_epi64::<0b1100_1010>(moves, moved, last);
    let (numbers, others) = sum(eight);
    // What is before them has to be zeros, besides the one that moved or the point.
    let taken = _mm512_mask_mov_epi64(after_first, pointed, _mm512_setzero_si512());
    let taken = _mm512_srlv_epi64(_mm512_set1_epi64(0xff << 56), taken);
    let others = _mm512_or_si512(others, _mm512_andnot_si512(taken, first));
    let others = _mm512_or_si512(others, words.of_other_lengths(LONGEST_FLOAT));

    let places = _mm512_mask_mov_epi64(_mm512_add_epi64(after_first, _mm512_set1_epi64(64)), pointed, after_last);
    let places = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_srli_epi64(places, 3)));
    let [low, high] = &POWERS;
    let low = _mm512_castsi512_ps(load(low));
    let high = _mm512_castsi512_ps(load(high));
    let powers = _mm512_castps512_ps256(_mm512_permutex2var_ps(low, places, high));
    let values = _mm256_div_ps(_mm512_cvtepi64_ps(numbers), powers);
    let values = _mm256_mask_xor_ps(values, words.negative, values, _mm256_set1_ps(-0.0));

    let too_large = _mm512_cmpgt_epi64_mask(numbers, _mm512_set1_epi64(1 << 24));
    let no_power = _mm256_cmp_ps_mask::<_CMP_UNORD_Q>(powers, powers);
    (values, _mm512_test_epi64_mask(others, others) | too_large | no_power)
}

/// The bits of the powers of ten, which are exact, by the number of digits after the point, and 1 without a point, which is
/// number 16; where a power is not exact, or the point is the last character, not a number.
static POWERS: [[u32; 16]; 2] = {
    let mut powers = [[f32::NAN.to_bits(); 16]; 2];
    let mut power = 1.0_f32;
    powers[1][0] = power.to_bits();
    let mut digits = 1;
    while digits <= 10 {
        power *= 10.0;
        powers[0][digits] = power.to_bits();
        digits += 1;
    }
    powers
};
