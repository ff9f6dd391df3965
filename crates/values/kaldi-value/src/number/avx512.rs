//! From arrays to registers of AVX-512 and back.

use std::arch::x86_64::*;

#[target_feature(enable = "avx512f")]
#[inline]
pub fn load_bytes(bytes: &[u8; 64]) -> __m512i {
    #[allow(unsafe_code)]
    // SAFETY: the array has the 64 bytes that are read; they need not be aligned.
    unsafe {
        _mm512_loadu_si512(bytes.as_ptr().cast())
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub fn load(numbers: &[u32; 16]) -> __m512i {
    #[allow(unsafe_code)]
    // SAFETY: the array has the 64 bytes that are read; they need not be aligned.
    unsafe {
        _mm512_loadu_si512(numbers.as_ptr().cast())
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
pub fn store_bytes(bytes: &mut [u8; 64], text: __m512i) {
    #[allow(unsafe_code)]
    // SAFETY: the array has the 64 bytes that are written; they need not be aligned.
    unsafe {
        _mm512_storeu_si512(bytes.as_mut_ptr().cast(), text)
    }
}

/// The numbers from 0 to 63.
#[target_feature(enable = "avx512f")]
#[inline]
pub fn places() -> __m512i {
    static PLACES: [u8; 64] = {
        let mut places = [0; 64];
        let mut place = 0;
        while place < 64 {
            places[place] = place as u8;
            place += 1;
        }
        places
    };
    load_bytes(&PLACES)
}
