//! From arrays to registers of AVX2 and back.

use std::arch::x86_64::*;

#[target_feature(enable = "avx2")]
#[inline]
pub fn load_bytes(bytes: &[u8; 16]) -> __m128i {
    let bytes = u128::from_le_bytes(*bytes);
    _mm_set_epi64x((bytes >> 64) as i64, bytes as i64)
}

#[target_feature(enable = "avx2")]
#[inline]
pub fn store_bytes(bytes: &mut [u8; 16], text: __m128i) {
    let halves = [_mm_cvtsi128_si64(text), _mm_extract_epi64(text, 1)];
    bytes[..8].copy_from_slice(&halves[0].to_le_bytes());
    bytes[8..].copy_from_slice(&halves[1].to_le_bytes());
}

#[target_feature(enable = "avx2")]
#[inline]
pub fn load(numbers: &[u32; 8]) -> __m256i {
    let two = |at: usize| (u64::from(numbers[at]) | u64::from(numbers[at + 1]) << 32) as i64;
    _mm256_set_epi64x(two(6), two(4), two(2), two(0))
}

#[target_feature(enable = "avx2")]
#[inline]
pub fn store(numbers: __m256i) -> [u32; 8] {
    let (low, high) = (_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    let two = |pair: i64| [pair as u32, (pair >> 32) as u32];
    let ([a, b], [c, d]) = (two(_mm_cvtsi128_si64(low)), two(_mm_extract_epi64(low, 1)));
    let ([e, f], [g, h]) = (two(_mm_cvtsi128_si64(high)), two(_mm_extract_epi64(high, 1)));
    [a, b, c, d, e, f, g, h]
}

/// The entry of a table at each index below 16.
#[target_feature(enable = "avx2")]
#[inline]
pub fn look_up([low, high]: &[[u32; 8]; 2], index: __m256i) -> __m256i {
    let low = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(load(low), index));
    let high = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(load(high), index));
    _mm256_castps_si256(_mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(index, 28))))
}
