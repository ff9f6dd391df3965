#![doc = include_str!("../README.md")]
//! A RIFF/WAVE file is a chunk of chunks, each of which follows its name and size. The sizes are little-endian, or
//! big-endian in a `RIFX` file. One channel of two 16-bit samples, 1 and 2, at 8000 Hz:
//!
//! ```text
//! 52 49 46 46 28 00 00 00 57 41 56 45                          RIFF (40 bytes) WAVE
//! 66 6d 74 20 10 00 00 00 01 00 01 00 40 1f 00 00 80 3e 00 00  fmt  (16 bytes) PCM, 1 channel, 8000 Hz, 16000 bytes/s,
//! 02 00 10 00                                                  2 bytes a frame, 16 bits a sample
//! 64 61 74 61 04 00 00 00 01 00 02 00                          data (4 bytes) 1 2
//! ```
//!
//! There may be other chunks before and after. A program that writes to a pipe does not know the sizes: see
//! [`WaveSamples`]. Samples of other widths and encodings, and those of FLAC files, are converted to the 16-bit scale. Files of
//! other kinds (MP3, Ogg, MP4, ...) are those of the crate `sound-files`; their decoders are the feature `codecs`.
//!
//! | what | |
//! | --- | --- |
//! | [`Wave`] | a waveform, the table value |
//! | [`WaveFile`] | its file, not decoded |
//! | [`Recording`] | what parts are taken of |
//! | [`WaveInfo`] | what its header says, without the samples |
//! | [`resample`] and similar functions | another sampling frequency |
//! | [`Distortion`], [`convolve`] | rooms and noises |
//! | [`Silence`] | silence added at the end |
//!
//! ```
//! use kaldi_value::{Cursor, Format, Value};
//! use kaldi_wave::Wave;
//!
//! let wave = Wave::new(8000.0, vec![vec![1.0, 2.9, -40000.0]]);
//! assert_eq!(wave.num_clipped(), 1);
//! let mut file = Vec::new();
//! wave.write(&mut file, Format::Binary);
//! let again = Wave::read(&mut Cursor::new(&file))?;
//! assert_eq!(again.channel(0), [1.0, 2.0, -32768.0]);
//! # Ok::<(), kaldi_io::ParseError>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod chunks;
mod coded;
mod convolve;
mod distortion;
mod file;
mod flac;
mod flac_places;
#[cfg(feature = "codecs")]
mod flac_write;
mod header;
mod info;
mod recording;
mod resample;
mod riff;
mod samples;
mod silence;
mod sixteen_bits;
mod wave;
mod wave_pieces;

pub use coded::{looks_like_sound, sound_suffix};
pub use convolve::convolve;
pub use distortion::{AddedNoise, Channels, Distortion, DistortionError, Loudness};
pub use file::WaveFile;
pub use info::WaveInfo;
pub use recording::Recording;
pub use resample::{Interpolator, RateConverter, ResampleError, resample};
pub use samples::WaveSamples;
pub use silence::{Extended, Silence, SilenceError, SilenceOptions};
use sound_files::Encoding;
pub use wave::Wave;
pub use wave_pieces::{CodedParts, WavePieces};
