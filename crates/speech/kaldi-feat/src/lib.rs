#![doc = include_str!("../README.md")]
//! Features are matrices, `num_frames × dim`, one row per frame (usually every 10 ms). All functions here are pure:
//! from samples or matrices to matrices. The caller opens files, logs, and decides what to do about bad utterances.
//!
//! | what | from | to |
//! | --- | --- | --- |
//! | [`extract`] | samples | MFCC, mel filterbank energies, PLP, spectrograms |
//! | [`Deltas`] | `num_frames × dim` | `num_frames × blocks * dim`: the features and their derivatives over time |
//! | [`Splice`] | `num_frames × dim` | `num_frames × (left + 1 + right) * dim`: each frame with its neighbours |
//! | [`frames`] | `num_frames × dim` | frames left out, repeated, shifted, or combined from several matrices |
//! | [`CmvnStats`] | `num_frames × dim` | sums for means and variances, `2 × (dim + 1)`; with these, features without them |
//! | [`SlidingWindowCmn`] | `num_frames × dim` | features without the mean and variance of a window |
//! | [`OnlineCmvn`] | `num_frames × dim` | the same with only the frames so far |
//! | [`FrameGrid`] | a segment in seconds | a range of frames |
//! | [`SampleGrid`] | a segment in seconds | a range of samples |
//! | [`pitch`] | probability of voicing and pitch | gaps filled, normalized, with derivatives |
//!
//! At the ends of an utterance the first and the last frame are used for the missing ones beyond.
//!
//! The options of a computation are a struct with public fields, which starts with the defaults of Kaldi:
//!
//! ```
//! use kaldi_feat::{DeltaOptions, Deltas};
//! use kaldi_matrix::Matrix;
//!
//! let deltas = Deltas::new(&DeltaOptions::new(1, 1))?;
//! let ramp = Matrix::from_vec(4, 1, vec![0.0, 2.0, 4.0, 6.0]);
//! assert_eq!(deltas.compute(&ramp)?.as_slice(), [0.0, 1.0, 2.0, 2.0, 4.0, 2.0, 6.0, 1.0]);
//! # Ok::<(), kaldi_feat::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cmvn;
mod deltas;
mod dims;
mod error;
pub mod extract;
mod frame_sums;
pub mod frames;
mod normalizer;
mod online_cmvn;
pub mod pitch;
mod sample_grid;
mod segment;

mod sliding_cmvn;
mod splice;
#[cfg(feature = "tables")]
pub mod tables;

pub use cmvn::CmvnStats;
pub use deltas::{DeltaOptions, Deltas, ShiftedDeltaOptions};
pub use dims::Dims;
pub use error::{Error, Result};
pub use normalizer::{Flooring, VARIANCE_FLOOR};
pub use online_cmvn::{Normalized, OnlineCmvn, OnlineCmvnOptions, OnlineCmvnState};
pub use sample_grid::{NoSamples, SampleGrid};
pub use segment::{FrameGrid, NoFrames};
pub use sliding_cmvn::{FlooredFrame, SlidingWindowCmn, SlidingWindowCmnOptions};
pub use splice::Splice;
