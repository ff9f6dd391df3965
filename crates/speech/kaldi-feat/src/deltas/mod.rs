//! Derivatives of features over time.

mod fast_path;

use kaldi_matrix::Matrix;
use kaldi_simd::{Kernel, WIDTH, dispatch};

use crate::error::checked_size;
use crate::{Error, Result};
use fast_path::Frames;

/// The options of deltas (Kaldi's `DeltaFeaturesOptions`).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct DeltaOptions {
    /// Highest order of the derivatives that are appended
    #[cfg_attr(feature = "cli", arg(long = "delta-order", default_value_t = DeltaOptions::default().order, value_name = "int", value_parser = kaldi_value::number::integer::<usize>(0..=999)))]
    pub order: usize,
    /// Frames on each side of a frame that the window of each order takes in
    #[cfg_attr(feature = "cli", arg(long = "delta-window", default_value_t = DeltaOptions::default().window, value_name = "int", value_parser = kaldi_value::number::integer::<usize>(0..=999)))]
    pub window: usize,
}

impl DeltaOptions {
    /// Derivatives up to this order, from this many frames on each side.
    pub fn new(order: usize, window: usize) -> Self {
        Self { order, window }
    }
}

impl Default for DeltaOptions {
    fn default() -> Self {
        Self { order: 2, window: 2 }
    }
}

/// The options of shifted deltas (Kaldi's `ShiftedDeltaFeaturesOptions`).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct ShiftedDeltaOptions {
    /// Frames on each side of a frame that the window takes in
    #[cfg_attr(feature = "cli", arg(long = "delta-window", default_value_t = ShiftedDeltaOptions::default().window, value_name = "int", value_parser = kaldi_value::number::integer::<usize>(0..=999)))]
    pub window: usize,
    /// Number of blocks of deltas, of this frame and of later ones
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ShiftedDeltaOptions::default().num_blocks, value_name = "int", value_parser = kaldi_value::number::integer::<usize>(0..=999_999)))]
    pub num_blocks: usize,
    /// Frames from one block to the next
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ShiftedDeltaOptions::default().block_shift))]
    pub block_shift: i32,
}

impl Default for ShiftedDeltaOptions {
    fn default() -> Self {
        Self { window: 1, num_blocks: 7, block_shift: 3 }
    }
}

/// Appends derivatives over time to features.
///
/// A derivative is a weighted sum over neighbouring frames, `sum(j * x[t + j]) / sum(j * j)` over a window; that of
/// order two is the derivative of the derivative, as one sum. The first and the last frame are repeated beyond the
/// ends.
///
/// Sums are in single precision from the earliest frame to the latest, and each product is fused into its sum. This
/// gives the same bits as Kaldi (with OpenBLAS) on processors that have an instruction for it. Without that instruction
/// it takes longer.
#[derive(Clone, Debug)]
pub struct Deltas {
    /// The weighted sum for each block of `dim` columns.
    blocks: Vec<Vec<Tap>>,
    /// The number of columns to keep before; 0 means all.
    truncate: usize,
}

/// One term of a weighted sum over frames.
#[derive(Clone, Copy, Debug)]
struct Tap {
    /// The frame, relative to the one that is computed.
    offset: isize,
    scale: f32,
}

impl Deltas {
    /// Prepares deltas: the features themselves, then their derivatives of order 1, 2 ... (Kaldi's `DeltaFeatures`).
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn new(options: &DeltaOptions) -> Result<Self> {
        if options.order >= 1000 {
            return Err(Error::option("delta_order", "from 0 to 999", options.order));
        }
        let first = derivative(options.window)?;
        let mut scales = vec![1.0];
        let mut blocks = vec![taps(&scales, 0)];
        for _ in 0..options.order {
            scales = derived(&scales, &first);
            blocks.push(taps(&scales, 0));
        }
        Ok(Self { blocks, truncate: 0 })
    }

    /// Prepares shifted deltas: the features themselves, then the derivatives of this frame, of the frame `block_shift`
    /// later, and so on (Kaldi's `ShiftedDeltaFeatures`; "shifted delta cepstra").
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn shifted(options: &ShiftedDeltaOptions) -> Result<Self> {
        if options.num_blocks >= 1_000_000 {
            return Err(Error::option("num_blocks", "from 0 to 999999", options.num_blocks));
        }
        let first = derived(&[1.0], &derivative(options.window)?);
        let mut blocks = vec![taps(&[1.0], 0)];
        let shift = options.block_shift as isize;
        blocks.extend((0..options.num_blocks as isize).map(|block| taps(&first, block * shift)));
        Ok(Self { blocks, truncate: 0 })
    }

    /// Uses only the first `truncate` columns of features; 0 means all.
    #[must_use]
    pub fn truncating(self, truncate: u32) -> Self {
        Self { truncate: truncate as usize, ..self }
    }

    /// Computes `num_frames × blocks * dim` features from `num_frames × dim`, where `dim` is the number of columns that
    /// are kept.
    ///
    /// A feature that is NaN or infinite makes the sums NaN or infinite in which it has a part. Empty features give
    /// empty features.
    ///
    /// # Errors
    /// If there are fewer columns than should be kept, or there would be too many columns.
    pub fn compute(&self, feats: &Matrix<f32>) -> Result<Matrix<f32>> {
        let (dim, truncate) = (feats.num_cols(), self.truncate);
        if truncate == 0 || truncate == dim || feats.is_empty() {
            return self.compute_all(feats);
        }
        if truncate > dim {
            return Err(Error::Truncate { dim, truncate });
        }
        self.compute_all(&feats.range(0..feats.num_rows(), 0..truncate))
    }

    fn compute_all(&self, feats: &Matrix<f32>) -> Result<Matrix<f32>> {
        let (num_frames, dim) = feats.size();
        if let Some(deltas) = self.compute_usual(Frames::Elements(feats.as_slice()), (num_frames, dim))? {
            return Ok(deltas);
        }
        let (num_rows, num_cols) = checked_size(num_frames, dim.checked_mul(self.blocks.len()))?;
        let mut out = Vec::with_capacity(num_rows * num_cols);
        let sums = Sums { feats: feats.as_slice(), num_frames, dim, blocks: &self.blocks };
        dispatch(AllSums { sums, out: &mut out });
        Ok(Matrix::from_vec(num_rows, num_cols, out))
    }
}

/// The weights `j / sum(j * j)` of the frames from `-window` to `window`, still to be divided by the second value.
fn derivative(window: usize) -> Result<(Vec<f32>, f32)> {
    if !(1..1000).contains(&window) {
        return Err(Error::option("delta_window", "from 1 to 999", window));
    }
    let weights: Vec<f32> = (0..=2 * window).map(|at| at as f32 - window as f32).collect();
    let sum_of_squares = weights.iter().map(|weight| weight * weight).sum();
    Ok((weights, sum_of_squares))
}

/// The weights for the derivative of the sum that has the weights `scales`.
fn derived(scales: &[f32], (weights, sum_of_squares): &(Vec<f32>, f32)) -> Vec<f32> {
    let mut sums = vec![0.0; scales.len() + weights.len() - 1];
    for (start, weight) in weights.iter().enumerate() {
        for (sum, scale) in sums[start..].iter_mut().zip(scales) {
            *sum += weight * scale;
        }
    }
    let factor = (1.0 / f64::from(*sum_of_squares)) as f32;
    sums.iter_mut().for_each(|sum| *sum *= factor);
    sums
}

/// Weights as terms around the frame `center`; frames without weight have no part in the sum, whatever their values
/// are.
fn taps(scales: &[f32], center: isize) -> Vec<Tap> {
    let first = center - (scales.len() / 2) as isize;
    let tap = |(offset, &scale): (usize, &f32)| Tap { offset: first + offset as isize, scale };
    scales.iter().enumerate().map(tap).filter(|tap| tap.scale != 0.0).collect()
}

/// Weighted sums over the frames of one matrix.
struct Sums<'a> {
    feats: &'a [f32],
    num_frames: usize,
    dim: usize,
    blocks: &'a [Vec<Tap>],
}

/// What appends the sums of every frame to `out`.
struct AllSums<'a> {
    sums: Sums<'a>,
    out: &'a mut Vec<f32>,
}

impl Kernel for AllSums<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        self.sums.append_all::<true>(self.out);
    }

    #[inline(always)]
    fn compute_without_fused(self) {
        self.sums.append_all::<false>(self.out);
    }
}

impl Sums<'_> {
    /// Appends the sums of every frame. `FUSED` is true if there is an instruction that adds a product and rounds once.
    #[inline(always)]
    fn append_all<const FUSED: bool>(&self, out: &mut Vec<f32>) {
        let last = self.num_frames.saturating_sub(1) as isize;
        let offsets = self.blocks.iter().flatten().map(|tap| tap.offset);
        let (before, after) = offsets.fold((0, 0), |(before, after), at| (at.min(before), at.max(after)));
        // The place of each tap in the elements, relative to the first one of the frame.
        let inner: Vec<Vec<Tap>> = self.blocks.iter().map(|taps| self.scaled(taps, |offset| offset)).collect();
        for frame in 0..self.num_frames {
            let place = frame as isize;
            if place + before >= 0 && place + after <= last {
                // A closure might be compiled apart, for processors without the instruction.
                for taps in &inner {
                    self.append_block::<FUSED>(frame, taps, out);
                }
            } else {
                for taps in self.blocks {
                    let taps = self.scaled(taps, |offset| (place + offset).clamp(0, last) - place);
                    self.append_block::<FUSED>(frame, &taps, out);
                }
            }
        }
    }

    /// Taps whose offsets are changed by `place` and count elements instead of frames.
    fn scaled(&self, taps: &[Tap], place: impl Fn(isize) -> isize) -> Vec<Tap> {
        let dim = self.dim as isize;
        taps.iter().map(|tap| Tap { offset: place(tap.offset).wrapping_mul(dim), ..*tap }).collect()
    }

    /// Appends the columns of one block of one frame.
    #[inline(always)]
    fn append_block<const FUSED: bool>(&self, frame: usize, taps: &[Tap], out: &mut Vec<f32>) {
        let start = frame * self.dim;
        let end = start + self.dim;
        let mut at = start;
        while at + WIDTH <= end {
            at += match (end - at) / WIDTH {
                1 => self.append_sums::<FUSED, { WIDTH }>(at, taps, out),
                2 => self.append_sums::<FUSED, { 2 * WIDTH }>(at, taps, out),
                3 => self.append_sums::<FUSED, { 3 * WIDTH }>(at, taps, out),
                4 => self.append_sums::<FUSED, { 4 * WIDTH }>(at, taps, out),
                _ => self.append_sums::<FUSED, { 5 * WIDTH }>(at, taps, out),
            };
        }
        if at < end && self.dim >= WIDTH {
            // The rest, together with some that are already computed.
            let sums = self.sums::<FUSED, WIDTH>(end - WIDTH, taps);
            out.extend_from_slice(&sums[WIDTH - (end - at)..]);
            at = end;
        }
        for at in at..end {
            self.append_sums::<FUSED, 1>(at, taps, out);
        }
    }

    /// Appends `N` columns from the element `at` on, and returns `N`.
    #[inline(always)]
    fn append_sums<const FUSED: bool, const N: usize>(&self, at: usize, taps: &[Tap], out: &mut Vec<f32>) -> usize {
        out.extend_from_slice(&self.sums::<FUSED, N>(at, taps));
        N
    }

    /// The weighted sums of `N` columns from the element `at` on.
    #[inline(always)]
    fn sums<const FUSED: bool, const N: usize>(&self, at: usize, taps: &[Tap]) -> [f32; N] {
        let mut sums = [0.0_f32; N];
        for tap in taps {
            let values = &self.feats[at.wrapping_add_signed(tap.offset)..][..N];
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = if FUSED {
                    tap.scale.mul_add(*value, *sum)
                } else {
                    // The product is exact; only the sum is rounded, twice instead of once.
                    (f64::from(tap.scale) * f64::from(*value) + f64::from(*sum)) as f32
                };
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[f32]) -> Matrix<f32> {
        Matrix::from_vec(values.len(), 1, values.to_vec())
    }

    fn deltas(order: usize, window: usize) -> Deltas {
        Deltas::new(&DeltaOptions { order, window }).unwrap()
    }

    /// The definition, in double precision.
    fn slow(feats: &Matrix<f32>, deltas: &Deltas) -> Vec<f64> {
        let last = feats.num_rows() as isize - 1;
        let mut out = Vec::new();
        for frame in 0..feats.num_rows() as isize {
            for block in &deltas.blocks {
                for col in 0..feats.num_cols() {
                    let term = |tap: &Tap| {
                        let value = feats.row((frame + tap.offset).clamp(0, last) as usize)[col];
                        f64::from(tap.scale) * f64::from(value)
                    };
                    out.push(block.iter().map(term).sum());
                }
            }
        }
        out
    }

    #[test]
    fn columns_that_are_not_kept_have_no_part() {
        let feats = Matrix::from_vec(3, 2, vec![1.0, 9.0, 2.0, 9.0, 4.0, 9.0]);
        let kept = Matrix::from_vec(3, 1, vec![1.0, 2.0, 4.0]);
        let of_kept = deltas(1, 2).compute(&kept);
        assert_eq!(deltas(1, 2).truncating(1).compute(&feats), of_kept);
        assert_eq!(deltas(1, 2).truncating(0).compute(&feats), deltas(1, 2).truncating(2).compute(&feats));
        let error = deltas(1, 2).truncating(3).compute(&feats).unwrap_err();
        assert_eq!(error.to_string(), "cannot truncate features of dimension 2 to `truncate = 3`");
        assert!(deltas(1, 2).truncating(3).compute(&Matrix::default()).unwrap().is_empty());
    }

    #[test]
    fn a_straight_line_has_a_constant_derivative() {
        let line = column(&[1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0, 17.0, 19.0]);
        let out = deltas(2, 2).compute(&line).unwrap();
        assert_eq!(out.size(), (10, 3));
        for frame in 4..6 {
            let [value, first, second] = *out.row(frame) else { panic!("three columns") };
            assert!(value == line.row(frame)[0] && (first - 2.0).abs() < 1e-6 && second.abs() < 1e-6, "{out:?}");
        }
        // At the end the last frame is repeated.
        assert!((out.row(9)[1] - (1.0 * 2.0 + 2.0 * 4.0) / 10.0).abs() < 1e-6, "{out:?}");
    }

    #[test]
    fn weights_of_order_two_are_those_of_the_derivative_of_the_derivative() {
        let blocks = &deltas(2, 1).blocks;
        let taps = |block: usize| blocks[block].iter().map(|tap| (tap.offset, tap.scale)).collect::<Vec<_>>();
        assert_eq!(taps(0), [(0, 1.0)]);
        assert_eq!(taps(1), [(-1, -0.5), (1, 0.5)]);
        assert_eq!(taps(2), [(-2, 0.25), (0, -0.5), (2, 0.25)]);
    }

    #[test]
    fn every_number_of_columns_is_summed_whole() {
        for dim in [1, 3, 7, 8, 9, 13, 16, 31, 32, 33, 40, 45, 83] {
            let values = (0..11 * dim).map(|at| ((at * 7919) % 1009) as f32 / 7.0 - 60.0).collect();
            let feats = Matrix::from_vec(11, dim, values);
            for deltas in [deltas(2, 2), deltas(0, 1), deltas(1, 20), Deltas::shifted(&Default::default()).unwrap()] {
                let out = deltas.compute(&feats).unwrap();
                let expected = slow(&feats, &deltas);
                assert_eq!(out.size(), (11, dim * deltas.blocks.len()));
                for (at, (&got, expected)) in out.as_slice().iter().zip(expected).enumerate() {
                    assert!((f64::from(got) - expected).abs() < 1e-4, "{dim} columns, element {at}");
                }
            }
        }
    }

    #[test]
    fn without_the_instruction_sums_are_the_same() {
        let values: Vec<f32> = (0..13 * 50).map(|at| ((at * 7919) % 10007) as f32 / 77.0 - 60.0).collect();
        let deltas = deltas(3, 2);
        let sums = Sums { feats: &values, num_frames: 50, dim: 13, blocks: &deltas.blocks };
        let (mut fused, mut emulated) = (Vec::new(), Vec::new());
        sums.append_all::<true>(&mut fused);
        sums.append_all::<false>(&mut emulated);
        assert_eq!(fused, emulated);
    }

    #[test]
    fn shifted_deltas_look_ahead() {
        let options = ShiftedDeltaOptions { window: 1, num_blocks: 2, block_shift: 3 };
        let out = Deltas::shifted(&options).unwrap().compute(&column(&[0.0, 1.0, 4.0, 9.0, 16.0, 25.0, 36.0])).unwrap();
        assert_eq!(out.row(1), [1.0, 2.0, 8.0]);
        assert_eq!(out.row(6), [36.0, 5.5, 0.0]);
        // Backwards, if the shift is negative.
        let options = ShiftedDeltaOptions { block_shift: -1, ..options };
        let out = Deltas::shifted(&options).unwrap().compute(&column(&[0.0, 1.0, 4.0, 9.0])).unwrap();
        assert_eq!(out.row(2), [4.0, 4.0, 2.0]);
        let options = ShiftedDeltaOptions { num_blocks: 0, ..options };
        assert_eq!(Deltas::shifted(&options).unwrap().compute(&column(&[7.0])).unwrap(), column(&[7.0]));
    }

    #[test]
    fn a_frame_without_weight_does_not_matter() {
        let out = deltas(1, 1).compute(&column(&[1.0, f32::NAN, 5.0])).unwrap();
        assert_eq!(out.row(1)[1], 2.0);
        assert!(out.row(0)[1].is_nan() && out.row(2)[1].is_nan());
    }

    #[test]
    fn negative_zero_becomes_zero_as_in_every_sum() {
        let out = deltas(0, 1).compute(&column(&[-0.0])).unwrap();
        assert!(out.as_slice()[0].is_sign_positive());
    }

    #[test]
    fn too_many_columns_are_refused() {
        let many = ShiftedDeltaOptions { num_blocks: 999_999, ..Default::default() };
        let error = Deltas::shifted(&many).unwrap().compute(&Matrix::new(1, 10_000)).unwrap_err();
        assert_eq!(error.to_string(), "1 by 10000000000 elements are too many");
    }

    #[test]
    fn no_frames_have_no_deltas() {
        assert!(deltas(2, 2).compute(&Matrix::default()).unwrap().is_empty());
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let error = |order, window| Deltas::new(&DeltaOptions { order, window }).unwrap_err().to_string();
        assert_eq!(error(1000, 2), "expected `delta_order` to be from 0 to 999, got 1000");
        assert_eq!(error(2, 0), "expected `delta_window` to be from 1 to 999, got 0");
        let shifted = ShiftedDeltaOptions { num_blocks: 1_000_000, ..Default::default() };
        let message = Deltas::shifted(&shifted).unwrap_err().to_string();
        assert_eq!(message, "expected `num_blocks` to be from 0 to 999999, got 1000000");
    }
}
