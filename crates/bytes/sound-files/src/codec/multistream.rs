//! The streams of a packet of Opus, each with its decoder (RFC 6716, RFC 7845 5.1.1).

use opus_pure::OpusDecoder;

use super::opus::{self, OpusHead, RATE};

/// The most samples of a packet.
const MAX_SAMPLES: usize = 5760;
/// The place of a channel that is silent.
const SILENT: u8 = 255;

/// The decoders of one or more streams. Those of two channels come first.
pub(crate) struct OpusStreams {
    streams: Vec<OpusStream>,
    /// Where the samples of each channel are among those of all streams.
    places: Vec<u8>,
    /// What samples are multiplied by.
    scale: f32,
    samples: Vec<f32>,
    /// A packet of one stream.
    single: Vec<u8>,
}

struct OpusStream {
    decoder: OpusDecoder,
    /// The place of its first channel.
    place: usize,
    num_channels: usize,
}

impl OpusStreams {
    /// Makes the decoders, or says why there are none.
    pub(super) fn new(head: &OpusHead) -> Result<Self, String> {
        let (num_streams, num_coupled, places) = &head.layout;
        let (num_streams, num_coupled) = (usize::from(*num_streams), usize::from(*num_coupled));
        let num_places = num_streams + num_coupled;
        let is_layout = num_streams > 0 && num_coupled <= num_streams && num_places < SILENT.into();
        if !is_layout || places.iter().any(|&place| place != SILENT && usize::from(place) >= num_places) {
            let found = format!("{num_streams} streams, {num_coupled} of two channels, {places:?}");
            return Err(format!("expected a layout of the channels of Opus, found {found}"));
        }
        let stream = |index: usize| {
            let num_channels = if index < num_coupled { 2 } else { 1 };
            let decoder = OpusDecoder::new(RATE as i32, num_channels).map_err(|error| error.to_string())?;
            Ok(OpusStream { decoder, place: index + index.min(num_coupled), num_channels })
        };
        let streams = (0..num_streams).map(stream).collect::<Result<_, String>>()?;
        let scale = 32768.0 * head.factor();
        Ok(Self { streams, places: places.clone(), scale, samples: vec![0.0; 2 * MAX_SAMPLES], single: Vec::new() })
    }

    /// Appends the samples of a packet to each channel, at the 16-bit scale.
    pub(super) fn decode(&mut self, packet: &[u8], out: &mut [Vec<f32>]) -> Result<(), String> {
        let expected = opus::num_samples(packet)? as usize;
        let mut rest = packet;
        let last = self.streams.len() - 1;
        for (index, stream) in self.streams.iter_mut().enumerate() {
            let single = if index < last {
                let length = opus::split(rest, &mut self.single)?;
                rest = &rest[length..];
                &self.single
            } else {
                rest
            };
            if opus::num_samples(single)? as usize != expected {
                return Err("expected streams of Opus of the same length, found others".to_owned());
            }
            let width = stream.num_channels;
            let samples = &mut self.samples[..expected * width];
            let count = stream.decoder.decode(single, expected, samples).map_err(|error| error.to_string())?;
            if count != expected {
                return Err(format!("{expected} samples expected, {count} found"));
            }
            for (channel, &place) in out.iter_mut().zip(&self.places) {
                let Some(first) = usize::from(place).checked_sub(stream.place).filter(|&first| first < width) else {
                    continue;
                };
                let samples = samples.iter().skip(first).step_by(width);
                channel.extend(samples.map(|sample| super::coded::round(sample * self.scale)));
            }
        }
        let silent = out.iter_mut().zip(&self.places).filter(|(_, place)| **place == SILENT);
        silent.for_each(|(channel, _)| channel.resize(channel.len() + expected, 0.0));
        Ok(())
    }
}
