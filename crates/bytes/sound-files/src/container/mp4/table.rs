//! Where the packets of `moov` are, how long they are, and how long they last.

use std::borrow::Cow;

use super::boxes::{Part, find};
use crate::bytes::{Bytes, be};
use crate::codec::Codec;
use crate::fault::{Result, SoundFault};
use crate::track::{Packet, Track};

/// Adds the packets to the stream, and returns how long they last all together, in units of the stream.
pub(super) fn read(file: Bytes<'_>, stbl: Part, track: &mut Track) -> Result<u64> {
    let sizes = Sizes::read(file, stbl)?;
    let (duration, count) = durations(file, stbl)?;
    if sizes.count == 0 {
        return Ok(duration);
    }
    let chunks = chunks(file, stbl)?;
    let runs = table(file, stbl, b"stsc", 12, 8)?.1;
    let frame = match &track.codec {
        Codec::Pcm { encoding, .. } => encoding.num_bytes() as u64 * u64::from(track.num_channels),
        _ => 0,
    };
    let mut index = 0;
    let mut run = 0;
    for (number, &start) in chunks.iter().enumerate() {
        // Chunks count from 1.
        while be(&runs, (run + 1) * 12, 4) == number as u64 + 1 {
            run += 1;
        }
        let per_chunk = be(&runs, run * 12 + 4, 4).min(sizes.count - index);
        if frame > 0 {
            // All samples of a chunk are one packet.
            track.push_placed(Packet::new(start, per_chunk.saturating_mul(frame)), file)?;
            index += per_chunk;
            continue;
        }
        let mut at = start;
        for _ in 0..per_chunk {
            let length = sizes.of(index);
            index += 1;
            if length == 0 {
                return Err(SoundFault::new(at, "expected a packet of the MP4 file, found one of no bytes"));
            }
            track.push_placed(Packet::new(at, length), file)?;
            at = at.saturating_add(length);
            if at > file.total() {
                // Of a file that was cut, not more than one packet that is not there.
                break;
            }
        }
        if at > file.total() {
            break;
        }
    }
    if frame > 0 {
        track.num_coded = Some(sizes.count);
    }
    let is_cut = track.packets.last().is_some_and(|packet| !packet.is_whole(file));
    if !is_cut && (index < sizes.count || count != sizes.count) {
        let found = format!("{} lengths and places of {index}", sizes.count);
        let message = format!("expected {count} packets in the MP4 file as stts says, found {found}");
        track.remarks.push(SoundFault::new(stbl.start, message));
    }
    Ok(duration)
}

/// The lengths of packets: the box `stsz`.
struct Sizes<'a> {
    count: u64,
    /// The length of all; 0 if each has its own.
    same: u64,
    each: Cow<'a, [u8]>,
}

impl<'a> Sizes<'a> {
    fn read(file: Bytes<'a>, stbl: Part) -> Result<Self> {
        let Some(stsz) = find(file, stbl, b"stsz")? else {
            return Err(SoundFault::new(stbl.start, "expected a box stsz in the MP4 file, found none"));
        };
        let (same, count) = (u64::from(file.be32(stsz.start + 4)?), u64::from(file.be32(stsz.start + 8)?));
        let each = if same == 0 { file.at(stsz.start + 12, stsz.length().saturating_sub(12))? } else { Cow::default() };
        if same == 0 && each.len() as u64 / 4 < count {
            let message = format!("expected the lengths of {count} packets in stsz, found {}", each.len() / 4);
            return Err(SoundFault::new(stsz.start, message));
        }
        Ok(Self { count, same, each })
    }

    fn of(&self, index: u64) -> u64 {
        if self.same > 0 { self.same } else { be(&self.each, index as usize * 4, 4) }
    }
}

/// The content of a table with entries of this width, and where it starts.
fn table<'a>(file: Bytes<'a>, stbl: Part, name: &[u8; 4], width: u64, head: u64) -> Result<(u64, Cow<'a, [u8]>)> {
    let Some(part) = find(file, stbl, name)? else {
        let message = format!("expected a box {} in the MP4 file, found none", name.escape_ascii());
        return Err(SoundFault::new(stbl.start, message));
    };
    let count = u64::from(file.be32(part.start + head - 4)?);
    let length = count * width;
    if part.length() < head + length {
        let message = format!("expected {count} entries in {}, found {} bytes", name.escape_ascii(), part.length());
        return Err(SoundFault::new(part.start, message));
    }
    Ok((part.start, file.at(part.start + head, length)?))
}

/// Where chunks start.
fn chunks(file: Bytes<'_>, stbl: Part) -> Result<Vec<u64>> {
    let width = if find(file, stbl, b"stco")?.is_some() { 4 } else { 8 };
    let name = if width == 4 { b"stco" } else { b"co64" };
    let (_, offsets) = table(file, stbl, name, width, 8)?;
    Ok(offsets.chunks_exact(width as usize).map(|offset| be(offset, 0, width as usize)).collect())
}

/// How long all packets last, and how many there are.
fn durations(file: Bytes<'_>, stbl: Part) -> Result<(u64, u64)> {
    let (_, entries) = table(file, stbl, b"stts", 8, 8)?;
    let entries = entries.as_chunks::<8>().0.iter().map(|entry| (be(entry, 0, 4), be(entry, 4, 4)));
    Ok(entries.fold((0, 0), |(duration, sum): (u64, u64), (count, each)| {
        (duration.saturating_add(count * each), sum.saturating_add(count))
    }))
}
