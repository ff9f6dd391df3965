//! Numbers as text, byte for byte as C++ streams at precision 7 print and read them.
//!
//! Kaldi prints floating-point numbers of both widths as `%.7g`: seven significant digits without trailing zeros, with
//! an exponent below 1e-04 and from 1e+07 on (`0.0001`, `1e-05`, `9999999`, `1e+07`), `inf` and `nan` with their sign.
//! Reading is correctly rounded; it takes everything that is written, and what other programs write (`+1`, `.5`, `1.`,
//! `1E5`, `Infinity`).
//!
//! Matrices and integer vectors are read and written a row at a time ([`parse_f32_row`], [`write_f32_row`] ...), which
//! costs much less than number by number.

mod general;
mod lanes;
mod parse;
mod parse_row;
#[cfg(test)]
mod random;
mod write;

pub use general::{Digits, general};
pub use parse::{parse_f32, parse_f64, parse_integer};
pub use parse_row::{RowError, parse_f32_row, parse_f64_row, parse_i32_row};
pub use write::{write_f32, write_f32_row, write_f64, write_f64_row, write_i32_row, write_integer};

/// Why bytes are not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// They do not start with a number.
    Invalid,
    /// The number does not fit the type.
    OutOfRange,
}

/// The exponent of the first of [`POWERS_OF_TEN`].
const SMALLEST_POWER: i64 = -44;

/// The powers of ten between every `f32` of seven digits, but the denormal ones, and its digits as an integer.
static POWERS_OF_TEN: [f64; 89] = [
    1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37, 1e-36, 1e-35, 1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29,
    1e-28, 1e-27, 1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13,
    1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
    1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26,
    1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44,
];
