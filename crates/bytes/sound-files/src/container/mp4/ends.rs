//! Where fragments end: a file that is cut between two of them looks whole, but for what other boxes say.

use super::Chosen;
use super::boxes::{Part, children, find};
use crate::bytes::Bytes;
use crate::fault::{Result, SoundFault};

/// What boxes say of the end.
pub(super) struct Ends {
    id: u32,
    /// How long all fragments last, in units of the stream: the box `mehd`.
    duration: Option<u64>,
    /// Where fragments that are there start.
    found: Vec<u64>,
    /// Where fragments start: the box `mfra`.
    listed: Option<Vec<u64>>,
    /// Where what indices list ends: boxes `sidx`; and whether one is of several fragments.
    indexed: Option<u64>,
    is_index: bool,
}

impl Ends {
    pub(super) fn new(file: Bytes<'_>, moov: Part, chosen: &Chosen) -> Result<Self> {
        let duration = duration(file, moov, chosen)?;
        Ok(Self { id: chosen.id, duration, found: Vec::new(), listed: None, indexed: None, is_index: false })
    }

    /// A fragment starts here.
    pub(super) fn fragment(&mut self, at: u64) {
        self.found.push(at);
    }

    /// Looks at a box that is in no other.
    pub(super) fn read(&mut self, file: Bytes<'_>, name: &[u8; 4], part: Part) -> Result<()> {
        match name {
            b"mfra" => {
                let listed = self.listed.get_or_insert_default();
                for (name, tfra) in children(file, part)? {
                    if name == *b"tfra" && file.be32(tfra.start + 4)? == self.id {
                        listed.extend(places(file, tfra)?);
                    }
                }
            }
            b"sidx" => {
                let (end, count) = index(file, part)?;
                self.indexed = self.indexed.max(Some(end));
                self.is_index |= count > 1;
            }
            _ => {}
        }
        Ok(())
    }

    /// Compares all of it with what was found, which lasts so long.
    pub(super) fn find_fault(self, file: Bytes<'_>, duration: u64) -> Option<SoundFault> {
        let listed = self.listed.as_deref().unwrap_or_default();
        if let Some(missing) = listed.iter().find(|place| self.found.binary_search(place).is_err()) {
            return Some(SoundFault::new(
                *missing,
                "expected a fragment of the MP4 file here, as mfra says, found none",
            ));
        }
        if let Some(end) = self.indexed.filter(|&end| end > file.total()) {
            let message = format!("expected fragments up to byte {end}, as sidx says, found the end of the file");
            return Some(SoundFault::new(file.total(), message));
        }
        match self.duration {
            Some(expected) if duration < expected => {
                let message = format!("expected fragments of {expected} units of time, as mehd says, found {duration}");
                Some(SoundFault::new(file.total(), message))
            }
            None if self.listed.is_none() && !self.is_index => {
                let message =
                    "expected a box mfra or sidx of all fragments, found none: nothing shows whether the file is whole";
                Some(SoundFault { is_doubt: true, ..SoundFault::new(file.total(), message) })
            }
            _ => None,
        }
    }
}

/// The duration in the box `mehd`, rounded down to units of the stream.
fn duration(file: Bytes<'_>, moov: Part, chosen: &Chosen) -> Result<Option<u64>> {
    let Some(mvex) = find(file, moov, b"mvex")? else { return Ok(None) };
    let Some(mehd) = find(file, mvex, b"mehd")? else { return Ok(None) };
    let Some(mvhd) = find(file, moov, b"mvhd")? else { return Ok(None) };
    let is_long = |part: Part| file.byte(part.start).map(|version| version == 1);
    let duration = if is_long(mehd)? { file.be64(mehd.start + 4)? } else { file.be32(mehd.start + 4)?.into() };
    let film = u128::from(file.be32(mvhd.start + if is_long(mvhd)? { 20 } else { 12 })?).max(1);
    // The unit of the film may be longer.
    let shortest = u128::from(duration.saturating_sub(1)) * u128::from(chosen.time_scale) / film;
    Ok(Some(u64::try_from(shortest).unwrap_or(u64::MAX)).filter(|_| duration > 0))
}

/// Where the fragments in a box `tfra` start.
fn places(file: Bytes<'_>, tfra: Part) -> Result<Vec<u64>> {
    let is_long = file.byte(tfra.start)? == 1;
    let (widths, count) = (file.be32(tfra.start + 8)?, u64::from(file.be32(tfra.start + 12)?));
    let numbers = 3 + (widths & 3) + (widths >> 2 & 3) + (widths >> 4 & 3);
    let width = u64::from(numbers) + if is_long { 16 } else { 8 };
    let there = tfra.length().saturating_sub(16) / width;
    let place = |index: u64| {
        let at = tfra.start + 16 + index * width;
        if is_long { file.be64(at + 8) } else { file.be32(at + 4).map(u64::from) }
    };
    (0..count.min(there)).map(place).collect()
}

/// Where the parts that a box `sidx` lists end, and how many they are.
fn index(file: Bytes<'_>, sidx: Part) -> Result<(u64, u64)> {
    let is_long = file.byte(sidx.start)? == 1;
    let first = if is_long { file.be64(sidx.start + 20)? } else { file.be32(sidx.start + 16)?.into() };
    let at = sidx.start + if is_long { 28 } else { 20 };
    let count = u64::from(file.be16(at + 2)?);
    let mut end = sidx.end.saturating_add(first);
    for index in 0..count {
        end = end.saturating_add(u64::from(file.be32(at + 4 + 12 * index)? & 0x7fff_ffff));
    }
    Ok((end, count))
}
