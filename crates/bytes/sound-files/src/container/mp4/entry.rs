//! What `stsd` says: the codec of a stream and its configuration.

use super::boxes::{Part, find};
use crate::bytes::{Bytes, shown};
use crate::codec::flac::StreamInfo;
use crate::codec::opus::{self, OpusHead};
use crate::codec::{Codec, read_aac_config, read_alac_cookie};
use crate::container::pcm::{float, signed};
use crate::encoding::Encoding;
use crate::fault::{Result, SoundFault};
use crate::track::Track;

/// The box of one stream in `stsd`.
struct Entry {
    name: [u8; 4],
    offset: u64,
    num_channels: u16,
    bits: u16,
    sample_rate: u32,
    /// Flags of linear PCM in QuickTime's second version: 1 float, 2 big-endian.
    flags: Option<u32>,
    /// The boxes in it.
    inner: Part,
}

/// Makes an empty stream of the codec.
pub(super) fn read(file: Bytes<'_>, stbl: Part) -> Result<Track> {
    let Some(stsd) = find(file, stbl, b"stsd")? else {
        return Err(SoundFault::new(stbl.start, "expected a box stsd in the MP4 file, found none"));
    };
    let entry = read_entry(file, stsd)?;
    let found = |name: &[u8; 4]| -> Result<Option<Part>> {
        match find(file, entry.inner, name)? {
            None => match find(file, entry.inner, b"wave")? {
                Some(wave) => find(file, wave, name),
                None => Ok(None),
            },
            part => Ok(part),
        }
    };
    let wanted = |name: &[u8; 4]| {
        let message = || format!("expected a box {} in {}, found none", shown(name), shown(&entry.name));
        found(name)?.ok_or_else(|| SoundFault::new(entry.offset, message()))
    };
    let Entry { sample_rate, num_channels, offset, .. } = entry;
    match &entry.name {
        b"mp4a" => mpeg4(file, wanted(b"esds")?, &entry),
        b"alac" => {
            let part = wanted(b"alac")?;
            // Version and flags come first.
            let content = file.at(part.start + 4, part.length().saturating_sub(4))?;
            let (cookie, rate, num_channels) = read_alac_cookie(&content, part.start)?;
            Ok(Track::new(Codec::Alac { cookie }, if rate == 0 { sample_rate } else { rate }, num_channels))
        }
        b"Opus" => {
            let part = wanted(b"dOps")?;
            let head = OpusHead::read_box(&file.at(part.start, part.length())?, part.start)?;
            let num_channels = head.num_channels.into();
            Ok(Track::new(Codec::Opus(head), opus::RATE, num_channels))
        }
        b"fLaC" => {
            let part = wanted(b"dfLa")?;
            // Version and flags, then the head of a block.
            let content = file.at(part.start + 8, part.length().saturating_sub(8).min(StreamInfo::LENGTH as u64))?;
            Ok(Track::flac(StreamInfo::read_sound(Some(&content), part.start)?))
        }
        b".mp3" | b"ms\0\x55" => Ok(Track::new(Codec::Mpeg { layer: 3 }, sample_rate, num_channels)),
        name => {
            let Some((encoding, big_endian)) = pcm(file, &entry)? else {
                let expected = "expected AAC, ALAC, Opus, FLAC, MP3 or PCM in the MP4 file";
                return Err(SoundFault::new(offset, format!("{expected}, found {}", shown(name))));
            };
            Ok(Track::new(Codec::Pcm { encoding, big_endian }, sample_rate, num_channels))
        }
    }
}

fn read_entry(file: Bytes<'_>, stsd: Part) -> Result<Entry> {
    let at = stsd.start + 8;
    if file.be32(stsd.start + 4)? == 0 {
        return Err(SoundFault::new(stsd.start, "expected a codec in the box stsd, found none"));
    }
    let (size, name) = (u64::from(file.be32(at)?), file.name(at + 4)?);
    let end = at.saturating_add(size).min(stsd.end);
    let version = file.be16(at + 16)?;
    let (mut num_channels, mut bits) = (file.be16(at + 24)?, file.be16(at + 26)?);
    let mut sample_rate = file.be32(at + 32)? >> 16;
    let mut flags = None;
    let length = match version {
        1 => 36 + 16,
        2 => {
            let rate = f64::from_bits(file.be64(at + 40)?);
            sample_rate = if (1.0..=f64::from(u32::MAX)).contains(&rate) { rate.round() as u32 } else { 0 };
            num_channels = u16::try_from(file.be32(at + 48)?).unwrap_or(u16::MAX);
            bits = u16::try_from(file.be32(at + 56)?).unwrap_or(0);
            flags = Some(file.be32(at + 60)?);
            36 + 36
        }
        _ => 36,
    };
    let inner = Part { start: at + length, end };
    Ok(Entry { name, offset: at, num_channels, bits, sample_rate, flags, inner })
}

/// The encoding of samples as they are, and whether they are big-endian.
fn pcm(file: Bytes<'_>, entry: &Entry) -> Result<Option<(Encoding, bool)>> {
    let width = u64::from(entry.bits).div_ceil(8);
    let of = |encoding: Option<Encoding>, big_endian| encoding.map(|encoding| (encoding, big_endian));
    // `enda` says little-endian, `pcmC` too.
    let order = || -> Result<bool> {
        let wave = find(file, entry.inner, b"wave")?;
        let enda = wave.map(|wave| find(file, wave, b"enda")).transpose()?.flatten();
        Ok(enda.map(|enda| file.be16(enda.start)).transpose()? != Some(1))
    };
    Ok(match &entry.name {
        b"lpcm" => {
            let flags = entry.flags.unwrap_or(6);
            of(if flags & 1 == 1 { float(width) } else { signed(width) }, flags & 2 != 0)
        }
        b"sowt" => of(signed(width), false),
        b"twos" => of(signed(width), true),
        b"raw " => of(Some(Encoding::Unsigned8).filter(|_| width == 1), true),
        b"in24" => of(signed(3), order()?),
        b"in32" => of(signed(4), order()?),
        b"fl32" => of(float(4), order()?),
        b"fl64" => of(float(8), order()?),
        b"ulaw" => of(Some(Encoding::MuLaw), true),
        b"alaw" => of(Some(Encoding::ALaw), true),
        b"ipcm" | b"fpcm" => {
            let Some(part) = find(file, entry.inner, b"pcmC")? else { return Ok(None) };
            let (is_little, bits) = (file.byte(part.start + 4)? & 1 == 1, file.byte(part.start + 5)?);
            let width = u64::from(bits).div_ceil(8);
            of(if entry.name == *b"ipcm" { signed(width) } else { float(width) }, !is_little)
        }
        _ => None,
    })
}

/// The codec that `esds` names.
fn mpeg4(file: Bytes<'_>, esds: Part, entry: &Entry) -> Result<Track> {
    let descriptors = file.at(esds.start + 4, esds.length().saturating_sub(4))?;
    let Some((object, config)) = decoder_config(&descriptors) else {
        return Err(SoundFault::new(esds.start, "expected the configuration of a decoder in esds, found none"));
    };
    match object {
        0x40 | 0x66..=0x68 => {
            let (rate, num_channels) = read_aac_config(config, esds.start)?;
            Ok(Track::new(Codec::Aac { config: config.to_vec() }, rate, num_channels))
        }
        0x69 | 0x6b => Ok(Track::new(Codec::Mpeg { layer: 3 }, entry.sample_rate, entry.num_channels)),
        other => Err(SoundFault::new(esds.start, format!("expected AAC or MP3 in esds, found object type {other:#x}"))),
    }
}

/// The type of an object and its configuration, in the descriptors of `esds`.
fn decoder_config(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let (_, stream) = descriptor(bytes, 3)?;
    let flags = *stream.get(2)?;
    let extra = [(0x80, 2), (0x40, 1 + usize::from(*stream.get(3).unwrap_or(&0))), (0x20, 2)];
    let skip: usize = extra.iter().filter(|(bit, _)| flags & bit != 0).map(|(_, length)| length).sum();
    let (_, decoder) = descriptor(stream.get(3 + skip..)?, 4)?;
    let config = decoder.get(13..).and_then(|rest| descriptor(rest, 5)).map_or(&[][..], |(_, config)| config);
    Some((*decoder.first()?, config))
}

/// The first descriptor, if it has this tag; and its content.
fn descriptor(bytes: &[u8], tag: u8) -> Option<(u8, &[u8])> {
    let mut length = 0;
    let mut at = 1;
    loop {
        let byte = *bytes.get(at)?;
        at += 1;
        length = length << 7 | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 || at == 5 {
            break;
        }
    }
    let content = bytes.get(at..)?;
    (bytes[0] == tag).then(|| (tag, &content[..length.min(content.len())]))
}

/// The configuration of AAC in a box `esds` or its descriptors alone, as CAF has it.
pub(crate) fn aac_config(file: Bytes<'_>, at: u64, size: u64) -> Result<Vec<u8>> {
    let bytes = file.at(at, size)?;
    let config = decoder_config(&bytes).or_else(|| decoder_config(bytes.get(4..)?));
    config
        .map(|(_, config)| config.to_vec())
        .ok_or_else(|| SoundFault::new(at, "expected the configuration of AAC, found something else"))
}
