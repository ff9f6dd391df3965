//! Codecs: what a packet holds, and its decoder.

#[cfg(feature = "codecs")]
mod coded;
mod count;
mod decode;
pub(crate) mod flac;
#[cfg(feature = "codecs")]
mod multistream;
pub(crate) mod opus;
pub(crate) mod sbr;
#[cfg(feature = "codecs")]
mod vorbis;

pub(crate) use count::Counter;
pub(crate) use decode::Decoder;

use crate::encoding::Encoding;
use crate::fault::{Result, SoundFault};
use flac::StreamInfo;
use opus::OpusHead;

/// How the packets of a stream are coded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Codec {
    /// Samples as they are.
    Pcm { encoding: Encoding, big_endian: bool },
    /// MPEG layer 1, 2 or 3; one frame a packet.
    Mpeg { layer: u8 },
    /// AAC, with its AudioSpecificConfig.
    Aac { config: Vec<u8> },
    /// ALAC, with its configuration, which starts with the length of a frame.
    Alac { cookie: Vec<u8> },
    /// Vorbis, with its first and its third header.
    Vorbis { headers: Vec<u8> },
    /// Opus.
    Opus(OpusHead),
    /// FLAC, with its STREAMINFO.
    Flac(StreamInfo),
}

impl Codec {
    /// What it is called.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Pcm { .. } => "PCM",
            Self::Mpeg { layer: 1 } => "MP1",
            Self::Mpeg { layer: 2 } => "MP2",
            Self::Mpeg { .. } => "MP3",
            Self::Aac { .. } => "AAC",
            Self::Alac { .. } => "ALAC",
            Self::Vorbis { .. } => "Vorbis",
            Self::Opus(_) => "Opus",
            Self::Flac(_) => "FLAC",
        }
    }

    /// Whether a decoder that starts a few packets early decodes a part as it is in the whole, and packets are counted without it.
    pub(crate) fn is_exact_in_parts(&self) -> bool {
        matches!(self, Self::Pcm { .. } | Self::Mpeg { .. } | Self::Alac { .. } | Self::Flac(_))
    }

    /// A counter of the samples in packets.
    pub(crate) fn counter(&self, num_channels: u16) -> Counter {
        Counter::new(self, num_channels)
    }
}

/// The sampling frequencies of AAC, by their index.
const AAC_RATES: [u32; 13] =
    [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];

/// Reads an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): sampling frequency and channels.
///
/// # Errors
/// If it is another AAC than LC, of one or two channels.
pub(crate) fn read_aac_config(config: &[u8], offset: u64) -> Result<(u32, u16)> {
    let mut bits = Bits { bytes: config, at: 0 };
    let mut object_type = bits.take(5);
    if object_type == 31 {
        object_type = 32 + bits.take(6);
    }
    let sample_rate = aac_rate(&mut bits, offset)?;
    let num_channels = bits.take(4);
    check_aac_type(object_type, offset)?;
    let has_short_frames = bits.take(1) == 1;
    if bits.take(1) == 1 {
        bits.take(14);
    }
    bits.take(1);
    // A sign that spectral bands are replicated may follow.
    if bits.take(11) == 0x2b7 && bits.take(5) == 5 && bits.take(1) == 1 {
        check_aac_type(5, offset)?;
    }
    if has_short_frames {
        return Err(SoundFault::new(offset, "expected AAC of 1024 samples a frame, found 960"));
    }
    Ok((sample_rate, check_aac_channels(num_channels, offset)?))
}

fn aac_rate(bits: &mut Bits<'_>, offset: u64) -> Result<u32> {
    let rate = match bits.take(4) {
        15 => bits.take(24),
        index => AAC_RATES.get(index as usize).copied().unwrap_or(0),
    };
    if rate == 0 { Err(SoundFault::new(offset, "expected a sampling frequency of AAC, found none")) } else { Ok(rate) }
}

/// Checks the kind of AAC.
pub(crate) fn check_aac_type(object_type: u32, offset: u64) -> Result<()> {
    let name = match object_type {
        2 => return Ok(()),
        1 => "AAC Main",
        3 => "AAC SSR",
        4 => "AAC LTP",
        5 => "HE-AAC (with SBR)",
        29 => "HE-AAC version 2 (with SBR and PS)",
        23 => "AAC-LD",
        39 => "AAC-ELD",
        42 => "xHE-AAC",
        other => return Err(SoundFault::new(offset, format!("expected AAC-LC, found MPEG-4 audio of type {other}"))),
    };
    Err(SoundFault::new(offset, format!("expected AAC-LC, found {name}, which is not decoded here")))
}

/// Checks the channel configuration of AAC.
pub(crate) fn check_aac_channels(num_channels: u32, offset: u64) -> Result<u16> {
    match num_channels {
        1 | 2 => Ok(num_channels as u16),
        0 => Err(SoundFault::new(offset, "expected AAC of one or two channels, found a program configuration")),
        other => Err(SoundFault::new(offset, format!("expected AAC of one or two channels, found layout {other}"))),
    }
}

/// The sampling frequency of an index of AAC; 0 if there is none.
pub(crate) fn aac_rate_of(index: u32) -> u32 {
    AAC_RATES.get(index as usize).copied().unwrap_or(0)
}

/// Reads ALAC's configuration of 24 bytes, which may be within boxes: itself, sampling frequency and channels.
pub(crate) fn read_alac_cookie(cookie: &[u8], offset: u64) -> Result<(Vec<u8>, u32, u16)> {
    // Old files have boxes `frma` and `alac` before it.
    let mut bare = cookie;
    if bare.get(4..8) == Some(b"frma") {
        bare = bare.get(12..).unwrap_or_default();
    }
    if bare.get(4..8) == Some(b"alac") {
        bare = bare.get(12..).unwrap_or_default();
    }
    let Some(bare) = bare.get(..24) else {
        return Err(SoundFault::new(
            offset,
            format!("expected 24 bytes of ALAC's configuration, found {}", bare.len()),
        ));
    };
    let (length, bits, num_channels) = (crate::bytes::be(bare, 0, 4), bare[5], u16::from(bare[9]));
    let rate = crate::bytes::be(bare, 20, 4) as u32;
    if length == 0 || length > 1 << 16 || !matches!(bits, 16 | 20 | 24 | 32) || !(1..=8).contains(&num_channels) {
        let found = format!("{length} samples a frame, {bits} bits, {num_channels} channels");
        return Err(SoundFault::new(offset, format!("expected a configuration of ALAC, found {found}")));
    }
    Ok((bare.to_vec(), rate, num_channels))
}

/// Reads the first header of Vorbis: sampling frequency and channels.
pub(crate) fn read_vorbis_head(packet: &[u8], offset: u64) -> Result<(u32, u16)> {
    let is_head = packet.len() >= 30 && packet.starts_with(b"\x01vorbis") && packet[7..11] == [0; 4];
    if !is_head || packet[11] == 0 {
        return Err(SoundFault::new(offset, "expected the first header of Vorbis, found something else"));
    }
    Ok((crate::bytes::le(packet, 12, 4) as u32, packet[11].into()))
}

/// Bits, from the highest of each byte on; zeros after the end.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn take(&mut self, count: usize) -> u32 {
        let mut value = 0;
        for _ in 0..count {
            let byte = self.bytes.get(self.at / 8).copied().unwrap_or(0);
            value = value << 1 | u32::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        value
    }
}
