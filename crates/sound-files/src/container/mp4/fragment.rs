//! Packets of fragments.

use super::boxes::{Part, children, find};
use crate::bytes::Bytes;
use crate::fault::{Result, SoundFault};
use crate::track::{Packet, Track};

/// What packets of a stream have if their fragment does not say.
#[derive(Clone, Copy, Default)]
struct Defaults {
    duration: u32,
    size: u32,
}

/// Adds the packets of all fragments of a stream.
pub(super) fn read(file: Bytes<'_>, moov: Part, id: u32, track: &mut Track, duration: &mut u64) -> Result<()> {
    let defaults = defaults(file, moov, id)?;
    let mut at = 0;
    while file.reaches(at, 8) {
        let Some(moof) = find(file, Part { start: at, end: file.total() }, b"moof")? else { break };
        let start = moof.start - 8;
        for (name, traf) in children(file, moof)? {
            if name == *b"traf" {
                read_track(file, (start, traf), id, defaults, track, duration)?;
            }
        }
        at = moof.end;
    }
    Ok(())
}

fn defaults(file: Bytes<'_>, moov: Part, id: u32) -> Result<Defaults> {
    let Some(mvex) = find(file, moov, b"mvex")? else { return Ok(Defaults::default()) };
    for (name, trex) in children(file, mvex)? {
        if name == *b"trex" && file.be32(trex.start + 4)? == id {
            return Ok(Defaults { duration: file.be32(trex.start + 12)?, size: file.be32(trex.start + 16)? });
        }
    }
    Ok(Defaults::default())
}

fn read_track(
    file: Bytes<'_>,
    (moof, traf): (u64, Part),
    id: u32,
    mut defaults: Defaults,
    track: &mut Track,
    duration: &mut u64,
) -> Result<()> {
    let Some(tfhd) = find(file, traf, b"tfhd")? else {
        return Err(SoundFault::new(traf.start, "expected a box tfhd in the MP4 file, found none"));
    };
    let flags = file.be32(tfhd.start)?;
    if file.be32(tfhd.start + 4)? != id {
        return Ok(());
    }
    let mut at = tfhd.start + 8;
    let mut base = moof;
    if flags & 1 != 0 {
        base = file.be64(at)?;
        at += 8;
    }
    at += if flags & 2 != 0 { 4 } else { 0 };
    if flags & 8 != 0 {
        defaults.duration = file.be32(at)?;
        at += 4;
    }
    if flags & 0x10 != 0 {
        defaults.size = file.be32(at)?;
    }
    let mut next = base;
    for (name, trun) in children(file, traf)? {
        if name == *b"trun" {
            next = read_run(file, trun, (base, next), defaults, track, duration)?;
        }
    }
    Ok(())
}

/// Reads the packets of a run, and returns where the last one ends.
fn read_run(
    file: Bytes<'_>,
    trun: Part,
    (base, next): (u64, u64),
    defaults: Defaults,
    track: &mut Track,
    duration: &mut u64,
) -> Result<u64> {
    let (flags, count) = (file.be32(trun.start)?, file.be32(trun.start + 4)?);
    let mut at = trun.start + 8;
    let mut place = next;
    if flags & 1 != 0 {
        place = base.saturating_add_signed(i64::from(file.be32(at)? as i32));
        at += 4;
    }
    at += if flags & 4 != 0 { 4 } else { 0 };
    for _ in 0..count {
        let mut field = |bit: u32, default: u32| -> Result<u32> {
            if flags & bit == 0 {
                return Ok(default);
            }
            at += 4;
            file.be32(at - 4)
        };
        let lasts = field(0x100, defaults.duration)?;
        let size = field(0x200, defaults.size)?;
        field(0x400, 0)?;
        field(0x800, 0)?;
        if size == 0 {
            return Err(SoundFault::new(trun.start, "expected a packet of the MP4 file, found one of no bytes"));
        }
        *duration = duration.saturating_add(lasts.into());
        track.push_placed(Packet::new(place, size.into()), file)?;
        place = place.saturating_add(size.into());
        if place > file.total() {
            break;
        }
    }
    Ok(place)
}
