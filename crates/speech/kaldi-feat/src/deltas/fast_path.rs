//! The derivatives that nearly everybody uses.

use kaldi_matrix::{BinaryRows, Matrix};
use kaldi_simd::{Kernel, WIDTH, dispatch, has_fused_products};

use super::{Deltas, Tap};
use crate::Result;
use crate::error::checked_size;

/// The frames on each side of a frame that derivatives of second order with windows of two frames take in.
const REACH: usize = 4;

/// The frames that are computed before the next: their results stay in the first-level cache until all their columns are there.
const FRAMES: usize = 64;

/// The weights of derivatives of first and second order with windows of two frames on each side, which nearly everybody uses.
struct UsualWeights {
    /// Of the two frames before and after.
    first: [f32; 4],
    second: [f32; 2 * REACH + 1],
}

impl UsualWeights {
    /// `None` if the blocks are others.
    fn of(blocks: &[Vec<Tap>]) -> Option<Self> {
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

impl Deltas {
    /// Computes the same as [`Deltas::compute`] from rows that were found in `bytes`. If it can, it does not decode them before.
    ///
    /// # Errors
    /// As [`Deltas::compute`].
    ///
    /// # Panics
    /// If these are other bytes.
    pub fn compute_rows(&self, rows: &BinaryRows, bytes: &[u8]) -> Result<Matrix<f32>> {
        let elements = rows.single_elements(bytes).filter(|_| self.truncate == 0);
        if let Some(elements) = elements
            && let Some(deltas) = self.compute_usual(Frames::Bytes(elements), rows.size())?
        {
            return Ok(deltas);
        }
        self.compute(&rows.decode(bytes))
    }

    /// Computes the derivatives of `num_frames × dim` features if they are the usual ones, and the processor has an instruction for
    /// fused products. `None` otherwise.
    pub(super) fn compute_usual(
        &self,
        frames: Frames<'_>,
        (num_frames, dim): (usize, usize),
    ) -> Result<Option<Matrix<f32>>> {
        let Some(weights) = UsualWeights::of(&self.blocks).filter(|_| dim >= WIDTH && has_fused_products()) else {
            return Ok(None);
        };
        let (num_rows, num_cols) = checked_size(num_frames, dim.checked_mul(self.blocks.len()))?;
        let mut out = Vec::with_capacity(num_rows * num_cols);
        dispatch(UsualSums { weights, frames, num_frames, dim, out: &mut out });
        Ok(Some(Matrix::from_vec(num_rows, num_cols, out)))
    }
}

/// What appends the usual derivatives of `num_frames × dim` features to `out`. There are at least [`WIDTH`] columns, and the
/// processor has an instruction for fused products.
struct UsualSums<'a> {
    weights: UsualWeights,
    frames: Frames<'a>,
    num_frames: usize,
    dim: usize,
    out: &'a mut Vec<f32>,
}

impl Kernel for UsualSums<'_> {
    type Output = ();

    // Registers of 512 bits take longer here.
    #[inline(always)]
    fn compute(self) {
        self.weights.append(self.frames, self.num_frames, self.dim, self.out);
    }
}

/// Features, frame after frame.
#[derive(Clone, Copy)]
pub(super) enum Frames<'a> {
    Elements(&'a [f32]),
    /// Little-endian numbers.
    Bytes(&'a [u8]),
}

impl UsualWeights {
    #[inline(always)]
    fn append(&self, frames: Frames<'_>, num_frames: usize, dim: usize, out: &mut Vec<f32>) {
        match frames {
            Frames::Elements(elements) => {
                let load = |at: usize| {
                    let mut values = [0.0; WIDTH];
                    values.copy_from_slice(&elements[at..at + WIDTH]);
                    values
                };
                self.append_loaded(load, num_frames, dim, out);
            }
            Frames::Bytes(bytes) => {
                let load = |at: usize| {
                    let mut values = [[0; 4]; WIDTH];
                    values.copy_from_slice(bytes[4 * at..4 * (at + WIDTH)].as_chunks().0);
                    values.map(f32::from_le_bytes)
                };
                self.append_loaded(load, num_frames, dim, out);
            }
        }
    }

    /// Appends the usual derivatives, [`WIDTH`] columns after the others: each value is loaded once and stays in a register for the
    /// sums of all frames around it. There are at least `WIDTH` columns. `load` returns the elements from one on.
    #[inline(always)]
    fn append_loaded(&self, load: impl Fn(usize) -> [f32; WIDTH], num_frames: usize, dim: usize, out: &mut Vec<f32>) {
        for start in (0..num_frames).step_by(FRAMES) {
            let place = out.len();
            out.resize(place + 3 * dim * FRAMES.min(num_frames - start), 0.0);
            for col in (0..dim).step_by(WIDTH) {
                // The last columns are computed together with some that are already there.
                let col = col.min(dim - WIDTH);
                // Of the frame that is this many after the first one that is needed.
                let value = |at: usize| load((start + at).saturating_sub(REACH).min(num_frames - 1) * dim + col);
                let mut around = [[0.0; WIDTH]; 2 * REACH + 1];
                for (at, values) in around[1..].iter_mut().enumerate() {
                    *values = value(at);
                }
                for (frame, out) in out[place..].chunks_exact_mut(3 * dim).enumerate() {
                    let [_, a, b, c, d, e, f, g, h] = around;
                    around = [a, b, c, d, e, f, g, h, value(frame + 2 * REACH)];
                    let (columns, rest) = out.split_at_mut(dim);
                    let (first, second) = rest.split_at_mut(dim);
                    columns[col..col + WIDTH].copy_from_slice(&around[REACH].map(|value| value + 0.0));
                    first[col..col + WIDTH]
                        .copy_from_slice(&sums(&self.first, [around[2], around[3], around[5], around[6]]));
                    second[col..col + WIDTH].copy_from_slice(&sums(&self.second, around));
                }
            }
        }
    }
}

/// Weighted sums of the columns of `F` frames.
#[inline(always)]
fn sums<const F: usize>(weights: &[f32; F], frames: [[f32; WIDTH]; F]) -> [f32; WIDTH] {
    let mut sums = [0.0; WIDTH];
    for (weight, values) in weights.iter().zip(frames) {
        for lane in 0..WIDTH {
            sums[lane] = weight.mul_add(values[lane], sums[lane]);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeltaOptions;
    use crate::deltas::Sums;

    fn deltas(order: usize, window: usize) -> Deltas {
        Deltas::new(&DeltaOptions { order, window }).unwrap()
    }

    #[test]
    fn the_usual_deltas_are_computed_like_others() {
        let usual = deltas(2, 2);
        let weights = UsualWeights::of(&usual.blocks).unwrap();
        for (num_frames, dim) in [(1, 8), (3, 17), (8, 40), (64, 9), (65, 24), (150, 33)] {
            let mut values: Vec<f32> =
                (0..num_frames * dim).map(|at| ((at * 7919) % 10007) as f32 / 77.0 - 60.0).collect();
            values[num_frames * dim / 2] = -0.0;
            let sums = Sums { feats: &values, num_frames, dim, blocks: &usual.blocks };
            let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            let mut outs = [(); 3].map(|()| Vec::new());
            sums.append_all::<true>(&mut outs[0]);
            weights.append(Frames::Elements(&values), num_frames, dim, &mut outs[1]);
            weights.append(Frames::Bytes(&bytes), num_frames, dim, &mut outs[2]);
            let [expected, of_elements, of_bytes] =
                outs.map(|out| out.into_iter().map(f32::to_bits).collect::<Vec<_>>());
            assert!(of_elements == expected && of_bytes == expected, "{num_frames} by {dim}");
        }
        for other in [deltas(1, 2), deltas(2, 1), deltas(2, 3), deltas(3, 2)] {
            assert!(UsualWeights::of(&other.blocks).is_none());
        }
    }

    #[test]
    fn rows_in_bytes_give_the_same() {
        for (dim, num_frames) in [(7, 5), (8, 1), (13, 20), (40, 30)] {
            let values: Vec<f32> = (0..num_frames * dim).map(|at| ((at * 7919) % 1009) as f32 / 7.0 - 60.0).collect();
            let single = Matrix::from_vec(num_frames, dim, values.clone());
            let header = |token: u8| {
                let [rows, cols] = [num_frames, dim].map(|size| (size as i32).to_le_bytes());
                [&[0, b'B', token, b'M', b' ', 4], &rows[..], &[4], &cols].concat()
            };
            let (mut bytes, mut double) = (header(b'F'), header(b'D'));
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            double.extend(values.iter().flat_map(|value| f64::from(*value).to_le_bytes()));
            for deltas in [deltas(2, 2), deltas(1, 2), deltas(2, 2).truncating(3), deltas(2, 2).truncating(50)] {
                let expected = deltas.compute(&single);
                let rows = BinaryRows::find::<f32>(&bytes).unwrap();
                assert_eq!(deltas.compute_rows(&rows, &bytes), expected, "{dim}");
                let rows = BinaryRows::find::<f64>(&double).unwrap();
                assert_eq!(deltas.compute_rows(&rows, &double), expected, "{dim}");
            }
        }
    }
}
