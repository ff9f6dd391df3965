//! Eight numbers at once by AVX2, where all of them are usual: 0, or of a size that has no exponent in its text.
//!
//! Seven digits of such an `f32` are exact, ties included: the number has 24 bits, the power of ten that scales it 24 bits
//! without its factors of two, and an `f64` holds their product. One shuffle puts the digits, the point, the sign and the
//! space in their places; a table has it for each exponent, sign and number of zeros at the end.

use std::arch::x86_64::*;

use crate::number::avx2::{load, load_bytes, look_up, store, store_bytes};

/// Numbers that are written together.
const GROUP: usize = 8;

/// Bytes that may be stored to at a group.
pub(super) const WINDOW: usize = GROUP * 16 + 16;

/// Decimal exponents of usual numbers, from this one to 6.
const SMALLEST: i32 = -4;
const NUM_EXPONENTS: usize = 11;

/// Stores the first `count` of the values, each with a space after it, and returns their length; `None` if one of the
/// eight is not usual.
#[target_feature(enable = "avx2,bmi1")]
#[inline]
pub(super) fn put(window: &mut [u8; WINDOW], values: &[f32; GROUP], count: usize) -> Option<usize> {
    let bits = load(&values.map(f32::to_bits));
    let sizes = _mm256_and_si256(bits, _mm256_set1_epi32(i32::MAX));
    let zeros = _mm256_cmpeq_epi32(sizes, _mm256_setzero_si256());
    let too_small = _mm256_cmpgt_epi32(_mm256_set1_epi32(NEXT[0][0] as i32), sizes);
    let too_large = _mm256_cmpgt_epi32(sizes, _mm256_set1_epi32(NEXT[NUM_EXPONENTS / 8][NUM_EXPONENTS % 8] as i32 - 1));
    let unusual = _mm256_or_si256(_mm256_andnot_si256(zeros, too_small), too_large);
    if _mm256_testz_si256(unusual, unusual) == 0 {
        return None;
    }

    // The exponent of the power of two below the number, counted from one less than the smallest.
    let binary = _mm256_srli_epi32(sizes, 23);
    let guess = _mm256_madd_epi16(binary, _mm256_set1_epi32(77));
    let guess = _mm256_srai_epi32(_mm256_sub_epi32(guess, _mm256_set1_epi32(8499)), 8);
    let below = _mm256_cmpgt_epi32(look_up(&NEXT, guess), sizes);
    let exponents = _mm256_andnot_si256(zeros, _mm256_add_epi32(guess, below));
    let scales = _mm256_castsi256_ps(look_up(&SCALES, exponents));
    let sizes = _mm256_castsi256_ps(sizes);
    let scale = |sizes, scales| _mm256_cvtpd_epi32(_mm256_mul_pd(_mm256_cvtps_pd(sizes), _mm256_cvtps_pd(scales)));
    let scaled = _mm256_set_m128i(
        scale(_mm256_extractf128_ps(sizes, 1), _mm256_extractf128_ps(scales, 1)),
        scale(_mm256_castps256_ps128(sizes), _mm256_castps256_ps128(scales)),
    );

    let constants = _mm256_set1_epi64x(i64::from_le_bytes(*b".- \0\0\0\0\0"));
    let (digits, places) = digits(scaled);
    let text = digits.map(|digits| _mm256_add_epi8(digits, _mm256_set1_epi8(b'0' as i8)));
    let [a, b] = text.map(|text| [_mm256_unpacklo_epi64(text, constants), _mm256_unpackhi_epi64(text, constants)]);
    let low = |pair| _mm256_castsi256_si128(pair);
    let high = |pair| _mm256_extracti128_si256(pair, 1);
    let sources = [low(a[0]), low(a[1]), low(b[0]), low(b[1]), high(a[0]), high(a[1]), high(b[0]), high(b[1])];

    let signs = _mm256_srli_epi32(bits, 31);
    let rows = _mm256_slli_epi32(_mm256_or_si256(_mm256_slli_epi32(exponents, 1), signs), 3);
    let rows = store(rows);
    let mut at = 0;
    for lane in 0..count.min(GROUP) {
        let zeros = (places >> (8 * PLACE[lane])).trailing_zeros();
        // The masks bound the places for the compiler, which leaves out its checks then.
        let row = (rows[lane] + zeros) as usize & 255;
        let text = _mm_shuffle_epi8(sources[lane], load_bytes(&SHUFFLES[row]));
        if let Some(place) = window[at & 127..].first_chunk_mut() {
            store_bytes(place, text);
        }
        at += usize::from(LENGTHS[row]);
    }
    Some(at)
}

/// The eight digits of each number below 10^8, the last in the lowest byte, numbers 0, 1, 4, 5 and 2, 3, 6, 7; and a bit
/// for each digit but 0 and for each first digit.
#[target_feature(enable = "avx2")]
#[inline]
fn digits(numbers: __m256i) -> ([__m256i; 2], u64) {
    // Divisions are multiplications: by 10000 on numbers of 32 bits, by 100 and by 10 on those of 16 bits.
    let reciprocal = _mm256_set1_epi32(3_518_437_209_u32 as i32);
    let even = _mm256_srli_epi64(_mm256_mul_epu32(numbers, reciprocal), 45);
    let odd = _mm256_srli_epi64(_mm256_mul_epu32(_mm256_srli_epi64(numbers, 32), reciprocal), 13);
    let high = _mm256_blend_epi32(even, odd, 0b1010_1010);
    let less = _mm256_madd_epi16(high, _mm256_set1_epi32(10_000));
    let fours = _mm256_or_si256(_mm256_sub_epi32(numbers, less), _mm256_slli_epi32(high, 16));
    let hundreds = _mm256_srli_epi16(_mm256_mulhi_epu16(fours, _mm256_set1_epi16(5243)), 3);
    let rest = _mm256_sub_epi16(fours, _mm256_mullo_epi16(hundreds, _mm256_set1_epi16(100)));
    let two_digits = |number| {
        let tens = _mm256_mulhi_epu16(number, _mm256_set1_epi16(6554));
        _mm256_add_epi16(number, _mm256_mullo_epi16(tens, _mm256_set1_epi16(256 - 10)))
    };
    let (hundreds, rest) = (two_digits(hundreds), two_digits(rest));
    let digits = [_mm256_unpacklo_epi16(rest, hundreds), _mm256_unpackhi_epi16(rest, hundreds)];
    let zeros = digits.map(|digits| _mm256_movemask_epi8(_mm256_cmpeq_epi8(digits, _mm256_setzero_si256())) as u32);
    (digits, !(u64::from(zeros[0]) | u64::from(zeros[1]) << 32) | 0x8080_8080_8080_8080)
}

/// Where the digits of a number stand among those of all.
const PLACE: [u32; GROUP] = [0, 1, 4, 5, 2, 3, 6, 7];

/// The bits of the smallest numbers of the decimal exponents from the smallest on, and of 10^7, which are written so.
static NEXT: [[u32; 8]; 2] = {
    let mut next = [[0; 8]; 2];
    let mut index = 0;
    while index <= NUM_EXPONENTS {
        let exact = 9999999.5 / SCALES_BEFORE[index];
        let nearest = exact as f32;
        let bits = nearest.to_bits();
        next[index / 8][index % 8] = if (nearest as f64) < exact { bits + 1 } else { bits };
        index += 1;
    }
    next
};

/// Powers of ten that give numbers seven digits before the point, by exponent from one less than the smallest on.
const SCALES_BEFORE: [f64; NUM_EXPONENTS + 1] = [1e11, 1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1e0];

/// The bits of the powers of ten that numbers of each exponent are multiplied with, which are exact.
static SCALES: [[u32; 8]; 2] = {
    let mut scales = [[0; 8]; 2];
    let mut index = 0;
    while index < NUM_EXPONENTS {
        scales[index / 8][index % 8] = (SCALES_BEFORE[index + 1] as f32).to_bits();
        index += 1;
    }
    scales
};

/// Where the bytes of a text come from: 0 to 7 are the digits from the last to the first, and a 0; 8 is the point, 9 the
/// minus sign, 10 the space. By exponent, sign and number of zeros at the end.
static SHUFFLES: [[u8; 16]; 256] = TABLES.0;

/// The lengths of these texts.
static LENGTHS: [u8; 256] = TABLES.1;

const TABLES: ([[u8; 16]; 256], [u8; 256]) = {
    const ZERO: u8 = 7;
    const POINT: u8 = 8;
    const MINUS: u8 = 9;
    const SPACE: u8 = 10;
    let mut shuffles = [[0x80; 16]; 256];
    let mut lengths = [0; 256];
    let mut row = 0;
    while row < NUM_EXPONENTS * 16 {
        let exponent = (row / 16) as i32 + SMALLEST;
        let digits = 7 - (row % 8) as i32;
        let mut text = Text { bytes: [0x80; 16], length: 0 };
        if row / 8 % 2 == 1 {
            text.push(MINUS);
        }
        if digits == 0 {
            text.push(ZERO);
        } else {
            let mut place = if exponent < 0 { exponent } else { 0 };
            while place < digits || place <= exponent {
                if place == exponent + 1 && exponent >= 0 {
                    text.push(POINT);
                }
                text.push(if place < 0 { ZERO } else { (6 - place) as u8 });
                if place == exponent && exponent < 0 {
                    text.push(POINT);
                }
                place += 1;
            }
        }
        text.push(SPACE);
        shuffles[row] = text.bytes;
        lengths[row] = text.length as u8;
        row += 1;
    }
    (shuffles, lengths)
};

struct Text {
    bytes: [u8; 16],
    length: usize,
}

impl Text {
    const fn push(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }
}
