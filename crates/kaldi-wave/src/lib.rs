//! Waveforms in RIFF/WAVE files.
//!
//! A file is a chunk of chunks, each behind its name and size; the sizes are little-endian, or big-endian in a `RIFX` file.
//! One channel of two 16-bit samples, 1 and 2, at 8000 Hz:
//!
//! ```text
//! 52 49 46 46 28 00 00 00 57 41 56 45                          RIFF (40 bytes) WAVE
//! 66 6d 74 20 10 00 00 00 01 00 01 00 40 1f 00 00 80 3e 00 00  fmt  (16 bytes) PCM, 1 channel, 8000 Hz, 16000 bytes/s,
//! 02 00 10 00                                                  2 bytes a frame, 16 bits a sample
//! 64 61 74 61 04 00 00 00 01 00 02 00                          data (4 bytes) 1 2
//! ```
//!
//! Other chunks may stand before and behind. Who writes to a pipe does not know the sizes: see [`Extent`].
//!
//! [`resample`] and its kin convert the sample rate.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod chunks;
mod convolve;
mod distortion;
mod encoding;
mod extent;
mod flac;
mod info;
mod resample;
mod riff;
mod silence;
mod wave;

pub use convolve::convolve;
pub use distortion::{Channels, Distortion, DistortionError, Loudness, Noise};
use encoding::Encoding;
pub use extent::Extent;
pub use info::WaveInfo;
pub use resample::{Interpolator, RateConverter, ResampleError, resample};
pub use silence::{Extended, Silence, SilenceError, SilenceOptions};
pub use wave::Wave;
