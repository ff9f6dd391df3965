//! What is done with many bytes at once: by SSE2 on x86-64, which always has it, and in 64-bit words elsewhere.

/// Returns which of 64 bytes are white space or control characters; the first byte is the lowest bit.
#[inline(always)]
pub fn spaces(block: &[u8; 64]) -> u64 {
    #[cfg(not(target_arch = "x86_64"))]
    return words::spaces(block);
    // SAFETY: every x86-64 has SSE2.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    return unsafe { sse2::spaces(block) };
}

/// Reads the last `length` bytes, at most 16, as digits with at most one point; returns the number without the point,
/// 0 if there are no digits, and the place of the point in `bytes`, 16 if there is none.
#[inline(always)]
pub fn decimal(bytes: &[u8; 16], length: usize) -> Option<(u64, usize)> {
    #[cfg(not(target_arch = "x86_64"))]
    return words::decimal(bytes, length);
    // SAFETY: every x86-64 has SSE2.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    return unsafe { sse2::decimal(bytes, length) };
}

/// The number of digits before the first other byte.
#[inline(always)]
pub fn count_digits(bytes: [u8; 8]) -> usize {
    let digits = u64::from_le_bytes(bytes) ^ ASCII_ZEROS;
    let others = (((digits & !HIGH_BITS) + LOW_BITS * (0x7f - 9)) | digits) & HIGH_BITS;
    others.trailing_zeros() as usize / 8
}

/// The number of the first `count` bytes, 1 to 8, which are digits.
#[inline(always)]
pub fn sum_digits(bytes: [u8; 8], count: usize) -> u64 {
    sum_of_eight(last_digits(bytes, count))
}

/// The number of the first `count` bytes, 1 to 8; `None` if one of them is no digit.
#[inline(always)]
pub fn sum_if_digits(bytes: [u8; 8], count: usize) -> Option<u64> {
    let digits = last_digits(bytes, count);
    // What is above 9 sets the highest bit of its byte, if it is not set before; sums of less carry nothing over.
    let others = (digits.wrapping_add(LOW_BITS * (0x7f - 9)) | digits) & HIGH_BITS;
    (others == 0).then(|| sum_of_eight(digits))
}

/// Moves the last of the first `count` digits to the highest byte; zeros come in before the first.
#[inline(always)]
fn last_digits(bytes: [u8; 8], count: usize) -> u64 {
    (u64::from_le_bytes(bytes) ^ ASCII_ZEROS) << (8 * (8 - count))
}

/// The number of eight digits from 0 to 9, the first in the lowest byte.
#[inline(always)]
fn sum_of_eight(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul(10) + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(10_000) + (fours >> 32)) & 0xffff_ffff
}

/// The lowest bit of each byte.
const LOW_BITS: u64 = u64::MAX / 255;

/// The highest bit of each byte.
const HIGH_BITS: u64 = LOW_BITS << 7;

const ASCII_ZEROS: u64 = LOW_BITS * b'0' as u64;

/// The place of the only byte that is no digit, given masks of those bytes and of points; 16 if there is none.
#[inline(always)]
fn place_of_point(others: u32, points: u32) -> Option<usize> {
    let only = others & others.wrapping_sub(1) == 0;
    (only && others & !points == 0).then_some((others | 1 << 16).trailing_zeros() as usize)
}

/// From the byte of a length on: a mask of as many bytes at the end of 16.
static LAST: [u8; 32] = {
    let mut mask = [0; 32];
    let mut at = 16;
    while at < 32 {
        mask[at] = 255;
        at += 1;
    }
    mask
};

/// By the place of a point in 16 bytes: masks of the bytes before and after it; all are after if there is none.
static AROUND_POINT: [([u8; 16], [u8; 16]); 17] = {
    let mut masks = [([0; 16], [255; 16]); 17];
    let mut point = 0;
    while point < 16 {
        let mut at = 0;
        while at <= point {
            masks[point].0[at] = if at < point { 255 } else { 0 };
            masks[point].1[at] = 0;
            at += 1;
        }
        point += 1;
    }
    masks
};

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::*;

    #[target_feature(enable = "sse2")]
    #[inline]
    pub fn spaces(block: &[u8; 64]) -> u64 {
        block.as_chunks().0.iter().rfold(0, |mask, bytes| {
            let bytes = load(bytes);
            let spaces = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(b' ' as i8)), bytes);
            mask << 16 | u64::from(_mm_movemask_epi8(spaces) as u16)
        })
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    pub fn decimal(bytes: &[u8; 16], length: usize) -> Option<(u64, usize)> {
        let bytes = load(bytes);
        let digits = _mm_sub_epi8(bytes, _mm_set1_epi8(b'0' as i8));
        let known = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
        let points = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'.' as i8))) as u32;
        let others = !_mm_movemask_epi8(known) as u32 & (0xffff_0000 >> length) & 0xffff;
        let point = super::place_of_point(others, points)?;

        // The digits before the point move up to its place.
        let (before, after) = &super::AROUND_POINT[point];
        let digits = _mm_and_si128(digits, load(super::LAST[length..].first_chunk()?));
        let before = _mm_slli_si128(_mm_and_si128(digits, load(before)), 1);
        let digits = _mm_or_si128(before, _mm_and_si128(digits, load(after)));

        let tens = _mm_mullo_epi16(digits, _mm_set1_epi16(10));
        let pairs = _mm_and_si128(_mm_add_epi16(tens, _mm_srli_epi16(digits, 8)), _mm_set1_epi16(0xff));
        let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
        let fours = _mm_packs_epi32(fours, fours);
        let eights = _mm_madd_epi16(fours, _mm_set1_epi32(1 << 16 | 10_000));
        let eights = _mm_cvtsi128_si64(eights) as u64;
        Some(((eights & 0xffff_ffff) * 100_000_000 + (eights >> 32), point))
    }

    #[target_feature(enable = "sse2")]
    #[inline]
    fn load(bytes: &[u8; 16]) -> __m128i {
        let bytes = u128::from_le_bytes(*bytes);
        _mm_set_epi64x((bytes >> 64) as i64, bytes as i64)
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
mod words {
    const LOW_BITS: u128 = u128::MAX / 255;
    const HIGH_BITS: u128 = LOW_BITS << 7;

    #[inline]
    pub fn spaces(block: &[u8; 64]) -> u64 {
        block.as_chunks().0.iter().rfold(0, |mask, bytes| mask << 16 | u64::from(at_most(load(bytes), b' ')))
    }

    #[inline]
    pub fn decimal(bytes: &[u8; 16], length: usize) -> Option<(u64, usize)> {
        let bytes = load(bytes);
        let digits = bytes ^ (LOW_BITS * b'0' as u128);
        let points = u32::from(at_most(bytes ^ (LOW_BITS * b'.' as u128), 0));
        let others = !u32::from(at_most(digits, 9)) & (0xffff_0000 >> length) & 0xffff;
        let point = super::place_of_point(others, points)?;

        // The digits before the point move up to its place.
        let (before, after) = &super::AROUND_POINT[point];
        let digits = digits & load(super::LAST[length..].first_chunk()?);
        let digits = (digits & load(before)) << 8 | digits & load(after);

        let (first, last) = (super::sum_of_eight(digits as u64), super::sum_of_eight((digits >> 64) as u64));
        Some((first * 100_000_000 + last, point))
    }

    /// Returns which bytes are at most `limit`, which is below 128; the first is the lowest bit.
    #[inline]
    fn at_most(bytes: u128, limit: u8) -> u16 {
        // No sum carries into the next byte; its highest bit says whether the byte is above the limit.
        let above = ((bytes & !HIGH_BITS) + LOW_BITS * (0x7f - u128::from(limit))) | bytes;
        let bits = (!above & HIGH_BITS) >> 7;
        // Moves the lowest bits of eight bytes to the highest byte.
        let gather = |bits: u64| bits.wrapping_mul(0x0102_0408_1020_4080) >> 56;
        (gather(bits as u64) | gather((bits >> 64) as u64) << 8) as u16
    }

    #[inline]
    fn load(bytes: &[u8; 16]) -> u128 {
        u128::from_le_bytes(*bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::random::draws;

    fn check_decimal(bytes: &[u8; 16], length: usize) {
        let text = std::str::from_utf8(&bytes[16 - length..]).unwrap_or("?");
        let number = text.replacen('.', "", 1);
        let expected = if number.is_empty() {
            Some((0, text.find('.').map_or(16, |_| 15)))
        } else if number.bytes().all(|byte| byte.is_ascii_digit()) {
            Some((number.parse().unwrap(), text.find('.').map_or(16, |point| 16 - length + point)))
        } else {
            None
        };
        assert_eq!(decimal(bytes, length), expected, "{:?}", bstr::BStr::new(&bytes[16 - length..]));
        assert_eq!(words::decimal(bytes, length), expected, "{:?}", bstr::BStr::new(&bytes[16 - length..]));
    }

    #[test]
    fn digits_with_one_point_are_a_decimal() {
        let mut random = draws();
        for _ in 0..20_000 {
            let bits = u128::from(random.bits()) << 64 | u128::from(random.bits());
            let length = (random.bits() % 17) as usize;
            let mut bytes = bits.to_le_bytes().map(|byte| byte % 10 + b'0');
            check_decimal(&bytes, length);
            bytes[(random.bits() % 16) as usize] = b'.';
            check_decimal(&bytes, length);
            bytes[(random.bits() % 16) as usize] = random.bits() as u8;
            check_decimal(&bytes, length);
        }
    }

    #[test]
    fn white_space_and_control_characters_are_spaces() {
        let mut random = draws();
        for _ in 0..10_000 {
            let mut block = [0; 64];
            block.fill_with(|| random.bits() as u8 >> (random.bits() % 4));
            let expected = block.iter().rfold(0, |mask, &byte| mask << 1 | u64::from(byte <= b' '));
            assert_eq!((spaces(&block), words::spaces(&block)), (expected, expected));
        }
    }

    #[test]
    fn other_bytes_among_digits_are_found_wherever_they_stand() {
        for count in 1..=8 {
            assert_eq!(sum_if_digits(*b"12345678", count), Some("12345678"[..count].parse().unwrap()));
            for place in 0..8 {
                for byte in 0..=u8::MAX {
                    for digit in *b"09" {
                        let mut bytes = [digit; 8];
                        bytes[place] = byte;
                        let are_digits = place >= count || byte.is_ascii_digit();
                        assert_eq!(sum_if_digits(bytes, count).is_some(), are_digits, "{count} of {bytes:?}");
                    }
                }
            }
        }
    }
}
