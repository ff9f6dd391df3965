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

use element::{Element, Elements, number};

use crate::bytes::Bytes;
use crate::codec::Codec;
use crate::fault::{Result, SoundFault};
use crate::track::{Packet, Track};

const SEGMENT: u32 = 0x1853_8067;
const TRACKS: u32 = 0x1654_ae6b;
const TRACK_ENTRY: u32 = 0xae;
const CLUSTER: u32 = 0x1f43_b675;
const SIMPLE_BLOCK: u32 = 0xa3;
const BLOCK_GROUP: u32 = 0xa0;
const BLOCK: u32 = 0xa1;
const DISCARD_PADDING: u32 = 0x75a2;

pub(crate) fn read(file: Bytes<'_>) -> Result<Track> {
    let mut chosen: Option<(u64, Track)> = None;
    let mut cut = None;
    // A segment and a cluster are not left out but gone into: what follows is found by its name, whatever their sizes are.
    let mut elements = Elements::new(file, 0, file.total());
    loop {
        let element = match elements.next() {
            Ok(Some(element)) => element,
            Ok(None) => break,
            Err(fault) if fault.at_end && chosen.is_some() && file.rest(0).is_ok() => {
                cut = Some(SoundFault { at_end: false, ..fault });
                break;
            }
            Err(fault) => return Err(fault),
        };
        let is_entered = matches!(element.id, SEGMENT | CLUSTER);
        if chosen.is_some() && !is_entered && !element.is_whole(file) {
            cut = Some(SoundFault::new(element.start, "expected a whole element, found the end of the file"));
            break;
        }
        match (element.id, &mut chosen) {
            (SEGMENT | CLUSTER, _) => elements.enter(&element),
            (TRACKS, None) => chosen = Some(choose(file, &element)?),
            (SIMPLE_BLOCK | BLOCK_GROUP, None) => {
                return Err(SoundFault::new(
                    element.start,
                    "expected streams before the blocks of the Matroska file, found none",
                ));
            }
            (SIMPLE_BLOCK, Some((id, track))) => blocks::read(file, &element, *id, 0, track)?,
            (BLOCK_GROUP, Some((id, track))) => read_group(file, &element, *id, track)?,
            _ => {}
        }
    }
    let Some((_, mut track)) = chosen else {
        return Err(SoundFault::at_end(file.total(), "expected a stream of sound in the Matroska file, found its end"));
    };
    super::mpeg::look_inside(file, &mut track)?;
    track.remarks.extend(cut);
    if let Codec::Pcm { encoding, .. } = track.codec {
        let frame = encoding.num_bytes() as u64 * u64::from(track.num_channels);
        track.num_coded = Some(track.packets.iter().map(|packet| packet.length / frame.max(1)).sum());
    }
    Ok(track)
}

/// Chooses the first stream of sound that is a default, else the first one.
fn choose(file: Bytes<'_>, tracks: &Element) -> Result<(u64, Track)> {
    let mut first = None;
    let mut elements = Elements::new(file, tracks.start, tracks.end(file));
    while let Some(element) = elements.next()? {
        if element.id != TRACK_ENTRY {
            continue;
        }
        let Some(entry) = entry::read(file, &element)? else { continue };
        if entry.is_default {
            return Ok((entry.number, entry.into_track(file)?));
        }
        first.get_or_insert(entry);
    }
    match first {
        Some(entry) => Ok((entry.number, entry.into_track(file)?)),
        None => Err(SoundFault::new(tracks.start, "expected a stream of sound in the Matroska file, found none")),
    }
}

/// Reads a block with what belongs to it.
fn read_group(file: Bytes<'_>, group: &Element, id: u64, track: &mut Track) -> Result<()> {
    let (mut block, mut padding) = (None, 0);
    let mut elements = Elements::new(file, group.start, group.end(file));
    while let Some(element) = elements.next()? {
        match element.id {
            BLOCK => block = Some(element),
            DISCARD_PADDING => {
                let bytes = file.at(element.start, element.size.unwrap_or(0).min(8))?;
                let unused = 64 - 8 * bytes.len() as u32;
                padding = if bytes.is_empty() { 0 } else { (number(bytes) << unused) as i64 >> unused };
            }
            _ => {}
        }
    }
    let Some(block) = block else { return Ok(()) };
    let nanoseconds = u128::try_from(padding).unwrap_or(0);
    let samples = (nanoseconds * u128::from(track.sample_rate) + 500_000_000) / 1_000_000_000;
    blocks::read(file, &block, id, u64::try_from(samples).unwrap_or(u64::MAX), track)
}

/// A packet of a block.
fn packet(offset: u64, length: u64) -> Result<Packet> {
    if length == 0 {
        return Err(SoundFault::new(offset, "expected a packet of the Matroska file, found one of no bytes"));
    }
    Ok(Packet::new(offset, length))
}
