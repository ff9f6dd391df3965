//! Products of each row of a matrix with each row of another one, for long rows.
//!
//! A general matrix product first brings both factors into the order of its innermost loop. If one of them is small and the
//! rows are long, that takes longer than the product itself. Here rows are only copied to places that registers can be loaded
//! from at once: a few rows at a time, from numbers or from the bytes of a file.

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use kaldi_simd::WideLanes;
use kaldi_simd::{Kernel, dispatch, has_fused_products};

use crate::factor::{Factor, Product};

/// The numbers of a chunk. Each sum is made of this many, which end in its last step.
const LANES: usize = 16;

/// The most right rows of a block.
const MOST_RIGHT: usize = 4;

/// The blocks of rows that are multiplied with one block of right rows before the next: all of them stay in the first-level
/// cache.
const BLOCKS: usize = 3;

/// The shortest rows for which this pays: the sums of lanes are to be a small part of the work.
const LONG: usize = 256;

/// The largest right factor, in elements. It is read again and again, so it has to stay in the second-level cache.
const SMALL: usize = 1 << 16;

/// Rows of the same length.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'a> {
    /// Each row starts this many elements after the one before.
    Elements(&'a [f32], usize),
    /// Little-endian numbers, row after row.
    Bytes(&'a [u8]),
}

/// Adds the product to `beta * out`, if its factors are rows of this kind and the processor has an instruction for fused
/// products. Returns whether it did.
pub(crate) fn multiply(product: &Product<'_, f32>, out: &mut [f32]) -> bool {
    let Product { left, right, beta } = product;
    if left.strides.1 != 1 || !is_for_rows(right) {
        return false;
    }
    product.check(out.len());
    multiply_rows(Rows::Elements(left.data, left.strides.0), right, *beta, out);
    true
}

/// Whether [`multiply_rows`] is the way to multiply with this factor.
pub(crate) fn is_for_rows(right: &Factor<'_, f32>) -> bool {
    right.strides.0 == 1 && right.rows >= LONG && right.rows * right.cols <= SMALL && has_fused_products()
}

/// Adds the products of rows with `right` to `beta * out`, which tells how many rows there are.
pub(crate) fn multiply_rows(left: Rows<'_>, right: &Factor<'_, f32>, beta: f32, out: &mut [f32]) {
    if !out.is_empty() {
        dispatch(RowProducts { left, right, beta, out });
    }
}

struct RowProducts<'a> {
    left: Rows<'a>,
    right: &'a Factor<'a, f32>,
    beta: f32,
    out: &'a mut [f32],
}

impl Kernel for RowProducts<'_> {
    type Output = ();

    const WANTS_AVX512: bool = true;

    // Blocks are as large as the registers allow. Results do not depend on them.
    #[inline(always)]
    fn compute(self) {
        self.compute_blocks::<2, 3>();
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn compute_with_avx512(self, _zero: WideLanes) {
        self.compute_blocks::<6, 4>();
    }
}

impl RowProducts<'_> {
    /// Computes `LEFT × RIGHT` elements at a time. Rows that do not exist are zeros.
    #[inline(always)]
    fn compute_blocks<const LEFT: usize, const RIGHT: usize>(self) {
        let Factor { data, rows: length, cols, strides } = *self.right;
        let num_chunks = length.div_ceil(LANES);
        let mut right = Vec::with_capacity(cols.div_ceil(RIGHT) * num_chunks);
        for first in (0..cols).step_by(RIGHT) {
            let wanted = first..cols.min(first + RIGHT);
            push_block::<RIGHT>(&mut right, Rows::Elements(data, strides.1), length, wanted);
        }
        let num_rows = self.out.len() / cols;
        let mut left = Vec::with_capacity(BLOCKS * num_chunks);
        for first in (0..num_rows).step_by(BLOCKS * LEFT) {
            let end = num_rows.min(first + BLOCKS * LEFT);
            left.clear();
            for row in (first..end).step_by(LEFT) {
                push_block::<LEFT>(&mut left, self.left, length, row..end.min(row + LEFT));
            }
            for (col, right) in (0..cols).step_by(RIGHT).zip(right.chunks_exact(num_chunks)) {
                for (row, left) in (first..end).step_by(LEFT).zip(left.chunks_exact(num_chunks)) {
                    let products = block_products::<LEFT, RIGHT>(left, right);
                    for (row, products) in (row..end.min(row + LEFT)).zip(products) {
                        let out = &mut self.out[row * cols + col..][..RIGHT.min(cols - col)];
                        if let (0.0, Some(out)) = (self.beta, out.first_chunk_mut()) {
                            *out = products;
                            continue;
                        }
                        for (out, product) in out.iter_mut().zip(products) {
                            // What was there may be NaN, and counts only if it is to be added.
                            *out = if self.beta == 0.0 { product } else { self.beta.mul_add(*out, product) };
                        }
                    }
                }
            }
        }
    }
}

/// A part of a row, or partial sums of one product.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Chunk([f32; LANES]);

impl Chunk {
    const ZERO: Self = Self([0.0; LANES]);
}

/// Appends `N` rows, the first chunks of all before the second ones. After their ends there are zeros.
#[inline(always)]
fn push_block<const N: usize>(block: &mut Vec<[Chunk; N]>, rows: Rows<'_>, length: usize, wanted: Range<usize>) {
    let start = block.len();
    block.resize(start + length.div_ceil(LANES), [Chunk::ZERO; N]);
    for (place, row) in wanted.enumerate() {
        let chunks = block[start..].iter_mut().map(|chunks| &mut chunks[place].0);
        match rows {
            Rows::Elements(elements, stride) => {
                for (chunk, elements) in chunks.zip(elements[row * stride..][..length].chunks(LANES)) {
                    match elements.first_chunk::<LANES>() {
                        Some(whole) => *chunk = *whole,
                        None => chunk[..elements.len()].copy_from_slice(elements),
                    }
                }
            }
            Rows::Bytes(bytes) => {
                for (chunk, bytes) in chunks.zip(bytes[row * 4 * length..][..4 * length].chunks(4 * LANES)) {
                    for (element, bytes) in chunk.iter_mut().zip(bytes.as_chunks::<4>().0) {
                        *element = f32::from_le_bytes(*bytes);
                    }
                }
            }
        }
    }
}

/// The inner products of each left row with all right ones.
#[inline(always)]
fn block_products<const LEFT: usize, const RIGHT: usize>(
    left: &[[Chunk; LEFT]],
    right: &[[Chunk; RIGHT]],
) -> [[f32; MOST_RIGHT]; LEFT] {
    let mut sums = [[Chunk::ZERO; RIGHT]; LEFT];
    for (left, right) in left.iter().zip(right) {
        let right = *right;
        for (sums, left) in sums.iter_mut().zip(left) {
            let left = *left;
            for (sums, right) in sums.iter_mut().zip(&right) {
                for lane in 0..LANES {
                    sums.0[lane] = left.0[lane].mul_add(right.0[lane], sums.0[lane]);
                }
            }
        }
    }
    // From here on sums are in memory. Without this they would be stored in every step of the loop, too.
    let sums = std::hint::black_box(sums);
    let mut quarters = [[[0.0; 4]; MOST_RIGHT]; LEFT];
    for (quarters, sums) in quarters.iter_mut().zip(&sums) {
        for (quarters, Chunk(sums)) in quarters.iter_mut().zip(sums) {
            *quarters = std::array::from_fn(|at| (sums[at] + sums[at + 8]) + (sums[at + 4] + sums[at + 12]));
        }
    }
    // One step after the other: the compiler would look for a way through both at once, which is longer.
    std::hint::black_box(quarters).map(|row| row.map(|[a, b, c, d]| (a + b) + (c + d)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;
    use crate::real::Storage;

    fn matrix(num_rows: usize, num_cols: usize) -> Matrix<f32> {
        let element = |at: usize| ((at * 7919 + num_cols) % 1009) as f32 / 504.0 - 1.0;
        Matrix::from_vec(num_rows, num_cols, (0..num_rows * num_cols).map(element).collect())
    }

    #[test]
    #[should_panic(expected = "assertion")]
    fn factors_that_do_not_fit_are_not_multiplied() {
        let (left, right) = (matrix(2, 299), matrix(3, 300));
        f32::gemm(&Product { left: left.factor(), right: right.transposed_factor(), beta: 0.0 }, &mut [0.0; 6]);
    }

    #[test]
    fn products_are_those_of_the_definition() {
        for (rows, cols, length) in [(1, 1, 256), (7, 5, 300), (4, 4, 271), (9, 13, 1000)] {
            let (left, right) = (matrix(rows, length), matrix(cols, length));
            let product = left.multiply_transposed(&right).unwrap();
            for (row, of_left) in left.rows().enumerate() {
                for (col, of_right) in right.rows().enumerate() {
                    let products = of_left.iter().zip(of_right).map(|(a, b)| f64::from(*a) * f64::from(*b));
                    let (expected, size) = products.fold((0.0, 0.0), |(sum, size), it| (sum + it, size + it.abs()));
                    // Without fused products another product is taken, whose sums have larger errors.
                    let error = (f64::from(product.row(row)[col]) - expected).abs();
                    assert!(error < 2e-6 * size, "{rows} {cols} {length}: {error} of {size}");
                }
            }
        }
    }

    #[test]
    fn blocks_of_all_sizes_give_the_same_bits() {
        let (left, right) = (matrix(11, 310), matrix(10, 310));
        let right = right.transposed_factor();
        let mut bytes = Vec::new();
        f32::encode_le(&mut bytes, left.as_slice());
        for beta in [0.0, 1.0] {
            let mut outs = [(); 4].map(|()| (0..110).map(|at| at as f32).collect::<Vec<_>>());
            let [one, few, many, of_bytes] = outs.each_mut().map(|out| {
                let left = Rows::Elements(left.as_slice(), 310);
                RowProducts { left, right: &right, beta, out }
            });
            one.compute_blocks::<1, 1>();
            few.compute_blocks::<2, 3>();
            many.compute_blocks::<6, 4>();
            RowProducts { left: Rows::Bytes(&bytes), ..of_bytes }.compute_blocks::<6, 4>();
            assert!(outs[1..].iter().all(|out| *out == outs[0]), "{beta}");
        }
    }

    #[test]
    fn short_rows_and_large_factors_are_left_to_others() {
        for (right, length) in [(3, LONG - 1), (SMALL / LONG + 1, LONG)] {
            let (left, right) = (matrix(2, length), matrix(right, length));
            let mut out = vec![0.0; 2 * right.num_rows()];
            let product = Product { left: left.factor(), right: right.transposed_factor(), beta: 0.0 };
            assert!(!multiply(&product, &mut out));
        }
    }
}
