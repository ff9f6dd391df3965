//! Outer products of vectors that are added to several matrices.

use std::hint::black_box;

use kaldi_simd::{Kernel, dispatch};

use super::outer::{COLUMNS, Panel, VECTORS, added};
use super::symmetric::{SymmetricMatrix, packed_len};
use crate::{Error, Result};

/// Adds outer products of vectors with themselves to several matrices: to each matrix times a factor of its own.
///
/// The sums are those of [`SymmetricMatrix::add_outer`] with a factor of 1 to a matrix of zeros, which is then added to each
/// matrix by [`SymmetricMatrix::add_scaled`]; but many vectors are added together, which is faster. The matrices are borrowed
/// until this value is dropped, since only then all sums are in them.
///
/// ```
/// use kaldi_matrix::{SymmetricMatrix, WeightedOuters};
///
/// let mut sums = [SymmetricMatrix::new(2), SymmetricMatrix::new(2)];
/// let mut outers = WeightedOuters::new(2, &mut sums);
/// outers.add(&[2.0, 3.0], &[1.0, 10.0])?;
/// drop(outers);
/// assert_eq!(sums[1].as_slice(), [40.0, 60.0, 90.0]);
/// # Ok::<(), kaldi_matrix::Error>(())
/// ```
#[derive(Debug)]
pub struct WeightedOuters<'a> {
    dim: usize,
    sums: &'a mut [SymmetricMatrix],
    /// The vectors that are not in the sums yet; each has [`COLUMNS`] zeros after it.
    vectors: Vec<f64>,
    num_vectors: usize,
    /// The factors: those of all [`VECTORS`] vectors for the first matrix, then those for the next.
    factors: Vec<f64>,
}

impl<'a> WeightedOuters<'a> {
    /// Starts to add vectors of `dim` elements to matrices.
    ///
    /// # Panics
    /// If a matrix has another size.
    pub fn new(dim: usize, sums: &'a mut [SymmetricMatrix]) -> Self {
        assert!(sums.iter().all(|sums| sums.dim() == dim), "all matrices have {dim} rows");
        let (vectors, factors) = (vec![0.0; (dim + COLUMNS) * VECTORS], vec![0.0; sums.len() * VECTORS]);
        Self { dim, sums, vectors, num_vectors: 0, factors }
    }

    /// Adds a vector, with a factor for each matrix.
    ///
    /// # Errors
    /// If the vector has another size, or there is not one factor for each matrix. Then nothing is added.
    pub fn add(&mut self, vector: &[f64], factors: &[f64]) -> Result<()> {
        for (expected, got) in [(self.dim, vector.len()), (self.sums.len(), factors.len())] {
            if expected != got {
                return Err(Error::Dim { expected, got });
            }
        }
        let start = self.num_vectors * (self.dim + COLUMNS);
        self.vectors[start..start + vector.len()].copy_from_slice(vector);
        for (places, factor) in self.factors.chunks_exact_mut(VECTORS).zip(factors) {
            places[self.num_vectors] = *factor;
        }
        self.num_vectors += 1;
        if self.num_vectors == VECTORS {
            self.flush();
        }
        Ok(())
    }

    fn flush(&mut self) {
        let Self { dim, num_vectors, .. } = *self;
        let vectors = &self.vectors[..num_vectors * (dim + COLUMNS)];
        dispatch(Block { dim, sums: self.sums, vectors, num_vectors, factors: &self.factors });
        self.num_vectors = 0;
    }
}

impl Drop for WeightedOuters<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}

/// Some vectors that are added.
struct Block<'a> {
    dim: usize,
    sums: &'a mut [SymmetricMatrix],
    vectors: &'a [f64],
    num_vectors: usize,
    factors: &'a [f64],
}

/// Numbers of a panel: after the products of a vector is place for what is computed only to fill a register.
const PRODUCTS: usize = 2 * COLUMNS;

impl Kernel for Block<'_> {
    type Output = ();

    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) {
        let mut panels = [Panel([0.0; PRODUCTS]); VECTORS];
        let panels = &mut panels[..self.num_vectors];
        let mut row = 0;
        for first in (0..packed_len(self.dim)).step_by(COLUMNS) {
            while packed_len(row + 1) <= first {
                row += 1;
            }
            self.fill(panels, first, row);
            for (sums, factors) in self.sums.iter_mut().zip(self.factors.as_chunks::<VECTORS>().0) {
                let sums = &mut sums.as_mut_slice()[first..];
                if let Some(sums) = sums.first_chunk_mut::<COLUMNS>() {
                    *sums = black_box(added(black_box(*sums), factors, panels));
                } else {
                    let mut before = [0.0; COLUMNS];
                    before[..sums.len()].copy_from_slice(sums);
                    sums.copy_from_slice(&added(before, factors, panels)[..sums.len()]);
                }
            }
        }
    }
}

impl Block<'_> {
    /// Computes the products of each vector for [`COLUMNS`] elements of a matrix, from the element `first` on, which is in `row`.
    #[inline(always)]
    fn fill(&self, panels: &mut [Panel<PRODUCTS>], first: usize, row: usize) {
        let end = packed_len(self.dim).min(first + COLUMNS);
        let (mut row, mut place) = (row, first);
        while place < end {
            let column = place - packed_len(row);
            for (Panel(products), vector) in panels.iter_mut().zip(self.vectors.chunks_exact(self.dim + COLUMNS)) {
                // The compiler cannot see through this, and so uses registers for the elements of one vector.
                let vector = black_box(vector);
                let factor = vector[row];
                // What goes beyond the row is replaced by the products of the next one.
                let products = &mut products[place - first..][..COLUMNS];
                for (product, value) in products.iter_mut().zip(&vector[column..][..COLUMNS]) {
                    // The sum with zero makes zeros positive.
                    *product = 0.0 + factor * value;
                }
            }
            row += 1;
            place = packed_len(row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_are_those_of_single_vectors() {
        for (dim, num_sums, count) in [(1, 1, 1), (7, 2, 5), (8, 3, 32), (33, 5, 33), (41, 4, 70), (5, 0, 9), (0, 2, 3)]
        {
            // Zeros of both signs, too.
            let value = |index: usize| ((index * 7919 + dim) % 1000 / 9 * 9) as f64 / 37.0 - 13.5 * (index % 2) as f64;
            let value = |index: usize| if index.is_multiple_of(5) { 0.0 * -value(index) } else { value(index) };
            let mut expected = vec![SymmetricMatrix::from_diagonal(&vec![-0.0; dim]); num_sums];
            let mut sums = expected.clone();
            let mut outers = WeightedOuters::new(dim, &mut sums);
            for number in 0..count {
                let vector: Vec<f64> = (0..dim).map(|at| value(number * dim + at)).collect();
                let factors: Vec<f64> = (0..num_sums).map(|at| value(number + 7 * at + 3) / 3.0).collect();
                outers.add(&vector, &factors).unwrap();
                let mut products = SymmetricMatrix::new(dim);
                products.add_outer(1.0, &vector).unwrap();
                for (sums, factor) in expected.iter_mut().zip(factors) {
                    sums.add_scaled(factor, &products).unwrap();
                }
            }
            drop(outers);
            let bits = |sums: &[SymmetricMatrix]| -> Vec<u64> {
                sums.iter().flat_map(SymmetricMatrix::as_slice).map(|value| value.to_bits()).collect()
            };
            assert_eq!(bits(&sums), bits(&expected), "{count} vectors of {dim}");
        }
    }

    #[test]
    fn other_sizes_are_refused() {
        let mut sums = [SymmetricMatrix::new(2)];
        let mut outers = WeightedOuters::new(2, &mut sums);
        assert!(outers.add(&[1.0], &[1.0]).is_err());
        assert!(outers.add(&[1.0, 1.0], &[1.0, 1.0]).is_err());
        drop(outers);
        assert_eq!(sums[0], SymmetricMatrix::new(2));
    }
}
