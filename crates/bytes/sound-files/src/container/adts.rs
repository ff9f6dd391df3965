//! Frames of AAC, each after a header of seven bytes (ISO/IEC 13818-7, 6.2), or nine with a checksum.

use super::mpeg::tags;
use crate::bytes::{Bytes, be};
use crate::codec::{Codec, aac_rate_of, check_aac_channels, check_aac_type};
use crate::fault::{Result, SoundFault};
use crate::kind::{DetectedSound, SoundKind};
use crate::track::{Packet, Track};

/// The header of a frame.
struct AdtsHeader {
    object_type: u32,
    rate_index: u32,
    num_channels: u32,
    /// Bytes of the header.
    length: u64,
    /// Bytes of the header and the frame.
    whole: u64,
    /// Blocks of 1024 samples.
    num_blocks: u64,
}

impl AdtsHeader {
    const LENGTH: usize = 7;

    fn read(bytes: &[u8]) -> Option<Self> {
        let word = bytes.get(..Self::LENGTH).map(|bytes| be(bytes, 0, 7))?;
        let bits = |from: u32, count: u32| word >> (56 - from - count) & ((1 << count) - 1);
        let length = if bits(15, 1) == 1 { 7 } else { 9 };
        let header = Self {
            object_type: bits(16, 2) as u32 + 1,
            rate_index: bits(18, 4) as u32,
            num_channels: bits(23, 3) as u32,
            length,
            whole: bits(30, 13),
            num_blocks: bits(54, 2) + 1,
        };
        let is_header = bits(0, 12) == 0xfff && bits(13, 2) == 0 && aac_rate_of(header.rate_index) > 0;
        (is_header && header.whole > length).then_some(header)
    }

    /// Whether two headers may be of one stream.
    fn fits(&self, other: &Self) -> bool {
        (self.object_type, self.rate_index) == (other.object_type, other.rate_index)
    }
}

/// Whether a file starts with two frames, or is one.
pub(crate) fn detect(head: &[u8], at_end: bool) -> DetectedSound {
    if head.first().is_none_or(|&byte| byte != 0xff) || head.get(1).is_some_and(|byte| byte & 0xf6 != 0xf0) {
        return DetectedSound::Other;
    }
    let Some(first) = AdtsHeader::read(head) else {
        return if head.len() < AdtsHeader::LENGTH && !at_end {
            DetectedSound::NeedMoreBytes
        } else {
            DetectedSound::Other
        };
    };
    let rest = head.get(first.whole as usize..).unwrap_or_default();
    match AdtsHeader::read(rest) {
        Some(second) if second.fits(&first) => DetectedSound::Kind(SoundKind::Adts),
        None if rest.len() < AdtsHeader::LENGTH && !at_end => DetectedSound::NeedMoreBytes,
        None if rest.is_empty() && first.whole == head.len() as u64 => DetectedSound::Kind(SoundKind::Adts),
        _ => DetectedSound::Other,
    }
}

/// Whether this is the start of a file that ends in its first frame.
pub(crate) fn is_cut(bytes: &[u8]) -> bool {
    match AdtsHeader::read(bytes) {
        Some(first) => (bytes.len() as u64) < first.whole + AdtsHeader::LENGTH as u64,
        None => bytes.len() < AdtsHeader::LENGTH && matches!(bytes, [0xff, 0xf1 | 0xf9, ..]),
    }
}

pub(crate) fn read(file: Bytes<'_>) -> Result<Track> {
    file.expect_rest(0)?;
    let mut at = tags(file, 0)?;
    let first = AdtsHeader::read(&file.up_to(at, AdtsHeader::LENGTH as u64)?);
    let Some(first) = first else { return Err(SoundFault::new(at, "expected a frame of AAC, found something else")) };
    check_aac_type(first.object_type, at)?;
    let num_channels = check_aac_channels(first.num_channels, at)?;
    // The same in an AudioSpecificConfig: AAC-LC, the index of the rate, the channels.
    let config = 2 << 11 | first.rate_index << 7 | first.num_channels << 3;
    let config = (config as u16).to_be_bytes().to_vec();
    let mut track = Track::new(Codec::Aac { config }, aac_rate_of(first.rate_index), num_channels);
    while at < file.total() {
        let rest = file.up_to(at, 11)?;
        if rest.starts_with(b"TAG") || rest.starts_with(b"APETAGEX") || file.is_zero_from(at)? {
            break;
        }
        if rest.starts_with(b"ID3") && rest.len() > 10 {
            at += tags(file, at)?;
            continue;
        }
        let Some(header) = AdtsHeader::read(&rest).filter(|header| header.fits(&first)) else {
            if rest.len() < AdtsHeader::LENGTH {
                track.remarks.push(SoundFault::new(at, "expected a whole frame of AAC, found the end of the file"));
                break;
            }
            let found = rest[..4].escape_ascii();
            return Err(SoundFault::new(at, format!("expected a frame of AAC like the first one, found \"{found}\"")));
        };
        if header.num_channels != first.num_channels || header.num_blocks != 1 {
            let found = format!("layout {} of {} blocks", header.num_channels, header.num_blocks);
            let expected = format!("layout {} of 1 block", first.num_channels);
            return Err(SoundFault::new(at, format!("expected a frame of AAC of {expected}, found {found}")));
        }
        if !file.reaches(at, header.whole) {
            let (expected, found) = (header.whole, file.total() - at);
            let message = format!("expected a frame of AAC of {expected} bytes, found {found} to the end of the file");
            track.remarks.push(SoundFault::new(at, message));
            break;
        }
        track.packets.push(Packet::new(at + header.length, header.whole - header.length));
        at += header.whole;
    }
    Ok(track)
}
