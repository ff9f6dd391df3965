//! Packets of fragments.

use super::Chosen;
use super::boxes::{self, Part, children, find};
use super::ends::Ends;
use crate::bytes::Bytes;
use crate::fault::{Result, SoundFault};
use crate::track::{Packet, Track};

/// What packets of a stream have if their fragment does not say.
#[derive(Clone, Copy, Default)]
struct Defaults {
    duration: u32,
    size: u32,
}

/// The fragments of a stream.
pub(super) struct Fragments<'a> {
    file: Bytes<'a>,
    id: u32,
    defaults: Defaults,
    track: &'a mut Track,
    /// How long the packets last so far, in units of the stream.
    duration: u64,
    /// When the next fragment should start.
    next: Option<u64>,
    /// Whether the stream is in the fragment, with packets.
    is_there: bool,
}

impl<'a> Fragments<'a> {
    /// Adds the packets of all fragments, and returns how long all last, in units of the stream.
    pub(super) fn read(
        file: Bytes<'a>,
        moov: Part,
        chosen: &Chosen,
        duration: u64,
        track: &'a mut Track,
    ) -> Result<u64> {
        let defaults = defaults(file, moov, chosen.id)?;
        let is_alone = children(file, moov)?.iter().filter(|(name, _)| name == b"trak").count() == 1;
        let mut ends = Ends::new(file, moov, chosen)?;
        let mut fragments = Self { file, id: chosen.id, defaults, track, duration, next: None, is_there: false };
        let mut at = 0;
        while file.reaches(at, 8) {
            let (name, part) = boxes::read(file, at, file.total())?;
            if part.end > file.total() && name != *b"mdat" {
                fragments.remark(at, "expected a whole box of the MP4 file, found the end of the file");
                return Ok(fragments.duration);
            }
            if name == *b"moof" {
                ends.fragment(at);
                fragments.read_fragment(at, part)?;
                if is_alone && !fragments.is_there {
                    fragments.remark(at, "expected packets in a fragment of the MP4 file, found none");
                }
            }
            ends.read(file, &name, part)?;
            at = part.end;
        }
        let Self { track, duration, .. } = fragments;
        if track.remarks.is_empty() && track.packets.iter().all(|packet| packet.is_whole(file)) {
            track.remarks.extend(ends.find_fault(file, duration));
        }
        Ok(duration)
    }

    fn remark(&mut self, offset: u64, message: impl Into<std::borrow::Cow<'static, str>>) {
        if self.track.remarks.is_empty() {
            self.track.remarks.push(SoundFault::new(offset, message));
        }
    }

    fn read_fragment(&mut self, start: u64, moof: Part) -> Result<()> {
        self.is_there = false;
        for (name, traf) in children(self.file, moof)? {
            if name == *b"traf" {
                self.read_track(start, traf)?;
            }
        }
        Ok(())
    }

    /// Compares the time of a fragment with the packets so far.
    fn check_time(&mut self, tfdt: Part) -> Result<()> {
        let is_long = self.file.byte(tfdt.start)? == 1;
        let at = tfdt.start + 4;
        let time = if is_long { self.file.be64(at)? } else { self.file.be32(at)?.into() };
        if let Some(expected) = self.next.filter(|&expected| expected < time) {
            let message = format!("expected a fragment from time {expected} on, found one from {time} on");
            self.remark(tfdt.start, message);
        }
        self.next = Some(time);
        Ok(())
    }

    fn read_track(&mut self, moof: u64, traf: Part) -> Result<()> {
        let file = self.file;
        let Some(tfhd) = find(file, traf, b"tfhd")? else {
            return Err(SoundFault::new(traf.start, "expected a box tfhd in the MP4 file, found none"));
        };
        let flags = file.be32(tfhd.start)?;
        if file.be32(tfhd.start + 4)? != self.id {
            return Ok(());
        }
        if let Some(tfdt) = find(file, traf, b"tfdt")? {
            self.check_time(tfdt)?;
        }
        let mut defaults = self.defaults;
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
                next = self.read_run(trun, (base, next), defaults)?;
                self.is_there = true;
            }
        }
        Ok(())
    }

    /// Reads the packets of a run, and returns where the last one ends.
    fn read_run(&mut self, trun: Part, (base, next): (u64, u64), defaults: Defaults) -> Result<u64> {
        let file = self.file;
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
            self.duration = self.duration.saturating_add(lasts.into());
            self.next = self.next.map(|next| next.saturating_add(lasts.into()));
            self.track.push_placed(Packet::new(place, size.into()), file)?;
            place = place.saturating_add(size.into());
            if place > file.total() {
                break;
            }
        }
        Ok(place)
    }
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
