#![doc = include_str!("../README.md")]
//! A dense value has a binary and a text form. Binary: the marker `\0B`, a token (`FM`, `DM` for matrices, `FV`, `DV` for
//! vectors; `F` is single, `D` double precision), the sizes, and the elements row after row in little-endian order.
//! A matrix of two rows and one column, and a vector of one element:
//!
//! ```text
//! 00 42 46 4d 20 04 02 00 00 00 04 01 00 00 00 00 00 80 3f 00 00 00 40   .BFM ........1.0 2.0
//! ^^^^^ marker   ^^^^^^^^^^^^^^ rows           ^^^^^^^^^^^ ^^^^^^^^^^^ elements
//!       ^^^^^^^^ token          ^^^^^^^^^^^^^^ columns, each size after its width of 4 bytes
//!
//! 00 42 46 56 20 04 01 00 00 00 00 00 80 3f                              .BFV ....1.0
//! ```
//!
//! The same as text, with seven digits a number at most:
//!
//! ```text
//!  [
//!   1
//!   2 ]
//!  [ 1 ]
//! ```
//!
//! They implement [`kaldi_value::Value`], so that they can be values of tables. Either precision is read as the other, and
//! a compressed matrix as a dense one. [`CompressedMatrix`] keeps the compressed bytes, [`SparseMatrix`] the elements
//! that are not zero, and [`GeneralMatrix`] is whichever of these was stored. Script lines may name a part of a value:
//! see [`MatrixRange`] and [`VectorRange`].
//!
//! ```
//! use kaldi_value::{Cursor, Format, Value};
//! use kaldi_matrix::Matrix;
//!
//! let matrix = Matrix::<f32>::read(&mut Cursor::new(b" [ 1 2\n 3 4 ]\n"))?;
//! assert_eq!(matrix.row(1), [3.0, 4.0]);
//! let mut bytes = Vec::new();
//! matrix.transpose().write(&mut bytes, Format::Text);
//! assert_eq!(bytes, b" [\n  1 3 \n  2 4 ]\n");
//! # Ok::<(), kaldi_io::ParseError>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arithmetic;
mod binary;
mod binary_rows;
mod compressed;
#[cfg(test)]
mod contract;
mod dense;
mod either;
mod error;
mod factor;
mod general;
mod htk;
mod linear_algebra;
mod matrix;
mod posterior;
mod product;
mod range;
mod real;
mod row_products;
pub mod select;
mod sparse;
mod sphinx;
mod text;
mod transform;
mod value;
mod vector;
mod zeros;

pub use binary_rows::BinaryRows;
pub use compressed::{CompressedMatrix, CompressionMethod};
pub use either::MatrixOrVector;
pub use error::{Error, Result};
pub use general::GeneralMatrix;
pub use htk::HtkFeatures;
pub use linear_algebra::{Cholesky, Eigen, SymmetricMatrix, WeightedOuters};
pub use matrix::Matrix;
pub use product::LogDetCache;
pub use range::{MatrixRange, VectorRange};
pub use real::{Real, encode_elements};
pub use sparse::SparseMatrix;
pub use sphinx::{SphinxFeatures, write_sphinx_little_endian};
pub use transform::ComposedTransform;
pub use vector::Vector;
