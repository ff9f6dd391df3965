//! Products of each row of a matrix with each row of another one, for long rows.
//!
//! A general matrix product first brings both factors into the order of its innermost loop. If one of them is small and the
//! rows are long, that takes longer than the product itself, and rows can be multiplied as they are.

use kaldi_lanes::{Kernel, Lanes, WIDTH, dispatch, has_avx2, transpose};

use crate::factor::Product;

/// Each sum is made of this many, which end in its last step.
const LANES: usize = 2 * WIDTH;

/// The most products in a block.
const MOST: usize = 24;

/// The shortest rows for which this pays: the sums of lanes are to be a small part of the work.
const LONG: usize = 256;

/// The largest right factor, in elements. It is read again and again, so it has to stay in the second-level cache.
const SMALL: usize = 1 << 16;

/// Adds the product to `beta * out`, if its factors are rows of this kind and the processor has an instruction for fused
/// products. Returns whether it did.
pub(crate) fn multiply(product: &Product<'_, f32>, out: &mut [f32]) -> bool {
    let Product { left, right, .. } = product;
    let has_rows = left.strides.1 == 1 && right.strides.0 == 1;
    if !has_rows || left.cols < LONG || right.rows * right.cols > SMALL || !has_avx2() {
        return false;
    }
    dispatch(RowProducts { product, out });
    true
}

struct RowProducts<'a> {
    product: &'a Product<'a, f32>,
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

    #[inline(always)]
    fn compute_with_avx512(self) {
        self.compute_blocks::<6, 4>();
    }
}

impl RowProducts<'_> {
    /// Computes `LEFT × RIGHT` elements at a time. At the ends, the last row takes the place of those that do not exist.
    #[inline(always)]
    fn compute_blocks<const LEFT: usize, const RIGHT: usize>(self) {
        let Product { left, right, beta } = self.product;
        let (rows, cols, length) = (left.rows, right.cols, left.cols);
        for row in (0..rows).step_by(LEFT) {
            let of_left: [_; LEFT] =
                std::array::from_fn(|nth| &left.data[(row + nth).min(rows - 1) * left.strides.0..][..length]);
            for col in (0..cols).step_by(RIGHT) {
                let of_right: [_; RIGHT] =
                    std::array::from_fn(|nth| &right.data[(col + nth).min(cols - 1) * right.strides.1..][..length]);
                let products = row_products(of_left, of_right);
                for (nth, row) in (row..rows.min(row + LEFT)).enumerate() {
                    let out = &mut self.out[row * cols + col..][..RIGHT.min(cols - col)];
                    for (out, product) in out.iter_mut().zip(&products[nth * RIGHT..]) {
                        // What was there may be NaN, and counts only if it is to be added.
                        *out = if *beta == 0.0 { *product } else { beta.mul_add(*out, *product) };
                    }
                }
            }
        }
    }
}

/// The inner products of rows of the same length, of each left one with all right ones.
#[inline(always)]
fn row_products<const LEFT: usize, const RIGHT: usize>(left: [&[f32]; LEFT], right: [&[f32]; RIGHT]) -> [f32; MOST] {
    let mut sums = [[Sums([0.0; LANES]); RIGHT]; LEFT];
    let length = left[0].len();
    let mut at = 0;
    while at + LANES <= length {
        add_products::<LEFT, RIGHT, LANES>(&mut sums, left, right, at);
        at += LANES;
    }
    if at + WIDTH <= length {
        add_products::<LEFT, RIGHT, WIDTH>(&mut sums, left, right, at);
        at += WIDTH;
    }
    // From here on sums are in memory. Without this they would be stored in every step of the loop, too.
    let sums = std::hint::black_box(sums);
    let mut products = [0.0; MOST];
    for (totals, sums) in products.as_chunks_mut().0.iter_mut().zip(sums.as_flattened().chunks(WIDTH)) {
        *totals = total(sums);
    }
    if at < length {
        for (nth, product) in products[..LEFT * RIGHT].iter_mut().enumerate() {
            let rest = left[nth / RIGHT][at..].iter().zip(&right[nth % RIGHT][at..]);
            *product = rest.fold(*product, |sum, (left, right)| left.mul_add(*right, sum));
        }
    }
    products
}

/// Adds the products of the next `N` elements.
#[inline(always)]
fn add_products<const LEFT: usize, const RIGHT: usize, const N: usize>(
    sums: &mut [[Sums; RIGHT]; LEFT],
    left: [&[f32]; LEFT],
    right: [&[f32]; RIGHT],
    at: usize,
) {
    let read = |row: &[f32]| {
        let mut elements = [0.0; N];
        elements.copy_from_slice(&row[at..at + N]);
        elements
    };
    let right = right.map(read);
    for (sums, row) in sums.iter_mut().zip(left) {
        let left = read(row);
        for (sums, right) in sums.iter_mut().zip(&right) {
            for lane in 0..N {
                sums.0[lane] = left[lane].mul_add(right[lane], sums.0[lane]);
            }
        }
    }
}

/// Partial sums of one product.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Sums([f32; LANES]);

/// The sums of up to eight sets of partial sums.
#[inline(always)]
fn total(sums: &[Sums]) -> [f32; WIDTH] {
    let mut rows = [Lanes::ZERO; WIDTH];
    for (row, sums) in rows.iter_mut().zip(sums) {
        for lane in 0..WIDTH {
            row.0[lane] = sums.0[lane] + sums.0[lane + WIDTH];
        }
    }
    let [a, b, c, d, e, f, g, h] = transpose(rows);
    (((a + b) + (c + d)) + ((e + f) + (g + h))).0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Matrix;

    fn matrix(num_rows: usize, num_cols: usize) -> Matrix<f32> {
        let element = |at: usize| ((at * 7919 + num_cols) % 1009) as f32 / 504.0 - 1.0;
        Matrix::from_vec(num_rows, num_cols, (0..num_rows * num_cols).map(element).collect())
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
                    // Without AVX2 another product is taken, whose sums have larger errors.
                    let error = (f64::from(product.row(row)[col]) - expected).abs();
                    assert!(error < 2e-6 * size, "{rows} {cols} {length}: {error} of {size}");
                }
            }
        }
    }

    #[test]
    fn blocks_of_all_sizes_give_the_same_bits() {
        let (left, right) = (matrix(11, 310), matrix(10, 310));
        let product = Product { left: left.factor(), right: right.transposed_factor(), beta: 1.0 };
        let mut outs = [(); 3].map(|()| (0..110).map(|at| at as f32).collect::<Vec<_>>());
        let [one, few, many] = outs.each_mut().map(|out| RowProducts { product: &product, out });
        one.compute_blocks::<1, 1>();
        few.compute_blocks::<2, 3>();
        many.compute_blocks::<6, 4>();
        assert!(outs[0] == outs[1] && outs[0] == outs[2]);
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
