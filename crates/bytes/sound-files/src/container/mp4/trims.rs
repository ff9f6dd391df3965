//! Which part of a stream is sound: the list of edits, or a note of iTunes.

use super::Chosen;
use super::boxes::{Part, children, find};
use crate::bytes::Bytes;
use crate::codec::Codec;
use crate::fault::{Result, SoundFault};
use crate::track::Track;

/// A part of a stream that is played.
struct Edit {
    /// Units of the film.
    duration: u64,
    /// Units of the stream.
    start: u64,
}

/// Notes the part in the stream, and the number of samples if `duration` (in units of the stream) has it.
pub(super) fn apply(file: Bytes<'_>, moov: Part, chosen: &Chosen, track: &mut Track, duration: u64) -> Result<()> {
    let rate = u64::from(track.sample_rate);
    let scale = u64::from(chosen.time_scale);
    let samples =
        |units: u64, scale: u64| (u128::from(units) * u128::from(rate) + u128::from(scale / 2)) / u128::from(scale);
    let count = |units: u64, scale: u64| u64::try_from(samples(units, scale)).unwrap_or(u64::MAX);
    match &track.codec {
        Codec::Aac { .. } => {}
        // The last packet is shorter than the others.
        Codec::Alac { .. } | Codec::Flac(_) if duration > 0 && scale == rate => track.num_coded = Some(duration),
        _ => {}
    }
    if let Some(edit) = edit(file, chosen.trak)? {
        let mvhd = find(file, moov, b"mvhd")?
            .ok_or_else(|| SoundFault::new(moov.start, "expected a box mvhd in the MP4 file, found none"))?;
        let film = u64::from(file.be32(mvhd.start + if file.byte(mvhd.start)? == 1 { 20 } else { 12 })?).max(1);
        track.skip = count(edit.start, scale);
        track.length = Some(count(edit.duration, film)).filter(|length| *length > 0);
    } else if let Some((delay, length)) = note(file, moov)? {
        track.skip = delay;
        track.length = Some(length).filter(|length| *length > 0);
    } else if let Codec::Opus(head) = &track.codec {
        track.skip = head.pre_skip.into();
    }
    // Durations are rounded, so that they are a promise only of a file that is cut.
    if track.packets.iter().any(|packet| !packet.is_whole(file)) {
        let promised = count(duration, scale).saturating_sub(track.skip);
        track.promised = Some(track.length.map_or(promised, |length| length.min(promised)));
    }
    Ok(())
}

/// The part that the list of edits names; `None` if there is no list.
fn edit(file: Bytes<'_>, trak: Part) -> Result<Option<Edit>> {
    let Some(edts) = find(file, trak, b"edts")? else { return Ok(None) };
    let Some(elst) = find(file, edts, b"elst")? else { return Ok(None) };
    let is_long = file.byte(elst.start)? == 1;
    let width = if is_long { 20 } else { 12 };
    let mut found: Option<Edit> = None;
    for index in 0..u64::from(file.be32(elst.start + 4)?) {
        let at = elst.start + 8 + index * width;
        let (duration, start) = if is_long {
            (file.be64(at)?, file.be64(at + 8)? as i64)
        } else {
            (file.be32(at)?.into(), i64::from(file.be32(at + 4)? as i32))
        };
        // Nothing is played for a while.
        let Ok(start) = u64::try_from(start) else { continue };
        if found.is_some() {
            return Err(SoundFault::new(at, "expected one part in the list of edits of the MP4 file, found more"));
        }
        found = Some(Edit { duration, start });
    }
    Ok(found)
}

/// The note `iTunSMPB` of iTunes: samples at the start that do not count, and samples that do.
fn note(file: Bytes<'_>, moov: Part) -> Result<Option<(u64, u64)>> {
    let Some(udta) = find(file, moov, b"udta")? else { return Ok(None) };
    let Some(meta) = find(file, udta, b"meta")? else { return Ok(None) };
    // Version and flags come first.
    let Some(ilst) = find(file, Part { start: meta.start + 4, ..meta }, b"ilst")? else { return Ok(None) };
    for (name, item) in children(file, ilst)? {
        if name != *b"----" {
            continue;
        }
        let (Some(name), Some(data)) = (find(file, item, b"name")?, find(file, item, b"data")?) else { continue };
        if !file.at(name.start, name.length())?.ends_with(b"iTunSMPB") {
            continue;
        }
        let text = String::from_utf8_lossy(&file.at(data.start, data.length())?).into_owned();
        let text = text.trim_start_matches(|c: char| !c.is_ascii_hexdigit());
        let numbers: Vec<u64> =
            text.split_whitespace().take(4).filter_map(|word| u64::from_str_radix(word, 16).ok()).collect();
        if let [_, delay, _, length] = numbers[..] {
            return Ok(Some((delay, length)));
        }
    }
    Ok(None)
}
