//! Ogg: pages of packets (RFC 3533).
//!
//! ```text
//! 4f 67 67 53 00 02                      OggS, version 0, the first page of a stream (4: the last one, 1: a packet goes on)
//! 00 00 00 00 00 00 00 00                samples up to the end of the last packet that ends here (all ones: none does)
//! 01 00 00 00 00 00 00 00 xx xx xx xx    stream, number of the page, checksum
//! 01 1e                                  lengths of pieces: 30; a packet ends with a piece shorter than 255
//! ```

use std::borrow::Cow;

use crate::bytes::{Bytes, le, shown};
use crate::codec::flac::StreamInfo;
use crate::codec::opus::{self, OpusHead};
use crate::codec::{Codec, read_vorbis_head};
use crate::fault::{Result, SoundFault};
use crate::track::{Packet, Track};

const HEADER: u64 = 27;
/// No packet ends on the page.
const NOWHERE: u64 = u64::MAX;

/// A page.
struct Page<'a> {
    offset: u64,
    flags: u8,
    granule: u64,
    serial: u32,
    number: u32,
    /// The lengths of the pieces.
    pieces: Cow<'a, [u8]>,
    /// Where they start.
    content: u64,
    end: u64,
}

impl<'a> Page<'a> {
    const CONTINUED: u8 = 1;
    const FIRST: u8 = 2;
    const LAST: u8 = 4;

    fn read(file: Bytes<'a>, offset: u64) -> Result<Self> {
        let head = file.at(offset, HEADER)?;
        if !head.starts_with(b"OggS\0") {
            return Err(SoundFault::new(offset, format!("expected a page of Ogg, found \"{}\"", shown(&head[..4]))));
        }
        let pieces = file.at(offset + HEADER, head[26].into())?;
        let content = offset + HEADER + pieces.len() as u64;
        let end = content + pieces.iter().map(|&piece| u64::from(piece)).sum::<u64>();
        let bytes = file.at(offset, end - offset)?;
        let (expected, found) = (le(&head, 22, 4) as u32, checksum(&bytes));
        if expected != found {
            let message = format!("expected a page of Ogg with the checksum {expected:08x}, found {found:08x}");
            return Err(SoundFault::new(offset, message));
        }
        let (granule, serial, number) = (le(&head, 6, 8), le(&head, 14, 4) as u32, le(&head, 18, 4) as u32);
        Ok(Self { offset, flags: head[5], granule, serial, number, pieces, content, end })
    }
}

/// The checksum of a page, whose own four bytes count as zeros.
fn checksum(page: &[u8]) -> u32 {
    let step = |sum: u32, byte: u8| sum << 8 ^ TABLE[usize::from((sum >> 24) as u8 ^ byte)];
    let (head, rest) = page.split_at(22);
    let sum = head.iter().chain(&[0; 4]).fold(0, |sum, &byte| step(sum, byte));
    rest[4..].iter().fold(sum, |sum, &byte| step(sum, byte))
}

/// The remainders of bytes by the polynomial 04c11db7.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let mut sum = (index as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum >> 31 == 0 { sum << 1 } else { sum << 1 ^ 0x04c1_1db7 };
            bit += 1;
        }
        table[index] = sum;
        index += 1;
    }
    table
};

/// A stream that is read.
struct Stream {
    track: Track,
    serial: u32,
    next_number: u32,
    /// Headers that are still to come.
    num_headers: usize,
    /// The bytes of a packet that goes on, and where it started.
    open: Option<(u64, Vec<u8>)>,
    /// The granule of the first page of sound, and the packets up to there.
    first: Option<(u64, usize)>,
    last: u64,
    is_ended: bool,
    /// A page whose granule goes back.
    back: Option<SoundFault>,
}

/// Reads streams that follow each other; of streams side by side the first one with sound counts.
pub(crate) fn read(file: Bytes<'_>) -> Result<Vec<Track>> {
    let mut tracks = Vec::new();
    let mut stream: Option<Stream> = None;
    let mut others = Vec::new();
    let mut at = 0;
    let mut cut = None;
    while at < file.total() {
        let page = match Page::read(file, at) {
            Err(fault) if fault.at_end && file.is_all() && at > 0 => {
                cut = Some(SoundFault::new(at, "expected a whole page of Ogg, found the end of the file"));
                break;
            }
            page => page?,
        };
        at = page.end;
        if page.flags & Page::FIRST != 0 {
            if stream.as_ref().is_some_and(|stream| !stream.is_ended) {
                others.push(page.serial);
                continue;
            }
            if let Some(open) = start(file, &page, &mut others)? {
                tracks.extend(stream.replace(open).map(|ended| ended.into_track(file)).transpose()?);
            }
            continue;
        }
        match &mut stream {
            Some(stream) if stream.serial == page.serial => stream.add(file, &page)?,
            _ if others.contains(&page.serial) => {}
            _ => {
                let message = format!("expected a page of a stream that has begun, found stream {:08x}", page.serial);
                return Err(SoundFault::new(page.offset, message));
            }
        }
    }
    let Some(mut stream) = stream else {
        return Err(SoundFault::new(0, "expected a stream of Vorbis, Opus or FLAC in the Ogg file, found none"));
    };
    if cut.is_none() && !stream.is_ended {
        cut =
            Some(SoundFault::new(file.total(), "expected the last page of a stream of Ogg, found the end of the file"));
    }
    stream.track.remarks.extend(cut);
    tracks.push(stream.into_track(file)?);
    Ok(tracks)
}

/// Starts a stream at its first page, if it is sound.
fn start(file: Bytes<'_>, page: &Page<'_>, others: &mut Vec<u32>) -> Result<Option<Stream>> {
    let bytes = file.at(page.content, page.end - page.content)?;
    let head = &*bytes;
    let offset = page.content;
    let (track, num_headers) = if head.starts_with(b"\x01vorbis") {
        let (rate, num_channels) = read_vorbis_head(head, offset)?;
        (Track::new(Codec::Vorbis { headers: head.to_vec() }, rate, num_channels), 2)
    } else if head.starts_with(b"OpusHead") {
        let head = OpusHead::read(head, offset)?;
        let num_channels = head.num_channels.into();
        (Track::new(Codec::Opus(head), opus::RATE, num_channels), 1)
    } else if head.starts_with(b"\x7fFLAC") {
        (Track::flac(StreamInfo::read_sound(head.get(17..), offset)?), usize::MAX)
    } else if head.starts_with(b"Speex   ") {
        return Err(SoundFault::new(offset, "expected Vorbis, Opus or FLAC in the Ogg file, found Speex"));
    } else {
        others.push(page.serial);
        return Ok(None);
    };
    Ok(Some(Stream {
        track,
        serial: page.serial,
        next_number: page.number.wrapping_add(1),
        num_headers,
        open: None,
        first: None,
        last: 0,
        back: None,
        is_ended: page.flags & Page::LAST != 0,
    }))
}

impl Stream {
    fn add(&mut self, file: Bytes<'_>, page: &Page<'_>) -> Result<()> {
        let fault = |message: String| Err(SoundFault::new(page.offset, message));
        if page.number != self.next_number {
            return fault(format!(
                "expected page {} of the stream of Ogg, found page {}",
                self.next_number, page.number
            ));
        }
        self.next_number = page.number.wrapping_add(1);
        if (page.flags & Page::CONTINUED != 0) != self.open.is_some() {
            return fault("expected a packet to go on as the page before says, found another".to_owned());
        }
        let (mut at, mut start) = (page.content, page.content);
        let num_before = self.track.packets.len();
        let mut has_sound = false;
        for &piece in &*page.pieces {
            at += u64::from(piece);
            if piece < 255 {
                let packet = match self.open.take() {
                    Some((offset, mut bytes)) => {
                        bytes.extend_from_slice(&file.at(start, at - start)?);
                        Packet::joined(offset, bytes)
                    }
                    None => Packet::new(start, at - start),
                };
                start = at;
                has_sound |= self.take(file, packet)?;
            }
        }
        if page.pieces.last() == Some(&255) {
            let rest = file.at(start, at - start)?;
            self.open.get_or_insert((start, Vec::new())).1.extend_from_slice(&rest);
        }
        if page.granule != NOWHERE && (has_sound || page.flags & Page::LAST != 0) {
            self.first.get_or_insert((page.granule, self.track.packets.len()));
            if page.granule < self.last {
                let message = format!("expected a page of Ogg from sample {} on, found {}", self.last, page.granule);
                self.back.get_or_insert(SoundFault::new(page.offset, message));
            }
            // A page that goes back does not count.
            self.last = self.last.max(page.granule);
            self.track.last_page = Some(num_before).filter(|_| has_sound).or(self.track.last_page);
        }
        self.is_ended = page.flags & Page::LAST != 0;
        Ok(())
    }

    /// Takes a packet, and returns whether it is sound.
    fn take(&mut self, file: Bytes<'_>, packet: Packet) -> Result<bool> {
        let bytes = packet.bytes(file)?;
        match &mut self.track.codec {
            Codec::Flac(_) if self.num_headers > 0 && bytes.first() != Some(&0xff) => return Ok(false),
            Codec::Vorbis { headers } if self.num_headers > 0 => {
                let name = if self.num_headers == 2 { b"\x03vorbis" } else { b"\x05vorbis" };
                if !bytes.starts_with(name) {
                    return Err(SoundFault::new(packet.offset, "expected a header of Vorbis, found something else"));
                }
                if self.num_headers == 1 {
                    headers.extend_from_slice(&bytes);
                }
                self.num_headers -= 1;
                return Ok(false);
            }
            Codec::Opus(_) if self.num_headers > 0 => {
                if !bytes.starts_with(b"OpusTags") {
                    return Err(SoundFault::new(packet.offset, "expected OpusTags, found something else"));
                }
                self.num_headers = 0;
                return Ok(false);
            }
            _ => self.num_headers = 0,
        }
        // A packet of nothing is no sound, and no damage in Vorbis.
        let is_sound = !bytes.is_empty();
        drop(bytes);
        if is_sound {
            self.track.packets.push(packet);
        }
        Ok(is_sound)
    }

    fn into_track(self, file: Bytes<'_>) -> Result<Track> {
        let Self { mut track, first, last, num_headers, is_ended, back, .. } = self;
        if matches!(track.codec, Codec::Vorbis { .. } | Codec::Opus(_)) && num_headers > 0 {
            let missing = "expected the headers of the stream of Ogg, found the end of the file";
            return Err(SoundFault::at_end(file.total(), missing));
        }
        track.remarks.extend(back);
        let Some((granule, num_packets)) = first else { return Ok(track) };
        let mut counter = track.codec.counter(track.num_channels);
        let mut there: u64 = 0;
        for packet in track.packets.iter().take(num_packets) {
            let count = counter.count(&packet.bytes(file)?);
            there += count.map_err(|message| SoundFault::new(packet.offset, message))?;
        }
        let pre_skip = if let Codec::Opus(head) = &track.codec { head.pre_skip.into() } else { 0 };
        // Where the first packet starts: later than 0 if the start of the stream is missing.
        let is_all = num_packets == track.packets.len() && is_ended;
        let start = granule.saturating_sub(there);
        // What is before the time 0 does not count.
        let early = if is_all { 0 } else { there.saturating_sub(granule) };
        track.skip = if matches!(track.codec, Codec::Opus(_)) { pre_skip } else { early };
        let length = last.saturating_sub(start).saturating_sub(pre_skip);
        if let Codec::Flac(info) = track.codec {
            track.skip = 0;
            track.promised = Some(info.num_samples.filter(|_| start == 0).unwrap_or(length));
        } else {
            track.length = Some(length);
            track.promised = track.length;
        }
        Ok(track)
    }
}
