//! Frames of MPEG audio: MP3, and the layers 1 and 2.
//!
//! A frame starts with eleven bits of one, and says its length. The first frame may be a note on the others: `Xing` or `Info`
//! with the number of frames, and from LAME on how many samples were added at the start and at the end.

use crate::bytes::{Bytes, be};
use crate::codec::Codec;
use crate::fault::{Result, SoundFault};
use crate::kind::{DetectedSound, SoundKind};
use crate::track::{Packet, Track};

/// Samples that every decoder of MP3 adds at the start.
const DECODER_DELAY: u64 = 529;

/// The header of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MpegHeader {
    /// Kilobits a second.
    kilobits: u32,
    /// Whether it is MPEG 1, not 2 or 2.5.
    is_first: bool,
    pub(crate) layer: u8,
    pub(crate) sample_rate: u32,
    pub(crate) num_channels: u16,
    /// Bytes of the frame.
    pub(crate) length: u64,
    pub(crate) num_samples: u64,
}

impl MpegHeader {
    pub(crate) fn read(word: [u8; 4]) -> Option<Self> {
        let word = u32::from_be_bytes(word);
        let bits = |from: u32, count: u32| word >> (32 - from - count) & ((1 << count) - 1);
        // Version bits: 0 = MPEG 2.5, 1 = reserved, 2 = MPEG 2, 3 = MPEG 1.
        let (version, layer) = (bits(11, 2), 4 - bits(13, 2) as u8);
        if bits(0, 11) != 0x7ff || version == 1 || layer == 4 || bits(30, 2) == 2 {
            return None;
        }
        let is_first = version == 3;
        let rate = *[44_100_u32, 48_000, 32_000].get(bits(20, 2) as usize)?;
        let sample_rate = rate >> (if is_first { 0 } else { 2 - version / 2 });
        let kilobits = kilobits(is_first, layer, bits(16, 4))?;
        let (rate, bytes, padding) = (u64::from(sample_rate), u64::from(kilobits) * 125, u64::from(bits(22, 1)));
        let (num_samples, length) = match (layer, is_first) {
            (1, _) => (384, (bytes * 96 / rate + padding) * 4),
            (3, false) => (576, bytes * 576 / rate + padding),
            _ => (1152, bytes * 1152 / rate + padding),
        };
        let num_channels = if bits(24, 2) == 3 { 1 } else { 2 };
        Some(Self { kilobits, is_first, layer, sample_rate, num_channels, length, num_samples })
    }

    /// Checks that MP2 has a rate that is allowed for its channels (ISO/IEC 11172-3, 2.4.2.3): the decoder has no others.
    fn check_rate(&self, offset: u64) -> Result<()> {
        let is_allowed = match self.num_channels {
            _ if self.layer != 2 => true,
            1 => !matches!(self.kilobits, 224 | 256 | 320 | 384),
            _ => !matches!(self.kilobits, 32 | 48 | 56 | 80),
        };
        if is_allowed {
            return Ok(());
        }
        let (channels, kilobits) = (if self.num_channels == 1 { "one channel" } else { "two channels" }, self.kilobits);
        let message =
            format!("expected MP2 of a rate that {channels} may have, found {kilobits} kbit/s, not decoded here");
        Err(SoundFault::new(offset, message))
    }

    /// Whether two frames may be of one stream.
    fn fits(&self, other: &Self) -> bool {
        (self.is_first, self.layer, self.sample_rate) == (other.is_first, other.layer, other.sample_rate)
    }
}

/// Kilobits a second; `None` if the header does not say, or cannot be one.
fn kilobits(is_first: bool, layer: u8, index: u32) -> Option<u32> {
    const FIRST_2: [u32; 14] = [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384];
    const FIRST_3: [u32; 14] = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
    const SECOND_1: [u32; 14] = [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256];
    const SECOND: [u32; 14] = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
    let index = (index as usize).checked_sub(1).filter(|index| *index < 14)?;
    Some(match (is_first, layer) {
        (true, 1) => 32 * (index as u32 + 1),
        (true, 2) => FIRST_2[index],
        (true, _) => FIRST_3[index],
        (false, 1) => SECOND_1[index],
        (false, _) => SECOND[index],
    })
}

/// Whether a file starts with two frames, or is one.
pub(crate) fn detect(head: &[u8], at_end: bool) -> DetectedSound {
    if head.first().is_none_or(|&byte| byte != 0xff) || head.get(1).is_some_and(|byte| byte & 0xe0 != 0xe0) {
        return DetectedSound::Other;
    }
    let Some(word) = head.first_chunk() else {
        return if at_end { DetectedSound::Other } else { DetectedSound::NeedMoreBytes };
    };
    let Some(first) = MpegHeader::read(*word) else { return DetectedSound::Other };
    let rest = head.get(first.length as usize..).unwrap_or_default();
    match rest.first_chunk() {
        Some(word) if MpegHeader::read(*word).is_some_and(|second| second.fits(&first)) => {
            DetectedSound::Kind(SoundKind::Mpeg)
        }
        None if !at_end => DetectedSound::NeedMoreBytes,
        None if first.length == head.len() as u64 => DetectedSound::Kind(SoundKind::Mpeg),
        _ => DetectedSound::Other,
    }
}

/// Whether this is the start of a file of MP3 or MP2 that ends in its first frame.
pub(crate) fn is_cut(bytes: &[u8]) -> bool {
    match bytes.first_chunk() {
        // Layer 1 would be UTF-16, too.
        Some(word) => {
            let first = MpegHeader::read(*word).filter(|first| first.layer > 1);
            first.is_some_and(|first| (bytes.len() as u64) < first.length + 4)
        }
        None => matches!(bytes, [0xff, 0xf2..=0xf5 | 0xfa..=0xfd, ..]),
    }
}

/// The length of the tags (ID3, version 2) that a file starts with.
pub(crate) fn tag_length(bytes: &[u8]) -> u64 {
    let mut length = 0;
    while let Some(tag) = bytes.get(length as usize..).filter(|rest| rest.starts_with(b"ID3") && rest.len() >= 10) {
        length += one_tag(tag);
    }
    length
}

/// The length of a tag, by its first ten bytes.
fn one_tag(tag: &[u8]) -> u64 {
    // Four times seven bits.
    let size = tag[6..10].iter().fold(0, |size: u64, &byte| size << 7 | u64::from(byte & 0x7f));
    10 + size + if tag[5] & 0x10 != 0 { 10 } else { 0 }
}

/// The length of the tags (ID3, version 2) at a place of a file.
pub(super) fn tags(file: Bytes<'_>, start: u64) -> Result<u64> {
    let mut length = 0;
    while let head = file.up_to(start.saturating_add(length), 10)?
        && head.len() == 10
        && head.starts_with(b"ID3")
    {
        length += one_tag(&head);
    }
    Ok(length)
}

pub(crate) fn read(file: Bytes<'_>) -> Result<Track> {
    let tag = tag_at_start(file)?;
    let word = file.name(tag)?;
    let Some(first) = MpegHeader::read(word) else {
        let found = word.escape_ascii();
        return Err(SoundFault::new(tag, format!("expected a frame of MPEG audio, found \"{found}\"")));
    };
    first.check_rate(tag)?;
    let mut track = Track::new(Codec::Mpeg { layer: first.layer }, first.sample_rate, first.num_channels);
    let Some(note) = Note::find(file, tag, &first)? else {
        walk(file, tag, &first, &mut track)?;
        return Ok(track);
    };
    let (noted, added) = (note.num_frames.unwrap_or(0), note.added.unwrap_or((0, 0)));
    let end = if note.added.is_some() {
        track.skip = added.0 + DECODER_DELAY;
        added.1.saturating_sub(DECODER_DELAY)
    } else {
        0
    };
    let frames = tag + first.length;
    let is_in_memory = file.expect_rest(frames).is_ok();
    if !note.is_of_all(file, tag) {
        file.expect_rest(frames)?;
    }
    let num_coded = noted.saturating_mul(first.num_samples);
    let length = num_coded.saturating_sub(track.skip).saturating_sub(end);
    if is_in_memory {
        walk(file, frames, &first, &mut track)?;
    }
    // Files that were joined have more frames than the first of them knew.
    if noted >= track.packets.len() as u64 {
        let is_cut = is_in_memory && noted > track.packets.len() as u64;
        track.num_coded = Some(num_coded).filter(|_| !is_cut);
        (track.length, track.promised) = (Some(length), Some(length));
    }
    Ok(track)
}

/// The length of the tags at the start of a file.
fn tag_at_start(file: Bytes<'_>) -> Result<u64> {
    let mut at = 0;
    while *file.at(at, 3)? == *b"ID3" {
        let length = tag_length(&file.at(at, 10)?);
        if !file.reaches(at, length + 4) {
            return Err(SoundFault::at_end(at, format!("expected a tag of {length} bytes, found the end of the file")));
        }
        at += length;
    }
    Ok(at)
}

/// Takes layer, sampling frequency and channels from the first packet, since containers are often wrong about them.
pub(super) fn look_inside(file: Bytes<'_>, track: &mut Track) -> Result<()> {
    let (Codec::Mpeg { layer }, Some(packet)) = (&mut track.codec, track.packets.first()) else { return Ok(()) };
    let word = file.name(packet.offset)?;
    let Some(header) = MpegHeader::read(word) else {
        let found = word.escape_ascii();
        return Err(SoundFault::new(packet.offset, format!("expected a frame of MPEG audio, found \"{found}\"")));
    };
    header.check_rate(packet.offset)?;
    *layer = header.layer;
    (track.sample_rate, track.num_channels) = (header.sample_rate, header.num_channels);
    Ok(())
}

/// Finds the frames.
fn walk(file: Bytes<'_>, mut at: u64, first: &MpegHeader, track: &mut Track) -> Result<()> {
    file.expect_rest(0)?;
    while at < file.total() {
        let rest = file.up_to(at, 11)?;
        if [&b"TAG"[..], b"APETAGEX", b"LYRICSBEGIN"].iter().any(|tag| rest.starts_with(tag)) {
            break;
        }
        if rest.starts_with(b"ID3") && rest.len() >= 10 {
            at += tags(file, at)?;
            continue;
        }
        match rest.first_chunk().and_then(|word| MpegHeader::read(*word)).filter(|header| header.fits(first)) {
            Some(header) if !file.reaches(at, header.length) => {
                let (expected, found) = (header.length, file.total() - at);
                let message = format!("expected a frame of {expected} bytes, found {found} to the end of the file");
                track.remarks.push(SoundFault::new(at, message));
                break;
            }
            Some(header) => {
                track.packets.push(Packet::new(at, header.length));
                at += header.length;
            }
            None => {
                let is_padding = file.is_zero_from(at)?;
                if !is_padding && rest.len() >= 4 && has_frames(file, at, first)? {
                    let found = rest[..4].escape_ascii();
                    return Err(SoundFault::new(at, format!("expected a frame like the first one, found \"{found}\"")));
                }
                if !is_padding {
                    let found = file.total() - at;
                    let message = format!("expected a frame or the end of the file, found {found} other bytes");
                    track.remarks.push(SoundFault::new(at, message));
                }
                break;
            }
        }
    }
    Ok(())
}

/// Whether there are more frames after bytes that are none.
fn has_frames(file: Bytes<'_>, start: u64, first: &MpegHeader) -> Result<bool> {
    let frame = |at: u64| {
        let word = if file.reaches(at, 4) { file.name(at)? } else { [0; 4] };
        Ok(MpegHeader::read(word).filter(|header| header.fits(first)))
    };
    for at in start..file.total() {
        if let Some(header) = frame(at)?
            && frame(at + header.length)?.is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What the first frame says of the others.
struct Note {
    num_frames: Option<u64>,
    num_bytes: Option<u64>,
    /// Samples that the encoder added at the start and at the end.
    added: Option<(u64, u64)>,
}

impl Note {
    /// Whether the file has the bytes that the note says, and no more but for short tags at its end.
    fn is_of_all(&self, file: Bytes<'_>, start: u64) -> bool {
        let end = self.num_bytes.map(|bytes| start.saturating_add(bytes));
        self.num_frames.is_some() && end.is_some_and(|end| (end..=end.saturating_add(1 << 10)).contains(&file.total()))
    }

    fn find(file: Bytes<'_>, at: u64, header: &MpegHeader) -> Result<Option<Self>> {
        if header.layer != 3 || !file.reaches(at, header.length) {
            return Ok(None);
        }
        let frame = file.at(at, header.length)?;
        let side = match (header.is_first, header.num_channels) {
            (true, 1) | (false, 2) => 17,
            (true, _) => 32,
            (false, _) => 9,
        };
        if frame.get(36..40) == Some(b"VBRI") {
            return Ok(Some(Self {
                num_frames: Some(be(&frame, 36 + 14, 4)),
                num_bytes: Some(be(&frame, 36 + 10, 4)),
                added: None,
            }));
        }
        let Some(note) = frame.get(4 + side..).filter(|it| it.starts_with(b"Xing") || it.starts_with(b"Info")) else {
            return Ok(None);
        };
        let flags = be(note, 4, 4);
        let has = |bit: u64| flags & bit != 0;
        let num_frames = has(1).then(|| be(note, 8, 4));
        // The number of frames and of bytes, a table, the quality.
        let end =
            8 + [(1, 4), (2, 4), (4, 100), (8, 4)].iter().filter(|(bit, _)| has(*bit)).map(|(_, n)| n).sum::<usize>();
        let writer = note.get(end..end + 4).unwrap_or_default();
        let is_lame = [b"LAME", b"Lavf", b"Lavc"].iter().any(|name| writer == *name);
        let added = be(note, end + 21, 3);
        let num_bytes = has(2).then(|| be(note, if has(1) { 12 } else { 8 }, 4));
        Ok(Some(Self { num_frames, num_bytes, added: is_lame.then_some((added >> 12, added & 0xfff)) }))
    }
}
