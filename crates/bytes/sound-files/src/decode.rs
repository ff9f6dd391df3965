//! Headers and samples of whole files.

use crate::bytes::Bytes;
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
    decode_file(kind, file).map_err(|fault| file.explain(fault))
}

fn decode_file(kind: SoundKind, file: Bytes<'_>) -> Result<DecodedSound> {
    let mut tracks = tracks(kind, file)?;
    let mut header = header(&mut tracks, file)?;
    let mut channels = vec![Vec::new(); header.num_channels.into()];
    for track in &tracks {
        decode_track(track, file, &mut channels)?;
    }
    let got = channels[0].len() as u64;
    if got == 0 {
        return Err(no_samples(&header.remarks, &tracks));
    }
    if got < header.num_samples {
        header.remarks.insert(0, SoundFault::truncated(file.total(), header.num_samples, got));
    }
    header.num_samples = got;
    Ok(DecodedSound { header, channels })
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

/// Appends the samples of a stream that count.
fn decode_track(track: &Track, file: Bytes<'_>, out: &mut [Vec<f32>]) -> Result<()> {
    let start = out[0].len();
    let wanted = track.length.map(|length| length.saturating_add(track.skip));
    let mut decoder = Decoder::new(&track.codec)
        .map_err(|message| SoundFault::no_decoder(track.packets.first().map_or(0, |packet| packet.offset), message))?;
    // What does not count at the start is dropped at once.
    let mut skipped = 0;
    for packet in &track.packets {
        let got = (out[0].len() - start) as u64 + skipped;
        if wanted.is_some_and(|wanted| got >= wanted) {
            break;
        }
        if !packet.is_whole(file) {
            break;
        }
        let before = out[0].len();
        let fault = |message| SoundFault::new(packet.offset, message);
        decoder.decode(packet.bytes(file)?, out).map_err(fault)?;
        let count = out[0].len() - before;
        let end = out[0].len() - usize::try_from(packet.discard).unwrap_or(count).min(count);
        out.iter_mut().for_each(|channel| channel.truncate(end));
        let extra = usize::try_from(track.skip - skipped).unwrap_or(usize::MAX).min(end - start);
        if extra > 0 {
            out.iter_mut().for_each(|channel| drop(channel.drain(start..start + extra)));
            skipped += extra as u64;
        }
    }
    if let Some(length) = track.length.and_then(|length| usize::try_from(length).ok()) {
        out.iter_mut().for_each(|channel| channel.truncate(start.saturating_add(length)));
    }
    Ok(())
}
