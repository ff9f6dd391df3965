//! Probabilities of the Gaussians of a frame, without the small ones.

use crate::selection::{GROUP, group_maxima};

/// Computes the probabilities of Gaussians from the log likelihoods of a frame with all of them, the largest first: at
/// most `most` (1 or more) that are at least `min_post`, with a sum of one. The most likely one is always there. Also
/// returns the log of the sum of the likelihoods of those that are kept (Kaldi's `VectorToPosteriorEntry`).
///
/// The result is empty if no likelihood is a number.
pub fn posterior_entry(log_likelihoods: &[f32], most: usize, min_post: f32) -> (Vec<(i32, f32)>, f32) {
    let (mut maxima, stride) = (Vec::new(), log_likelihoods.len().div_ceil(GROUP).max(1));
    group_maxima(log_likelihoods, stride, &mut maxima);
    let max = maxima.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let all = || (0..).zip(log_likelihoods.iter().copied()).filter(|(_, likelihood)| !likelihood.is_nan());
    let probability = |(gauss, likelihood): (i32, f32)| {
        // Without the case, the difference of two infinities is no number.
        (gauss, if likelihood == max { 1.0 } else { (likelihood - max).exp() })
    };
    let cutoff = max + min_post.ln();
    // Most groups have nothing above the cutoff.
    let mut entry = Vec::new();
    for (start, _) in maxima.iter().enumerate().filter(|(_, max)| **max > cutoff) {
        let group = (start as i32..).step_by(stride).zip(log_likelihoods[start..].iter().copied().step_by(stride));
        entry.extend(group.filter(|&(_, likelihood)| likelihood > cutoff));
    }
    if entry.is_empty() {
        entry = all().collect();
    }
    let larger = |a: &(i32, f32), b: &(i32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if most < entry.len() {
        entry.select_nth_unstable_by(most, larger);
        entry.truncate(most);
    }
    entry.sort_unstable_by(larger);
    entry.iter_mut().for_each(|gauss| *gauss = probability(*gauss));
    let mut total: f32 = entry.iter().map(|(_, probability)| probability).sum();
    let least = min_post * total;
    while entry.len() > 1 {
        match entry.pop_if(|(_, probability)| *probability < least) {
            Some((_, probability)) => total -= probability,
            None => break,
        }
    }
    entry.iter_mut().for_each(|(_, probability)| *probability /= total);
    (entry, max + total.ln())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn gives(likelihoods: &[f32], most: usize, min_post: f32, expected: &[(i32, f32)]) {
        let (entry, _) = posterior_entry(likelihoods, most, min_post);
        let near = |(a, b): (&(i32, f32), &(i32, f32))| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6;
        assert!(entry.len() == expected.len() && entry.iter().zip(expected).all(near), "{entry:?}");
    }

    #[test]
    fn the_most_likely_gaussians_share_a_frame() {
        let logs = [0.5_f32.ln(), 0.125_f32.ln(), 0.25_f32.ln(), 0.125_f32.ln()];
        gives(&logs, 9, 0.0, &[(0, 0.5), (2, 0.25), (1, 0.125), (3, 0.125)]);
        gives(&logs, 2, 0.0, &[(0, 2.0 / 3.0), (2, 1.0 / 3.0)]);
        gives(&logs, 9, 0.2, &[(0, 2.0 / 3.0), (2, 1.0 / 3.0)]);
        gives(&logs, 9, 0.3, &[(0, 2.0 / 3.0), (2, 1.0 / 3.0)]);
        gives(&logs, 9, 0.4, &[(0, 1.0)]);
        let (_, log_likelihood) = posterior_entry(&logs, 2, 0.0);
        assert!((log_likelihood - 0.75_f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn likelihoods_that_are_no_numbers_do_not_count() {
        gives(&[f32::NAN, -3.0, f32::NAN], 2, 0.1, &[(1, 1.0)]);
        gives(&[f32::NEG_INFINITY, f32::NEG_INFINITY], 1, 0.1, &[(0, 1.0)]);
        gives(&[f32::NAN], 2, 0.1, &[]);
        gives(&[], 2, 0.1, &[]);
    }
}
