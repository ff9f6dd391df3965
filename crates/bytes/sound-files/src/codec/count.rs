//! How many samples packets have, without decoding them.

use super::{Codec, Decoder, flac, opus};
use crate::bytes::be;
use crate::container::mpeg::MpegHeader;

/// Counts the samples of packets, in their order.
pub(crate) enum Counter {
    /// Samples of all channels have so many bytes.
    Bytes(u64),
    /// Always the same number.
    Fixed(u64),
    /// The header of a packet has it.
    Header(fn(&[u8]) -> Result<u64, String>),
    /// ALAC: this number, if the packet does not have another.
    Alac(u64),
    /// It is known only after decoding.
    Decoded(Result<Box<Decoder>, String>, Vec<Vec<f32>>),
}

impl Counter {
    pub(crate) fn new(codec: &Codec, num_channels: u16) -> Self {
        match codec {
            Codec::Pcm { encoding, .. } => Self::Bytes(encoding.num_bytes() as u64 * u64::from(num_channels)),
            Codec::Mpeg { .. } => Self::Header(|packet| {
                let header = packet.first_chunk().and_then(|word| MpegHeader::read(*word));
                header.map(|header| header.num_samples).ok_or_else(|| "expected a frame of MPEG audio".to_owned())
            }),
            Codec::Aac { .. } => Self::Fixed(1024),
            Codec::Alac { cookie } => Self::Alac(be(cookie, 0, 4)),
            Codec::Opus(_) => Self::Header(opus::num_samples),
            Codec::Flac(_) => Self::Header(flac::num_samples),
            Codec::Vorbis { .. } => {
                let decoder = Decoder::new(codec).map(Box::new);
                Self::Decoded(decoder, vec![Vec::new(); num_channels.into()])
            }
        }
    }

    /// The number of samples of a packet of so many bytes, if that is all that counts.
    pub(crate) fn of_length(&self, length: u64) -> Option<u64> {
        match self {
            Self::Bytes(width) => Some(length / *width),
            Self::Fixed(count) => Some(*count),
            _ => None,
        }
    }

    /// The number of samples of a packet.
    pub(crate) fn count(&mut self, packet: &[u8]) -> Result<u64, String> {
        match self {
            Self::Bytes(width) => Ok(packet.len() as u64 / *width),
            Self::Fixed(count) => Ok(*count),
            Self::Header(count) => count(packet),
            Self::Alac(length) => {
                // An element of one or two channels: 3 bits of its kind, 4 of its number, 12 unused; whether its length
                // follows, 2 bits of a shift, and whether it is not compressed.
                let has_length = packet.len() > 6 && packet[0] >> 5 <= 1 && packet[2] & 0x10 != 0;
                Ok(if has_length { be(packet, 2, 5) >> 1 & 0xffff_ffff } else { *length })
            }
            Self::Decoded(decoder, channels) => {
                let decoder = decoder.as_mut().map_err(|message| message.clone())?;
                decoder.decode(packet, channels)?;
                let count = channels[0].len() as u64;
                channels.iter_mut().for_each(Vec::clear);
                Ok(count)
            }
        }
    }
}
