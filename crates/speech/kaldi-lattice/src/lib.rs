#![doc = include_str!("../README.md")]
//! An entry of an archive is a file of OpenFst's `VectorFst`, or its text. A compact lattice of two states in both forms:
//!
//! ```text
//! d6 fd b2 7e                                    first bytes
//! 06 00 00 00 vector  10 00 00 00 compactlattice44
//! 02 00 00 00 00 00 00 00                        version, flags
//! 03 00 00 00 00 00 00 00                        properties
//! 00 .. 00   02 00 .. 00   00 .. 00              start, number of states, number of arcs (not used): 8 bytes each
//! 00 00 80 7f 00 00 80 7f 00 00 00 00            state 0: not final: infinite costs, no string
//! 01 00 00 00 00 00 00 00                        one arc
//! 05 00 00 00 05 00 00 00                        the word, twice
//! 00 00 c0 3f 00 00 a0 c1                        graph cost 1.5, acoustic cost -20
//! 02 00 00 00 03 00 00 00 03 00 00 00            two transition-ids
//! 01 00 00 00                                    the next state
//! 00 00 00 00 00 00 00 00 00 00 00 00 00 .. 00   state 1: final at no cost, no arcs
//!
//! 0       1       5       1.5,-20,3_3
//! 1
//! ```
//!
//! A [`Lattice`] has arcs with a transition-id and a word; a [`CompactLattice`] arcs with a word and a string of
//! transition-ids, one a frame. Each type reads both, with costs of single or double precision, and converts. An [`Fst`]
//! has one cost, such as a training graph. All of them are a [`Graph`]: states and arcs in flat arrays, and one list of
//! transition-ids of which arcs have pieces. There is no limit of size but memory; what a header claims is not believed
//! before the bytes are there.
//!
//! Sums of costs along paths are computed in double precision, stored costs are floats.
//!
//! The crate `rustfst` is not used: it has no weights of two costs with strings and does not read their files, and of equal paths the
//! one counts here that Kaldi takes, which depends on the order of states and arcs in each algorithm.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod align;
pub mod arpa;
mod arrays;
mod binary;
mod builder;
mod compose;
mod convert;
mod cost;
mod determinize;
mod epsilon;
mod error;
mod fst;
mod graph;
mod mbr;
mod nbest;
mod numbers;
mod oracle;
mod order;
mod paths;
mod phones;
mod push;
#[cfg(feature = "cli")]
mod scale_options;
mod scores;
mod survey;
#[cfg(test)]
mod testing;
mod text;
mod value;
mod weight;
mod work_list;

pub use align::{Aligned, AlignmentLexicon, LexiconAlignment, PhoneAlignment, WordAlignment, WordBoundaries};
pub use arrays::GraphArrays;
pub use builder::Builder;
pub use convert::{to_compact, to_plain};
pub use cost::{Cost, Scale};
pub use error::{Error, Result};
pub use fst::{FstSymbols, LabelSet, Semiring, Side, StateSums};
pub use graph::{Arc, Graph, Span};
pub use mbr::{BayesRisk, BayesRiskOptions};
pub use oracle::Oracle;
pub use paths::{Linear, TimedWord};
#[cfg(feature = "cli")]
pub use scale_options::{AcousticScaleArguments, CostScaleArguments};
pub use scores::{LatticePosteriors, Scores};
pub use survey::{GraphSize, PathSize};
pub use text::GraphForm;
pub use value::{CompactLattice, Fst, GraphValue, Lattice, StoredGraph};
