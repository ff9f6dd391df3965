//! HE-AAC that looks like AAC-LC: frames with spectral bands that are replicated (SBR), though no header says so. Its real sampling
//! frequency is the double.

use super::{Bits, Codec, check_aac_type};
use crate::bytes::Bytes;
use crate::fault::Result;
use crate::track::Track;

/// The highest sampling frequency of such frames; above it, a header has to say it.
const MAX_RATE: u32 = 24_000;
/// The frames that are looked at, and the least of them that have to be like this.
const NUM_LOOKED_AT: usize = 64;
const LEAST: usize = 8;
/// The longest element, in bytes.
const LONGEST: usize = 270;

/// Refuses a stream of AAC that is HE-AAC in fact.
///
/// # Errors
/// If it is. If more bytes of the file are needed, `at_end` is set.
pub(crate) fn check(track: &Track, file: Bytes<'_>) -> Result<()> {
    if !matches!(track.codec, Codec::Aac { .. }) || track.sample_rate > MAX_RATE {
        return Ok(());
    }
    let packets = track.packets.iter().take(NUM_LOOKED_AT).filter(|packet| packet.is_whole(file));
    let (mut num_frames, mut num_alike) = (0, 0);
    for packet in packets {
        num_frames += 1;
        num_alike += usize::from(ends_with_sbr(&packet.bytes(file)?));
    }
    // One frame in 60 looks so by chance.
    if num_alike >= LEAST && 2 * num_alike >= num_frames {
        let offset = track.packets.first().map_or(0, |packet| packet.offset);
        check_aac_type(5, offset)?;
    }
    Ok(())
}

/// Whether a frame ends with an element that replicates bands. The elements of a frame can only be found by decoding it, but the
/// last ones are found from the end: `110`, the length in bytes (4 bits; 15 means that 8 more bits are added), `1101` or `1110`,
/// ..., perhaps elements that fill the frame, `111`, zeros.
fn ends_with_sbr(frame: &[u8]) -> bool {
    let Some(last) = frame.iter().rposition(|&byte| byte != 0) else { return false };
    // Where the mark of the end, three ones, starts.
    let ones = last * 8 + 8 - frame[last].trailing_zeros() as usize;
    let Some(mut end) = ones.checked_sub(3).filter(|&end| Bits { bytes: frame, at: end }.take(3) == 7) else {
        return false;
    };
    while let Some((start, kind)) = element_before(frame, end) {
        if matches!(kind, 13 | 14) {
            return true;
        }
        end = start;
    }
    false
}

/// The element that fills a frame, or extends it, up to a bit: where it starts, and its kind.
fn element_before(frame: &[u8], end: usize) -> Option<(usize, u32)> {
    let bits = |at: usize, count: usize| Bits { bytes: frame, at }.take(count);
    let starts = (end.saturating_sub(15 + 8 * LONGEST)..end.saturating_sub(6)).filter(|&start| bits(start, 3) == 6);
    let elements = starts.filter_map(|start| {
        let (length, payload) = match bits(start + 3, 4) as usize {
            15 => (14 + bits(start + 7, 8) as usize, start + 15),
            length => (length, start + 7),
        };
        (payload + 8 * length == end).then(|| (start, if length > 0 { bits(payload, 4) } else { 0 }))
    });
    // Several places may look like a start by chance.
    let elements: Vec<(usize, u32)> = elements.collect();
    elements.iter().copied().find(|(_, kind)| matches!(kind, 13 | 14)).or(elements.last().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of these bits, filled up with zeros.
    fn frame(bits: &[&str]) -> Vec<u8> {
        let mut bits: Vec<u8> = bits.concat().bytes().map(|bit| bit - b'0').collect();
        bits.resize(bits.len().div_ceil(8) * 8, 0);
        bits.chunks(8).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit)).collect()
    }

    #[test]
    fn the_last_elements_of_a_frame_are_found() {
        let (sound, end) = ("0000000101101001011100010", "111");
        let sbr = format!("1100011{}{}", "1101", "0".repeat(20));
        let long = format!("1101111{:08b}{}{}", 20 - 14, "1110", "01".repeat(78));
        let fill = format!("1100010{}{}", "0000", "0".repeat(12));
        let empty = "1100000";
        for bits in [vec![&sbr[..]], vec![&long], vec![&sbr, &fill], vec![&long, empty], vec![&sbr, &fill, empty]] {
            assert!(ends_with_sbr(&frame(&[&[sound], &bits[..], &[end]].concat())), "{bits:?}");
        }
        for bits in [vec![], vec![&fill[..]], vec![empty], vec![&sbr, sound]] {
            assert!(!ends_with_sbr(&frame(&[&[sound], &bits[..], &[end]].concat())), "{bits:?}");
        }
        assert!(!ends_with_sbr(&[0; 9]));
        assert!(!ends_with_sbr(&[0xff]));
        assert!(!ends_with_sbr(b""));
    }
}
