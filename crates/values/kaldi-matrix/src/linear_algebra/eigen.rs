//! Eigenvalues of symmetric matrices.

use kaldi_simd::{Kernel, dispatch};

use super::strips::{Reflection, Rotations, reflect, rotate};
use super::symmetric::{add_scaled, packed_len};
use crate::product::dot;
use crate::{Error, Matrix, Result, SymmetricMatrix, Vector};

/// The steps whose rotations are applied to the vectors together: so many that the cost of copying these does not matter.
const TOGETHER: usize = 32;

/// The eigenvalues of a symmetric matrix, and vectors of length 1 that belong to them.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigen {
    /// The eigenvalues.
    pub values: Vector<f64>,
    /// The eigenvectors, one **row** for each eigenvalue: once they are sorted, the first rows are the transform that
    /// keeps most of the variance.
    pub vectors: Matrix<f64>,
}

impl SymmetricMatrix {
    /// Computes the eigenvalues and eigenvectors, in the order in which they are found; most callers sort them next.
    ///
    /// Follows Kaldi's `SpMatrix::Eig`, the symmetric QR algorithm of Golub and Van Loan's "Matrix Computations" (3rd
    /// edition, algorithm 8.3.3) from the last row upwards, so that the eigenvectors have the same signs.
    ///
    /// # Errors
    /// [`Error::NotFinite`] if elements are not finite or too large, and [`Error::NotConverged`].
    pub fn eigen(&self) -> Result<Eigen> {
        if !self.as_slice().iter().all(|value| value.is_finite()) {
            return Err(Error::NotFinite);
        }
        let (mut tridiagonal, reflections) = Tridiagonal::reduce(self.clone());
        let mut vectors = Self::identity(self.dim()).to_matrix();
        reflect(&mut vectors, &reflections);
        tridiagonal.diagonalize(&mut vectors)?;
        if !tridiagonal.diagonal.iter().all(|value| value.is_finite()) {
            return Err(Error::NotFinite);
        }
        Ok(Eigen { values: Vector::from_vec(tridiagonal.diagonal), vectors })
    }
}

impl Eigen {
    /// Sorts by eigenvalue, the largest first.
    pub fn sort(&mut self) {
        self.sort_by(|value| value);
    }

    /// Sorts by the absolute value of the eigenvalue, the largest first (Kaldi's `SortSvd`).
    pub fn sort_by_abs(&mut self) {
        self.sort_by(f64::abs);
    }

    fn sort_by(&mut self, measure: impl Fn(f64) -> f64) {
        let values = self.values.as_slice();
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| measure(values[b]).total_cmp(&measure(values[a])));
        let vectors: Vec<f64> = order.iter().flat_map(|&index| self.vectors.row(index)).copied().collect();
        self.vectors = Matrix::from_vec(order.len(), order.len(), vectors);
        self.values = Vector::from_vec(order.iter().map(|&index| values[index]).collect());
    }
}

/// A symmetric matrix whose elements are zero except on the diagonal and next to it.
struct Tridiagonal {
    diagonal: Vec<f64>,
    /// The elements next to the diagonal, one fewer.
    beside: Vec<f64>,
}

impl Tridiagonal {
    /// Reduces a matrix `A` by reflections. A unit matrix whose rows are reflected like this is the `Q` of `Q * A * Q^T = T`.
    fn reduce(mut matrix: SymmetricMatrix) -> (Self, Vec<Reflection>) {
        let dim = matrix.dim();
        let mut beside = vec![0.0; dim.saturating_sub(1)];
        let mut reflections = Vec::with_capacity(dim);
        for size in (1..dim).rev() {
            // The row that becomes zero except for its last element, and the triangle above it that changes with it.
            let (above, rows) = matrix.as_mut_slice().split_at_mut(packed_len(size));
            let row = &rows[..size];
            let Some(reflection) = reflection(row) else {
                beside[size - 1] = row[size - 1];
                continue;
            };
            beside[size - 1] = dot(row, row).sqrt();
            dispatch(BothSides { packed: above, reflection: &reflection });
            reflections.push(reflection);
        }
        (Self { diagonal: matrix.diagonal().into_vec(), beside }, reflections)
    }

    /// Rotates the elements next to the diagonal away, and rotates the rows of `vectors` with them.
    fn diagonalize(&mut self, vectors: &mut Matrix<f64>) -> Result<()> {
        let dim = self.diagonal.len();
        let (patience, limit) = (100 + 2 * dim, 500 + 4 * dim);
        let mut epsilon = f64::EPSILON;
        let mut rotations = Vec::with_capacity(TOGETHER);
        for step in 0..limit {
            if step >= patience && (step - patience).is_multiple_of(50) {
                epsilon *= 2.0;
            }
            for (index, beside) in self.beside.iter_mut().enumerate() {
                if beside.abs() <= epsilon * (self.diagonal[index].abs() + self.diagonal[index + 1].abs()) {
                    *beside = 0.0;
                }
            }
            // The last block that is not diagonal yet.
            let Some(last) = self.beside.iter().rposition(|&beside| beside != 0.0) else {
                rotate(vectors, &rotations);
                return Ok(());
            };
            let first = self.beside[..last].iter().rposition(|&beside| beside == 0.0).map_or(0, |zero| zero + 1);
            rotations.push(self.rotate(first, last + 1));
            if rotations.len() == TOGETHER {
                rotate(vectors, &rotations);
                rotations.clear();
            }
        }
        Err(Error::NotConverged)
    }

    /// One implicit QR step with Wilkinson's shift (algorithm 8.3.2) on the block from `first` to `last`. Returns how the rows
    /// of the vectors are to be rotated with it.
    fn rotate(&mut self, first: usize, last: usize) -> Rotations {
        let (diagonal, beside) = (&mut self.diagonal, &mut self.beside);
        let half = (diagonal[last - 1] - diagonal[last]) / 2.0;
        let corner = beside[last - 1];
        let size = half.abs().max(corner.abs()).max(f64::MIN_POSITIVE);
        let (half_scaled, corner_scaled) = (half / size, corner / size);
        let square = corner_scaled * corner_scaled;
        let root = (half_scaled * half_scaled + square).sqrt();
        let shift = diagonal[last] - size * square / (half_scaled + if half > 0.0 { root } else { -root });
        let (mut head, mut bulge) = (diagonal[first] - shift, beside[first]);
        let mut cos_sin = Vec::with_capacity(last - first);
        for index in first..last {
            let (c, s) = givens(head, bulge);
            let (p, q, r) = (diagonal[index], beside[index], diagonal[index + 1]);
            diagonal[index] = c * (c * p - s * q) - s * (c * q - s * r);
            beside[index] = s * (c * p - s * q) + c * (c * q - s * r);
            diagonal[index + 1] = s * (s * p + c * q) + c * (s * q + c * r);
            if index > first {
                beside[index - 1] = c * beside[index - 1] - s * bulge;
            }
            cos_sin.push((c, s));
            if index + 1 < last {
                bulge = -s * beside[index + 1];
                beside[index + 1] *= c;
                head = beside[index];
            }
        }
        Rotations { first, cos_sin }
    }
}

/// The reflection that makes all elements zero but the last one (algorithm 5.1.1, from the other end); `None` if they are zero
/// already.
fn reflection(row: &[f64]) -> Option<Reflection> {
    let max = row.iter().fold(f64::MIN_POSITIVE, |max, value| max.max(value.abs()));
    let mut vector: Vec<f64> = row.iter().map(|value| value / max).collect();
    let (last, others) = vector.split_last_mut()?;
    let rest = dot(others, others);
    if rest == 0.0 {
        return None;
    }
    let length = (*last * *last + rest).sqrt();
    let head = if *last <= 0.0 { *last - length } else { -rest / (*last + length) };
    *last = 1.0;
    others.iter_mut().for_each(|value| *value /= head);
    Some(Reflection { vector, beta: 2.0 * head * head / (rest + head * head) })
}

/// Applies a reflection to a packed symmetric matrix from both sides.
struct BothSides<'a> {
    packed: &'a mut [f64],
    reflection: &'a Reflection,
}

impl Kernel for BothSides<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        let Reflection { vector, beta } = self.reflection;
        let mut product = vec![0.0; vector.len()];
        for (row, &value) in vector.iter().enumerate() {
            let elements = &self.packed[packed_len(row)..][..=row];
            product[row] += dot(elements, &vector[..=row]);
            add_scaled(&mut product[..row], value, &elements[..row]);
        }
        product.iter_mut().for_each(|value| *value *= beta);
        let half = -0.5 * beta * dot(&product, vector);
        add_scaled(&mut product, half, vector);
        for (row, (&left, &right)) in vector.iter().zip(&product).enumerate() {
            let elements = self.packed[packed_len(row)..][..=row].iter_mut();
            for (element, (v, w)) in elements.zip(vector.iter().zip(&product)) {
                *element -= left * w + right * v;
            }
        }
    }
}

/// The cosine and sine of the rotation that makes the second of two elements zero (algorithm 5.1.3).
fn givens(a: f64, b: f64) -> (f64, f64) {
    if b == 0.0 {
        (1.0, 0.0)
    } else if b.abs() > a.abs() {
        let tangent = -a / b;
        let s = 1.0 / (1.0 + tangent * tangent).sqrt();
        (s * tangent, s)
    } else {
        let tangent = -b / a;
        let c = 1.0 / (1.0 + tangent * tangent).sqrt();
        (c, c * tangent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix that looks random, of the given rank at most.
    fn of_rank(dim: usize, rank: usize) -> SymmetricMatrix {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / 16777216.0 - 0.5
        };
        let samples = Matrix::from_vec(rank, dim, (0..rank * dim).map(|_| next()).collect());
        let mut matrix = SymmetricMatrix::new(dim);
        matrix.add_gram(1.0, &samples).unwrap();
        matrix
    }

    #[track_caller]
    fn is_decomposed(matrix: &SymmetricMatrix, eigen: &Eigen) {
        let Eigen { values, vectors } = eigen;
        let size = matrix.as_slice().iter().fold(1.0, |max: f64, value| max.max(value.abs()));
        let unit = vectors.multiply_transposed(vectors).unwrap();
        let diagonal = matrix.transformed(vectors).unwrap();
        for row in 0..matrix.dim() {
            for col in 0..=row {
                let one = f64::from(row == col);
                assert!((unit.row(row)[col] - one).abs() < 1e-12);
                let expected = one * values.as_slice()[row];
                assert!((diagonal.lower_row(row)[col] - expected).abs() < 1e-12 * size, "{row} {col}");
            }
        }
    }

    #[test]
    fn a_matrix_is_its_eigenvalues_and_vectors() {
        for (dim, rank) in [(1, 1), (2, 5), (3, 1), (7, 9), (20, 40), (30, 4), (60, 59)] {
            let matrix = of_rank(dim, rank);
            let mut eigen = matrix.eigen().unwrap();
            is_decomposed(&matrix, &eigen);
            eigen.sort_by_abs();
            is_decomposed(&matrix, &eigen);
            let zeros = eigen.values.as_slice().iter().skip(rank).all(|value| value.abs() < 1e-13);
            assert!(zeros && eigen.values.as_slice().is_sorted_by(|a, b| a.abs() >= b.abs()));
        }
    }

    #[test]
    fn matrices_with_zeros_in_them_are_decomposed_too() {
        for elements in [
            vec![0.0; 6],
            vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0],
            vec![1.0, 0.0, 2.0, 0.0, -1.0, 3.0],
            vec![1.0, 0.5, 2.0, 0.0, -1.0, 3.0],
            vec![0.0, 1.0, 0.0, 0.0, 1.0, 0.0],
            vec![1.0, 2.0, 1.0, 2.0, 2.0, 1.0],
            vec![1e-300, 1e-300, 1e-300, 0.0, 1e-300, 0.0],
        ] {
            let matrix = SymmetricMatrix::from_vec(3, elements);
            is_decomposed(&matrix, &matrix.eigen().unwrap());
        }
        assert_eq!(SymmetricMatrix::new(0).eigen().unwrap().values.dim(), 0);
    }

    #[test]
    fn a_diagonal_matrix_has_unit_vectors() {
        let mut eigen = SymmetricMatrix::from_diagonal(&[1.0, -3.0, 2.0]).eigen().unwrap();
        assert_eq!(eigen.values.as_slice(), [1.0, -3.0, 2.0]);
        assert_eq!(eigen.vectors, SymmetricMatrix::identity(3).to_matrix());
        eigen.sort();
        assert_eq!(eigen.values.as_slice(), [2.0, 1.0, -3.0]);
        assert_eq!(eigen.vectors.as_slice(), [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        eigen.sort_by_abs();
        assert_eq!(eigen.values.as_slice(), [-3.0, 2.0, 1.0]);
    }

    #[test]
    fn equal_values_keep_their_order() {
        let mut eigen = SymmetricMatrix::from_diagonal(&[1.0, 2.0, -2.0, 2.0]).eigen().unwrap();
        eigen.sort_by_abs();
        assert_eq!(eigen.values.as_slice(), [2.0, -2.0, 2.0, 1.0]);
        assert_eq!((eigen.vectors.row(0)[1], eigen.vectors.row(1)[2]), (1.0, 1.0));
    }

    #[test]
    fn what_is_not_finite_is_refused() {
        for value in [f64::NAN, f64::INFINITY] {
            let matrix = SymmetricMatrix::from_vec(2, vec![1.0, value, 1.0]);
            assert_eq!(matrix.eigen().unwrap_err(), Error::NotFinite);
        }
        let large = SymmetricMatrix::from_vec(3, vec![1e300, 1e300, 1e300, 1e300, 1e300, 1e300]);
        assert!(large.eigen().is_err());
    }
}
