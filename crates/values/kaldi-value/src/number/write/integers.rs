//! Writing of integers.

use super::{ASCII_ZEROS, LONGEST, SPARE, TextSpace, WINDOW, eight_digits, put_word, room_after};

/// Appends an integer in decimal.
pub fn write_integer(out: &mut Vec<u8>, value: i64) {
    let mut window = [0; WINDOW];
    let length = put_integer(&mut window, value.unsigned_abs(), value < 0);
    out.extend_from_slice(&window[..length - 1]);
}

/// Appends each integer, followed by one space.
pub fn write_i32_row(out: &mut Vec<u8>, values: &[i32]) {
    /// Numbers for which there is room at a time, so that a long row does not take three times the memory of its text.
    const CHUNK: usize = 64;
    // Most alignments have four digits.
    out.reserve(5 * values.len() + CHUNK * LONGEST + SPARE);
    for chunk in values.chunks(CHUNK) {
        let begin = out.len();
        let mut room = room_after(out, chunk.len());
        put_chunk(&mut room, chunk);
        let length = room.at;
        out.truncate(begin + length);
    }
}

fn put_chunk(room: &mut TextSpace<'_>, chunk: &[i32]) {
    #[cfg(target_arch = "x86_64")]
    if kaldi_simd::has_avx512_bytes() {
        #[allow(unsafe_code)]
        // SAFETY: the processor has the instructions.
        unsafe {
            super::avx512::put(room, chunk)
        };
        return;
    }
    #[cfg(target_arch = "x86_64")]
    if kaldi_simd::has_avx2() {
        #[allow(unsafe_code)]
        // SAFETY: the processor has the instructions.
        unsafe {
            super::short::put(room, chunk)
        };
        return;
    }
    put_integers(room, chunk);
}

#[inline(always)]
pub(super) fn put_integers(room: &mut TextSpace<'_>, values: &[i32]) {
    for &value in values {
        room.put(|window| put_integer(window, u64::from(value.unsigned_abs()), value < 0));
    }
}

/// The four digits of a number below 10^4, the first in the lowest byte.
#[inline(always)]
fn four_digits(number: u32) -> u32 {
    let hundreds = (number * 10_486) >> 20;
    let pair = hundreds | (number - 100 * hundreds) << 16;
    let tens = ((pair * 103) >> 10) & 0x000f_000f;
    tens | (pair - 10 * tens) << 8
}

/// Stores an integer and a space, and returns their length.
#[inline(always)]
fn put_integer(window: &mut [u8; WINDOW], size: u64, negative: bool) -> usize {
    window[0] = b'-';
    let start = usize::from(negative);
    if size < 10_000 {
        let digits = four_digits(size as u32);
        let zeros = (digits | 1 << 24).trailing_zeros() & 24;
        put_word(window, start, (u64::from(digits) | u64::from_le_bytes(*b"0000 \0\0\0")) >> zeros);
        return start + 5 - zeros as usize / 8;
    }
    let mut end = start;
    put_large(window, &mut end, size);
    window[end] = b' ';
    end + 1
}

/// Stores an integer at `at` and moves `at` after it.
fn put_large(window: &mut [u8; WINDOW], at: &mut usize, size: u64) {
    let rest = (size % 100_000_000) as u32;
    let digits = eight_digits(rest);
    let mut zeros = 0;
    if size >= 100_000_000 {
        put_large(window, at, size / 100_000_000);
    } else {
        zeros = (digits | 1 << 56).trailing_zeros() & 56;
    }
    put_word(window, *at, (digits | ASCII_ZEROS) >> zeros);
    *at += 8 - zeros as usize / 8;
}
