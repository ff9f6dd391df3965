//! What TrackEntry says of a stream.

use super::element::{self, Element, Elements, number};
use crate::bytes::{Bytes, le};
use crate::codec::flac::StreamInfo;
use crate::codec::opus::{self, OpusHead};
use crate::codec::{Codec, read_aac_config, read_alac_cookie, read_vorbis_head};
use crate::container::pcm::{float, signed};
use crate::encoding::Encoding;
use crate::fault::{Result, SoundFault};
use crate::track::Track;

/// The kind of streams of sound.
const SOUND: u64 = 2;

/// A stream.
pub(super) struct TrackEntry {
    pub(super) number: u64,
    pub(super) is_sound: bool,
    pub(super) is_default: bool,
    offset: u64,
    codec: String,
    /// Where the configuration of the codec is.
    private: (u64, u64),
    /// Nanoseconds.
    delay: u64,
    sample_rate: f64,
    num_channels: u16,
    bits: u64,
}

/// Reads an entry.
pub(super) fn read(file: Bytes<'_>, element: &Element) -> Result<TrackEntry> {
    let mut entry = TrackEntry {
        number: 0,
        is_sound: false,
        is_default: true,
        offset: element.start,
        codec: String::new(),
        private: (element.start, 0),
        delay: 0,
        sample_rate: 8000.0,
        num_channels: 1,
        bits: 16,
    };
    let mut is_packed = false;
    let mut elements = Elements::new(file, element.start, element.end(file));
    while let Some(element) = elements.next()? {
        let size = element.size.unwrap_or(0);
        let value = |limit: u64| file.at(element.start, size.min(limit));
        match element.id {
            0xd7 => entry.number = number(&value(8)?),
            0x83 => entry.is_sound = number(&value(8)?) == SOUND,
            0x88 => entry.is_default = number(&value(8)?) != 0,
            0x86 => entry.codec = String::from_utf8_lossy(&value(64)?).trim_end_matches('\0').to_owned(),
            0x63a2 => entry.private = (element.start, size),
            0x56aa => entry.delay = number(&value(8)?),
            0x6d80 => is_packed = true,
            // The parts of Audio are read like the others.
            0xe1 => elements.enter(&element),
            0xb5 => entry.sample_rate = element::float(&value(8)?),
            0x9f => entry.num_channels = u16::try_from(number(&value(8)?)).unwrap_or(u16::MAX),
            0x6264 => entry.bits = number(&value(8)?),
            _ => {}
        }
    }
    if entry.is_sound && is_packed {
        let message = "expected packets as they are in the Matroska file, found compressed or encrypted ones";
        return Err(SoundFault::new(entry.offset, message));
    }
    Ok(entry)
}

impl TrackEntry {
    /// Makes an empty stream of the codec.
    pub(super) fn into_track(self, file: Bytes<'_>) -> Result<Track> {
        let (at, size) = self.private;
        let private = file.at(at, size)?;
        let rate =
            if (1.0..=f64::from(u32::MAX)).contains(&self.sample_rate) { self.sample_rate.round() as u32 } else { 0 };
        let num_channels = self.num_channels;
        let mut track = match self.codec.as_str() {
            "A_OPUS" => {
                let head = OpusHead::read(&private, at)?;
                let (num_channels, pre_skip) = (head.num_channels.into(), head.pre_skip.into());
                let mut track = Track::new(Codec::Opus(head), opus::RATE, num_channels);
                track.skip = pre_skip;
                return Ok(track);
            }
            "A_VORBIS" => {
                let headers = vorbis_headers(&private).ok_or_else(|| {
                    SoundFault::new(
                        at,
                        "expected the three headers of Vorbis in the Matroska file, found something else",
                    )
                })?;
                let (rate, num_channels) = read_vorbis_head(&headers, at)?;
                Track::new(Codec::Vorbis { headers }, rate, num_channels)
            }
            "A_FLAC" => {
                let block = private.get(8..).filter(|_| private.starts_with(b"fLaC"));
                let info = StreamInfo::read_sound(block, at)?;
                let mut track = Track::flac(info);
                track.promised = info.num_samples;
                track
            }
            "A_AAC" => {
                let (rate, num_channels) = read_aac_config(&private, at)?;
                Track::new(Codec::Aac { config: private.to_vec() }, rate, num_channels)
            }
            "A_ALAC" => {
                let (cookie, alac_rate, num_channels) = read_alac_cookie(&private, at)?;
                Track::new(Codec::Alac { cookie }, if alac_rate == 0 { rate } else { alac_rate }, num_channels)
            }
            "A_MPEG/L3" => Track::new(Codec::Mpeg { layer: 3 }, rate, num_channels),
            "A_MPEG/L2" => Track::new(Codec::Mpeg { layer: 2 }, rate, num_channels),
            "A_MPEG/L1" => Track::new(Codec::Mpeg { layer: 1 }, rate, num_channels),
            codec => {
                let width = self.bits.div_ceil(8);
                let (encoding, big_endian) = match codec {
                    "A_PCM/INT/LIT" if width > 1 => (signed(width), false),
                    "A_PCM/INT/BIG" if width > 1 => (signed(width), true),
                    "A_PCM/INT/LIT" | "A_PCM/INT/BIG" => (Some(Encoding::Unsigned8), false),
                    "A_PCM/FLOAT/IEEE" => (float(width), false),
                    // The configuration is that of RIFF/WAVE: format, channels and so on, little-endian.
                    "A_MS/ACM" => (acm(le(&private, 0, 2), le(&private, 14, 2)), false),
                    _ => (None, false),
                };
                let Some(encoding) = encoding else {
                    let expected = "expected Opus, Vorbis, FLAC, AAC, ALAC, MP3 or PCM in the Matroska file";
                    let format = if codec == "A_MS/ACM" { format!(" {}", le(&private, 0, 2)) } else { String::new() };
                    return Err(SoundFault::new(self.offset, format!("{expected}, found {codec}{format}")));
                };
                Track::new(Codec::Pcm { encoding, big_endian }, rate, num_channels)
            }
        };
        let samples = (u128::from(self.delay) * u128::from(track.sample_rate) + 500_000_000) / 1_000_000_000;
        track.skip = u64::try_from(samples).unwrap_or(u64::MAX);
        Ok(track)
    }
}

/// The encoding of a format of RIFF/WAVE, with so many bits.
fn acm(format: u64, bits: u64) -> Option<Encoding> {
    match (format, bits) {
        (1, 8) => Some(Encoding::Unsigned8),
        (1, bits) => signed(bits / 8),
        (3, bits) => float(bits / 8),
        (6, 8) => Some(Encoding::ALaw),
        (7, 8) => Some(Encoding::MuLaw),
        _ => None,
    }
}

/// The first and the third of three headers, whose lengths but the last come before them.
fn vorbis_headers(private: &[u8]) -> Option<Vec<u8>> {
    let (&2, mut rest) = private.split_first()? else { return None };
    let mut lengths = [0_usize; 2];
    for length in &mut lengths {
        loop {
            let (&byte, after) = rest.split_first()?;
            rest = after;
            *length += usize::from(byte);
            if byte < 255 {
                break;
            }
        }
    }
    let first = rest.get(..lengths[0])?;
    let third = rest.get(lengths[0].checked_add(lengths[1])?..)?;
    Some([first, third].concat())
}
