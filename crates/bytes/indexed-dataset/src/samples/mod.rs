//! The order in which a model sees a dataset: document, sample and shuffle index, equal to those that Megatron makes.
//!
//! Sequences are put one after the other in the order of the *document index* (all of them once an epoch, shuffled).
//! The result is cut into samples of `seq_length` tokens; each also has the first token of the next one. Row `k` of the
//! *sample index* is the start of sample `k`: the position in the document index, and the token in that sequence. The
//! *shuffle index* is the order in which samples are used. Only sequences count here, not the documents of a dataset.

mod blend;
mod build;
mod index_names;
mod lengths;
mod npy;
mod options;
mod plan;
mod random;
mod read;
mod rows;
#[cfg(test)]
mod tests;

pub use blend::{Blend, blend};
pub use build::{Built, build_samples};
pub use index_names::IndexNames;
pub use npy::NpyReader;
pub use options::{SampleCount, SampleOptions, SeparateLastEpoch, Split, SplitName};
pub use random::NumpyRandom;
pub use read::SampleIndices;
