//! The derivatives that nearly everybody uses.

use super::{Sums, Tap};

/// The frames on each side of a frame that derivatives of second order with windows of two frames take in.
const REACH: usize = 4;

/// The frames that are computed at a time. With those around them, they fit the registers of AVX-512.
const FRAMES: usize = 8;

/// The weights of derivatives of first and second order with windows of two frames on each side, which nearly everybody uses.
pub(super) struct UsualWeights {
    /// Of the two frames before and after.
    first: [f32; 4],
    second: [f32; 2 * REACH + 1],
}

impl UsualWeights {
    /// `None` if the blocks are others.
    pub(super) fn of(blocks: &[Vec<Tap>]) -> Option<Self> {
        let [_, first, second] = blocks else { return None };
        let reach = REACH as isize;
        let are_at = |taps: &[Tap], offsets: &[isize]| taps.iter().map(|tap| tap.offset).eq(offsets.iter().copied());
        let is_usual = are_at(&blocks[0], &[0]) && are_at(first, &[-2, -1, 1, 2]);
        if !is_usual || !second.iter().map(|tap| tap.offset).eq(-reach..=reach) {
            return None;
        }
        Some(Self {
            first: std::array::from_fn(|at| first[at].scale),
            second: std::array::from_fn(|at| second[at].scale),
        })
    }
}

impl Sums<'_> {
    /// Appends the usual derivatives, of `N` columns of several frames at a time: each value is loaded once and stays in a
    /// register for the sums of all frames around it. There are at least `N` columns.
    #[inline(always)]
    pub(super) fn append_usual<const N: usize>(&self, weights: &UsualWeights, out: &mut Vec<f32>) {
        let (dim, last) = (self.dim, self.num_frames - 1);
        for start in (0..self.num_frames).step_by(FRAMES) {
            let rows: [&[f32]; FRAMES + 2 * REACH] = std::array::from_fn(|at| {
                let frame = (start + at).saturating_sub(REACH).min(last);
                &self.feats[frame * dim..][..dim]
            });
            let place = out.len();
            out.resize(place + 3 * dim * FRAMES.min(self.num_frames - start), 0.0);
            for col in (0..dim).step_by(N) {
                // The last columns are computed together with some that are already there.
                let col = col.min(dim - N);
                let mut values = [Aligned([0.0; N]); FRAMES + 2 * REACH];
                for (values, row) in values.iter_mut().zip(rows) {
                    values.0.copy_from_slice(&row[col..col + N]);
                }
                for (frame, out) in out[place..].chunks_exact_mut(3 * dim).enumerate() {
                    let Some(around) = values[frame..].first_chunk() else { break };
                    let (columns, rest) = out.split_at_mut(dim);
                    let (first, second) = rest.split_at_mut(dim);
                    columns[col..col + N].copy_from_slice(&around[REACH].0.map(|value| value + 0.0));
                    first[col..col + N].copy_from_slice(&weights.first(around));
                    second[col..col + N].copy_from_slice(&weights.second(around));
                }
            }
        }
    }
}

/// Columns of one frame, where registers can be loaded from at once.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Aligned<const N: usize>([f32; N]);

impl UsualWeights {
    /// The derivatives of first order of the frame in the middle.
    #[inline(always)]
    fn first<const N: usize>(&self, around: &[Aligned<N>; 2 * REACH + 1]) -> [f32; N] {
        let mut sums = [0.0; N];
        for (at, weight) in [2, 3, 5, 6].into_iter().zip(self.first) {
            for (sum, value) in sums.iter_mut().zip(around[at].0) {
                *sum = weight.mul_add(value, *sum);
            }
        }
        sums
    }

    /// The derivatives of second order.
    #[inline(always)]
    fn second<const N: usize>(&self, around: &[Aligned<N>; 2 * REACH + 1]) -> [f32; N] {
        let mut sums = [0.0; N];
        for (values, weight) in around.iter().zip(self.second) {
            for (sum, value) in sums.iter_mut().zip(values.0) {
                *sum = weight.mul_add(value, *sum);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeltaOptions, Deltas};

    fn deltas(order: usize, window: usize) -> Deltas {
        Deltas::new(&DeltaOptions { order, window }).unwrap()
    }

    #[test]
    fn the_usual_deltas_are_computed_like_others() {
        let usual = deltas(2, 2);
        let weights = UsualWeights::of(&usual.blocks).unwrap();
        for (num_frames, dim) in [(1, 16), (3, 17), (8, 40), (9, 24), (50, 33)] {
            let mut values: Vec<f32> =
                (0..num_frames * dim).map(|at| ((at * 7919) % 10007) as f32 / 77.0 - 60.0).collect();
            values[num_frames * dim / 2] = -0.0;
            let sums = Sums { feats: &values, num_frames, dim, blocks: &usual.blocks };
            let mut outs = [(); 3].map(|()| Vec::new());
            sums.append_all::<true>(&mut outs[0]);
            sums.append_usual::<8>(&weights, &mut outs[1]);
            sums.append_usual::<16>(&weights, &mut outs[2]);
            let [expected, narrow, wide] = outs.map(|out| out.into_iter().map(f32::to_bits).collect::<Vec<_>>());
            assert!(narrow == expected && wide == expected, "{num_frames} by {dim}");
        }
        for other in [deltas(1, 2), deltas(2, 1), deltas(2, 3), deltas(3, 2)] {
            assert!(UsualWeights::of(&other.blocks).is_none());
        }
    }
}
