//! Sums over frames that are added and subtracted.

/// Sums of values and of their squares, in double precision. (The squares of [`CmvnStats`](crate::CmvnStats) are first
/// rounded to single precision.)
#[derive(Clone, Debug)]
pub(crate) struct FrameSums {
    pub(crate) values: Vec<f64>,
    /// Empty if variances are not needed.
    pub(crate) squares: Vec<f64>,
    /// The number of frames.
    pub(crate) count: f64,
}

impl FrameSums {
    pub(crate) fn new(dim: usize, with_squares: bool) -> Self {
        Self { values: vec![0.0; dim], squares: vec![0.0; if with_squares { dim } else { 0 }], count: 0.0 }
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, frame: &[f32]) {
        self.count += 1.0;
        for (sum, &value) in self.values.iter_mut().zip(frame) {
            *sum += f64::from(value);
        }
        for (sum, &value) in self.squares.iter_mut().zip(frame) {
            *sum += f64::from(value) * f64::from(value);
        }
    }

    /// Subtracts a frame that was added before.
    #[inline(always)]
    pub(crate) fn subtract(&mut self, frame: &[f32]) {
        self.count -= 1.0;
        for (sum, &value) in self.values.iter_mut().zip(frame) {
            *sum -= f64::from(value);
        }
        for (sum, &value) in self.squares.iter_mut().zip(frame) {
            *sum -= f64::from(value) * f64::from(value);
        }
    }

    /// Adds `factor` times `other`, as far as both have squares.
    pub(crate) fn add_scaled(&mut self, factor: f64, other: &Self) {
        self.count += factor * other.count;
        for (sum, value) in self.values.iter_mut().zip(&other.values) {
            *sum += factor * value;
        }
        for (sum, value) in self.squares.iter_mut().zip(&other.squares) {
            *sum += factor * value;
        }
    }

    /// Copies sums of the same dimension; squares only if both have them.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.values.copy_from_slice(&other.values);
        self.squares.copy_from_slice(&other.squares);
        self.count = other.count;
    }
}
