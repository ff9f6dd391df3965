//! Options of the command line that several tools have, in groups.
//!
//! Each group is a struct that derives `clap::Args`: Kaldi's names, types and defaults, and the help. Tools flatten groups into
//! their own options, and convert them with `TryFrom` or `From` into the plain structs of the libraries, which know no command
//! line. What is out of the range of such a struct (a negative number of frames) is refused here.

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod examples;
mod extraction;
mod feed;
mod frames;
mod lattices;
mod mixtures;
mod numbers;
mod pitch;
mod plot;
mod random;
mod speakers;
#[cfg(test)]
mod tests;
mod transforms;
mod waveforms;

pub use examples::{CutArguments, SplitArguments};
pub use extraction::{ExtractArguments, WarpArguments};
pub use feed::{FeedArguments, FeedLabels, FeedPart, OnError, ShuffleCompat};
pub use frames::{
    DeltaArguments, FrameGridArguments, OnlineCmvnArguments, SampleGridArguments, ShiftedDeltaArguments,
    SlidingCmnArguments,
};
pub use lattices::{AcousticScaleArguments, CostScaleArguments};
pub use mixtures::{MixtureStatsArguments, MleDiagGmmArguments, MleFullGmmArguments, SelectArguments};
pub use numbers::{NamedNumber, NamedNumbers};
pub use pitch::{PitchArguments, PitchModelArguments, PitchNormalizerArguments, ProcessPitchArguments};
pub use plot::PlotArguments;
pub use random::{RandomArguments, RandomBy};
pub use speakers::{LengthArguments, TrainingArguments};
pub use transforms::{BasisFmllrArguments, FmllrArguments, FmpeArguments};
pub use waveforms::{
    EnergyArguments, FbankArguments, FrameArguments, MelArguments, MfccArguments, PlpArguments, SpectrogramArguments,
};

use std::fmt::Display;

/// The value of an option as a number that is not negative.
fn count(name: &'static str, expected: &'static str, value: i32) -> Result<usize, kaldi_feat::Error> {
    usize::try_from(value).map_err(|_| refused(name, expected, value))
}

/// An option whose value makes no sense.
fn refused(name: &'static str, expected: &'static str, got: impl Display) -> kaldi_feat::Error {
    kaldi_feat::Error::Option { name, expected, got: got.to_string() }
}
