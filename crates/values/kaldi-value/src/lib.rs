#![doc = include_str!("../README.md")]
//! A Kaldi object is stored in one of two forms. The binary form starts with the marker `\0B`; the text form has no
//! marker. A float matrix of one row and two columns:
//!
//! ```text
//! 00 42 46 4d 20 04 01 00 00 00 04 02 00 00 00 00 00 80 3f 00 00 00 40   .BFM ........1.0 2.0
//! ^^^^^ marker   ^^^^^^^^^^^^^^ rows           ^^^^^^^^^^^ ^^^^^^^^^^^ payload, little-endian
//!       ^^^^^^^^ token          ^^^^^^^^^^^^^^ columns, each integer after its size in bytes
//!
//!  [
//!   1 2 ]
//! ```
//!
//! Parsing works on slices: [`Cursor`] walks over bytes that are in memory, and [`Value::frame`] returns how many bytes a
//! value takes without building it.
//!
//! The binary forms of plain values are units ([`mod@unit`]): a size byte and a little-endian number.
//!
//! ```text
//! type                 Rust type         text             binary, after the marker \0B
//! int32                i32               5 \n             04 05000000
//! float, double        f32, f64          0.5 \n           04 0000003f, 08 000000000000e03f
//! bool                 bool              T \n             54
//! int32 vector         Vec<i32>          1 2 \n           04 02000000 04 01000000 04 02000000
//! int32 vector vector  Vec<Vec<i32>>     1 2 ; 3 ; \n     count, then each vector as above
//! int32 matrix         IntMatrix         1 2 ; 3 4 ; \n   the same; all rows have one length
//! int32 pairs          Vec<(i32, i32)>   1 2 ; 3 4 \n     count of pairs, then every integer
//! float pairs          Vec<(f32, f32)>   0.5 2 ; 3 4 \n   count of pairs, then every float
//! token                Token             word\n           the same, without a marker
//! token vector         Tokens            a b \n           the same, without a marker
//! posterior            Posterior         [ 1 0.5 ] [ 2 0.25 3 0.75 ] \n
//!                                                         frames; per frame pairs, int32 float ..
//! gauss-post           GaussPost         1 2 7  [ 0.5 1 ]\n8  [ 1 2 ]\n\n
//!                                                         the same counts, indexes and vectors
//! (file)               IntVectorFile     [ 1 2 ]\n        04 02000000 01000000 02000000
//! ```
//!
//! These types read the same as Kaldi's holders, with their freedoms (numbers need no space between them if the second
//! starts with a sign, any white space separates) and their refusals (a pair vector must end with a newline, an integer
//! vector need not). `inf` and `nan`, which Kaldi writes but does not read back in these types, are read; only the
//! weights of posteriors refuse them in text, as in Kaldi.
//!
//! Matrices and vectors of floats are in the crate `kaldi-matrix`, waveforms in `kaldi-wave`; a table entry and a single file
//! of them have the same form, so that they need no second type like [`IntVectorFile`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod basic;
mod cursor;
mod format;
pub mod framing;
mod gauss_post;
mod int_matrix;
mod int_vector;
mod int_vector_file;
mod int_vectors;
mod integers;
pub mod number;
mod object;
mod pairs;
mod posterior;
mod posterior_sum;
mod posterior_weights;
pub mod random;
mod scalar;
mod symbols;
pub mod testing;
mod token;
pub mod unit;
mod value;

pub use basic::Basic;
pub use cursor::Cursor;
pub use format::{Format, write_basic, write_int_vector, write_token};
pub use gauss_post::GaussPost;
pub use int_matrix::{IntMatrix, UnequalRow};
pub use int_vector::{convert_binary_integers, integer_of_unit, integer_units};
pub use int_vector_file::IntVectorFile;
pub use kaldi_io::Frame;
pub use object::KaldiObject;
pub use posterior::Posterior;
pub use symbols::{SymbolTable, UnknownSymbol};
pub use token::{Keys, Token, Tokens, is_token};
pub use value::{Part, Value, frame_between_tokens, frame_by_parsing};
