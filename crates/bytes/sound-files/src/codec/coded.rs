//! The decoders of other crates.

use claxon::frame::FrameReader;
use claxon::input::BufferedReader;
use symphonia_bundle_mp3::MpaDecoder;
use symphonia_codec_aac::AacDecoder;
use symphonia_codec_alac::AlacDecoder;
use symphonia_codec_vorbis::VorbisDecoder;
use symphonia_core::audio::{Audio, AudioBuffer, GenericAudioBufferRef};
use symphonia_core::codecs::audio::well_known::{
    CODEC_ID_AAC, CODEC_ID_ALAC, CODEC_ID_MP1, CODEC_ID_MP2, CODEC_ID_MP3, CODEC_ID_VORBIS,
};
use symphonia_core::codecs::audio::{AudioCodecId, AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia_core::packet::PacketRef;
use symphonia_core::units::{Duration, Timestamp};

use super::Codec;
use super::multistream::OpusStreams;

/// A decoder of coded sound.
pub(crate) enum Coded {
    Symphonia(&'static str, Box<dyn AudioDecoder>),
    Opus(Box<OpusStreams>),
    /// Bits of a sample.
    Flac {
        bits: u8,
    },
}

impl Coded {
    /// Makes a decoder, or says why there is none.
    pub(crate) fn new(codec: &Codec) -> Result<Self, String> {
        let (id, extra) = match codec {
            Codec::Opus(head) => return OpusStreams::new(head).map(|streams| Self::Opus(Box::new(streams))),
            Codec::Flac(info) => return Ok(Self::Flac { bits: info.bits }),
            Codec::Pcm { .. } => return Err("expected coded sound, found samples".to_owned()),
            Codec::Mpeg { layer: 1 } => (CODEC_ID_MP1, None),
            Codec::Mpeg { layer: 2 } => (CODEC_ID_MP2, None),
            Codec::Mpeg { .. } => (CODEC_ID_MP3, None),
            Codec::Aac { config } => (CODEC_ID_AAC, Some(config)),
            Codec::Alac { cookie } => (CODEC_ID_ALAC, Some(cookie)),
            Codec::Vorbis { headers } => {
                super::vorbis::check_codebooks(headers)?;
                (CODEC_ID_VORBIS, Some(headers))
            }
        };
        let decoder = symphonia_decoder(id, extra.map(Vec::as_slice));
        decoder.map(|decoder| Self::Symphonia(codec.name(), decoder)).map_err(|error| {
            format!("expected a configuration of {}, found one that cannot be decoded ({error})", codec.name())
        })
    }

    /// Appends the samples of a packet to each channel, at the 16-bit scale.
    pub(crate) fn decode(&mut self, packet: &[u8], out: &mut [Vec<f32>]) -> Result<(), String> {
        match self {
            Self::Symphonia(name, decoder) => {
                let packet = PacketRef::new(0, Timestamp::ZERO, Duration::ZERO, packet);
                let buffer = decoder.decode_ref(&packet).map_err(|error| damaged(name, error.to_string()))?;
                match buffer {
                    GenericAudioBufferRef::F32(buffer) => append(buffer, out, |sample| round(sample * 32768.0)),
                    GenericAudioBufferRef::S32(buffer) => {
                        append(buffer, out, |sample| (f64::from(sample) / 65536.0) as f32)
                    }
                    _ => Err(damaged(name, "another width of samples")),
                }
            }
            Self::Opus(streams) => streams.decode(packet, out).map_err(|error| damaged("Opus", error)),
            Self::Flac { bits } => decode_flac(packet, *bits, out),
        }
    }
}

fn symphonia_decoder(id: AudioCodecId, extra: Option<&[u8]>) -> symphonia_core::errors::Result<Box<dyn AudioDecoder>> {
    let mut params = AudioCodecParameters::new();
    params.for_codec(id);
    if let Some(extra) = extra {
        params.with_extra_data(extra.into());
    }
    let options = AudioDecoderOptions::default();
    Ok(match id {
        CODEC_ID_AAC => Box::new(AacDecoder::try_new(&params, &options)?),
        CODEC_ID_ALAC => Box::new(AlacDecoder::try_new(&params, &options)?),
        CODEC_ID_VORBIS => Box::new(VorbisDecoder::try_new(&params, &options)?),
        _ => Box::new(MpaDecoder::try_new(&params, &options)?),
    })
}

/// Rounds to nearest, ties to even, and clips. Beside such a large number there is no room for a fraction; a call of the function
/// for it would take a seventh of the time of MP3.
pub(super) fn round(sample: f32) -> f32 {
    const LARGE: f32 = 12_582_912.0;
    (sample.clamp(-32768.0, 32767.0) + LARGE) - LARGE
}

fn append<S: symphonia_core::audio::sample::Sample>(
    buffer: &AudioBuffer<S>,
    out: &mut [Vec<f32>],
    convert: impl Fn(S) -> f32,
) -> Result<(), String> {
    let found = buffer.num_planes();
    if found != out.len() && buffer.frames() > 0 {
        return Err(format!("expected {} channels, found {found}", out.len()));
    }
    for (index, channel) in out.iter_mut().enumerate() {
        if let Some(plane) = buffer.plane(index) {
            channel.extend(plane.iter().map(|&sample| convert(sample)));
        }
    }
    Ok(())
}

fn decode_flac(packet: &[u8], bits: u8, out: &mut [Vec<f32>]) -> Result<(), String> {
    let mut frames = FrameReader::new(BufferedReader::new(packet));
    let frame = match frames.read_next_or_eof(Vec::new()) {
        Ok(Some(frame)) => frame,
        Ok(None) => return Err("expected a frame of FLAC, found nothing".to_owned()),
        Err(error) => return Err(damaged("FLAC", error.to_string())),
    };
    if frame.channels() as usize != out.len() {
        return Err(format!("expected {} channels, found {}", out.len(), frame.channels()));
    }
    let scale = f64::from(16 - i32::from(bits)).exp2() as f32;
    for (index, channel) in out.iter_mut().enumerate() {
        channel.extend(frame.channel(index as u32).iter().map(|&sample| sample as f32 * scale));
    }
    Ok(())
}

/// A message about damage.
fn damaged(codec: &str, what: impl AsRef<str>) -> String {
    format!("expected a packet of {codec}, found damage ({})", what.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_rounded_to_nearest_and_ties_to_even() {
        let plain = |sample: f32| sample.round_ties_even().clamp(-32768.0, 32767.0);
        let halves = (-70_000..70_000).map(|half| half as f32 / 2.0);
        let near = halves.clone().flat_map(|half| [half.next_down(), half.next_up()]);
        for sample in halves.chain(near).chain([1e30, -1e30, f32::INFINITY, 1e-30]) {
            assert_eq!(round(sample), plain(sample), "{sample}");
        }
        assert!(round(f32::NAN).is_nan());
    }
}
