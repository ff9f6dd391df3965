//! Output samples with the same weights, eight side by side.

use kaldi_lanes::{Kernel, Lanes, WIDTH, transpose};

use super::filter::sum_of_parts;

/// Computes output in groups of eight blocks. A block is some units, so its output has the same weights as that of the next block:
/// each weight serves eight samples at a time.
///
/// Every sample is the same to the last bit as that of [`super::filter::dot`].
pub(super) struct Groups<'a> {
    /// For each output sample of a block the input sample, counted from the block's first one, at which its weights start.
    pub(super) begins: &'a [usize],
    /// The weights of the output samples of a unit. They repeat.
    pub(super) taps: &'a [f32],
    pub(super) num_taps: usize,
    /// Input samples from the start of one block to the start of the next.
    pub(super) step: usize,
    /// Input samples of a block, rounded up to a multiple of eight.
    pub(super) reach: usize,
    /// The input from the start of the first block on.
    pub(super) samples: &'a [f32],
    /// The output of all groups.
    pub(super) out: &'a mut [f32],
}

impl Kernel for Groups<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        let length = self.begins.len();
        let mut lanes = vec![Lanes::ZERO; self.reach];
        for (group, out) in self.out.chunks_exact_mut(WIDTH * length).enumerate() {
            bring_side_by_side(&self.samples[group * WIDTH * self.step..], self.step, &mut lanes);
            let mut taps = self.taps.chunks_exact(self.num_taps).cycle();
            for first in (0..length).step_by(WIDTH) {
                let begins = &self.begins[first..length.min(first + WIDTH)];
                let mut sums = [Lanes::ZERO; WIDTH];
                for ((sum, &begin), taps) in sums.iter_mut().zip(begins).zip(&mut taps) {
                    *sum = dot(&lanes[begin..][..self.num_taps], taps);
                }
                for (block, row) in transpose(sums).iter().enumerate() {
                    out[block * length + first..][..begins.len()].copy_from_slice(&row.0[..begins.len()]);
                }
            }
        }
    }
}

/// Puts the samples at the same place of eight blocks side by side.
#[inline(always)]
fn bring_side_by_side(samples: &[f32], step: usize, lanes: &mut [Lanes]) {
    for (part, columns) in lanes.chunks_exact_mut(WIDTH).enumerate() {
        let mut rows = [Lanes::ZERO; WIDTH];
        for (block, row) in rows.iter_mut().enumerate() {
            row.0.copy_from_slice(&samples[block * step + part * WIDTH..][..WIDTH]);
        }
        columns.copy_from_slice(&transpose(rows));
    }
}

/// [`super::filter::dot`] of eight rows of samples with the same weights.
#[inline(always)]
fn dot(samples: &[Lanes], taps: &[f32]) -> Lanes {
    let ((samples, rest_samples), (taps, rest_taps)) = (samples.as_chunks::<8>(), taps.as_chunks::<8>());
    let mut sums = [Lanes::ZERO; 8];
    for (samples, taps) in samples.iter().zip(taps) {
        for part in 0..8 {
            sums[part] += samples[part] * taps[part];
        }
    }
    let products = rest_samples.iter().zip(rest_taps).map(|(&samples, &tap)| samples * tap);
    // A sum of floats starts with this zero, which changes no other number.
    let rest = products.fold(Lanes::splat(-0.0), |sum, product| sum + product);
    sum_of_parts(sums) + rest
}
