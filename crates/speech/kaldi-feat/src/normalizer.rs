//! Normalization of frames: a scale and an offset for each dimension, computed from sums.

use crate::{Error, Result};

/// The least variance; smaller ones are raised to it before a division by their root.
pub const VARIANCE_FLOOR: f64 = 1.0e-20;

/// A variance that was raised to [`VARIANCE_FLOOR`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flooring {
    /// The dimension, counted from 0.
    pub dim: usize,
    /// The variance before.
    pub variance: f64,
}

/// Sums over frames with equal weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sums<'a> {
    pub(crate) values: &'a [f64],
    /// Sums of squares, if variances are wanted.
    pub(crate) squares: Option<&'a [f64]>,
    pub(crate) count: f64,
}

/// `x · scale + offset` for each dimension, both rounded to single precision and applied in it, which gives the same
/// bits as Kaldi. Setting it again reuses the memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Normalizer {
    /// Empty if there are only offsets.
    scales: Vec<f32>,
    offsets: Vec<f32>,
}

impl Normalizer {
    /// Makes means zero, and variances one if there are sums of squares. Returns the variances that were too small.
    ///
    /// # Errors
    /// If a variance is NaN.
    pub(crate) fn set(&mut self, sums: Sums<'_>) -> Result<Vec<Flooring>> {
        let Some(squares) = sums.squares else {
            let factor = f64::from((-1.0 / sums.count) as f32);
            self.set_offsets(sums.values, |sum| factor * sum);
            return Ok(Vec::new());
        };
        let unusual = self.set_both(sums, squares, |mean, variance| {
            let scale = 1.0 / variance.sqrt();
            (scale, -(mean * scale))
        });
        match unusual.iter().find(|unusual| unusual.variance.is_nan()) {
            Some(unusual) => Err(Error::NanVariance { dim: unusual.dim }),
            None => Ok(unusual),
        }
    }

    /// Undoes the normalization: gives features the means of the sums, and their variances if there are sums of
    /// squares. Returns the variances that were too small.
    pub(crate) fn set_reverse(&mut self, sums: Sums<'_>) -> Vec<Flooring> {
        let Some(squares) = sums.squares else {
            self.set_offsets(sums.values, |sum| sum / sums.count);
            return Vec::new();
        };
        let mut unusual = self.set_both(sums, squares, |mean, variance| (variance.sqrt(), mean));
        unusual.retain(|unusual| !unusual.variance.is_nan());
        unusual
    }

    /// Normalizes one frame.
    pub(crate) fn apply(&self, frame: &mut [f32]) {
        if self.scales.is_empty() {
            for (value, offset) in frame.iter_mut().zip(&self.offsets) {
                *value += offset;
            }
            return;
        }
        for ((value, scale), offset) in frame.iter_mut().zip(&self.scales).zip(&self.offsets) {
            *value = *value * scale + offset;
        }
    }

    fn set_offsets(&mut self, values: &[f64], offset: impl Fn(f64) -> f64) {
        self.scales.clear();
        self.offsets.clear();
        self.offsets.extend(values.iter().map(|&sum| offset(sum) as f32));
    }

    /// Sets the results of `scale_and_offset` for means and variances, with small variances raised to the floor.
    /// Returns these, and the first variance that is NaN.
    fn set_both(
        &mut self,
        sums: Sums<'_>,
        squares: &[f64],
        scale_and_offset: impl Fn(f64, f64) -> (f64, f64),
    ) -> Vec<Flooring> {
        let dim = sums.values.len();
        self.scales.resize(dim, 0.0);
        self.offsets.resize(dim, 0.0);
        let mut is_usual = true;
        let targets = self.scales.iter_mut().zip(&mut self.offsets);
        for ((scale, offset), (sum, square)) in targets.zip(sums.values.iter().zip(squares)) {
            let (mean, variance) = mean_and_variance(*sum, *square, sums.count);
            is_usual &= variance >= VARIANCE_FLOOR;
            let (exact_scale, exact_offset) = scale_and_offset(mean, variance);
            (*scale, *offset) = (exact_scale as f32, exact_offset as f32);
        }
        if is_usual {
            return Vec::new();
        }
        let mut unusual = Vec::new();
        for (dim, (sum, square)) in sums.values.iter().zip(squares).enumerate() {
            let (mean, variance) = mean_and_variance(*sum, *square, sums.count);
            if variance < VARIANCE_FLOOR {
                let (exact_scale, exact_offset) = scale_and_offset(mean, VARIANCE_FLOOR);
                (self.scales[dim], self.offsets[dim]) = (exact_scale as f32, exact_offset as f32);
            }
            if variance.is_nan() || variance < VARIANCE_FLOOR {
                unusual.push(Flooring { dim, variance });
            }
        }
        unusual
    }
}

fn mean_and_variance(sum: f64, square: f64, count: f64) -> (f64, f64) {
    let mean = sum / count;
    (mean, square / count - mean * mean)
}
