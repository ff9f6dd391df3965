//! The header of Opus, and the lengths of its packets (RFC 6716, RFC 7845).

use crate::bytes::{be, le};
use crate::fault::{Result, SoundFault};

/// The sampling frequency that Opus is decoded at.
pub(crate) const RATE: u32 = 48_000;

/// Which channel of Vorbis' order, which Opus has, too, is each one in the order of RIFF/WAVE (left, right, center, bass, back, side).
const WAVE_ORDER: [&[usize]; 8] = [
    &[0],
    &[0, 1],
    &[0, 2, 1],
    &[0, 1, 2, 3],
    &[0, 2, 1, 3, 4],
    &[0, 2, 1, 5, 3, 4],
    &[0, 2, 1, 6, 5, 3, 4],
    &[0, 2, 1, 7, 5, 6, 3, 4],
];

/// What the header of a stream of Opus says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpusHead {
    pub(crate) num_channels: u8,
    /// Samples at the start that do not count.
    pub(crate) pre_skip: u16,
    /// Hundredths of a decibel, by 2.56.
    pub(crate) gain: i16,
    /// Streams, streams of two channels, and where each channel is in them.
    pub(crate) layout: (u8, u8, Vec<u8>),
}

impl OpusHead {
    /// Reads `OpusHead` of Ogg, Matroska and CAF.
    pub(crate) fn read(packet: &[u8], offset: u64) -> Result<Self> {
        if packet.len() < 19 || !packet.starts_with(b"OpusHead") || packet[8] >> 4 != 0 {
            return Err(SoundFault::new(offset, "expected the header of Opus, found something else"));
        }
        Self::new(packet, offset, 9, le(packet, 10, 2) as u16, le(packet, 16, 2) as u16)
    }

    /// Reads the box `dOps` of MP4, whose numbers are big-endian.
    pub(crate) fn read_box(content: &[u8], offset: u64) -> Result<Self> {
        if content.len() < 11 || content[0] != 0 {
            return Err(SoundFault::new(offset, "expected the header of Opus in a box dOps, found something else"));
        }
        Self::new(content, offset, 1, be(content, 2, 2) as u16, be(content, 8, 2) as u16)
    }

    /// One stream of one or two channels, of which nothing else is known.
    pub(crate) fn plain(num_channels: u8) -> Self {
        let layout = (1, num_channels - 1, (0..num_channels).collect());
        Self { num_channels, pre_skip: 0, gain: 0, layout }
    }

    /// The number of channels is at `at`; the family of layouts is nine bytes later.
    fn new(bytes: &[u8], offset: u64, at: usize, pre_skip: u16, gain: u16) -> Result<Self> {
        let num_channels = bytes[at];
        let family = bytes[at + 9];
        let table = bytes.get(at + 10..).unwrap_or_default();
        let layout = match (family, num_channels) {
            (0, 1) => (1, 0, vec![0]),
            (0, 2) => (1, 1, vec![0, 1]),
            (1, 1..=8) if table.len() >= 2 + usize::from(num_channels) => {
                let order = WAVE_ORDER[usize::from(num_channels) - 1];
                (table[0], table[1], order.iter().map(|&channel| table[2 + channel]).collect())
            }
            _ => {
                let found = format!("{num_channels} channels in family {family}");
                return Err(SoundFault::new(
                    offset,
                    format!("expected a layout of the channels of Opus, found {found}"),
                ));
            }
        };
        Ok(Self { num_channels, pre_skip, gain: gain as i16, layout })
    }

    /// The number that the samples are multiplied by.
    #[cfg(feature = "codecs")]
    pub(crate) fn factor(&self) -> f32 {
        10_f64.powf(f64::from(self.gain) / (20.0 * 256.0)) as f32
    }
}

/// The number of samples of a packet, at 48 kHz.
pub(crate) fn num_samples(packet: &[u8]) -> std::result::Result<u64, String> {
    let Some(&head) = packet.first() else { return Err("expected a packet of Opus, found nothing".to_owned()) };
    let frame = match head >> 3 {
        config @ 0..=11 => [480, 960, 1920, 2880][usize::from(config & 3)],
        config @ 12..=15 => [480, 960][usize::from(config & 1)],
        config => [120, 240, 480, 960][usize::from(config & 3)],
    };
    let num_frames = match (head & 3, packet.get(1)) {
        (0, _) => 1,
        (1 | 2, _) => 2,
        (_, Some(count)) => u64::from(count & 63),
        (_, None) => return Err("expected the number of frames of Opus, found the end of the packet".to_owned()),
    };
    if num_frames == 0 || num_frames * frame > 5760 {
        return Err(format!("expected at most 120 ms of Opus, found {num_frames} frames of {frame} samples"));
    }
    Ok(num_frames * frame)
}

/// Takes the first of several streams off a packet: writes it as a packet of its own, without the length of its last frame,
/// and returns how many bytes it took (RFC 6716, appendix B).
#[cfg(feature = "codecs")]
pub(crate) fn split(packet: &[u8], single: &mut Vec<u8>) -> std::result::Result<usize, String> {
    let ends = || "expected a stream of Opus, found the end of the packet".to_owned();
    let mut at = 0;
    let byte = |at: &mut usize| {
        *at += 1;
        packet.get(*at - 1).copied().map(usize::from).ok_or_else(ends)
    };
    let length = |at: &mut usize| {
        let first = byte(at)?;
        if first < 252 { Ok::<_, String>(first) } else { Ok(first + 4 * byte(at)?) }
    };
    let (mut num_frames, mut has_lengths, mut padding) = (1, false, 0);
    match byte(&mut at)? & 3 {
        0 => {}
        1 => num_frames = 2,
        2 => (num_frames, has_lengths) = (2, true),
        _ => {
            let flags = byte(&mut at)?;
            (num_frames, has_lengths) = (flags & 63, flags & 128 != 0);
            let mut more = if flags & 64 != 0 { 255 } else { 0 };
            while more == 255 {
                more = byte(&mut at)?;
                padding += more.min(254);
            }
        }
    }
    let mut sum = 0;
    if has_lengths {
        for _ in 1..num_frames {
            sum += length(&mut at)?;
        }
    }
    let head = &packet[..at];
    let last = length(&mut at)?;
    let end = at + padding + if has_lengths { sum + last } else { num_frames * last };
    single.clear();
    single.extend_from_slice(head);
    single.extend_from_slice(packet.get(at..end).ok_or_else(ends)?);
    Ok(end)
}

#[cfg(all(test, feature = "codecs"))]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_taken_off_a_packet() {
        // What a stream is among others, and alone.
        let cases: [(&[u8], &[u8]); 6] = [
            (b"\x08\x03abc", b"\x08abc"),
            (b"\x09\x02abcd", b"\x09abcd"),
            (b"\x0a\x01\x02abc", b"\x0a\x01abc"),
            (b"\x0b\x03\x01abc", b"\x0b\x03abc"),
            (b"\x0b\xc3\x02\x01\x02\x00abc\0\0", b"\x0b\xc3\x02\x01\x02abc\0\0"),
            (b"\x08\xfc\x00", b"\x08"),
        ];
        for (packet, expected) in cases {
            let filler = if packet.get(1) == Some(&0xfc) { vec![7; 252] } else { Vec::new() };
            let whole = [packet, &filler, b"more"].concat();
            let mut single = vec![9];
            let length = packet.len() + filler.len();
            assert_eq!(split(&whole, &mut single), Ok(length), "{packet:?}");
            assert_eq!(single, [expected, &filler].concat(), "{packet:?}");
            for cut in 0..length {
                assert!(split(&whole[..cut], &mut single).is_err(), "{packet:?} {cut}");
            }
        }
    }
}
