//! Sums of many outer products.

use std::hint::black_box;

use kaldi_simd::{Kernel, dispatch};

use super::symmetric::SymmetricMatrix;
use crate::{Error, Result};

/// Vectors that are added together. The memory of the matrix is passed over once for all of them.
pub(super) const VECTORS: usize = 32;

/// Columns of the matrix that are in registers while the vectors are added.
pub(super) const COLUMNS: usize = 32;

/// Some numbers of one vector, where registers can be loaded from at once.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Panel<const SIZE: usize>(pub(super) [f64; SIZE]);

impl SymmetricMatrix {
    /// Adds the outer product of each vector with itself, times its factor, one after the other: the same as
    /// [`SymmetricMatrix::add_outer`] for each, but faster.
    ///
    /// # Errors
    /// If a vector has another size; then nothing is added.
    pub fn add_outers<T: Copy + Into<f64>>(&mut self, vectors: &[(f64, &[T])]) -> Result<()> {
        let dim = self.dim();
        if let Some((_, vector)) = vectors.iter().find(|(_, vector)| vector.len() != dim) {
            return Err(Error::Dim { expected: dim, got: vector.len() });
        }
        let mut panels = Vec::new();
        let mut factors = Vec::new();
        for vectors in vectors.chunks(VECTORS) {
            panels.clear();
            panels.resize(dim.div_ceil(COLUMNS) * vectors.len(), Panel([0.0; COLUMNS]));
            factors.clear();
            factors.resize(dim * vectors.len(), 0.0);
            for (number, (factor, vector)) in vectors.iter().enumerate() {
                for (index, &value) in vector.iter().enumerate() {
                    let value: f64 = value.into();
                    panels[index / COLUMNS * vectors.len() + number].0[index % COLUMNS] = value;
                    factors[index * vectors.len() + number] = factor * value;
                }
            }
            dispatch(OuterProducts { sums: self, panels: &panels, factors: &factors, num_vectors: vectors.len() });
        }
        Ok(())
    }
}

/// The sums of some vectors' outer products.
struct OuterProducts<'a> {
    sums: &'a mut SymmetricMatrix,
    /// `COLUMNS` elements of each vector, then the next ones; after the last there are zeros.
    panels: &'a [Panel<COLUMNS>],
    /// The elements times the factors: the first one of each vector, then the next ones.
    factors: &'a [f64],
    num_vectors: usize,
}

impl Kernel for OuterProducts<'_> {
    type Output = ();

    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) {
        for (number, panel) in self.panels.chunks(self.num_vectors).enumerate() {
            let first = number * COLUMNS;
            for (row, factors) in self.factors.chunks(self.num_vectors).enumerate().skip(first) {
                let elements = &mut self.sums.lower_row_mut(row)[first..];
                let length = elements.len().min(COLUMNS);
                let mut before = [0.0; COLUMNS];
                before[..length].copy_from_slice(&elements[..length]);
                let sums = black_box(added(black_box(before), factors, panel));
                elements[..length].copy_from_slice(&sums[..length]);
            }
        }
    }
}

/// The sums after each product of a factor and the first numbers of its panel is added.
#[inline(always)]
pub(super) fn added<const SIZE: usize>(
    before: [f64; COLUMNS],
    factors: &[f64],
    panels: &[Panel<SIZE>],
) -> [f64; COLUMNS] {
    let mut sums = [[0.0; 8]; COLUMNS / 8];
    for (sums, before) in sums.iter_mut().zip(before.as_chunks().0) {
        *sums = *before;
    }
    for (factor, Panel(values)) in factors.iter().zip(panels) {
        let values = values.as_chunks::<8>().0;
        for part in 0..COLUMNS / 8 {
            for lane in 0..8 {
                sums[part][lane] += factor * values[part][lane];
            }
        }
    }
    let mut after = [0.0; COLUMNS];
    after.as_chunks_mut().0.copy_from_slice(&sums);
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_outer_products_are_those_of_single_vectors() {
        for (dim, count) in [(1, 1), (31, 5), (32, 32), (33, 33), (70, 65), (5, 0), (0, 3)] {
            let value = |index: usize| ((index * 7919 + dim) % 1000) as f32 / 37.0 - 13.0;
            let vectors: Vec<Vec<f32>> =
                (0..count).map(|it| (0..dim).map(|at| value(it * dim + at)).collect()).collect();
            let vectors: Vec<(f64, &[f32])> =
                vectors.iter().enumerate().map(|(it, vector)| (0.3 * it as f64 - 1.0, vector.as_slice())).collect();
            let mut expected = SymmetricMatrix::identity(dim);
            for (factor, vector) in &vectors {
                let vector: Vec<f64> = vector.iter().map(|&value| value.into()).collect();
                expected.add_outer(*factor, &vector).unwrap();
            }
            let mut sums = SymmetricMatrix::identity(dim);
            sums.add_outers(&vectors).unwrap();
            assert_eq!(sums, expected, "{count} vectors of {dim}");
        }
    }

    #[test]
    fn a_vector_of_another_size_is_refused() {
        let mut sums = SymmetricMatrix::new(2);
        assert!(sums.add_outers(&[(1.0, &[1.0_f32, 2.0][..]), (1.0, &[1.0])]).is_err());
        assert_eq!(sums, SymmetricMatrix::new(2));
    }
}
