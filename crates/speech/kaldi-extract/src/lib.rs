#![doc = include_str!("../README.md")]
//! What the programs compute-mfcc-feats, compute-fbank-feats, compute-plp-feats and compute-spectrogram-feats of Kaldi have
//! in common: a waveform is read, one of its channels chosen, converted to the sample rate that is wanted, noise added,
//! features [computed](kaldi_feat::extract::Extractor) and written. Utterances that are not fit for it are skipped with
//! a warning. Utterances are worked on in parallel; what is written and logged is the same for any number of threads.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod error;
mod options;
mod recording;
mod table;
mod warps;

pub use error::{Error, Result};
pub use options::{ExtractOptions, FeatureForm, WarpOptions};
pub use recording::extract_samples;
pub use table::{ExtractCounts, HtkHeader, extract};
