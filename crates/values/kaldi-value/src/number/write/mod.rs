//! Writing of numbers.
//!
//! A number `x` of decimal exponent `e` is scaled to the integer `x * 10^(6-e)`, whose seven digits are unpacked side by
//! side in one 64-bit word; a table by decimal exponent says where the point goes. There are no loops and no branches
//! that depend on usual values, since mispredicted ones would take most of the time. Eight numbers go through each step
//! before the next step, since one number's steps wait for each other. Where the scaled number is so close to half way
//! between two integers that the rounding of `f64` may matter, the standard library decides. With AVX2, eight floats
//! without an exponent or eight short integers are written together ([`usual`], [`short`]), with AVX-512 sixteen such integers
//! ([`wide`]).

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod fast_path;
mod integers;
#[cfg(target_arch = "x86_64")]
mod short;

use std::io::Write;

pub use integers::{write_i32_row, write_integer};

use crate::number::powers::{POWERS_OF_TEN, SMALLEST_POWER};

/// Numbers whose digits are found together.
const GROUP: usize = 8;

/// The length of the longest number with a space, `-1.797693e+308 `.
const LONGEST: usize = 15;

/// Bytes that may be stored to at a number, since whole words are stored.
const WINDOW: usize = 32;

/// Bytes after the longest text, for groups of usual numbers, which are stored by 16 bytes each.
const SPARE: usize = GROUP * 16 + 16;

/// Appends a number as `%.7g` prints it.
pub fn write_f32(out: &mut Vec<u8>, value: f32) {
    write_f32_row(out, &[value]);
    out.pop();
}

/// Appends a number as `%.7g` prints it.
pub fn write_f64(out: &mut Vec<u8>, value: f64) {
    write_f64_row(out, &[value]);
    out.pop();
}

/// Appends each number as [`write_f32`] does, followed by one space.
pub fn write_f32_row(out: &mut Vec<u8>, values: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    if kaldi_simd::has_avx2() {
        #[allow(unsafe_code)]
        // SAFETY: the processor has the instructions.
        unsafe {
            write_with_avx2(out, values)
        };
        return;
    }
    write_floats(out, values, |_, _, _| false);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1")]
fn write_with_avx2(out: &mut Vec<u8>, values: &[f32]) {
    write_floats(out, values, |room, group, count| {
        let Some(window) = room.bytes[room.at..].first_chunk_mut() else { return false };
        let Some(length) = fast_path::put(window, group, count) else { return false };
        room.at += length;
        true
    });
}

/// Appends each number as [`write_f64`] does, followed by one space.
pub fn write_f64_row(out: &mut Vec<u8>, values: &[f64]) {
    write_floats(out, values, |_, _, _| false);
}

/// Makes room after `out` for the text of `count` numbers. What is not used of it is cut off afterwards.
#[inline(always)]
fn room_after(out: &mut Vec<u8>, count: usize) -> TextSpace<'_> {
    let begin = out.len();
    out.resize(begin + count * LONGEST + SPARE, 0);
    TextSpace { bytes: &mut out[begin..], at: 0 }
}

/// Bytes for the text of numbers, which is there up to `at`.
struct TextSpace<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl TextSpace<'_> {
    /// Adds a number, which `put` stores; `put` returns the length.
    #[inline(always)]
    fn put(&mut self, put: impl FnOnce(&mut [u8; WINDOW]) -> usize) {
        let window = self.bytes[self.at..].first_chunk_mut();
        debug_assert!(window.is_some(), "numbers before it are longer than {LONGEST} bytes");
        if let Some(window) = window {
            self.at += put(window);
        }
    }
}

/// What rows of floats are made of.
trait Float: Copy + Default + Into<f64> {
    /// The largest distance of a scaled number from its integer at which the integer may be known to be right.
    const TOLERANCE: f64;

    /// The layout of the size of the number.
    fn layout(self) -> &'static Layout;
}

impl Float for f32 {
    const TOLERANCE: f64 = 0.5;

    #[inline(always)]
    fn layout(self) -> &'static Layout {
        layout_of(self.to_bits() & (u32::MAX >> 1))
    }
}

impl Float for f64 {
    const TOLERANCE: f64 = INEXACT;

    #[inline(always)]
    fn layout(self) -> &'static Layout {
        // The number cut to an f32. What an f32 cannot hold becomes infinite or denormal, to which no layout belongs.
        let cut =
            ((self.abs().to_bits() >> 29) as i64 - ((1023 - 127) << 23)).clamp(0, i64::from(f32::INFINITY.to_bits()));
        layout_of(cut as u32)
    }
}

#[inline(always)]
fn write_floats<T: Float>(
    out: &mut Vec<u8>,
    values: &[T],
    put_usual: impl Fn(&mut TextSpace<'_>, &[T; GROUP], usize) -> bool,
) {
    let begin = out.len();
    let mut room = room_after(out, values.len());
    let (groups, rest) = values.as_chunks();
    for group in groups {
        if !put_usual(&mut room, group, GROUP) {
            put_floats(&mut room, group, GROUP);
        }
    }
    if !rest.is_empty() {
        let mut group = [T::default(); GROUP];
        group[..rest.len()].copy_from_slice(rest);
        if !put_usual(&mut room, &group, rest.len()) {
            put_floats(&mut room, &group, rest.len());
        }
    }
    let length = room.at;
    out.truncate(begin + length);
}

/// Adds the first `count` of the values.
#[inline(always)]
fn put_floats<T: Float>(room: &mut TextSpace<'_>, values: &[T; GROUP], count: usize) {
    let mut layouts = [&LAYOUTS[0]; GROUP];
    let mut scaled = [0.0; GROUP];
    for (lane, &value) in values.iter().enumerate() {
        layouts[lane] = value.layout();
        scaled[lane] = value.into().abs() * layouts[lane].scale;
    }
    let rounded = scaled.map(round);
    let digits = digits_of_all(rounded.map(|(number, _)| number));
    for (lane, &value) in values[..count].iter().enumerate() {
        let ((number, error), layout) = (rounded[lane], layouts[lane]);
        // An f64 between 9999999.5 and the next f32 has the layout of the smaller exponent.
        let certain = error <= layout.tolerance.min(T::TOLERANCE) && number < 10_000_000;
        let value = value.into();
        room.put(|window| match certain {
            true => layout.put(window, digits[lane], value.is_sign_negative()),
            false => put_exactly(window, value),
        });
    }
}

/// Rounds a number from 0 to 2^31, ties to even; returns the integer and its distance from the number.
#[inline(always)]
fn round(scaled: f64) -> (u32, f64) {
    // Sums from 2^52 to 2^53 are integers, which the low bits hold.
    const SHIFT: f64 = (1_u64 << 52) as f64;
    let sum = scaled + SHIFT;
    (sum.to_bits() as u32, (scaled - (sum - SHIFT)).abs())
}

/// Stores any number and a space, correctly rounded, slowly; returns their length.
#[cold]
fn put_exactly(window: &mut [u8; WINDOW], value: f64) -> usize {
    let negative = value.is_sign_negative();
    if !value.is_finite() {
        let word = if value.is_nan() { b"-nan " } else { b"-inf " };
        let word = if negative { &word[..] } else { &word[1..] };
        window[..word.len()].copy_from_slice(word);
        return word.len();
    }
    // "d.dddddde-5": the standard library rounds the exact decimal value, ties to even.
    let mut text = [0; 16];
    let mut rest = &mut text[..];
    let written = write!(rest, "{:.6e}", value.abs());
    debug_assert!(written.is_ok());
    let length = 16 - rest.len();
    let exponent = std::str::from_utf8(&text[9..length]).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0);
    let digits = text[2..8].iter().fold(u32::from(text[0] - b'0'), |sum, digit| sum * 10 + u32::from(digit - b'0'));
    Layout::new(exponent, 0.0, 0.0).put(window, eight_digits(digits), negative)
}

/// How numbers of one decimal exponent are written.
#[repr(align(64))]
struct Layout {
    /// What numbers are multiplied with to have seven digits before the point.
    scale: f64,
    /// The largest distance of the scaled number from its integer at which the integer is known to be right.
    tolerance: f64,
    /// A mask of the digits before the point.
    whole: u64,
    /// The point after them.
    point: u64,
    /// What comes after the digits: an exponent and a space.
    suffix: u64,
    /// The length without the suffix, by the number of digits without trailing zeros.
    lengths: [u8; 8],
    /// How much of `0.000` comes before the digits.
    prefix_length: u8,
    suffix_length: u8,
}

impl Layout {
    const fn new(exponent: i32, scale: f64, tolerance: f64) -> Self {
        let (prefix_length, before_point, exponential) = match exponent {
            0..=6 => (0, exponent as usize + 1, false),
            -4..=-1 => ((1 - exponent) as usize, 0, false),
            _ => (0, 1, true),
        };
        let mut lengths = [0; 8];
        let mut digits = 1;
        while digits < 8 {
            lengths[digits] = (if prefix_length > 0 {
                prefix_length + digits
            } else if digits > before_point {
                digits + 1
            } else {
                before_point
            }) as u8;
            digits += 1;
        }
        let mut suffix = b' ' as u64;
        let mut suffix_length = 1;
        if exponential {
            let mut left = exponent.unsigned_abs() as u64;
            while left > 0 || suffix_length < 3 {
                suffix = suffix << 8 | (b'0' as u64 + left % 10);
                left /= 10;
                suffix_length += 1;
            }
            let sign = if exponent < 0 { b'-' } else { b'+' };
            suffix = suffix << 16 | (sign as u64) << 8 | b'e' as u64;
            suffix_length += 2;
        }
        Self {
            scale,
            tolerance,
            whole: if prefix_length > 0 { u64::MAX } else { (1 << (8 * before_point)) - 1 },
            point: if prefix_length > 0 { 0 } else { (b'.' as u64) << (8 * before_point) },
            suffix,
            lengths,
            prefix_length: prefix_length as u8,
            suffix_length,
        }
    }

    /// Stores a number of seven digits, after a 0 in the lowest byte, and a space; returns their length. 0 stands for
    /// itself.
    #[inline(always)]
    fn put(&self, window: &mut [u8; WINDOW], digits: u64, negative: bool) -> usize {
        let digits = digits >> 8;
        let significant = 8 - (digits | 1).leading_zeros() as usize / 8;
        let text = digits | ASCII_ZEROS;
        let text = (text & self.whole) | self.point | ((text & !self.whole) << 8);
        // The masks bound the lengths for the compiler, which leaves out its checks then.
        let start = usize::from(negative);
        put_word(window, 0, u64::from_le_bytes(if negative { *b"-0.00000" } else { *b"0.000000" }));
        put_word(window, start + usize::from(self.prefix_length & 7), text);
        let end = start + usize::from(self.lengths[significant & 7] & 15);
        put_word(window, end, self.suffix);
        end + usize::from(self.suffix_length)
    }
}

/// The power of ten that numbers of a decimal exponent are multiplied with.
const fn scale_of(exponent: i32) -> f64 {
    POWERS_OF_TEN[(6 - exponent - SMALLEST_POWER as i32) as usize]
}

/// The tolerance of what is scaled with two roundings, each an error below 2^-29 of a number below 10^7.
const INEXACT: f64 = 0.5 - 1.0 / (1 << 26) as f64;

/// Layouts of 0, of the decimal exponents from -38 to 38, and of what is not finite.
static LAYOUTS: [Layout; 79] = {
    // 0 alone is not changed by rounding, so that denormal numbers are not taken for it.
    let mut layouts = [const { Layout::new(0, 1.0, 0.0) }; 79];
    let mut exponent = -38;
    while exponent <= 38 {
        // Such an f32 has 24 bits and 10^12 has 28 without its factors of two: products are exact, ties included.
        let tolerance = if -6 <= exponent && exponent <= 6 { 0.5 } else { INEXACT };
        layouts[(exponent + 39) as usize] = Layout::new(exponent, scale_of(exponent), tolerance);
        exponent += 1;
    }
    layouts[78].tolerance = -1.0;
    layouts
};

/// By binary exponent of an `f32`: the layout of its smaller numbers, and the bits of the smallest number that takes
/// the next layout because it rounds to the next power of ten.
static BINARY_EXPONENTS: [(u32, u32); 256] = {
    let mut entries = [(u32::MAX, 0); 256];
    let mut biased = 1;
    while biased < 255 {
        // log10(2) times 2^18 is 78913.2.
        let exponent = ((biased - 127) * 78913) >> 18;
        let next = 9999999.5 / scale_of(exponent);
        let mut bits = (next as f32).to_bits();
        if (f32::from_bits(bits) as f64) < next {
            bits += 1;
        }
        entries[biased as usize] = (bits, (exponent + 39) as u32);
        biased += 1;
    }
    entries[255] = (u32::MAX, 78);
    entries
};

/// The layout of a number with these bits, which is not negative.
#[inline(always)]
fn layout_of(bits: u32) -> &'static Layout {
    let (next, layout) = BINARY_EXPONENTS[(bits >> 23) as usize & 255];
    &LAYOUTS[layout as usize + usize::from(bits >= next)]
}

const ASCII_ZEROS: u64 = u64::from_le_bytes(*b"00000000");

/// The eight digits of a number below 10^8, the first in the lowest byte.
#[inline(always)]
fn eight_digits(number: u32) -> u64 {
    // Each step splits every lane in two: by 10000, by 100, by 10; the divisions are multiplications.
    let high = number / 10_000;
    let pair = u64::from(high) | u64::from(number - high * 10_000) << 32;
    let hundreds = ((pair * 10_486) >> 20) & 0x7f_0000_007f;
    let pairs = hundreds | (pair - 100 * hundreds) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
}

/// [`eight_digits`] of each, by steps on numbers of 16 bits, of which the compiler puts eight side by side.
#[inline(always)]
fn digits_of_all(numbers: [u32; GROUP]) -> [u64; GROUP] {
    let high = numbers.map(|number| (number / 10_000) as u16);
    let low = numbers.map(|number| (number % 10_000) as u16);
    let hundreds = |number: u16| ((u32::from(number) * 5243) >> 19) as u16;
    let rest = |number: u16| number.wrapping_sub(hundreds(number).wrapping_mul(100));
    let two_digits = |number: u16| {
        let tens = number.wrapping_mul(103) >> 10;
        u64::from(tens | number.wrapping_sub(tens.wrapping_mul(10)) << 8)
    };
    let a = high.map(hundreds).map(two_digits);
    let b = high.map(rest).map(two_digits);
    let c = low.map(hundreds).map(two_digits);
    let d = low.map(rest).map(two_digits);
    std::array::from_fn(|lane| a[lane] | b[lane] << 16 | c[lane] << 32 | d[lane] << 48)
}

#[inline(always)]
fn put_word(window: &mut [u8; WINDOW], at: usize, word: u64) {
    window[at..at + 8].copy_from_slice(&word.to_le_bytes());
}

#[cfg(test)]
mod tests;
