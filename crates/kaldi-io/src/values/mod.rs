//! The plain values that tables hold: numbers, truth values, tokens, vectors of integers, pairs, posteriors.
//!
//! Kaldi's text forms end with a newline, its binary forms are made of units: a size byte and a little-endian number.
//! A value that consists of integers and floats of four bytes only is a row of five-byte units, counts included:
//!
//! ```text
//! type                 Rust type         text                                binary, after the marker \0B
//! int32                i32               5 \n                                04 05000000
//! float, double        f32, f64          0.5 \n                              04 0000003f, 08 000000000000e03f
//! bool                 bool              T \n                                54
//! token                Token             word\n                              the same, without a marker
//! token vector         Tokens            a b \n                              the same, without a marker
//! int32 vector         Vec<i32>          1 2 \n                              04 02000000 04 01000000 04 02000000
//! int32 vector vector  Vec<Vec<i32>>     1 2 ; 3 ; \n                        count, then each vector as above
//! int32 pairs          Vec<(i32, i32)>   1 2 ; 3 4 \n                        count of pairs, then every integer
//! float pairs          Vec<(f32, f32)>   0.5 2 ; 3 4 \n                      count of pairs, then every float
//! posterior            Posterior         [ 1 0.5 ] [ 2 0.25 3 0.75 ] \n      frames; per frame pairs, int32 float ..
//! gauss-post           GaussPost         1 2 7  [ 0.5 1 ]\n8  [ 1 2 ]\n\n    the same counts, indexes and vectors
//! (single file)        IntVectorFile     [ 1 2 ]\n                           04 02000000 01000000 02000000
//! ```
//!
//! What is read is what Kaldi's holders read, with their freedoms (numbers need no space between them where the second
//! starts with a sign, any white space separates) and their refusals (a pair vector must end with a newline, an integer
//! vector need not). Only `inf` and `nan`, which Kaldi writes but does not read back in these types, are read, except as
//! weights of posteriors. Matrices and vectors of floats are in the crate `kaldi-matrix`; for them a table entry and a
//! single file have the same form, so that no newtype like [`IntVectorFile`] is needed.

#[cfg(test)]
mod contract;
mod frame;
mod gauss_post;
mod int_vector;
mod int_vectors;
mod pairs;
mod posterior;
mod posterior_sum;
mod posterior_weights;
mod scalar;
mod token;
mod unit;

pub use gauss_post::GaussPost;
pub use int_vector::IntVectorFile;
pub use posterior::Posterior;
pub use token::{Token, Tokens, is_token};
