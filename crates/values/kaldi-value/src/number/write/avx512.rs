//! Sixteen integers at once by AVX-512 with its instructions on bytes, where all of them are from 0 to 9999.
//!
//! The text of each integer is made in a lane of eight bytes. One instruction then moves the texts of eight lanes together.

use std::arch::x86_64::*;

use super::TextSpace;
use super::integers::put_integers;
use crate::number::avx512::{load, store_bytes};

/// Integers that are written together.
const GROUP: usize = 16;

/// Adds the values.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
pub(super) fn put(room: &mut TextSpace<'_>, values: &[i32]) {
    let (groups, rest) = values.as_chunks();
    for group in groups {
        put_group(room, group, GROUP);
    }
    if !rest.is_empty() {
        let mut group = [0; GROUP];
        group[..rest.len()].copy_from_slice(rest);
        put_group(room, &group, rest.len());
    }
}

/// Adds the first `count` of the values.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,bmi2,popcnt")]
#[inline]
fn put_group(room: &mut TextSpace<'_>, group: &[i32; GROUP], count: usize) {
    let values = load(&group.map(|value| value as u32));
    if _mm512_cmpgt_epu32_mask(values, _mm512_set1_epi32(9999)) != 0 {
        return put_integers(room, &group[..count]);
    }
    // Divisions by 100 and by 10 are multiplications. The first digit comes into the lowest byte.
    let hundreds = _mm512_srli_epi32(_mm512_mulhi_epu16(values, _mm512_set1_epi32(5243)), 3);
    let rest = _mm512_sub_epi32(values, _mm512_mullo_epi16(hundreds, _mm512_set1_epi32(100)));
    let pairs = _mm512_or_si512(hundreds, _mm512_slli_epi32(rest, 16));
    let tens = _mm512_mulhi_epu16(pairs, _mm512_set1_epi16(6554));
    let ones = _mm512_sub_epi16(pairs, _mm512_mullo_epi16(tens, _mm512_set1_epi16(10)));
    let digits = _mm512_or_si512(tens, _mm512_slli_epi16(ones, 8));
    // Bytes that are not 0 from the first digit on that is not, and the last.
    let shown = _mm512_or_si512(digits, _mm512_slli_epi32(digits, 8));
    let shown = _mm512_or_si512(shown, _mm512_slli_epi32(shown, 16));
    let shown = _mm512_or_si512(shown, _mm512_set1_epi32(0xff << 24));
    let shown = _mm512_test_epi8_mask(shown, shown);
    let halves = [_mm512_castsi512_si256(digits), _mm512_extracti64x4_epi64::<1>(digits)];
    for (half, first) in halves.into_iter().zip([0, 8]) {
        let lanes = count.saturating_sub(first).min(8);
        if lanes > 0 {
            let text = _mm512_or_si512(_mm512_cvtepu32_epi64(half), _mm512_set1_epi64(SPACE_AFTER_ZEROS));
            let kept = _pdep_u64(shown >> (4 * first), 0x0f0f_0f0f_0f0f_0f0f) | 0x1010_1010_1010_1010;
            put_text(room, text, kept & (u64::MAX >> (64 - 8 * lanes)));
        }
    }
}

const SPACE_AFTER_ZEROS: i64 = i64::from_le_bytes(*b"0000 \0\0\0");

/// Adds these bytes of a text.
#[target_feature(enable = "avx512f,avx512vbmi2,popcnt")]
#[inline]
fn put_text(room: &mut TextSpace<'_>, text: __m512i, kept: __mmask64) {
    let place = room.bytes[room.at..].first_chunk_mut();
    debug_assert!(place.is_some(), "integers before it are longer than {} bytes", super::LONGEST);
    if let Some(place) = place {
        store_bytes(place, _mm512_maskz_compress_epi8(kept, text));
        room.at += kept.count_ones() as usize;
    }
}
