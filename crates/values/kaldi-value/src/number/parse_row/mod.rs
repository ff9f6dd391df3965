//! Reading of numbers by the row.
//!
//! White space is found for 64 bytes at once, so that where a number starts does not depend on the one before it having
//! been read. A number of usual length is then read without loops: its digits are lined up in 16 bytes and added up side
//! by side. What is not just digits and a point is left to the functions that read single numbers. With AVX2, eight numbers
//! are read together ([`floats`], [`integers`]), and with AVX-512 these are found together ([`wide`]).

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod floats;
#[cfg(target_arch = "x86_64")]
mod groups;
#[cfg(target_arch = "x86_64")]
mod integers;

use crate::number::lanes::{decimal, spaces, sum_if_digits};
use crate::number::{NumberError, parse_f32, parse_f64, parse_integer};

/// Bytes that are searched for white space at once.
const BLOCK: usize = 64;

/// Bytes after a block in which a number that starts in it may be looked at.
const WINDOW: usize = 17;

/// Bytes without white space that are searched for the end of a number.
const LONGEST: usize = 2 * BLOCK;

/// Why a row of numbers cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowError {
    /// What is wrong with the number.
    pub error: NumberError,
    /// Where the number starts.
    pub offset: usize,
}

/// Appends the numbers at the start of `bytes`, up to the end of their row, to `values`; returns the length consumed.
///
/// The numbers, as [`parse_f32`] takes them, are separated by spaces and tabs, which are consumed before and after
/// numbers too. The row ends, without an error, at the first byte that neither is a space or tab nor starts a number,
/// or right after a number that another byte than a space or tab follows: at a newline, `]`, `;`, the end of `bytes`, or
/// whatever else the caller has to judge. So in `1-2` the row ends before the `-`, and a caller to whom these are two
/// numbers, as they are in Kaldi's matrices, calls again from there.
///
/// # Errors
/// If a sign, a point, a digit, `i` or `n` (in either case) starts no number, or a number is out of range.
/// The numbers before it have been appended.
pub fn parse_f32_row(bytes: &[u8], values: &mut Vec<f32>) -> Result<usize, RowError> {
    #[cfg(target_arch = "x86_64")]
    if let Some(usual) = usual_parser(avx512::parse_floats, floats::parse) {
        return parse_by_groups(bytes, values, usual, parse_floats);
    }
    parse_floats(bytes, values, usize::MAX)
}

/// Appends numbers at the start of some bytes, as long as they are usual; returns the length consumed. The processor has to
/// have its instructions.
#[cfg(target_arch = "x86_64")]
type UsualParser<T> = unsafe fn(&[u8], &mut Vec<T>) -> usize;

/// The parser with the widest registers that the processor has; `None` if it has neither.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn usual_parser<T>(with_avx512: UsualParser<T>, with_avx2: UsualParser<T>) -> Option<UsualParser<T>> {
    if kaldi_simd::has_avx512_bytes() {
        return Some(with_avx512);
    }
    kaldi_simd::has_avx2().then_some(with_avx2)
}

/// Reads a row: as many numbers as possible by `usual`, and some by `parse_some` where one is not usual.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn parse_by_groups<T>(
    bytes: &[u8],
    values: &mut Vec<T>,
    usual: UsualParser<T>,
    parse_some: impl Fn(&[u8], &mut Vec<T>, usize) -> Result<usize, RowError>,
) -> Result<usize, RowError> {
    /// Numbers that are read one by one where one of them is not usual.
    const SOME: usize = 32;
    let mut at = 0;
    loop {
        #[allow(unsafe_code)]
        // SAFETY: the caller has asked whether the processor has the instructions.
        let length = unsafe { usual(&bytes[at..], values) };
        at += length;
        at += bytes[at..].iter().take_while(|byte| is_separator(byte)).count();
        if let Some(b'\n') = bytes.get(at) {
            return Ok(at);
        }
        let most = values.len() + SOME;
        at += parse_some(&bytes[at..], values, most)
            .map_err(|RowError { error, offset }| RowError { error, offset: at + offset })?;
        // Elsewhere the row ends.
        if values.len() < most || !bytes[..at].last().is_some_and(is_separator) {
            return Ok(at);
        }
    }
}

/// Reads a row until there are this many values, one by one.
fn parse_floats(bytes: &[u8], values: &mut Vec<f32>, most: usize) -> Result<usize, RowError> {
    let usual = |bytes: &[u8], start, end| {
        let value = usual_float(bytes, start, end)?;
        // The f64 is the number rounded, which does not change on which side of a tie between two f32 it is, unless it
        // becomes that tie.
        let tied = value.to_bits() & 0x1fff_ffff == 0x1000_0000;
        (!tied).then_some(value as f32)
    };
    parse_row(bytes, values, usual, parse_f32, starts_float, |values| values.len() >= most)
}

/// Appends the numbers at the start of `bytes` to `values`; like [`parse_f32_row`], with `f64`.
///
/// # Errors
/// Those of [`parse_f32_row`].
pub fn parse_f64_row(bytes: &[u8], values: &mut Vec<f64>) -> Result<usize, RowError> {
    parse_row(bytes, values, usual_float, parse_f64, starts_float, |_| false)
}

/// Appends the integers at the start of `bytes` to `values`; like [`parse_f32_row`], with integers as
/// [`parse_integer`] takes them, which a sign or digit starts.
///
/// # Errors
/// If a sign starts no integer, or an integer does not fit 32 bits. The integers before it have been appended.
pub fn parse_i32_row(bytes: &[u8], values: &mut Vec<i32>) -> Result<usize, RowError> {
    #[cfg(target_arch = "x86_64")]
    if let Some(usual) = usual_parser(avx512::parse_integers, integers::parse) {
        return parse_by_groups(bytes, values, usual, parse_integers);
    }
    parse_integers(bytes, values, usize::MAX)
}

/// Reads a row of integers until there are this many values, one by one.
fn parse_integers(bytes: &[u8], values: &mut Vec<i32>, most: usize) -> Result<usize, RowError> {
    let any = |bytes: &[u8]| {
        let (value, length) = parse_integer(bytes)?;
        Ok((i32::try_from(value).map_err(|_| NumberError::OutOfRange)?, length))
    };
    let starts_integer = |byte| matches!(byte, b'+' | b'-' | b'0'..=b'9');
    parse_row(bytes, values, usual_integer, any, starts_integer, |values| values.len() >= most)
}

fn starts_float(byte: u8) -> bool {
    matches!(byte, b'+' | b'-' | b'.' | b'0'..=b'9' | b'i' | b'I' | b'n' | b'N')
}

/// Reads a row: `usual` takes bytes and where a number starts and ends in them, and may decline; `any` decides then. Behind
/// a separator the reading ends where `is_enough` says so.
#[inline(always)]
fn parse_row<T>(
    bytes: &[u8],
    values: &mut Vec<T>,
    usual: impl Fn(&[u8], usize, usize) -> Option<T>,
    any: impl Fn(&[u8]) -> Result<(T, usize), NumberError>,
    starts_number: impl Fn(u8) -> bool,
    is_enough: impl Fn(&Vec<T>) -> bool,
) -> Result<usize, RowError> {
    // The length of what is appended, 0 where no number starts.
    let append_any = |bytes: &[u8], values: &mut Vec<T>| {
        if !starts_number(bytes[0]) {
            return Ok(0);
        }
        let (value, length) = any(bytes)?;
        values.push(value);
        Ok(length)
    };

    let mut text = bytes;
    let mut before_text = 0;
    let mut padded;
    loop {
        let mut start = 0;
        let mut block = 0;
        while text.len() - block >= BLOCK + WINDOW {
            let mut ends = text[block..].first_chunk().map_or(0, spaces);
            while ends != 0 {
                let end = block + ends.trailing_zeros() as usize;
                ends &= ends - 1;
                if start < end {
                    if let Some(value) = usual(text, start, end) {
                        values.push(value);
                    } else {
                        let offset = before_text + start;
                        let length = append_any(&text[start..], values).map_err(|error| RowError { error, offset })?;
                        if start + length < end {
                            return Ok(offset + length);
                        }
                    }
                }
                if !is_separator(&text[end]) {
                    return Ok(before_text + end);
                }
                start = end + 1;
                if is_enough(values) {
                    return Ok(before_text + start);
                }
            }
            block += BLOCK;
            // Something this long is read before its end is found, since it may be many numbers without a space.
            if block - start > LONGEST {
                let offset = before_text + start;
                start += append_any(&text[start..], values).map_err(|error| RowError { error, offset })?;
                if !text.get(start).is_some_and(is_separator) {
                    return Ok(before_text + start);
                }
                block = start;
            }
        }
        // The rest is shorter than a number without end and a block; newlines after it end the row.
        before_text += start;
        let rest = &bytes[before_text..];
        padded = [b'\n'; LONGEST + 3 * BLOCK];
        padded[..rest.len()].copy_from_slice(rest);
        text = &padded;
    }
}

fn is_separator(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// Powers of ten by the place of a point in 16 bytes.
static POWERS: [f64; 17] = [1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1.0, 1.0];

/// Reads up to 15 digits with or without a point among them, and a minus sign before them.
#[inline(always)]
fn usual_float(bytes: &[u8], start: usize, end: usize) -> Option<f64> {
    let negative = bytes[start] == b'-';
    let length = end - start - usize::from(negative);
    if length > 16 {
        return None;
    }
    let (number, point) = if end >= 16 {
        decimal(bytes[end - 16..].first_chunk()?, length)?
    } else {
        let shifted = u128::from_le_bytes(*bytes.first_chunk()?) << (8 * (16 - end));
        decimal(&shifted.to_le_bytes(), length)?
    };
    let digits = length - usize::from(point < 16);
    if digits.wrapping_sub(1) >= 15 {
        return None;
    }
    // Both are exact, so that the quotient is the number correctly rounded.
    let value = number as i64 as f64 / POWERS[point];
    Some(f64::from_bits(value.to_bits() | u64::from(negative) << 63))
}

/// Reads up to eight digits, and a minus sign before them.
#[inline(always)]
fn usual_integer(bytes: &[u8], start: usize, end: usize) -> Option<i32> {
    let negative = bytes[start] == b'-';
    let start = start + usize::from(negative);
    let length = end - start;
    if length.wrapping_sub(1) >= 8 {
        return None;
    }
    let size = sum_if_digits(*bytes.get(start..start + 8)?.first_chunk()?, length)? as i32;
    Some(if negative { -size } else { size })
}

#[cfg(test)]
mod tests;
