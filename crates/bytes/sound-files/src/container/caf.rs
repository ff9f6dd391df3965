//! CAF: chunks with big-endian sizes of 64 bits.
//!
//! ```text
//! caff, version, flags
//! desc 32 (sampling frequency as a double, codec, flags, bytes a packet, samples a packet, channels, bits)
//! kuki (the configuration of the codec)
//! data (a number, packets; the size may be -1: up to the end of the file)
//! pakt (number of packets, of valid samples, samples to leave out at the start and at the end; lengths of packets)
//! ```

use super::pcm::{Samples, float, signed};
use crate::bytes::{Bytes, shown};
use crate::codec::opus::{self, OpusHead};
use crate::codec::{Codec, read_aac_config, read_alac_cookie};
use crate::encoding::Encoding;
use crate::fault::{Result, SoundFault};
use crate::track::{Packet, Track};

/// What the chunk `desc` says.
struct Description {
    sample_rate: u32,
    codec: [u8; 4],
    flags: u32,
    bytes_per_packet: u64,
    samples_per_packet: u32,
    num_channels: u16,
    bits: u64,
}

/// Where the chunks are: offset and length of their contents.
#[derive(Default)]
struct Parts {
    desc: Option<(u64, u64)>,
    kuki: Option<(u64, u64)>,
    data: Option<(u64, u64)>,
    pakt: Option<(u64, u64)>,
    /// A chunk after the samples that is none.
    remark: Option<SoundFault>,
}

pub(crate) fn read(file: Bytes<'_>) -> Result<Track> {
    let parts = find(file)?;
    let missing = |name: &str| {
        SoundFault::at_end(file.total(), format!("expected a chunk {name} in the CAF file, found its end"))
    };
    let desc = describe(file, parts.desc.ok_or_else(|| missing("desc"))?.0)?;
    let (data, length) = parts.data.ok_or_else(|| missing("data"))?;
    let encoding = match &desc.codec {
        b"lpcm" => Some(match desc.flags & 1 {
            1 => float(desc.bits / 8),
            _ => signed(desc.bits.div_ceil(8)),
        }),
        b"ulaw" => Some(Some(Encoding::MuLaw)),
        b"alaw" => Some(Some(Encoding::ALaw)),
        _ => None,
    };
    let Description { sample_rate, num_channels, .. } = desc;
    if let Some(encoding) = encoding {
        let Some(encoding) = encoding else {
            return Err(SoundFault::new(
                20,
                format!("expected PCM of 8 to 32 bits in the CAF file, found {}", desc.bits),
            ));
        };
        let width = encoding.num_bytes() as u64 * u64::from(num_channels);
        if desc.bytes_per_packet != width {
            let message = format!("expected {width} bytes a packet in the CAF file, found {}", desc.bytes_per_packet);
            return Err(SoundFault::new(20, message));
        }
        let (big_endian, num_bytes) = (desc.flags & 2 == 0, Some(length));
        let samples = Samples { encoding, big_endian, sample_rate, num_channels, start: data, num_bytes, count: None };
        let mut track = samples.into_track(file)?;
        track.remarks.extend(parts.remark);
        return Ok(track);
    }
    let (at, size) = parts.kuki.unwrap_or((data, 0));
    let kuki = file.at(at, size)?;
    let mut track = match &desc.codec {
        b"alac" => {
            let (cookie, rate, num_channels) = read_alac_cookie(&kuki, at)?;
            Track::new(Codec::Alac { cookie }, if rate == 0 { sample_rate } else { rate }, num_channels)
        }
        b"aac " => {
            let config = super::mp4::aac_config(file, at, size)?;
            let (rate, num_channels) = read_aac_config(&config, at)?;
            Track::new(Codec::Aac { config }, rate, num_channels)
        }
        b"opus" if kuki.starts_with(b"OpusHead") => {
            let head = OpusHead::read(&kuki, at)?;
            let num_channels = head.num_channels.into();
            Track::new(Codec::Opus(head), opus::RATE, num_channels)
        }
        // FFmpeg writes no configuration.
        b"opus" if matches!(num_channels, 1 | 2) => {
            Track::new(Codec::Opus(OpusHead::plain(num_channels as u8)), opus::RATE, num_channels)
        }
        other => {
            let expected = "expected PCM, ALAC, AAC or Opus in the CAF file";
            return Err(SoundFault::new(20, format!("{expected}, found {}", shown(other))));
        }
    };
    let Some((at, size)) = parts.pakt else { return Err(missing("pakt")) };
    read_packets(file, (at, size), &desc, (data, length), &mut track)?;
    track.remarks.extend(parts.remark);
    Ok(track)
}

fn find(file: Bytes<'_>) -> Result<Parts> {
    let mut parts = Parts::default();
    let mut at = 8;
    while file.reaches(at, 12) {
        let (name, size) = (file.name(at)?, file.be64(at + 4)?);
        let start = at + 12;
        let size = if size == u64::MAX { file.total() - start } else { size };
        match &name {
            b"desc" => parts.desc = Some((start, size)),
            b"kuki" => parts.kuki = Some((start, size)),
            b"data" => parts.data = Some((start + 4, size.saturating_sub(4))),
            b"pakt" => parts.pakt = Some((start, size)),
            _ => {}
        }
        let Some(end) = start.checked_add(size) else {
            return Err(SoundFault::new(at, format!("expected a chunk of the CAF file, found one of {size} bytes")));
        };
        if end > file.total() && name != *b"data" && parts.data.is_some() {
            let found = format!("\"{}\" of {size} bytes", shown(&name));
            let message = format!("expected a chunk that ends within the CAF file, found {found}");
            parts.remark = Some(SoundFault::new(at, message));
        }
        at = end;
    }
    Ok(parts)
}

fn describe(file: Bytes<'_>, at: u64) -> Result<Description> {
    let rate = f64::from_bits(file.be64(at)?);
    let num_channels = file.be32(at + 24)?;
    Ok(Description {
        sample_rate: if (1.0..=f64::from(u32::MAX)).contains(&rate) { rate.round() as u32 } else { 0 },
        codec: file.name(at + 8)?,
        flags: file.be32(at + 12)?,
        bytes_per_packet: file.be32(at + 16)?.into(),
        samples_per_packet: file.be32(at + 20)?,
        num_channels: u16::try_from(num_channels).unwrap_or(u16::MAX),
        bits: file.be32(at + 28)?.into(),
    })
}

/// Reads the chunk `pakt`.
fn read_packets(
    file: Bytes<'_>,
    (table, size): (u64, u64),
    desc: &Description,
    (data, length): (u64, u64),
    track: &mut Track,
) -> Result<()> {
    let (num_packets, num_valid) = (file.be64(table)?, file.be64(table + 8)?);
    track.skip = file.be32(table + 16)?.into();
    // Some writers count whole packets of ALAC as valid; the last packet knows better.
    if !matches!(track.codec, Codec::Alac { .. }) {
        track.num_coded = Some(num_valid.saturating_add(track.skip));
        track.promised = Some(num_valid);
    }
    track.length = Some(num_valid);
    let lengths = file.at(table + 24, size.saturating_sub(24))?;
    let mut at = 0;
    let mut number = || {
        let mut value: u64 = 0;
        loop {
            let Some(&byte) = lengths.get(at) else {
                let message = "expected the length of another packet in the chunk pakt, found its end";
                return Err(SoundFault::new(table + 24 + at as u64, message));
            };
            at += 1;
            value = value << 7 | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 || value > 1 << 40 {
                return Ok(value);
            }
        }
    };
    let (mut start, end) = (data, data.saturating_add(length));
    for _ in 0..num_packets {
        let length = if desc.bytes_per_packet == 0 { number()? } else { desc.bytes_per_packet };
        if desc.samples_per_packet == 0 {
            number()?;
        }
        if length == 0 {
            return Err(SoundFault::new(start, "expected a packet of the CAF file, found one of no bytes"));
        }
        track.packets.push(Packet::new(start, length));
        start += length;
        if start > file.total() {
            // Of a file that was cut, not more than one packet that is not there.
            return Ok(());
        }
    }
    if start != end {
        let message = format!("expected packets up to byte {end} in the CAF file, found them up to {start}");
        track.remarks.push(SoundFault::new(start.min(end), message));
    }
    Ok(())
}
