//! Sound that is decoded part by part, so that a long file takes little memory.

use std::ops::Range;

use crate::bytes::{Bytes, Pages, ReadSound};
use crate::codec::Decoder;
use crate::decode::{SoundHeader, header, tracks};
use crate::fault::{Result, SoundFault};
use crate::kind::SoundKind;
use crate::track::{Packet, Track};

/// Packets that are decoded before a part, since a packet may need earlier ones: the bits of a frame of MP3 start up to 511 bytes
/// before it, and a decoder of Opus comes to the same samples after 80 ms.
const BEFORE: usize = 32;

/// A file whose samples are decoded part by part. It keeps the places of packets, 32 bytes each, and no samples.
#[derive(Debug)]
pub struct SoundParts {
    kind: SoundKind,
    header: SoundHeader,
    streams: Vec<Stream>,
}

#[derive(Debug)]
struct Stream {
    track: Track,
    /// How many samples there are up to the end of each packet, with those that do not count at the start.
    ends: Vec<u64>,
}

impl SoundParts {
    /// Reads the headers of a file, and counts the samples of its packets. Vorbis is decoded for it.
    ///
    /// # Errors
    /// If it is no file of this kind, or nothing of it can be decoded.
    pub fn read(kind: SoundKind, file: &dyn ReadSound) -> Result<Self> {
        let pages = Pages::new(file);
        let file = Bytes::stored(&pages, kind.name());
        tracks(kind, file).and_then(|tracks| Self::of(kind, tracks, file)).map_err(|fault| file.explain(fault))
    }

    /// As [`SoundParts::read`], if parts are, to the last bit, those of the whole file: a decoder starts anew before each part, and that of
    /// Opus, and of noise in AAC, does not come to the same state. Nor is it done for Vorbis, which has to be decoded to be counted.
    ///
    /// # Errors
    /// As [`SoundParts::read`].
    pub fn read_exact(kind: SoundKind, file: &dyn ReadSound) -> Result<Option<Self>> {
        let pages = Pages::new(file);
        let file = Bytes::stored(&pages, kind.name());
        let read = tracks(kind, file).and_then(|tracks| {
            let is_exact = tracks.iter().all(|track| track.codec.is_exact_in_parts());
            is_exact.then(|| Self::of(kind, tracks, file)).transpose()
        });
        read.map_err(|fault| file.explain(fault))
    }

    fn of(kind: SoundKind, mut tracks: Vec<Track>, file: Bytes<'_>) -> Result<Self> {
        let mut header = header(&mut tracks, file)?;
        let streams = tracks.into_iter().map(|track| Stream::new(track, file)).collect::<Result<Vec<_>>>()?;
        header.num_samples = streams.iter().map(Stream::num_samples).fold(0, u64::saturating_add);
        Ok(Self { kind, header, streams })
    }

    /// What the headers say; the number of samples is that of the packets that are there.
    pub fn header(&self) -> &SoundHeader {
        &self.header
    }

    /// Bytes that the places of packets take in memory.
    pub fn size(&self) -> usize {
        let num_packets: usize = self.streams.iter().map(|stream| stream.ends.len()).sum();
        num_packets * (size_of::<Packet>() + size_of::<u64>())
    }

    /// The samples of each channel of a part, at the 16-bit scale. Opus, and noise in AAC, may differ
    /// a little from the whole file.
    ///
    /// # Errors
    /// If a packet is damaged.
    ///
    /// # Panics
    /// If the part is not in `0..num_samples` of the header.
    pub fn decode(&self, file: &dyn ReadSound, part: Range<u64>) -> Result<Vec<Vec<f32>>> {
        assert!(part.start <= part.end && part.end <= self.header.num_samples, "{part:?}");
        let pages = Pages::new(file);
        let file = Bytes::stored(&pages, self.kind.name());
        let mut out = vec![Vec::new(); self.header.num_channels.into()];
        let mut first = 0;
        for stream in &self.streams {
            let end = first + stream.num_samples();
            let wanted = part.start.max(first)..part.end.min(end);
            if wanted.start < wanted.end {
                stream.decode(file, wanted.start - first..wanted.end - first, &mut out)?;
            }
            first = end;
        }
        Ok(out)
    }
}

impl Stream {
    fn new(mut track: Track, file: Bytes<'_>) -> Result<Self> {
        let there = track.packets.iter().take_while(|packet| packet.is_whole(file)).count();
        track.packets.truncate(there);
        let mut counter = track.codec.counter(track.num_channels);
        let (mut sum, mut ends) = (0_u64, Vec::with_capacity(there));
        for packet in &track.packets {
            let fault = |message| SoundFault::new(packet.offset, message);
            let count = counter.count(&packet.bytes(file)?).map_err(fault)?;
            sum = sum.saturating_add(count.saturating_sub(packet.discard()));
            ends.push(sum);
        }
        Ok(Self { track, ends })
    }

    /// The number of samples that count.
    fn num_samples(&self) -> u64 {
        let there = self.ends.last().copied().unwrap_or(0).saturating_sub(self.track.skip);
        self.track.length.map_or(there, |length| length.min(there))
    }

    /// Appends a part of the samples that count.
    fn decode(&self, file: Bytes<'_>, part: Range<u64>, out: &mut [Vec<f32>]) -> Result<()> {
        let (start, end) = (part.start + self.track.skip, part.end + self.track.skip);
        let wanted = self.ends.partition_point(|&reached| reached <= start);
        let first = wanted.saturating_sub(BEFORE);
        let packets = &self.track.packets;
        let place = packets.get(wanted).map_or(0, |packet| packet.offset);
        let mut decoder = Decoder::new(&self.track.codec).map_err(|message| SoundFault::no_decoder(place, message))?;
        let mut scratch = vec![Vec::new(); out.len()];
        for (index, packet) in packets.iter().enumerate().skip(first) {
            let from = index.checked_sub(1).map_or(0, |before| self.ends[before]);
            if from >= end {
                break;
            }
            scratch.iter_mut().for_each(Vec::clear);
            let decoded = decoder.decode(&packet.bytes(file)?, &mut scratch);
            if index < wanted {
                // What comes before the part may need what is still before it.
                continue;
            }
            decoded.map_err(|message| SoundFault::new(packet.offset, message))?;
            let expected = self.ends[index] - from;
            let got = (scratch[0].len() as u64).saturating_sub(packet.discard());
            if got != expected {
                let message = format!("expected a packet of {expected} samples, found {got}");
                return Err(SoundFault::new(packet.offset, message));
            }
            let count = |sample: u64| usize::try_from(sample.saturating_sub(from)).unwrap_or(usize::MAX);
            let piece = count(start)..count(end).min(expected as usize);
            for (out, samples) in out.iter_mut().zip(&scratch) {
                out.extend_from_slice(&samples[piece.clone()]);
            }
        }
        Ok(())
    }
}
