//! MP4, M4A, QuickTime: boxes, each after its size and its name (ISO/IEC 14496-12).
//!
//! ```text
//! ftyp
//! moov  mvhd (time scale)
//!       trak  tkhd, edts elst (which part is played), mdia  mdhd (time scale), hdlr (soun), minf stbl
//!             stbl  stsd (codec), stts (durations), stsz (lengths), stsc, stco (where they are)
//! mdat  packets
//! moof  traf  tfhd, trun (packets of a fragment)
//! ```

mod boxes;
mod ends;
mod entry;
mod fragment;
mod table;
mod trims;

use boxes::{Part, children, find};
pub(crate) use entry::aac_config;
use fragment::Fragments;

use crate::bytes::Bytes;
use crate::fault::{Result, SoundFault};
use crate::track::Track;

/// The stream that is read.
struct Chosen {
    /// The box `trak`.
    trak: Part,
    /// The number of the stream.
    id: u32,
    /// Units of time in a second.
    time_scale: u32,
    stbl: Part,
}

pub(crate) fn read(file: Bytes<'_>) -> Result<Track> {
    let Some(moov) = top(file, b"moov")? else {
        return Err(SoundFault::at_end(file.total(), "expected a box moov in the MP4 file, found its end"));
    };
    let chosen = choose(file, moov)?;
    let mut track = entry::read(file, chosen.stbl)?;
    let mut durations = table::read(file, chosen.stbl, &mut track)?;
    if find(file, moov, b"mvex")?.is_some() {
        durations = Fragments::read(file, moov, &chosen, durations, &mut track)?;
    }
    super::mpeg::look_inside(file, &mut track)?;
    trims::apply(file, moov, &chosen, &mut track, durations)?;
    Ok(track)
}

/// The first box of this name that is in no other.
fn top(file: Bytes<'_>, name: &[u8; 4]) -> Result<Option<Part>> {
    find(file, Part { start: 0, end: file.total() }, name)
}

/// Chooses the first stream of sound that is enabled, else the first one.
fn choose(file: Bytes<'_>, moov: Part) -> Result<Chosen> {
    let mut first = None;
    for (name, trak) in children(file, moov)? {
        if name != *b"trak" {
            continue;
        }
        let Some(mdia) = find(file, trak, b"mdia")? else { continue };
        let Some(hdlr) = find(file, mdia, b"hdlr")? else { continue };
        if file.name(hdlr.start + 8)? != *b"soun" {
            continue;
        }
        let missing = |name: &str| {
            SoundFault::new(trak.start, format!("expected a box {name} in the stream of the MP4 file, found none"))
        };
        let tkhd = find(file, trak, b"tkhd")?.ok_or_else(|| missing("tkhd"))?;
        let mdhd = find(file, mdia, b"mdhd")?.ok_or_else(|| missing("mdhd"))?;
        let minf = find(file, mdia, b"minf")?.ok_or_else(|| missing("minf"))?;
        let stbl = find(file, minf, b"stbl")?.ok_or_else(|| missing("stbl"))?;
        let flags = file.be32(tkhd.start)?;
        let id = file.be32(tkhd.start + if flags >> 24 == 1 { 20 } else { 12 })?;
        let time_scale = file.be32(mdhd.start + if file.byte(mdhd.start)? == 1 { 20 } else { 12 })?;
        if time_scale == 0 {
            return Err(SoundFault::new(mdhd.start, "expected units of time of 1 s or less, found 0 in a second"));
        }
        let chosen = Chosen { trak, id, time_scale, stbl };
        if flags & 1 == 1 {
            return Ok(chosen);
        }
        first.get_or_insert(chosen);
    }
    first.ok_or_else(|| SoundFault::new(moov.start, "expected a stream of sound in the MP4 file, found none"))
}
