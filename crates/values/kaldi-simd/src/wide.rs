//! Sixteen numbers in a register of AVX-512.

use std::arch::x86_64::*;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use crate::Kernel;
use crate::dispatch::{compute_with_avx512, has_avx512};
use crate::simd::{MAX_WIDTH, Simd};

/// Sixteen numbers side by side, on processors that have AVX-512.
///
/// For calculations in [`Kernel::compute_with_avx512`](crate::Kernel::compute_with_avx512); elsewhere each operation is a
/// call of a function.
#[derive(Clone, Copy, Debug)]
pub struct WideLanes(__m512);

/// Instructions of AVX-512 on [`WideLanes`].
macro_rules! avx512 {
    ($call:expr) => {{
        #[allow(unsafe_code)]
        // SAFETY: there is a value of `WideLanes`, which is only made if the processor has the instructions.
        let result = unsafe { $call };
        result
    }};
}

impl WideLanes {
    /// Sixteen zeros, or `None` if the processor does not have AVX-512 or it is turned off.
    #[inline]
    pub fn zero() -> Option<Self> {
        has_avx512().then(|| Self::from_array([0.0; MAX_WIDTH]))
    }

    /// Only for processors that have AVX-512.
    #[inline(always)]
    fn from_array(numbers: [f32; MAX_WIDTH]) -> Self {
        #[allow(unsafe_code)]
        // SAFETY: sixteen floats, in both.
        let register = unsafe { std::mem::transmute::<[f32; MAX_WIDTH], __m512>(numbers) };
        Self(register)
    }

    #[inline(always)]
    fn into_array(self) -> [f32; MAX_WIDTH] {
        #[allow(unsafe_code)]
        // SAFETY: sixteen floats, in both.
        let numbers = unsafe { std::mem::transmute::<__m512, [f32; MAX_WIDTH]>(self.0) };
        numbers
    }
}

impl Simd for WideLanes {
    const WIDTH: usize = MAX_WIDTH;

    #[inline]
    fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        avx512!(compute_with_avx512(kernel, self))
    }

    #[inline(always)]
    fn splat(self, number: f32) -> Self {
        Self(avx512!(_mm512_set1_ps(number)))
    }

    #[inline(always)]
    fn read(self, numbers: &[f32]) -> Self {
        Self::from_array(numbers.as_chunks().0[0])
    }

    #[inline(always)]
    fn write(self, numbers: &mut [f32]) {
        numbers.as_chunks_mut().0[0] = self.into_array();
    }

    #[inline(always)]
    fn map(self, function: impl Fn(f32) -> f32) -> Self {
        let mut numbers = self.into_array();
        for number in &mut numbers {
            *number = function(*number);
        }
        Self::from_array(numbers)
    }

    #[inline(always)]
    fn zip(self, other: Self, function: impl Fn(f32, f32) -> f32) -> Self {
        let mut numbers = self.into_array();
        for (number, other) in numbers.iter_mut().zip(&other.into_array()) {
            *number = function(*number, *other);
        }
        Self::from_array(numbers)
    }

    #[inline(always)]
    fn floored(self, floor: f32) -> Self {
        // The second number if one of the two is NaN.
        Self(avx512!(_mm512_max_ps(_mm512_set1_ps(floor), self.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(avx512!(_mm512_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn is_zero(self) -> bool {
        avx512!(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(self.0, _mm512_setzero_ps())) == u16::MAX
    }

    #[inline(always)]
    fn read_columns(self, rows: &[&[f32]; MAX_WIDTH], begin: usize, columns: &mut [Self]) {
        let square = &mut columns.as_chunks_mut().0[0];
        for (lanes, row) in square.iter_mut().zip(rows) {
            *lanes = self.read(&row[begin..]);
        }
        Self::transpose(square);
    }

    #[inline(always)]
    fn write_columns(columns: &mut [Self], rows: &mut [f32], dim: usize) {
        for begin in (0..dim).step_by(MAX_WIDTH) {
            let square = &mut columns[begin..].as_chunks_mut().0[0];
            Self::transpose(square);
            let end = dim.min(begin + MAX_WIDTH);
            for (row, values) in rows.chunks_exact_mut(dim).zip(square) {
                match row[begin..].first_chunk_mut() {
                    Some(sixteen) => *sixteen = values.into_array(),
                    None => row[begin..].copy_from_slice(&values.into_array()[..end - begin]),
                }
            }
        }
    }

    #[inline(always)]
    fn write_if_less(values: [Self; 2], [left, right]: [Self; 2], out: [&mut [f32]; 2]) -> usize {
        let is_less = avx512!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(left.0, right.0));
        for (value, numbers) in values.into_iter().zip(out) {
            Self(avx512!(_mm512_maskz_compress_ps(is_less, value.0))).write(numbers);
        }
        is_less.count_ones() as usize
    }
}

impl WideLanes {
    /// Exchanges rows and columns.
    #[inline(always)]
    fn transpose(rows: &mut [Self; MAX_WIDTH]) {
        // Squares of four rows in each fourth of the registers, then these fourths.
        for four in rows.as_chunks_mut::<4>().0 {
            let [a, b, c, d] = *four;
            let ([a, b], [c, d]) = (a.pairs(b), c.pairs(d));
            let ([first, second], [third, fourth]) = (a.twos(c), b.twos(d));
            *four = [first, second, third, fourth];
        }
        for at in 0..4 {
            let [a, b, c, d] = [rows[at], rows[at + 4], rows[at + 8], rows[at + 12]];
            let ([a, b], [c, d]) = (a.fours(b), c.fours(d));
            let ([first, third], [second, fourth]) = (a.fours(c), b.fours(d));
            [rows[at], rows[at + 4], rows[at + 8], rows[at + 12]] = [first, second, third, fourth];
        }
    }

    /// In each fourth the first two numbers of both, in turns, and the last two.
    #[inline(always)]
    fn pairs(self, other: Self) -> [Self; 2] {
        [avx512!(_mm512_unpacklo_ps(self.0, other.0)), avx512!(_mm512_unpackhi_ps(self.0, other.0))].map(Self)
    }

    /// In each fourth the first two numbers of both, one after the other, and the last two.
    #[inline(always)]
    fn twos(self, other: Self) -> [Self; 2] {
        [
            Self(avx512!(_mm512_shuffle_ps::<0b01_00_01_00>(self.0, other.0))),
            Self(avx512!(_mm512_shuffle_ps::<0b11_10_11_10>(self.0, other.0))),
        ]
    }

    /// The first and the third fourth of both, and the second and the last.
    #[inline(always)]
    fn fours(self, other: Self) -> [Self; 2] {
        [
            Self(avx512!(_mm512_shuffle_f32x4::<0b10_00_10_00>(self.0, other.0))),
            Self(avx512!(_mm512_shuffle_f32x4::<0b11_01_11_01>(self.0, other.0))),
        ]
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $instruction:ident) => {
        impl $trait for WideLanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(avx512!($instruction(self.0, other.0)))
            }
        }

        impl $trait<f32> for WideLanes {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: f32) -> Self {
                self.$method(self.splat(other))
            }
        }
    };
}

operator!(Add, add, _mm512_add_ps);
operator!(Sub, sub, _mm512_sub_ps);
operator!(Mul, mul, _mm512_mul_ps);
operator!(Div, div, _mm512_div_ps);

impl AddAssign for WideLanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Neg for WideLanes {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(avx512!(_mm512_xor_ps(self.0, _mm512_set1_ps(-0.0))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Lanes;

    /// Applies an operation to sixteen pairs of numbers, with the registers of `zero`.
    fn apply<V: Simd>(zero: V, operation: impl Fn(V, V) -> V, [left, right]: [&[f32; 16]; 2]) -> Vec<u32> {
        let mut out = [0.0; 16];
        for at in (0..16).step_by(V::WIDTH) {
            operation(zero.read(&left[at..]), zero.read(&right[at..])).write(&mut out[at..]);
        }
        out.map(f32::to_bits).to_vec()
    }

    macro_rules! assert_same {
        ($wide:expr, $numbers:expr, $($operation:expr),+) => {$(
            assert_eq!(
                apply($wide, $operation, $numbers),
                apply(Lanes::ZERO, $operation, $numbers),
                "{}", stringify!($operation)
            );
        )+};
    }

    #[test]
    fn every_lane_gets_what_it_gets_in_narrow_registers() {
        let Some(wide) = WideLanes::zero() else { return };
        let left = [0.0, -0.0, 1.5, -3.25, 1e30, -1e30, 1e-30, 7.0, 0.1, 0.2, 0.3, 1e38, f32::INFINITY, 2.0, 3.0, 4.0];
        let right = [1.0, 2.0, -0.0, 3.1, 1e30, 1e9, 1e-30, 7.0, 0.7, -0.2, 1e-3, 10.0, 1.0, f32::INFINITY, 1e-9, 5.0];
        assert_same!(
            wide,
            [&left, &right],
            |a, b| a + b,
            |a, b| a - b,
            |a, b| a * b,
            |a, b| a / b,
            |a, b| (a + 0.1) * 0.3 / 0.7 - b,
            |a, _| -a,
            |a, b| b.floored(0.5) + a.floored(-1.0),
            |a, _| a.floored(1.0).sqrt(),
            |a, b| a.floored(1e-10).ln() + b.splat(3.0),
            |a, b| (a * b).floored(-90.0).exp(),
            |a, _| a.map(|number| number * number),
            |a, b| a.zip(b, |left, right| if left < right { left } else { right * right })
        );
        let ones = |number: f32| if number.is_nan() { 0.0 } else { 1.0 };
        assert!(wide.is_zero() && (-wide).is_zero() && wide.splat(f32::NAN).floored(1.0).map(ones).is_zero());
        assert!(!wide.splat(f32::NAN).is_zero() && !wide.read(&[[0.0; 15].as_slice(), &[1.0]].concat()).is_zero());
    }

    #[test]
    fn rows_become_columns() {
        fn check<V: Simd>(zero: V) {
            let number = |row: usize, col: usize| (1000 * row + col) as f32;
            let rows: [Vec<f32>; MAX_WIDTH] = std::array::from_fn(|row| (0..40).map(|col| number(row, col)).collect());
            let mut columns = vec![zero; V::WIDTH + 1];
            zero.read_columns(&rows.each_ref().map(Vec::as_slice), 5, &mut columns);
            for (col, found) in columns.iter().enumerate() {
                let mut column = vec![0.0; V::WIDTH];
                found.write(&mut column);
                let expected = |row| if col < V::WIDTH { number(row, col + 5) } else { 0.0 };
                assert_eq!(column, (0..V::WIDTH).map(expected).collect::<Vec<_>>());
            }
        }
        check(Lanes::ZERO);
        WideLanes::zero().into_iter().for_each(check);
    }

    #[test]
    fn numbers_of_chosen_lanes_are_stored_one_after_another() {
        fn check<V: Simd>(zero: V) {
            let values: [Vec<f32>; 2] =
                [100.0, 200.0].map(|first| (0..V::WIDTH).map(|lane| first + lane as f32).collect());
            let values = [zero.read(&values[0]), zero.read(&values[1])];
            for chosen in [0_u32, 0xffff, 0b1010_0110_0000_1001, 0b0111_1111_1111_1110, 0b1000_0000_1000_0000] {
                let is_chosen = |lane: &usize| chosen >> lane & 1 == 1;
                let number = |lane: usize| if is_chosen(&lane) { -1.0 } else { [0.0, 1.0, f32::NAN][lane % 3] };
                let sides = [zero.read(&(0..V::WIDTH).map(number).collect::<Vec<_>>()), zero];
                let [mut first, mut second] = [[0.0; MAX_WIDTH]; 2];
                let count = V::write_if_less(values, sides, [&mut first, &mut second]);
                let expected: Vec<f32> = (0..V::WIDTH).filter(is_chosen).map(|lane| lane as f32).collect();
                assert_eq!(first[..count].iter().map(|number| number - 100.0).collect::<Vec<_>>(), expected);
                assert_eq!(second[..count].iter().map(|number| number - 200.0).collect::<Vec<_>>(), expected);
            }
        }
        check(Lanes::ZERO);
        WideLanes::zero().into_iter().for_each(check);
    }

    #[test]
    fn columns_become_rows_of_any_length() {
        fn check<V: Simd>(zero: V) {
            for (dim, num_rows) in [(1, 1), (13, V::WIDTH), (16, 5), (40, V::WIDTH - 1), (257, V::WIDTH)] {
                let number = |row: usize, col: usize| (1000 * row + col) as f32;
                let column = |col| (0..V::WIDTH).map(|row| number(row, col)).collect::<Vec<_>>();
                let mut columns: Vec<V> = (0..dim).map(|col| zero.read(&column(col))).collect();
                columns.resize(dim.next_multiple_of(V::WIDTH), zero);
                let mut rows = vec![-1.0; num_rows * dim];
                V::write_columns(&mut columns, &mut rows, dim);
                let expected: Vec<f32> = (0..num_rows * dim).map(|at| number(at / dim, at % dim)).collect();
                assert_eq!(rows, expected);
            }
        }
        check(Lanes::ZERO);
        WideLanes::zero().into_iter().for_each(check);
    }
}
