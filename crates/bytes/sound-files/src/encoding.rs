//! How samples are stored, and their values at the 16-bit scale.

use byteorder::{BigEndian, ByteOrder, LittleEndian};

/// How a sample is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Unsigned bytes around 128.
    Unsigned8,
    /// Signed bytes.
    Signed8,
    /// Signed integers of 16 bits, which Kaldi reads.
    Signed16,
    /// Signed integers of 24 bits.
    Signed24,
    /// Signed integers of 32 bits.
    Signed32,
    /// Floats of 32 bits, -1 to 1.
    Float32,
    /// Floats of 64 bits, -1 to 1.
    Float64,
    /// A-law bytes (ITU-T G.711).
    ALaw,
    /// Mu-law bytes (ITU-T G.711).
    MuLaw,
}

impl Encoding {
    /// Bytes of one sample.
    pub fn num_bytes(self) -> usize {
        match self {
            Self::Unsigned8 | Self::Signed8 | Self::ALaw | Self::MuLaw => 1,
            Self::Signed16 => 2,
            Self::Signed24 => 3,
            Self::Signed32 | Self::Float32 => 4,
            Self::Float64 => 8,
        }
    }

    /// The samples of each of `num_channels` channels, at the 16-bit scale, from the interleaved samples in `bytes`; an
    /// incomplete frame at the end is left out.
    ///
    /// # Panics
    /// If there are no channels.
    pub fn decode(self, bytes: &[u8], num_channels: usize, big_endian: bool) -> Vec<Vec<f32>> {
        match big_endian {
            true => self.decode_in::<BigEndian>(bytes, num_channels),
            false => self.decode_in::<LittleEndian>(bytes, num_channels),
        }
    }

    fn decode_in<Order: ByteOrder>(self, bytes: &[u8], num_channels: usize) -> Vec<Vec<f32>> {
        match self {
            Self::Unsigned8 => channels(bytes, num_channels, |[byte]| (f32::from(*byte) - 128.0) * 256.0),
            Self::Signed8 => channels(bytes, num_channels, |[byte]| f32::from(*byte as i8) * 256.0),
            Self::ALaw => channels(bytes, num_channels, |[byte]| a_law(*byte).into()),
            Self::MuLaw => channels(bytes, num_channels, |[byte]| mu_law(*byte).into()),
            Self::Signed16 => channels::<2>(bytes, num_channels, |word| Order::read_i16(word).into()),
            Self::Signed24 => channels::<3>(bytes, num_channels, |word| from_i32(Order::read_i24(word) << 8)),
            Self::Signed32 => channels::<4>(bytes, num_channels, |word| from_i32(Order::read_i32(word))),
            Self::Float32 => channels::<4>(bytes, num_channels, |word| Order::read_f32(word) * SCALE),
            Self::Float64 => {
                channels::<8>(bytes, num_channels, |word| (Order::read_f64(word) * f64::from(SCALE)) as f32)
            }
        }
    }
}

/// What 1 becomes.
const SCALE: f32 = 32768.0;

/// A sample of 32 bits at the 16-bit scale.
fn from_i32(sample: i32) -> f32 {
    (f64::from(sample) / 65536.0) as f32
}

fn channels<const N: usize>(bytes: &[u8], num_channels: usize, sample: impl Fn(&[u8; N]) -> f32) -> Vec<Vec<f32>> {
    let words = bytes.as_chunks::<N>().0;
    let num_samples = words.len() / num_channels;
    if num_channels == 1 {
        return vec![words.iter().map(sample).collect()];
    }
    let words = &words[..num_samples * num_channels];
    (0..num_channels).map(|channel| words.iter().skip(channel).step_by(num_channels).map(&sample).collect()).collect()
}

/// The value of an A-law byte (ITU-T G.711, table 1), at the 16-bit scale.
fn a_law(byte: u8) -> i16 {
    let byte = byte ^ 0x55;
    let mantissa = i16::from(byte & 0x0f) << 4;
    let magnitude = match (byte >> 4) & 7 {
        0 => mantissa + 8,
        segment => (mantissa + 0x108) << (segment - 1),
    };
    if byte & 0x80 != 0 { magnitude } else { -magnitude }
}

/// The value of a mu-law byte (ITU-T G.711, table 2), at the 16-bit scale.
fn mu_law(byte: u8) -> i16 {
    let byte = !byte;
    let magnitude = (((i16::from(byte & 0x0f) << 3) + 0x84) << ((byte >> 4) & 7)) - 0x84;
    if byte & 0x80 != 0 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mono(encoding: Encoding, bytes: &[u8]) -> Vec<f32> {
        encoding.decode(bytes, 1, false).remove(0)
    }

    #[test]
    fn every_width_comes_to_the_16_bit_scale() {
        assert_eq!(mono(Encoding::Unsigned8, &[0, 128, 129, 255]), [-32768.0, 0.0, 256.0, 32512.0]);
        assert_eq!(mono(Encoding::Signed8, &[0, 128, 127, 255]), [0.0, -32768.0, 32512.0, -256.0]);
        assert_eq!(mono(Encoding::Signed16, &[0, 128, 255, 127, 1, 0]), [-32768.0, 32767.0, 1.0]);
        let s24 = [0, 0, 128, 255, 255, 127, 0, 1, 0, 255, 255, 255, 128, 0, 0];
        assert_eq!(mono(Encoding::Signed24, &s24), [-32768.0, 32768.0 - 1.0 / 256.0, 1.0, -1.0 / 256.0, 0.5]);
        assert_eq!(mono(Encoding::Signed32, &[0, 0, 0, 128, 0, 128, 1, 0, 1, 0, 0, 0]), [-32768.0, 1.5, 1.0 / 65536.0]);
        let f32s = [1.0_f32, -0.5, 2.0, 1.0 / 32768.0].map(f32::to_le_bytes).concat();
        assert_eq!(mono(Encoding::Float32, &f32s), [32768.0, -16384.0, 65536.0, 1.0]);
        let f64s = [1.0_f64, -0.5, 2.0, 1.0 / 32768.0].map(f64::to_le_bytes).concat();
        assert_eq!(mono(Encoding::Float64, &f64s), [32768.0, -16384.0, 65536.0, 1.0]);
    }

    #[test]
    fn bytes_may_stand_in_the_other_order() {
        use Encoding::{Float32, Float64, Signed16, Signed24, Signed32};
        for encoding in [Signed16, Signed24, Signed32, Float32, Float64] {
            let bytes: Vec<u8> = (0..48_u8).map(|byte| byte.wrapping_mul(37) & 0xbf).collect();
            let swapped: Vec<u8> =
                bytes.chunks(encoding.num_bytes()).flat_map(|word| word.iter().rev().copied()).collect();
            assert_eq!(encoding.decode(&swapped, 1, true), encoding.decode(&bytes, 1, false), "{encoding:?}");
        }
    }

    /// The decision values of the recommendation, at 16 bits.
    #[test]
    fn the_laws_are_those_of_the_recommendation() {
        let mu = [(0xff, 0), (0x7f, 0), (0xfe, 8), (0x7e, -8), (0xf0, 120), (0xef, 132), (0x80, 32124), (0x00, -32124)];
        for (byte, value) in mu {
            assert_eq!(mu_law(byte), value, "{byte:#x}");
        }
        let a = [(0xd5, 8), (0x55, -8), (0xd4, 24), (0xc5, 264), (0xda, 248), (0xaa, 32256), (0x2a, -32256)];
        for (byte, value) in a {
            assert_eq!(a_law(byte), value, "{byte:#x}");
        }
        for law in [a_law, mu_law] {
            assert!((0..128).all(|byte: u8| law(byte) == -law(byte | 0x80)));
            let magnitudes: std::collections::BTreeSet<i16> = (128..=255).map(law).collect();
            assert_eq!(magnitudes.len(), 128);
        }
    }

    #[test]
    fn samples_of_channels_are_interleaved_and_a_part_of_a_frame_is_left_out() {
        let bytes: Vec<u8> = [1_i16, 2, 3, 4, 5, 6, 7, 8].into_iter().flat_map(i16::to_le_bytes).collect();
        let three = Encoding::Signed16.decode(&bytes, 3, false);
        assert_eq!(three, [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]);
        assert_eq!(Encoding::Signed16.decode(&bytes[..5], 3, false), [[]; 3] as [[f32; 0]; 3]);
        assert_eq!(mono(Encoding::Signed16, &bytes[..3]), [1.0]);
    }
}
