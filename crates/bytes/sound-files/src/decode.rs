//! Headers and samples of whole files.

use std::io;

use crate::bytes::{Bytes, Pages, ReadSound};
use crate::codec::{Decoder, sbr};
use crate::container;
use crate::fault::{Result, SoundFault};
use crate::kind::SoundKind;
use crate::track::Track;

/// 16 bits cannot count more.
const MAX_CHANNELS: u16 = 32767;
/// The greatest rate up to which floats distinguish all rates.
const MAX_RATE: u32 = 1 << 24;

/// What the headers of a file say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoundHeader {
    /// The sampling frequency in Hz.
    pub sample_rate: u32,
    /// The number of channels.
    pub num_channels: u16,
    /// The number of samples of each channel that are there, as decoding finds it.
    pub num_samples: u64,
    /// What is missing of the file, or is odd, and does not keep it from being read.
    pub remarks: Vec<SoundFault>,
}

/// Sound, decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedSound {
    /// What the headers say.
    pub header: SoundHeader,
    /// The samples of each channel at the 16-bit scale, -32768 to 32767.
    pub channels: Vec<Vec<f32>>,
}

/// Reads the headers of a file of `total` bytes, of which the first ones are in memory. Nothing is decoded, but for Vorbis.
///
/// # Errors
/// If they are no headers of this kind, of something that is not decoded here, or of no samples. If more bytes are needed,
/// `at_end` is set in the error.
pub fn read_header(kind: SoundKind, head: &[u8], total: u64) -> Result<SoundHeader> {
    let file = Bytes::new(head, total, kind.name());
    tracks(kind, file).and_then(|mut tracks| header(&mut tracks, file)).map_err(|fault| file.explain(fault))
}

/// Decodes a file.
///
/// # Errors
/// If it is no file of this kind, nothing of it can be decoded, or a packet is damaged.
pub fn decode(kind: SoundKind, bytes: &[u8]) -> Result<DecodedSound> {
    let file = Bytes::new(bytes, bytes.len() as u64, kind.name());
    let mut channels = Vec::new();
    let header = decode_file(kind, file, &mut |decoded| {
        channels.resize_with(decoded.len(), Vec::new);
        channels.iter_mut().zip(decoded).for_each(|(channel, samples)| channel.extend_from_slice(samples));
        Ok(())
    });
    Ok(DecodedSound { header: header.map_err(|fault| file.explain(fault))?, channels })
}

/// Decodes a file that need not be in memory, and hands samples of each channel at the 16-bit scale to `take`, in their order.
///
/// # Errors
/// As [`decode`], or that of `take`, which is told as one of reading.
pub fn decode_in_order(
    kind: SoundKind,
    file: &dyn ReadSound,
    take: &mut dyn FnMut(&[Vec<f32>]) -> io::Result<()>,
) -> Result<SoundHeader> {
    let pages = Pages::new(file);
    let file = Bytes::stored(&pages, kind.name());
    decode_file(kind, file, take).map_err(|fault| file.explain(fault))
}

/// Takes samples of each channel.
type Take<'a> = &'a mut dyn FnMut(&[Vec<f32>]) -> io::Result<()>;

fn decode_file(kind: SoundKind, file: Bytes<'_>, take: Take<'_>) -> Result<SoundHeader> {
    let mut tracks = tracks(kind, file)?;
    let mut header = header(&mut tracks, file)?;
    let mut channels = vec![Vec::new(); header.num_channels.into()];
    let mut got = 0;
    for track in &tracks {
        got += decode_track(track, file, &mut channels, take)?;
    }
    if got == 0 {
        return Err(no_samples(&header.remarks, &tracks));
    }
    if got < header.num_samples {
        header.remarks.insert(0, SoundFault::truncated(file.total(), header.num_samples, got));
    }
    header.num_samples = got;
    Ok(header)
}

fn no_samples(remarks: &[SoundFault], tracks: &[Track]) -> SoundFault {
    // A file of which all samples are missing was cut.
    if let Some(remark) = remarks.iter().find(|remark| remark.message.starts_with("expected")) {
        return SoundFault { at_end: true, ..remark.clone() };
    }
    let offset = tracks.iter().flat_map(|track| &track.packets).map(|packet| packet.offset).next().unwrap_or(0);
    let fault = SoundFault::new(offset, "empty file (no data): expected samples, found none");
    SoundFault { at_end: !remarks.is_empty(), ..fault }
}

/// The streams of a file, one after the other, at least one.
pub(crate) fn tracks(kind: SoundKind, file: Bytes<'_>) -> Result<Vec<Track>> {
    match kind {
        SoundKind::Adts => container::adts::read(file).map(|track| vec![track]),
        SoundKind::Aiff => container::aiff::read(file).map(|track| vec![track]),
        SoundKind::Au => container::au::read(file).map(|track| vec![track]),
        SoundKind::Caf => container::caf::read(file).map(|track| vec![track]),
        SoundKind::Matroska => container::matroska::read(file).map(|track| vec![track]),
        SoundKind::Mp4 => container::mp4::read(file).map(|track| vec![track]),
        SoundKind::Mpeg => container::mpeg::read(file).map(|track| vec![track]),
        SoundKind::Ogg => container::ogg::read(file),
        SoundKind::Sphere => container::sphere::read(file).map(|track| vec![track]),
    }
}

pub(crate) fn header(tracks: &mut [Track], file: Bytes<'_>) -> Result<SoundHeader> {
    let Some(first) = tracks.first() else { return Err(SoundFault::new(0, "expected a stream of sound, found none")) };
    let (sample_rate, num_channels) = (first.sample_rate, first.num_channels);
    if !(1..=MAX_CHANNELS).contains(&num_channels) || !(1..=MAX_RATE).contains(&sample_rate) {
        let found = format!("{num_channels} channels at {sample_rate} Hz");
        return Err(SoundFault::new(
            0,
            format!("expected 1 to {MAX_CHANNELS} channels at 1 to {MAX_RATE} Hz, found {found}"),
        ));
    }
    let mut num_samples: u64 = 0;
    let mut remarks = Vec::new();
    for track in tracks.iter_mut() {
        if (track.sample_rate, track.num_channels) != (sample_rate, num_channels) {
            let offset = track.packets.first().map_or(0, |packet| packet.offset);
            let expected = format!("{num_channels} channels at {sample_rate} Hz");
            let found = format!("{} at {} Hz", track.num_channels, track.sample_rate);
            return Err(SoundFault::new(offset, format!("expected {expected} in all streams, found {found}")));
        }
        sbr::check(track, file)?;
        num_samples = num_samples.saturating_add(track.measure(file)?);
        remarks.append(&mut track.remarks);
    }
    if num_samples == 0 {
        return Err(no_samples(&remarks, tracks));
    }
    Ok(SoundHeader { sample_rate, num_channels, num_samples, remarks })
}

/// Hands the samples of a stream that count to `take`, and returns how many they are. `out` is empty before and after.
fn decode_track(track: &Track, file: Bytes<'_>, out: &mut [Vec<f32>], take: Take<'_>) -> Result<u64> {
    let mut decoder = Decoder::new(&track.codec)
        .map_err(|message| SoundFault::no_decoder(track.packets.first().map_or(0, |packet| packet.offset), message))?;
    let most = track.length.unwrap_or(u64::MAX);
    // What does not count at the start is dropped at once.
    let (mut skipped, mut taken) = (0, 0);
    for packet in &track.packets {
        if taken >= most && skipped >= track.skip || !packet.is_whole(file) {
            break;
        }
        let fault = |message| SoundFault::new(packet.offset, message);
        decoder.decode(&packet.bytes(file)?, out).map_err(fault)?;
        let there = (out[0].len() as u64).saturating_sub(packet.discard());
        let unplayed = (track.skip - skipped).min(there);
        let counting = unplayed..there.min(unplayed.saturating_add(most - taken));
        for channel in out.iter_mut() {
            channel.truncate(counting.end as usize);
            channel.drain(..counting.start as usize);
        }
        skipped += unplayed;
        taken += counting.end - counting.start;
        take(out).map_err(|error| SoundFault::new(packet.offset, error.to_string()))?;
        out.iter_mut().for_each(Vec::clear);
    }
    Ok(taken)
}
