//! Weights of posteriors, frame by frame.

use crate::Posterior;

impl Posterior {
    /// Gives every frame the index that is aligned with it, with a weight of 1 (Kaldi's `AlignmentToPosterior`).
    pub fn from_alignment(alignment: &[i32]) -> Self {
        Self(alignment.iter().map(|&index| vec![(index, 1.0)]).collect())
    }

    /// Multiplies the weights of every frame by that of the frame; a frame whose weight is 0 or missing becomes empty, and
    /// weights beyond the last frame do not count.
    pub fn weigh_frames(&mut self, weights: &[f32]) {
        for (at, frame) in self.0.iter_mut().enumerate() {
            let factor = weights.get(at).copied().unwrap_or_default();
            if factor == 0.0 {
                frame.clear();
            }
            frame.iter_mut().for_each(|(_, weight)| *weight *= factor);
        }
    }

    /// The sum of the weights of each frame, added up in order and in single precision.
    pub fn frame_weights(&self) -> Vec<f32> {
        self.0.iter().map(|frame| frame.iter().fold(0.0, |sum, (_, weight)| sum + weight)).collect()
    }

    /// The sum of all weights, in double precision.
    pub fn total(&self) -> f64 {
        self.0.iter().flatten().map(|&(_, weight)| f64::from(weight)).sum()
    }

    /// The weight in each frame of the index that is aligned with it: that of its first entry; 0 if it has no entry.
    ///
    /// # Panics
    /// If the numbers of frames differ.
    pub fn weights_along(&self, alignment: &[i32]) -> Vec<f32> {
        assert_eq!(self.0.len(), alignment.len(), "frames of a posterior and of an alignment");
        let weight = |(frame, aligned): (&Vec<(i32, f32)>, &i32)| {
            frame.iter().find(|(index, _)| index == aligned).map_or(0.0, |&(_, weight)| weight)
        };
        self.0.iter().zip(alignment).map(weight).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posterior(frames: &[&[(i32, f32)]]) -> Posterior {
        Posterior(frames.iter().map(|frame| frame.to_vec()).collect())
    }

    #[test]
    fn an_alignment_is_certain() {
        assert_eq!(Posterior::from_alignment(&[3, -1]), posterior(&[&[(3, 1.0)], &[(-1, 1.0)]]));
        assert_eq!(Posterior::from_alignment(&[]), posterior(&[]));
    }

    #[test]
    fn frames_are_weighed() {
        let mut weighed = posterior(&[&[(1, 0.5), (2, 0.25)], &[(1, 1.0)], &[]]);
        weighed.weigh_frames(&[2.0, -1.0, 3.0, 4.0]);
        assert_eq!(weighed, posterior(&[&[(1, 1.0), (2, 0.5)], &[(1, -1.0)], &[]]));
    }

    #[test]
    fn frames_without_weight_become_empty() {
        let mut weighed = posterior(&[&[(1, 0.5)], &[(1, 0.5)], &[(1, 0.5)]]);
        weighed.weigh_frames(&[1.0, -0.0]);
        assert_eq!(weighed, posterior(&[&[(1, 0.5)], &[], &[]]));
    }

    #[test]
    fn weights_of_a_frame_are_added_in_order() {
        let sums = posterior(&[&[(1, 1e8), (2, 1.0), (3, -1e8)], &[], &[(1, -0.5), (1, 0.25)]]).frame_weights();
        assert_eq!(sums, [0.0, 0.0, -0.25]);
        assert_eq!(posterior(&[&[(1, 1e8), (2, 1.0)], &[], &[(1, -1e8)]]).total(), 1.0);
    }

    #[test]
    fn the_first_entry_of_the_aligned_index_counts() {
        let posterior = posterior(&[&[(3, 0.5), (3, 0.25)], &[(4, 1.0)], &[]]);
        assert_eq!(posterior.weights_along(&[3, 3, 3]), [0.5, 0.0, 0.0]);
    }
}
