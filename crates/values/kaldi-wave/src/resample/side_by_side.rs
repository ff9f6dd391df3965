//! Output samples with the same weights, eight or sixteen side by side.

#[cfg(target_arch = "x86_64")]
use kaldi_simd::WideLanes;
use kaldi_simd::{Kernel, Lanes, MAX_WIDTH, Simd, WIDTH};

use super::filter::sum_of_parts;

/// The least number of [`Blocks`].
pub(super) const MIN_BLOCKS: usize = WIDTH;

/// Computes the output of blocks. A block is some units, so its output has the same weights as that of the next block: each
/// weight serves as many samples at a time as there are lanes.
///
/// Every sample is the same to the last bit as that of [`super::filter::dot`].
pub(super) struct Blocks<'a> {
    /// For each output sample of a block the input sample, counted from the block's first one, at which its weights start.
    pub(super) begins: &'a [usize],
    /// The weights of the output samples of a unit. They repeat.
    pub(super) taps: &'a [f32],
    pub(super) num_taps: usize,
    /// Input samples from the start of one block to the start of the next.
    pub(super) step: usize,
    /// Input samples of a block, rounded up to a multiple of sixteen.
    pub(super) reach: usize,
    /// The input from the start of the first block on.
    pub(super) samples: &'a [f32],
    /// The output of all blocks, of which there are [`MIN_BLOCKS`] or more.
    pub(super) out: &'a mut [f32],
}

impl Kernel for Blocks<'_> {
    type Output = ();

    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) {
        self.compute_in(Lanes::ZERO);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn compute_with_avx512(self, zero: WideLanes) {
        let num_blocks = self.out.len() / self.begins.len();
        if num_blocks >= WideLanes::WIDTH { self.compute_in(zero) } else { self.compute() }
    }
}

impl Blocks<'_> {
    /// Computes the blocks in groups of as many as there are lanes. The last group may have blocks in common with the one before.
    #[inline(always)]
    fn compute_in<V: Simd>(self, zero: V) {
        let length = self.begins.len();
        let num_blocks = self.out.len() / length;
        let mut lanes = vec![zero; self.reach];
        let mut sums = vec![zero; length.next_multiple_of(V::WIDTH)];
        let mut next = 0;
        while next < num_blocks {
            let first = next.min(num_blocks - V::WIDTH);
            self.bring_side_by_side(first, zero, &mut lanes);
            let taps = self.taps.chunks_exact(self.num_taps).cycle();
            for ((sum, &begin), taps) in sums.iter_mut().zip(self.begins).zip(taps) {
                *sum = dot(&lanes[begin..][..self.num_taps], taps, zero);
            }
            V::write_columns(&mut sums, &mut self.out[first * length..][..V::WIDTH * length], length);
            next = first + V::WIDTH;
        }
    }

    /// Puts the samples at the same place of blocks side by side.
    #[inline(always)]
    fn bring_side_by_side<V: Simd>(&self, first: usize, zero: V, lanes: &mut [V]) {
        let block = |lane: usize| &self.samples[(first + lane % V::WIDTH) * self.step..][..self.reach];
        let rows: [&[f32]; MAX_WIDTH] = std::array::from_fn(block);
        for (part, columns) in lanes.chunks_exact_mut(V::WIDTH).enumerate() {
            zero.read_columns(&rows, part * V::WIDTH, columns);
        }
    }
}

/// [`super::filter::dot`] of rows of samples with the same weights.
#[inline(always)]
fn dot<V: Simd>(samples: &[V], taps: &[f32], zero: V) -> V {
    let ((samples, rest_samples), (taps, rest_taps)) = (samples.as_chunks::<8>(), taps.as_chunks::<8>());
    let mut sums = [zero; 8];
    for (samples, taps) in samples.iter().zip(taps) {
        for part in 0..8 {
            sums[part] += samples[part] * taps[part];
        }
    }
    let products = rest_samples.iter().zip(rest_taps).map(|(&samples, &tap)| samples * tap);
    // A sum of floats starts with this zero, which changes no other number.
    let rest = products.fold(zero.splat(-0.0), |sum, product| sum + product);
    sum_of_parts(sums) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of `num_blocks` blocks with registers of the kind of `zero`.
    fn compute<V: Simd>(zero: V, samples: &[f32], (num_taps, taps): (usize, &[f32]), num_blocks: usize) -> Vec<u32> {
        let begins = [0, 2, 3, 9, 11, 12];
        let reach = (12 + num_taps).next_multiple_of(MAX_WIDTH);
        let mut out = vec![f32::NAN; num_blocks * begins.len()];
        Blocks { begins: &begins, taps, num_taps, step: 18, reach, samples, out: &mut out }.compute_in(zero);
        let sample = |at: usize| {
            let taps = &taps[at % 3 * num_taps..][..num_taps];
            super::super::filter::dot(&samples[at / 6 * 18 + begins[at % 6]..][..num_taps], taps)
        };
        let bits: Vec<u32> = out.iter().map(|sample| sample.to_bits()).collect();
        assert_eq!(bits, (0..out.len()).map(|at| sample(at).to_bits()).collect::<Vec<_>>(), "{num_blocks} blocks");
        bits
    }

    #[test]
    fn samples_are_the_same_in_registers_of_any_width() {
        let noise = |count: u32| (0..count).map(|n| (n.wrapping_mul(2_654_435_761) >> 16) as f32 - 32_768.0);
        let samples: Vec<f32> = noise(18 * 40 + 80).collect();
        for num_taps in [1, 7, 8, 13, 25] {
            let taps: Vec<f32> = noise(3 * num_taps as u32).map(|sample| sample / 1e5).collect();
            for num_blocks in [8, 9, 15, 16, 17, 31, 40] {
                let _narrow = compute(Lanes::ZERO, &samples, (num_taps, &taps), num_blocks);
                #[cfg(target_arch = "x86_64")]
                if let Some(zero) = WideLanes::zero().filter(|_| num_blocks >= MAX_WIDTH) {
                    assert_eq!(compute(zero, &samples, (num_taps, &taps), num_blocks), _narrow);
                }
            }
        }
    }
}
