//! Computes MFCC, filterbank, PLP or spectrogram features of every waveform of a Kaldi table, on several threads, with the same result for
//! any number of them.
//!
//! ```no_run
//! use kaldi_feat::tables::{ExtractOptions, HtkHeader, WarpOptions, extract};
//! use kaldi_feat::extract::{Mfcc, MfccOptions};
//!
//! let mfcc = Mfcc::new(&MfccOptions::default())?;
//! let htk = HtkHeader { sample_period: 100_000, sample_kind: 0o6 };
//! let tables = ["scp:wav.scp".into(), "ark:mfcc.ark".into()];
//! let counts = extract(mfcc, htk, &ExtractOptions::default(), &WarpOptions::default(), tables)?;
//! println!("{} utterances, {} without features", counts.done, counts.failed);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What the programs compute-mfcc-feats, compute-fbank-feats, compute-plp-feats and compute-spectrogram-feats of Kaldi have
//! in common: a waveform is read, one of its channels chosen, converted to the sample rate that is wanted, noise added,
//! features [computed](crate::extract::Extractor) and written. Utterances that are not fit for it are skipped with
//! a warning. Utterances are worked on in parallel; what is written and logged is the same for any number of threads.

mod error;
mod options;
mod recording;
mod table;
mod warps;

pub use error::{Error, Result};
pub use options::{ExtractOptions, FeatureForm, WarpOptions};
pub use recording::extract_samples;
pub use table::{ExtractCounts, HtkHeader, extract};
