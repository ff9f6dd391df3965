#![doc = include_str!("../README.md")]
//! [`Lanes`] are eight floats on which one calculation is done eight times: for eight frames of an utterance, or for eight
//! samples. Everything is `#[inline(always)]` plain Rust without branches, which the compiler turns into instructions
//! on whole registers: two of 128 bits, or one of 256 bits in a [`Kernel`] on a processor with AVX2. There are no fused
//! multiplications, so that results are the same on every processor. `WideLanes` are sixteen floats in one register of AVX-512.
//! What works on both is written for [`Simd`].
//!
//! ```
//! use kaldi_simd::Lanes;
//!
//! let squares = Lanes([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
//! let product = squares * squares + Lanes::splat(0.5);
//! assert_eq!(product.0[3], 9.5);
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod dispatch;
mod exponential;
mod functions;
mod simd;
#[cfg(target_arch = "x86_64")]
mod wide;

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

#[cfg(target_arch = "x86_64")]
pub use dispatch::has_avx512_bytes;
pub use dispatch::{Kernel, dispatch, has_avx2, has_fused_products};
pub use exponential::exp_all;
pub use functions::{exp, ln, sin_cos_of_turn};
pub use simd::{MAX_WIDTH, Simd};
#[cfg(target_arch = "x86_64")]
pub use wide::WideLanes;

/// How many numbers one value holds.
pub const WIDTH: usize = 8;

/// Eight numbers side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub struct Lanes(pub [f32; WIDTH]);

impl Lanes {
    /// Eight zeros.
    pub const ZERO: Self = Self([0.0; WIDTH]);

    /// One number eight times.
    #[inline(always)]
    pub fn splat(number: f32) -> Self {
        Self([number; WIDTH])
    }

    /// Applies `function` to each.
    #[inline(always)]
    pub fn map(mut self, function: impl Fn(f32) -> f32) -> Self {
        // The loop works in place, so that the compiler uses registers for it.
        for number in &mut self.0 {
            *number = function(*number);
        }
        self
    }

    /// Raises the numbers below `floor` to it; NaN stays NaN.
    #[inline(always)]
    pub fn floored(self, floor: f32) -> Self {
        self.map(|number| if number < floor { floor } else { number })
    }

    /// The smaller number of each pair; if one of the two is NaN, that of `self`.
    #[inline(always)]
    pub fn min(mut self, other: Self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] = if other.0[lane] < self.0[lane] { other.0[lane] } else { self.0[lane] };
        }
        self
    }

    /// The larger number of each pair; if one of the two is NaN, that of `self`.
    #[inline(always)]
    pub fn max(mut self, other: Self) -> Self {
        for lane in 0..WIDTH {
            self.0[lane] = if other.0[lane] > self.0[lane] { other.0[lane] } else { self.0[lane] };
        }
        self
    }

    /// The square roots.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }

    /// [`ln`] of each.
    #[inline(always)]
    pub fn ln(self) -> Self {
        self.map(ln)
    }

    /// [`exp`] of each.
    #[inline(always)]
    pub fn exp(self) -> Self {
        self.map(exp)
    }
}

/// Exchanges rows and columns: the first of the results has the first number of each, and so on.
#[inline(always)]
pub fn transpose(rows: [Lanes; WIDTH]) -> [Lanes; WIDTH] {
    // In each step two registers exchange half of their numbers; processors have instructions for that.
    let pairs = |[a, b]: [Lanes; 2]| {
        let (a, b) = (a.0, b.0);
        [
            Lanes([a[0], b[0], a[1], b[1], a[4], b[4], a[5], b[5]]),
            Lanes([a[2], b[2], a[3], b[3], a[6], b[6], a[7], b[7]]),
        ]
    };
    let fours = |[a, b]: [Lanes; 2]| {
        let (a, b) = (a.0, b.0);
        [
            Lanes([a[0], a[1], b[0], b[1], a[4], a[5], b[4], b[5]]),
            Lanes([a[2], a[3], b[2], b[3], a[6], a[7], b[6], b[7]]),
        ]
    };
    let halves = |[a, b]: [Lanes; 2]| {
        let (a, b) = (a.0, b.0);
        [
            Lanes([a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]),
            Lanes([a[4], a[5], a[6], a[7], b[4], b[5], b[6], b[7]]),
        ]
    };
    let [a, b, c, d, e, f, g, h] = rows;
    let ([a, b], [c, d], [e, f], [g, h]) = (pairs([a, b]), pairs([c, d]), pairs([e, f]), pairs([g, h]));
    let ([a, c], [b, d], [e, g], [f, h]) = (fours([a, c]), fours([b, d]), fours([e, g]), fours([f, h]));
    let ([a, e], [c, g], [b, f], [d, h]) = (halves([a, e]), halves([c, g]), halves([b, f]), halves([d, h]));
    [a, c, b, d, e, g, f, h]
}

/// Eight numbers of double precision side by side, for sums.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
pub struct DoubleLanes(pub [f64; WIDTH]);

impl From<Lanes> for DoubleLanes {
    #[inline(always)]
    fn from(lanes: Lanes) -> Self {
        Self(lanes.0.map(f64::from))
    }
}

macro_rules! pairwise {
    ($trait:ident, $method:ident, $assign:tt, $($lanes:ident)*) => {$(
        impl $trait for $lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                for lane in 0..WIDTH {
                    self.0[lane] $assign other.0[lane];
                }
                self
            }
        }
    )*};
}

macro_rules! operator {
    ($trait:ident, $method:ident, $operator:tt, $assign:tt) => {
        pairwise!($trait, $method, $assign, Lanes DoubleLanes);

        impl $trait<f64> for DoubleLanes {
            type Output = Self;

            #[inline(always)]
            fn $method(mut self, other: f64) -> Self {
                for number in &mut self.0 {
                    *number $assign other;
                }
                self
            }
        }

        impl $trait<f32> for Lanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: f32) -> Self {
                self.map(|number| number $operator other)
            }
        }
    };
}

operator!(Add, add, +, +=);
operator!(Sub, sub, -, -=);
operator!(Mul, mul, *, *=);
operator!(Div, div, /, /=);

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl AddAssign for DoubleLanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Neg for Lanes {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|number| -number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAMP: Lanes = Lanes([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);

    #[test]
    fn operators_work_on_each() {
        assert_eq!((RAMP + RAMP * 2.0 - RAMP / 2.0).0, [0.0, 2.5, 5.0, 7.5, 10.0, 12.5, 15.0, 17.5]);
        assert_eq!((-RAMP * RAMP).0[3], -9.0);
        let mut sum = RAMP;
        sum += Lanes::splat(1.0);
        assert_eq!(sum.0[7], 8.0);
        assert_eq!((RAMP * RAMP).sqrt(), RAMP);
    }

    #[test]
    fn rows_become_columns() {
        let rows = std::array::from_fn(|row| RAMP + 10.0 * row as f32);
        for (col, found) in transpose(rows).iter().enumerate() {
            assert_eq!(found.0, std::array::from_fn(|row| (10 * row + col) as f32));
        }
    }

    #[test]
    fn extremes_pass_over_what_is_no_number() {
        let numbers = Lanes([f32::NAN, -1.0, 9.0, f32::INFINITY, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(RAMP.min(numbers).0, [0.0, -1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(RAMP.max(numbers).0, [0.0, 1.0, 9.0, f32::INFINITY, 4.0, 5.0, 6.0, 7.0]);
    }

    #[test]
    fn doubles_hold_what_is_too_small_for_singles() {
        let mut sum = DoubleLanes::from(RAMP) * DoubleLanes::from(RAMP) - 1.0;
        sum += DoubleLanes([1e-12; WIDTH]);
        assert_eq!((sum.0[0], sum.0[3]), (1e-12 - 1.0, 8.0 + 1e-12));
    }

    #[test]
    fn a_floor_leaves_what_is_no_number() {
        let numbers = Lanes([-1.0, 0.0, 2.0, 3.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1.0]).floored(1.0);
        assert_eq!(numbers.0[..4], [1.0, 1.0, 2.0, 3.0]);
        assert!(numbers.0[4].is_nan());
        assert_eq!(numbers.0[5..], [f32::INFINITY, 1.0, 1.0]);
    }
}
