//! Calculations that do not depend on how many numbers are side by side.

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use crate::{Kernel, Lanes, WIDTH, dispatch, transpose};

/// The most numbers that one value of [`Simd`] holds.
pub const MAX_WIDTH: usize = 16;

/// Some numbers side by side: [`Lanes`], or `WideLanes` where the processor has registers for them.
///
/// There is no value without another one to start from, since a value of `WideLanes` shows that the processor has the
/// instructions. Each lane gets the same result as in the other type.
pub trait Simd:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f32, Output = Self>
    + Mul<f32, Output = Self>
    + Div<f32, Output = Self>
    + AddAssign
{
    /// How many numbers one value holds.
    const WIDTH: usize;

    /// Runs a calculation on values of this type in a function of its own, which has the instructions for them. A calculation that
    /// several others start with is compiled once so. The value itself does not matter.
    fn dispatch<K: Kernel>(self, kernel: K) -> K::Output;

    /// One number in all lanes. The value itself does not matter.
    fn splat(self, number: f32) -> Self;

    /// The first `WIDTH` of some numbers. The value itself does not matter.
    ///
    /// # Panics
    /// If there are fewer.
    fn read(self, numbers: &[f32]) -> Self;

    /// Stores the numbers at the start of `numbers`.
    ///
    /// # Panics
    /// If there are fewer than `WIDTH`.
    fn write(self, numbers: &mut [f32]);

    /// Applies `function` to each.
    fn map(self, function: impl Fn(f32) -> f32) -> Self;

    /// Applies `function` to each pair of numbers.
    fn zip(self, other: Self, function: impl Fn(f32, f32) -> f32) -> Self;

    /// Raises the numbers below `floor` to it; NaN stays NaN.
    fn floored(self, floor: f32) -> Self;

    /// The square roots.
    fn sqrt(self) -> Self;

    /// Whether all numbers are zero.
    fn is_zero(self) -> bool;

    /// Reads `WIDTH` numbers of each of the first `WIDTH` rows, from `begin` on, and stores them column by column at the start
    /// of `columns`. The value itself does not matter.
    ///
    /// # Panics
    /// If there are fewer numbers or columns.
    fn read_columns(self, rows: &[&[f32]; MAX_WIDTH], begin: usize, columns: &mut [Self]);

    /// Writes the numbers of each lane to a row of `rows`, which have `dim` numbers each. There may be fewer rows than lanes.
    /// `columns` are the columns, with room for a multiple of `WIDTH` of them; they change.
    ///
    /// # Panics
    /// If there are too few columns.
    fn write_columns(columns: &mut [Self], rows: &mut [f32], dim: usize);

    /// Stores the numbers of those lanes of two values for which `left` is less than `right`, one after another at the start
    /// of two slices, and returns how many these are. What comes after them, up to `WIDTH`, may change, too.
    ///
    /// # Panics
    /// If there is room for less than `WIDTH`.
    fn write_if_less(values: [Self; 2], sides: [Self; 2], out: [&mut [f32]; 2]) -> usize;

    /// [`ln`](crate::ln) of each.
    #[inline(always)]
    fn ln(self) -> Self {
        self.map(crate::ln)
    }

    /// [`exp`](crate::exp) of each.
    #[inline(always)]
    fn exp(self) -> Self {
        self.map(crate::exp)
    }
}

impl Simd for Lanes {
    const WIDTH: usize = WIDTH;

    #[inline]
    fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        dispatch(kernel)
    }

    #[inline(always)]
    fn splat(self, number: f32) -> Self {
        Self::splat(number)
    }

    #[inline(always)]
    fn read(self, numbers: &[f32]) -> Self {
        let mut lanes = Self::ZERO;
        lanes.0.copy_from_slice(&numbers[..WIDTH]);
        lanes
    }

    #[inline(always)]
    fn write(self, numbers: &mut [f32]) {
        numbers[..WIDTH].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn map(self, function: impl Fn(f32) -> f32) -> Self {
        self.map(function)
    }

    #[inline(always)]
    fn zip(mut self, other: Self, function: impl Fn(f32, f32) -> f32) -> Self {
        for (number, other) in self.0.iter_mut().zip(&other.0) {
            *number = function(*number, *other);
        }
        self
    }

    #[inline(always)]
    fn floored(self, floor: f32) -> Self {
        self.floored(floor)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        self == Self::ZERO
    }

    #[inline(always)]
    fn read_columns(self, rows: &[&[f32]; MAX_WIDTH], begin: usize, columns: &mut [Self]) {
        let mut square = [Self::ZERO; WIDTH];
        for (lanes, row) in square.iter_mut().zip(rows) {
            lanes.0.copy_from_slice(&row[begin..][..WIDTH]);
        }
        // The square is an array of its own, so that it stays in registers.
        columns[..WIDTH].copy_from_slice(&transpose(square));
    }

    #[inline(always)]
    fn write_columns(columns: &mut [Self], rows: &mut [f32], dim: usize) {
        // Faster than squares of eight numbers.
        for (lane, row) in rows.chunks_exact_mut(dim).enumerate() {
            for (number, column) in row.iter_mut().zip(&columns[..dim]) {
                *number = column.0[lane];
            }
        }
    }

    #[inline(always)]
    fn write_if_less(values: [Self; 2], [left, right]: [Self; 2], out: [&mut [f32]; 2]) -> usize {
        let [first, second] = out;
        let (first, second) = (&mut first[..WIDTH], &mut second[..WIDTH]);
        // All comparisons are one instruction, if nothing is stored between them.
        let is_less: [u32; WIDTH] = std::array::from_fn(|lane| u32::from(left.0[lane] < right.0[lane]));
        let mut count = 0;
        // Without branches, which would be mispredicted.
        for (lane, is_less) in is_less.into_iter().enumerate() {
            (first[count % WIDTH], second[count % WIDTH]) = (values[0].0[lane], values[1].0[lane]);
            count += is_less as usize;
        }
        count
    }
}
