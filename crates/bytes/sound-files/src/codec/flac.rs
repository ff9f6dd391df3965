//! FLAC in other files than its own.

use crate::bytes::be;
use crate::fault::{Result, SoundFault};

/// What STREAMINFO says.
pub(crate) struct StreamInfo {
    pub(crate) sample_rate: u32,
    pub(crate) num_channels: u16,
    /// Bits of a sample.
    #[cfg(feature = "codecs")]
    pub(crate) bits: u8,
    /// The number of samples; 0 if it is not known.
    pub(crate) num_samples: u64,
}

impl StreamInfo {
    /// Reads the 34 bytes.
    pub(crate) fn read(info: &[u8], offset: u64) -> Result<Self> {
        let word = be(info, 10, 8);
        let sample_rate = (word >> 44) as u32;
        if info.len() < 34 || sample_rate == 0 {
            return Err(SoundFault::new(offset, "expected STREAMINFO of FLAC, found something else"));
        }
        Ok(Self {
            sample_rate,
            num_channels: (word >> 41 & 7) as u16 + 1,
            #[cfg(feature = "codecs")]
            bits: (word >> 36 & 31) as u8 + 1,
            num_samples: word & ((1 << 36) - 1),
        })
    }
}

/// The number of samples of a frame.
pub(crate) fn num_samples(frame: &[u8]) -> std::result::Result<u64, String> {
    let damage = || "expected a frame of FLAC, found something else".to_owned();
    let (&[sync, second, sizes, _], rest) = frame.split_first_chunk::<4>().ok_or_else(damage)?;
    if sync != 0xff || second & 0xfe != 0xf8 {
        return Err(damage());
    }
    // The number of the frame, in the manner of UTF-8.
    let first = *rest.first().ok_or_else(damage)?;
    let length = (first.leading_ones() as usize).max(1);
    let number = |width| rest.get(length..length + width).map(|_| be(rest, length, width) + 1).ok_or_else(damage);
    match sizes >> 4 {
        1 => Ok(192),
        code @ 2..=5 => Ok(576 << (code - 2)),
        6 => number(1),
        7 => number(2),
        code @ 8.. => Ok(256 << (code - 8)),
        0 => Err(damage()),
    }
}
