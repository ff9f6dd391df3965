//! AIFF and AIFF-C: chunks with big-endian sizes.
//!
//! ```text
//! FORM size AIFF
//! COMM 18 (channels, number of samples, bits, sampling frequency as a float of 80 bits; in AIFF-C a name of the encoding)
//! SSND size (offset, size of blocks, samples)
//! ```

use super::pcm::{Samples, float, signed};
use crate::bytes::{Bytes, shown};
use crate::encoding::Encoding;
use crate::fault::{Result, SoundFault};
use crate::track::Track;

/// A size that is not known.
const UNKNOWN: u64 = u32::MAX as u64;

/// What the chunk COMM says.
struct Common {
    num_channels: u16,
    num_samples: u64,
    sample_rate: u32,
    encoding: Encoding,
    big_endian: bool,
}

pub(crate) fn read(file: Bytes<'_>) -> Result<Track> {
    let is_compressed = file.name(8)? == *b"AIFC";
    let mut at = 12;
    let mut common = None;
    // The samples may come first.
    let mut samples = None;
    // Bytes before the first sample, to align it.
    let mut skipped = 0;
    while common.is_none() || samples.is_none() {
        let header = file.name(at).and_then(|name| Ok((name, u64::from(file.be32(at + 4)?))));
        let (name, size) = match header {
            Err(fault) if !file.reaches(at, 8) => {
                let missing = if common.is_none() { "COMM" } else { "SSND" };
                return Err(SoundFault {
                    message: format!("expected a chunk {missing} in the AIFF file, found its end").into(),
                    ..fault
                });
            }
            header => header?,
        };
        let start = at + 8;
        match &name {
            b"COMM" => common = Some(read_common(file, start, size, is_compressed)?),
            b"SSND" => {
                skipped = file.be32(start)?.into();
                samples = Some((start + 8 + skipped, size));
            }
            _ => {}
        }
        at = start + size + size % 2;
    }
    let (Some(common), Some((start, size))) = (common, samples) else {
        return Err(SoundFault::new(12, "expected chunks COMM and SSND in the AIFF file, found none"));
    };
    let Common { num_channels, num_samples, sample_rate, encoding, big_endian } = common;
    let frame = (encoding.num_bytes() as u64 * u64::from(num_channels)).max(1);
    // A program that writes to a pipe does not know the length: FFmpeg writes 0, SoX as many samples as fit in 7f000000 bytes.
    let sox = 0x7f00_0000 / frame;
    let is_streamed = matches!(size, 0 | UNKNOWN) || (num_samples == sox && size == 8 + sox * frame);
    let (num_bytes, count) =
        if is_streamed { (None, None) } else { (Some(size.saturating_sub(8 + skipped)), Some(num_samples)) };
    Samples { encoding, big_endian, sample_rate, num_channels, start, num_bytes, count }.into_track(file)
}

fn read_common(file: Bytes<'_>, at: u64, size: u64, is_compressed: bool) -> Result<Common> {
    let needed = if is_compressed { 22 } else { 18 };
    if size < needed {
        return Err(SoundFault::new(at, format!("expected {needed} bytes in the chunk COMM, found {size}")));
    }
    let bits = u64::from(file.be16(at + 6)?);
    let name = if is_compressed { file.name(at + 18)? } else { *b"NONE" };
    let width = bits.div_ceil(8);
    let (encoding, big_endian) = match &name {
        b"NONE" | b"twos" | b"in24" | b"in32" => (signed(width), true),
        b"sowt" => (signed(width), false),
        b"raw " => (Some(Encoding::Unsigned8).filter(|_| width == 1), true),
        b"fl32" | b"FL32" => (float(4), true),
        b"fl64" | b"FL64" => (float(8), true),
        b"ulaw" | b"ULAW" => (Some(Encoding::MuLaw), true),
        b"alaw" | b"ALAW" => (Some(Encoding::ALaw), true),
        _ => (None, true),
    };
    let Some(encoding) = encoding else {
        let found = format!("{} of {bits} bits", shown(&name));
        return Err(SoundFault::new(
            at,
            format!("expected PCM, floats, A-law or mu-law in the AIFF file, found {found}"),
        ));
    };
    let exponent = i32::from(file.be16(at + 8)? & 0x7fff) - 16383 - 63;
    let rate = file.be64(at + 10)? as f64 * f64::from(exponent).exp2();
    let sample_rate = if (1.0..=f64::from(u32::MAX)).contains(&rate) { rate.round() as u32 } else { 0 };
    let (num_channels, num_samples) = (file.be16(at)?, file.be32(at + 2)?.into());
    Ok(Common { num_channels, num_samples, sample_rate, encoding, big_endian })
}
