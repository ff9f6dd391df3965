//! What the headers of FLAC say.

use byteorder::{BigEndian, ByteOrder};

use crate::bytes::be;
use crate::fault::{Result, SoundFault};

/// The STREAMINFO block of FLAC (RFC 9639, section 8.2), without the checksum of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamInfo {
    /// The most samples of a frame, which all frames but the last have where their length is fixed.
    pub longest_block: u16,
    /// The most bytes of a frame; `None` if it is not known.
    pub longest_frame: Option<u32>,
    /// In Hz. 0 is no sound.
    pub sample_rate: u32,
    /// 1 to 8.
    pub num_channels: u16,
    /// Bits of a sample.
    pub bits: u8,
    /// Samples of each channel; `None` if they were not known.
    pub num_samples: Option<u64>,
}

impl StreamInfo {
    /// The length of the block in bytes.
    pub const LENGTH: usize = 34;

    /// Reads the block.
    #[must_use]
    pub fn read(block: &[u8; Self::LENGTH]) -> Self {
        let word = BigEndian::read_u64(&block[10..]);
        Self {
            longest_block: BigEndian::read_u16(&block[2..]),
            longest_frame: Some(BigEndian::read_u24(&block[7..])).filter(|&length| length > 0),
            sample_rate: (word >> 44) as u32,
            num_channels: (word >> 41 & 7) as u16 + 1,
            bits: (word >> 36 & 31) as u8 + 1,
            num_samples: Some(word & ((1 << 36) - 1)).filter(|&num_samples| num_samples > 0),
        }
    }

    /// Reads the block of a file of sound, which is at a place in it, if it is there.
    pub(crate) fn read_sound(block: Option<&[u8]>, offset: u64) -> Result<Self> {
        let info = block.and_then(|block| block.first_chunk()).map(Self::read);
        info.filter(|info| info.sample_rate > 0)
            .ok_or_else(|| SoundFault::new(offset, "expected STREAMINFO of FLAC, found something else"))
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
