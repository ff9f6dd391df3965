#![doc = include_str!("../README.md")]
//! An example is a few inputs and outputs of a network, each with a name, an index for each row, and a matrix. An index
//! is (n, t, x): the sequence in a minibatch, the frame, and a spare number. A byte of the binary form is the difference of
//! t from the index before; the byte 127 and three integers are an index in full.
//!
//! ```text
//! 00 42 <Nnet3Eg> <NumIo> 04 02 00 00 00            an example of two
//!   <NnetIo> input                                  its name
//!     <I1V> 04 03 00 00 00  fe 01 01                t is -2, -1, 0; n and x are 0
//!     CM2 min range 3 40 ...                        a matrix: CM, CM2 or CM3, SM, FM or DM
//!   </NnetIo> <NnetIo> output
//!     <I1V> 04 01 00 00 00  00                      t is 0
//!     SM 04 01 00 00 00 SV 04 58 00 00 00 04 01 00 00 00  04 0c 00 00 00 04 00 00 80 3f
//!   </NnetIo> </Nnet3Eg>                            a row of 88 columns: 1.0 in column 12
//! ```
//!
//! Each token is followed by a space. The text form has the same tokens, and a matrix as text; it ends with a space and
//! without a newline, so that the next key of an archive is on the same line. An example of a chain model has a
//! [`ChainSupervision`] for each output, with a finite-state acceptor.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod chain_example;
mod context;
#[cfg(feature = "cli")]
mod cut_options;
mod error;
mod example;
mod fst;
mod fst_properties;
mod fst_text;
mod index;
mod io_matrix;
mod merger;
mod minibatch_sizes;
mod order;
mod outputs;
mod sparse_rows;
mod splits;
mod splitter;
mod structures;
mod supervision;
mod utterances;
mod walk;

pub use chain_example::{ChainOutput, NnetChainExample};
pub use context::{ExampleOutput, FrameChoice, FrameSelection};
#[cfg(feature = "cli")]
pub use cut_options::CutArguments;
pub use error::{Error, Result};
pub use example::{NnetExample, NnetIo};
pub use fst::{CompactElement, CompactFst};
pub use index::Index;
pub use io_matrix::IoMatrix;
pub use merger::{ExampleMerger, Merged, MergingStats};
pub use minibatch_sizes::MinibatchSizes;
pub use order::{choose_subset, pass_buffer, read_records};
pub use outputs::{Copies, CopyCount, Formats, Outputs};
pub use sparse_rows::SparseRows;
pub use splitter::{ChunkTime, SplitOptions, SplitStats, UtteranceSplitter};
pub use supervision::ChainSupervision;
pub use utterances::{Cut, CutOptions, CutTables, Labels, cut_utterances};
