//! Matroska and WebM: elements, each after its name and its size (RFC 8794, RFC 9559).
//!
//! ```text
//! 1a 45 df a3  EBML
//! 18 53 80 67  Segment   Tracks TrackEntry (number, kind, codec, its configuration, its delay in ns, sampling frequency)
//!                        Cluster  SimpleBlock (track, time, flags, packets)
//!                                 BlockGroup (Block, DiscardPadding in ns)
//! ```

mod blocks;
mod element;
mod entry;

use element::{Element, Elements, float, number};

use crate::bytes::Bytes;
use crate::clock::Clock;
use crate::fault::{Result, SoundFault};
use crate::track::{Packet, Track};

const SEGMENT: u32 = 0x1853_8067;
const INFO: u32 = 0x1549_a966;
const TIMESTAMP_SCALE: u32 = 0x2a_d7b1;
const DURATION: u32 = 0x4489;
const TIMESTAMP: u32 = 0xe7;
const TRACKS: u32 = 0x1654_ae6b;
const TRACK_ENTRY: u32 = 0xae;
const CLUSTER: u32 = 0x1f43_b675;
const SIMPLE_BLOCK: u32 = 0xa3;
const BLOCK_GROUP: u32 = 0xa0;
const BLOCK: u32 = 0xa1;
const DISCARD_PADDING: u32 = 0x75a2;

/// Names of elements that a segment, a cluster or the file may have, but for those above.
const OTHERS: [u32; 16] = [
    0x1a45_dfa3, // EBML
    0x114d_9b74, // SeekHead
    0x1c53_bb6b, // Cues
    0x1941_a469, // Attachments
    0x1043_a770, // Chapters
    0x1254_c367, // Tags
    0x5854,      // SilentTracks
    0xa7,        // Position
    0xab,        // PrevSize
    0xaf,        // EncryptedBlock
    0xec,        // Void
    0xbf,        // CRC-32
    TIMESTAMP,
    0x1b53_8667, // SignatureSlot
    INFO,
    TRACKS,
];

/// What is read of a file.
struct Reading {
    /// The number of the stream, and it.
    chosen: Option<(u64, Track)>,
    info: Info,
    /// The time of the cluster, in units.
    cluster: i64,
    /// The numbers of all streams.
    streams: Vec<u64>,
    times: Vec<(usize, i64)>,
    remark: Option<SoundFault>,
}

/// What the element Info says.
struct Info {
    /// Nanoseconds of a unit of time.
    unit: i64,
    /// How long the file lasts, in units.
    duration: Option<f64>,
}

pub(crate) fn read(file: Bytes<'_>) -> Result<Track> {
    let mut reading = Reading {
        chosen: None,
        info: Info { unit: 1_000_000, duration: None },
        cluster: 0,
        streams: Vec::new(),
        times: Vec::new(),
        remark: None,
    };
    // A segment and a cluster are not left out but gone into: what follows is found by its name, whatever their sizes are.
    let mut elements = Elements::new(file, 0, file.total());
    loop {
        let element = match elements.next() {
            Ok(Some(element)) => element,
            Ok(None) => break,
            Err(fault) if fault.at_end && reading.chosen.is_some() && file.is_all() => {
                reading.remark.get_or_insert(SoundFault { at_end: false, ..fault });
                break;
            }
            Err(fault) => return Err(fault),
        };
        let is_entered = matches!(element.id, SEGMENT | CLUSTER);
        if !element.is_whole(file) && (is_entered || reading.chosen.is_some()) {
            let message = "expected a whole element, found the end of the file";
            reading.remark.get_or_insert(SoundFault::new(element.start, message));
        }
        if is_entered {
            elements.enter(&element);
        } else if element.is_whole(file) || reading.chosen.is_none() {
            reading.element(file, &element)?;
        }
    }
    reading.into_track(file)
}

impl Reading {
    fn element(&mut self, file: Bytes<'_>, element: &Element) -> Result<()> {
        match (element.id, &mut self.chosen) {
            (TRACKS, None) => {
                let chosen = choose(file, element, &mut self.streams)?;
                self.chosen = Some(chosen);
            }
            (INFO, _) => self.info = read_info(file, element)?,
            (TIMESTAMP, _) => {
                let time = number(&file.at(element.start, element.size.unwrap_or(0).min(8))?);
                self.cluster = i64::try_from(time).unwrap_or(i64::MAX);
            }
            (SIMPLE_BLOCK | BLOCK_GROUP, None) => {
                let message = "expected streams before the blocks of the Matroska file, found none";
                return Err(SoundFault::new(element.start, message));
            }
            (SIMPLE_BLOCK, Some(_)) => self.block(file, element, 0)?,
            (BLOCK_GROUP, Some(_)) => self.group(file, element)?,
            (id, _) if !OTHERS.contains(&id) => {
                let message = format!("expected an element of a segment or a cluster, found {id:x}");
                self.remark.get_or_insert(SoundFault::new(element.start, message));
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds the packets of a block, if they are of the stream.
    fn block(&mut self, file: Bytes<'_>, block: &Element, discard: u64) -> Result<()> {
        let Some((id, track)) = &mut self.chosen else { return Ok(()) };
        let index = track.packets.len();
        let (stream, time) = blocks::read(file, block, *id, discard, track)?;
        if stream == *id {
            let time = self.cluster.saturating_add(time).saturating_mul(self.info.unit);
            self.times.push((index, time));
        } else if !self.streams.contains(&stream) {
            let message = format!("expected a block of a stream of the Matroska file, found one of stream {stream}");
            self.remark.get_or_insert(SoundFault::new(block.start, message));
        }
        Ok(())
    }

    /// Reads a block with what belongs to it.
    fn group(&mut self, file: Bytes<'_>, group: &Element) -> Result<()> {
        let (mut block, mut padding) = (None, 0);
        let mut elements = Elements::new(file, group.start, group.end(file));
        while let Some(element) = elements.next()? {
            match element.id {
                BLOCK => block = Some(element),
                DISCARD_PADDING => {
                    let bytes = file.at(element.start, element.size.unwrap_or(0).min(8))?;
                    let unused = 64 - 8 * bytes.len() as u32;
                    padding = if bytes.is_empty() { 0 } else { (number(&bytes) << unused) as i64 >> unused };
                }
                _ => {}
            }
        }
        let Some(block) = block else {
            let message = "expected a block in a group of the Matroska file, found none";
            self.remark.get_or_insert(SoundFault::new(group.start, message));
            return Ok(());
        };
        let rate = self.chosen.as_ref().map_or(0, |(_, track)| track.sample_rate);
        let nanoseconds = u128::try_from(padding).unwrap_or(0);
        let samples = (nanoseconds * u128::from(rate) + 500_000_000) / 1_000_000_000;
        self.block(file, &block, u64::try_from(samples).unwrap_or(u64::MAX))
    }

    fn into_track(self, file: Bytes<'_>) -> Result<Track> {
        let Some((_, mut track)) = self.chosen else {
            let message = "expected a stream of sound in the Matroska file, found its end";
            return Err(SoundFault::at_end(file.total(), message));
        };
        super::mpeg::look_inside(file, &mut track)?;
        let Info { unit, duration } = self.info;
        // Other streams may start earlier, and be longer.
        let is_alone = self.streams.len() == 1;
        let latest_start = if is_alone { 10_000_000 } else { 500_000_000 };
        let duration = duration.filter(|_| is_alone && self.remark.is_none());
        let end = duration.map(|duration| (duration * unit as f64) as i64);
        track.remarks.extend(self.remark);
        track.clock = Some(Clock { times: self.times, unit, latest_start, end });
        Ok(track)
    }
}

fn read_info(file: Bytes<'_>, info: &Element) -> Result<Info> {
    let mut found = Info { unit: 1_000_000, duration: None };
    let mut elements = Elements::new(file, info.start, info.end(file));
    while let Some(element) = elements.next()? {
        match element.id {
            TIMESTAMP_SCALE => {
                let unit = number(&file.at(element.start, element.size.unwrap_or(0).min(8))?);
                found.unit = i64::try_from(unit).unwrap_or(i64::MAX).max(1);
            }
            DURATION => found.duration = Some(float(&file.at(element.start, element.size.unwrap_or(0).min(8))?)),
            _ => {}
        }
    }
    Ok(found)
}

/// Chooses the first stream of sound that is a default, else the first one.
fn choose(file: Bytes<'_>, tracks: &Element, streams: &mut Vec<u64>) -> Result<(u64, Track)> {
    if !tracks.is_whole(file) {
        return Err(SoundFault::at_end(tracks.start, "expected the streams of the Matroska file, found its end"));
    }
    let mut entries = Vec::new();
    let mut elements = Elements::new(file, tracks.start, tracks.end(file));
    while let Some(element) = elements.next()? {
        if element.id != TRACK_ENTRY {
            continue;
        }
        let entry = entry::read(file, &element)?;
        streams.push(entry.number);
        entries.extend(Some(entry).filter(|entry| entry.is_sound));
    }
    let place = entries.iter().position(|entry| entry.is_default).unwrap_or(0);
    match entries.into_iter().nth(place) {
        Some(entry) => Ok((entry.number, entry.into_track(file)?)),
        None => Err(SoundFault::new(tracks.start, "expected a stream of sound in the Matroska file, found none")),
    }
}

/// A packet of a block.
fn packet(offset: u64, length: u64) -> Result<Packet> {
    if length == 0 {
        return Err(SoundFault::new(offset, "expected a packet of the Matroska file, found one of no bytes"));
    }
    Ok(Packet::new(offset, length))
}
