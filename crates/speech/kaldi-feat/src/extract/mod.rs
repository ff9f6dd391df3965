//! Features of waveforms: those of each frame, from its spectrum.
//!
//! | what | Kaldi | a frame's values |
//! | --- | --- | --- |
//! | [`Mfcc`] | compute-mfcc-feats | cosine transform of log mel energies |
//! | [`Fbank`] | compute-fbank-feats | log mel energies |
//! | [`Plp`] | compute-plp-feats | cepstrum of a linear prediction from loudness |
//! | [`LogMel`] | none | log mel energies for Whisper |
//! | [`Spectrogram`] | compute-spectrogram-feats | log power of every frequency |
//!
//! Samples have the scale of 16-bit integers. A waveform is cut into frames ([`FrameOptions`]). The mean of each frame
//! is subtracted; the frame is preemphasized, weighted with a window function, padded with zeros and transformed (fast
//! Fourier transform). Storage and arithmetic are `f32`, as in Kaldi. Eight frames are computed at once, so that every
//! step fills whole registers; nothing is allocated for a frame.
//!
//! ```
//! use kaldi_feat::extract::{Extractor, Mfcc, MfccOptions};
//!
//! // One second at 16 kHz.
//! let wave: Vec<f32> = (0..16_000).map(|at| 1000.0 * (at as f32 * 0.1).sin()).collect();
//! let feats = Mfcc::new(&MfccOptions::default())?.compute(&wave, 1.0)?;
//! assert_eq!(feats.size(), (98, 13));
//! # Ok::<(), kaldi_feat::Error>(())
//! ```

mod analysis;
mod energy;
mod extractor;
mod fbank;
mod fft;
mod framing;
mod log_mel;
mod mel;
mod mfcc;
mod options;
mod plp;
mod spectrogram;
mod window;

pub use extractor::Extractor;
pub use fbank::Fbank;
pub use log_mel::LogMel;
pub use mel::{MelBanks, MelBin, MelReport};
pub use mfcc::Mfcc;
pub use options::{EnergyOptions, FbankOptions, FrameOptions, MelOptions, MfccOptions, PlpOptions, SpectrogramOptions};
pub use plp::Plp;
pub use spectrogram::Spectrogram;
pub use window::WindowFunction;
