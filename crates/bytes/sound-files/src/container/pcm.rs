//! Samples in one piece of a file.

use crate::bytes::Bytes;
use crate::codec::Codec;
use crate::encoding::Encoding;
use crate::fault::{Result, SoundFault};
use crate::track::{Packet, Track};

/// Bytes of a block of samples.
const BLOCK: u64 = 1 << 20;

/// Samples at a place of a file.
pub(super) struct Samples {
    pub(super) encoding: Encoding,
    pub(super) big_endian: bool,
    pub(super) sample_rate: u32,
    pub(super) num_channels: u16,
    /// Where they start.
    pub(super) start: u64,
    /// The bytes of the chunk that holds them; `None` if they go on to the end of the file.
    pub(super) num_bytes: Option<u64>,
    /// How many there are of each channel, if the headers say so.
    pub(super) count: Option<u64>,
}

impl Samples {
    /// The stream of these samples: those that are there. If headers count other ones, there is a remark.
    pub(super) fn into_track(self, file: Bytes<'_>) -> Result<Track> {
        let Self { encoding, big_endian, sample_rate, num_channels, start, num_bytes, count } = self;
        let frame = encoding.num_bytes() as u64 * u64::from(num_channels);
        if frame == 0 || sample_rate == 0 {
            let found = format!("{num_channels} channels at {sample_rate} Hz");
            return Err(SoundFault::new(start, format!("expected channels and a sampling frequency, found {found}")));
        }
        let there = file.total().saturating_sub(start);
        let there = num_bytes.map_or(there, |num_bytes| num_bytes.min(there)) / frame;
        let mut track = Track::new(Codec::Pcm { encoding, big_endian }, sample_rate, num_channels);
        track.num_coded = Some(there);
        track.promised = count.or(num_bytes.map(|num_bytes| num_bytes / frame));
        if let Some(count) = count.filter(|&count| count < there) {
            let message = format!("expected {count} samples as the header says, found {there}, which all count");
            track.remarks.push(SoundFault::new(start, message));
        }
        let there = there * frame;
        let block = (BLOCK / frame).max(1) * frame;
        let mut at = 0;
        while at < there {
            let length = block.min(there - at);
            track.packets.push(Packet::new(start + at, length));
            at += length;
        }
        Ok(track)
    }
}

/// The encoding of signed integers of so many bytes.
pub(super) fn signed(num_bytes: u64) -> Option<Encoding> {
    match num_bytes {
        1 => Some(Encoding::Signed8),
        2 => Some(Encoding::Signed16),
        3 => Some(Encoding::Signed24),
        4 => Some(Encoding::Signed32),
        _ => None,
    }
}

/// The encoding of floats of so many bytes.
pub(super) fn float(num_bytes: u64) -> Option<Encoding> {
    match num_bytes {
        4 => Some(Encoding::Float32),
        8 => Some(Encoding::Float64),
        _ => None,
    }
}
