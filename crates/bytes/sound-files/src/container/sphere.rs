//! NIST SPHERE: a header of text, whose length is in its second line, then samples.
//!
//! ```text
//! NIST_1A
//!    1024
//! sample_rate -i 16000
//! channel_count -i 1
//! sample_coding -s3 pcm
//! end_head
//! ```

use super::pcm::{Samples, signed};
use crate::bytes::Bytes;
use crate::encoding::Encoding;
use crate::fault::{Result, SoundFault};
use crate::track::Track;

/// Bytes of the first two lines.
const FIRST: u64 = 16;
/// The longest header.
const MAX_HEADER: u64 = 1 << 20;

pub(crate) fn read(file: Bytes<'_>) -> Result<Track> {
    let length = String::from_utf8_lossy(&file.at(8, FIRST - 8)?).trim().to_owned();
    let start = length.parse::<u64>().ok().filter(|length| (FIRST..=MAX_HEADER).contains(length));
    let Some(start) = start else {
        return Err(SoundFault::new(8, format!("expected the length of the SPHERE header, found {length:?}")));
    };
    let text = String::from_utf8_lossy(&file.at(FIRST, start - FIRST)?).into_owned();
    let lines = text.lines().map(str::trim).take_while(|line| *line != "end_head");
    let fields: Vec<(&str, &str)> = lines
        .filter_map(|line| {
            let (name, rest) = line.split_once(' ')?;
            let (_type, value) = rest.trim_start().split_once(' ').unwrap_or(("", ""));
            Some((name, value.trim()))
        })
        .collect();
    let field = |name: &str| fields.iter().find(|(is, _)| *is == name).map(|(_, value)| *value);
    let number = |name: &str| field(name).and_then(|value| value.parse::<u64>().ok());
    let wanted = |name: &str| {
        number(name)
            .ok_or_else(|| SoundFault::new(FIRST, format!("expected a number {name} in the SPHERE header, found none")))
    };
    let coding = field("sample_coding").unwrap_or("pcm");
    let (base, packed) = coding.split_once(',').unwrap_or((coding, ""));
    if !packed.is_empty() {
        let message = format!("expected samples that are not compressed in the SPHERE file, found {packed}");
        return Err(SoundFault::new(FIRST, message));
    }
    let width = number("sample_n_bytes").unwrap_or(if base == "pcm" { 2 } else { 1 });
    let encoding = match base {
        "pcm" => signed(width),
        "ulaw" | "mu-law" => Some(Encoding::MuLaw).filter(|_| width == 1),
        "alaw" => Some(Encoding::ALaw).filter(|_| width == 1),
        _ => None,
    };
    let Some(encoding) = encoding else {
        let message = format!("expected PCM, A-law or mu-law in the SPHERE file, found {coding} of {width} bytes");
        return Err(SoundFault::new(FIRST, message));
    };
    let order = field("sample_byte_format").unwrap_or("01");
    let big_endian = match order {
        "1" | "01" | "0" | "N" | "mu-law" => false,
        order if order.starts_with("01") => false,
        order if order.starts_with("10") || order == "210" || order == "3210" => true,
        order if width == 1 || order == "012" || order == "0123" => false,
        other => {
            let message = format!("expected an order of bytes, 01 or 10, in the SPHERE file, found {other}");
            return Err(SoundFault::new(FIRST, message));
        }
    };
    let sample_rate = u32::try_from(wanted("sample_rate")?).unwrap_or(u32::MAX);
    let num_channels = u16::try_from(number("channel_count").unwrap_or(1)).unwrap_or(u16::MAX);
    let count = number("sample_count").filter(|count| *count > 0);
    Samples { encoding, big_endian, sample_rate, num_channels, start, num_bytes: None, count }.into_track(file)
}
