//! Plain values that tables hold besides those of the standard library: tokens, posteriors, integer vectors of single
//! files; the arithmetic of posteriors.
//!
//! ```text
//! type          Rust type       text                                binary, after the marker \0B
//! token         Token           word\n                              the same, without a marker
//! token vector  Tokens          a b \n                              the same, without a marker
//! posterior     Posterior       [ 1 0.5 ] [ 2 0.25 3 0.75 ] \n      frames; per frame pairs, int32 float ..
//! gauss-post    GaussPost       1 2 7  [ 0.5 1 ]\n8  [ 1 2 ]\n\n    the same counts, indexes and vectors
//! (file)        IntVectorFile   [ 1 2 ]\n                           04 02000000 01000000 02000000
//! ```
//!
//! Counts, integers and floats of the binary forms are the units of [`kaldi_io::unit`]; there are also the values `i32`,
//! `Vec<i32>` and others. Posteriors differ from these in one freedom: a weight of `inf` or `nan` is refused in text, as
//! Kaldi does. Matrices and vectors of floats are in the crate `kaldi-matrix`; a table entry and a single file of them
//! have the same form, so that they need no second type like [`IntVectorFile`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod gauss_post;
mod int_vector_file;
mod posterior;
mod posterior_sum;
mod posterior_weights;
mod token;

pub use gauss_post::GaussPost;
pub use int_vector_file::IntVectorFile;
pub use posterior::Posterior;
pub use token::{Token, Tokens, is_token};
