//! Numbers as text, byte for byte as C++ streams print and read them at the precision of Kaldi, a number or a row at a time.
//!
//! ```
//! let mut text = Vec::new();
//! kaldi_value::number::write_f32_row(&mut text, &[1.0, -0.5, 1e7]);
//! assert_eq!(text, b"1 -0.5 1e+07 ");
//! assert_eq!(kaldi_value::number::parse_f32(b"1e+07 "), Ok((1e7, 5)));
//! ```
//!
//! Kaldi prints floating-point numbers of both widths as `%.7g`: seven significant digits without trailing zeros, with
//! an exponent below 1e-04 and from 1e+07 on (`0.0001`, `1e-05`, `9999999`, `1e+07`), `inf` and `nan` with their sign.
//! Reading is correctly rounded; it takes everything that is written, and what other programs write (`+1`, `.5`, `1.`,
//! `1E5`, `Infinity`).
//!
//! Matrices and integer vectors are read and written a row at a time ([`parse_f32_row`], [`write_f32_row`] ...), which
//! costs much less than number by number.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod error;
mod general;
mod lanes;
mod named;
mod option;
mod parse;
mod parse_row;
mod powers;
#[cfg(test)]
mod random;
mod write;

pub use error::NumberError;
pub use general::{Digits, general};
pub use named::{NamedNumber, NamedNumbers};
pub use option::{count, double, integer, negative_is_zero, single, whole};
pub use parse::{parse_f32, parse_f64, parse_integer};
pub use parse_row::{RowError, parse_f32_row, parse_f64_row, parse_i32_row};
pub use write::{write_f32, write_f32_row, write_f64, write_f64_row, write_i32_row, write_integer};
