//! Packets become samples.

use super::Codec;
#[cfg(feature = "codecs")]
use super::coded::Coded;
use crate::encoding::Encoding;

/// A decoder of one stream.
pub(crate) enum Decoder {
    /// Samples as they are.
    Pcm { encoding: Encoding, big_endian: bool },
    #[cfg(feature = "codecs")]
    Coded(Coded),
}

impl Decoder {
    /// Makes a decoder, or says why there is none.
    pub(crate) fn new(codec: &Codec) -> Result<Self, String> {
        match codec {
            Codec::Pcm { encoding, big_endian } => Ok(Self::Pcm { encoding: *encoding, big_endian: *big_endian }),
            #[cfg(feature = "codecs")]
            codec => Coded::new(codec).map(Self::Coded),
            #[cfg(not(feature = "codecs"))]
            codec => Err(format!("what decodes {} is not in this build, which lacks the feature codecs", codec.name())),
        }
    }

    /// Appends the samples of a packet to each channel, at the 16-bit scale.
    pub(crate) fn decode(&mut self, packet: &[u8], out: &mut [Vec<f32>]) -> Result<(), String> {
        match self {
            Self::Pcm { encoding, big_endian } => {
                let channels = encoding.decode(packet, out.len(), *big_endian);
                out.iter_mut().zip(channels).for_each(|(out, mut samples)| out.append(&mut samples));
                Ok(())
            }
            #[cfg(feature = "codecs")]
            Self::Coded(coded) => coded.decode(packet, out),
        }
    }
}
