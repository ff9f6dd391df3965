//! Random changes of features, so that a model learns more from them.

use kaldi_matrix::Matrix;
use kaldi_reader::Draws;

/// Masks of zeros over stretches of frames and of dimensions (SpecAugment, Park et al. 2019, as in WeNet).
///
/// Each mask starts at a random frame or dimension. Its width is 1 to the maximum, but it ends where the features end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecAugment {
    /// How many masks over frames.
    pub num_t_mask: usize,
    /// How many masks over dimensions.
    pub num_f_mask: usize,
    /// The most frames of a mask.
    pub max_t: usize,
    /// The most dimensions of a mask.
    pub max_f: usize,
}

impl Default for SpecAugment {
    fn default() -> Self {
        Self { num_t_mask: 2, num_f_mask: 2, max_t: 50, max_f: 10 }
    }
}

impl SpecAugment {
    /// The most masks, or stretches, that make sense: each takes time.
    pub const MOST: usize = 1000;

    /// Puts masks over features. Masks of no width, and empty features, change nothing.
    pub fn apply(&self, feats: &mut Matrix<f32>, draws: &mut Draws) {
        let (num_rows, num_cols) = feats.size();
        if num_rows == 0 || num_cols == 0 {
            return;
        }
        for _ in 0..self.num_t_mask {
            let Some((begin, end)) = stretch(num_rows, self.max_t, draws) else { break };
            feats.as_mut_slice()[begin * num_cols..end * num_cols].fill(0.0);
        }
        for _ in 0..self.num_f_mask {
            let Some((begin, end)) = stretch(num_cols, self.max_f, draws) else { break };
            feats.rows_mut().for_each(|row| row[begin..end].fill(0.0));
        }
    }
}

/// Stretches of frames replaced by earlier ones (as in WeNet's U2++).
///
/// Each stretch starts at a random frame. Its length is 1 to the maximum. The frames that replace it start earlier, by
/// at most as many frames as there are. They are those of the features before any replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecSubstitute {
    /// The most frames of a stretch.
    pub max_t: usize,
    /// How many stretches.
    pub num_t_sub: usize,
}

impl Default for SpecSubstitute {
    fn default() -> Self {
        Self { max_t: 20, num_t_sub: 3 }
    }
}

impl SpecSubstitute {
    /// Replaces stretches of features.
    pub fn apply(&self, feats: &mut Matrix<f32>, draws: &mut Draws) {
        let (num_rows, num_cols) = feats.size();
        if num_rows == 0 {
            return;
        }
        let before = feats.clone();
        for _ in 0..self.num_t_sub {
            let Some((begin, end)) = stretch(num_rows, self.max_t, draws) else { break };
            let distance = draws.index(begin + 1);
            let source = &before.as_slice()[(begin - distance) * num_cols..(end - distance) * num_cols];
            feats.as_mut_slice()[begin * num_cols..end * num_cols].copy_from_slice(source);
        }
    }
}

/// Frames cut off at the end (as in WeNet).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecTrim {
    /// The most frames that are cut off.
    pub max_t: usize,
}

impl Default for SpecTrim {
    fn default() -> Self {
        Self { max_t: 20 }
    }
}

impl SpecTrim {
    /// Cuts off 1 to [`max_t`](Self::max_t) frames; none if that would be half of them or more.
    pub fn apply(&self, feats: &mut Matrix<f32>, draws: &mut Draws) {
        let (num_rows, num_cols) = feats.size();
        let cut = self.cut(num_rows, draws);
        if cut > 0 {
            feats.resize(num_rows - cut, num_cols);
        }
    }

    /// How many of these frames are cut off.
    pub fn cut(&self, num_frames: usize, draws: &mut Draws) -> usize {
        if self.max_t == 0 {
            return 0;
        }
        let length = 1 + draws.index(self.max_t);
        if length < num_frames.div_ceil(2) { length } else { 0 }
    }
}

/// A stretch of `0..length` that starts at a random place. Its length is 1 to `max`, but it ends at `length`.
fn stretch(length: usize, max: usize, draws: &mut Draws) -> Option<(usize, usize)> {
    if max == 0 {
        return None;
    }
    let begin = draws.index(length);
    let width = 1 + draws.index(max);
    Some((begin, begin.saturating_add(width).min(length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ramp(num_rows: usize, num_cols: usize) -> Matrix<f32> {
        Matrix::from_vec(num_rows, num_cols, (0..num_rows * num_cols).map(|at| at as f32 + 1.0).collect())
    }

    #[test]
    fn masks_are_stretches_of_zeros_of_every_allowed_width() {
        let augment = SpecAugment { num_t_mask: 1, num_f_mask: 0, max_t: 7, max_f: 10 };
        let mut widths = std::collections::BTreeSet::new();
        for seed in 0..500 {
            let mut feats = ramp(50, 3);
            augment.apply(&mut feats, &mut Draws::seeded(seed));
            let masked: Vec<usize> = (0..50).filter(|&row| feats.row(row) == [0.0; 3]).collect();
            assert!(masked.windows(2).all(|pair| pair[1] == pair[0] + 1));
            for row in (0..50).filter(|row| !masked.contains(row)) {
                assert_eq!(feats.row(row), ramp(50, 3).row(row));
            }
            widths.insert(masked.len());
        }
        assert!(widths.into_iter().eq(1..=7));
    }

    #[test]
    fn masks_over_dimensions_cover_all_frames() {
        let augment = SpecAugment { num_t_mask: 0, num_f_mask: 1, max_t: 0, max_f: 4 };
        let mut feats = ramp(6, 20);
        augment.apply(&mut feats, &mut Draws::seeded(3));
        let masked: Vec<usize> = (0..20).filter(|&col| feats.row(0)[col] == 0.0).collect();
        assert!((1..=4).contains(&masked.len()));
        for row in feats.rows() {
            assert!((0..20).all(|col| (row[col] == 0.0) == masked.contains(&col)));
        }
    }

    #[test]
    fn substitutes_come_from_before() {
        let substitute = SpecSubstitute { max_t: 5, num_t_sub: 1 };
        let mut replaced = 0;
        for seed in 0..200 {
            let mut feats = ramp(40, 2);
            substitute.apply(&mut feats, &mut Draws::seeded(seed));
            for row in 0..40 {
                let source = (feats.row(row)[0] - 1.0) / 2.0;
                assert!(source <= row as f32);
                replaced += usize::from(source < row as f32);
            }
        }
        assert!(replaced > 200);
    }

    #[test]
    fn a_trim_leaves_more_than_half() {
        let trim = SpecTrim { max_t: 20 };
        for num_rows in 0..60 {
            let mut feats = ramp(num_rows, 2);
            trim.apply(&mut feats, &mut Draws::seeded(num_rows as u64));
            assert!(feats.num_rows() == num_rows || 2 * feats.num_rows() > num_rows, "{num_rows}");
            assert!(num_rows - feats.num_rows() <= 20);
            assert_eq!(feats.as_slice(), &ramp(num_rows, 2).as_slice()[..2 * feats.num_rows()]);
        }
    }

    #[test]
    fn nothing_is_left_alone() {
        for (num_rows, num_cols) in [(0, 0), (1, 1)] {
            let mut feats = ramp(num_rows, num_cols);
            let mut draws = Draws::seeded(1);
            SpecAugment { num_t_mask: 3, num_f_mask: 3, max_t: 0, max_f: 0 }.apply(&mut feats, &mut draws);
            SpecSubstitute { max_t: 0, num_t_sub: 3 }.apply(&mut feats, &mut draws);
            SpecTrim { max_t: 0 }.apply(&mut feats, &mut draws);
            assert_eq!(feats, ramp(num_rows, num_cols));
        }
    }
}
