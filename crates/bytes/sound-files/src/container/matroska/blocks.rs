//! The packets of a block.

use super::element::{Element, read_number};
use super::packet;
use crate::bytes::Bytes;
use crate::fault::{Result, SoundFault};
use crate::track::{Packet, Track};

/// Adds the packets of a block, if they are of the stream with this number; `discard` samples at its end do not count. Returns the
/// number of the stream, and the time after that of the cluster.
pub(super) fn read(file: Bytes<'_>, block: &Element, id: u64, discard: u64, track: &mut Track) -> Result<(u64, i64)> {
    let (Some(found), width) = read_number(file, block.start, false)? else {
        return Err(SoundFault::new(block.start, "expected the number of a stream, found none"));
    };
    let time = i64::from(file.be16(block.start + width)? as i16);
    if found != id {
        return Ok((found, time));
    }
    let flags = file.byte(block.start + width + 2)?;
    let mut at = block.start + width + 3;
    let end = block.start.saturating_add(block.size.unwrap_or(0));
    let lengths = match flags >> 1 & 3 {
        0 => Vec::new(),
        lacing => {
            let count = usize::from(file.byte(at)?);
            at += 1;
            match lacing {
                1 => xiph(file, &mut at, count)?,
                3 => ebml(file, &mut at, count)?,
                _ => vec![end.saturating_sub(at) / (count as u64 + 1); count],
            }
        }
    };
    for length in lengths {
        track.packets.push(within(at, length, end)?);
        at += length;
    }
    let mut last = within(at, end.saturating_sub(at), end)?;
    last.set_discard(discard);
    track.packets.push(last);
    Ok((found, time))
}

fn within(at: u64, length: u64, end: u64) -> Result<Packet> {
    if at.checked_add(length).is_none_or(|stop| stop > end) {
        return Err(SoundFault::new(at, format!("expected packets up to byte {end} in the block, found more")));
    }
    packet(at, length)
}

/// Lengths as sums of bytes, up to one below 255.
fn xiph(file: Bytes<'_>, at: &mut u64, count: usize) -> Result<Vec<u64>> {
    let mut lengths = Vec::new();
    for _ in 0..count {
        let mut length = 0;
        loop {
            let byte = file.byte(*at)?;
            *at += 1;
            length += u64::from(byte);
            if byte < 255 {
                break;
            }
        }
        lengths.push(length);
    }
    Ok(lengths)
}

/// The first length, then differences.
fn ebml(file: Bytes<'_>, at: &mut u64, count: usize) -> Result<Vec<u64>> {
    let mut lengths: Vec<u64> = Vec::new();
    for index in 0..count {
        let (value, width) = read_number(file, *at, false)?;
        let fault = SoundFault::new(*at, "expected the length of a packet in the block, found something else");
        let value = value.ok_or_else(|| fault.clone())?;
        *at += width;
        let length = match lengths.last() {
            None => Some(value),
            // The middle of the range is 0.
            Some(last) => last.checked_add_signed(value as i64 - ((1 << (7 * width - 1)) - 1)),
        };
        debug_assert!(index == lengths.len());
        lengths.push(length.ok_or(fault)?);
    }
    Ok(lengths)
}
