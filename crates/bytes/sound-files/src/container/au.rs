//! AU: a header of 24 bytes or more, big-endian.
//!
//! ```text
//! 2e 73 6e 64 00 00 00 18 00 00 00 04    .snd, samples from byte 24 on, 4 bytes of them (0xffffffff: not known)
//! 00 00 00 03 00 00 1f 40 00 00 00 01    16 bits, 8000 Hz, 1 channel
//! 00 01 ff fe                            1 -2
//! ```

use super::pcm::Samples;
use crate::bytes::Bytes;
use crate::encoding::Encoding;
use crate::fault::{Result, SoundFault};
use crate::track::Track;

pub(crate) fn read(file: Bytes<'_>) -> Result<Track> {
    let [start, num_bytes, code, sample_rate, num_channels] = [4, 8, 12, 16, 20].map(|offset| file.be32(offset));
    let (start, num_bytes) = (u64::from(start?), num_bytes?);
    let encoding = match code? {
        1 => Encoding::MuLaw,
        2 => Encoding::Signed8,
        3 => Encoding::Signed16,
        4 => Encoding::Signed24,
        5 => Encoding::Signed32,
        6 => Encoding::Float32,
        7 => Encoding::Float64,
        27 => Encoding::ALaw,
        other => {
            let expected = "expected PCM of 8 to 32 bits, floats, A-law or mu-law in the AU file";
            return Err(SoundFault::new(12, format!("{expected}, found encoding {other}")));
        }
    };
    if start < 24 {
        return Err(SoundFault::new(4, format!("expected samples of the AU file from byte 24 on, found {start}")));
    }
    let num_channels = num_channels?;
    let num_channels = u16::try_from(num_channels)
        .map_err(|_| SoundFault::new(20, format!("expected at most 32767 channels, found {num_channels}")))?;
    let frame = (encoding.num_bytes() as u64 * u64::from(num_channels)).max(1);
    let count = (num_bytes != u32::MAX).then_some(u64::from(num_bytes) / frame);
    let sample_rate = sample_rate?;
    Samples { encoding, big_endian: true, sample_rate, num_channels, start, num_bytes: None, count }.into_track(file)
}
