//! Confidence in word error rates, by drawing sentences many times (the bootstrap method of Bisani and Ney).

use kaldi_value::random::Random;

/// The errors in one sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SentenceErrors {
    /// The edit distance.
    pub errors: u32,
    /// The number of words of the reference.
    pub words: u32,
}

/// The word error rate to expect of such sentences, as a share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its mean over the draws.
    pub mean: f32,
    /// How far it is from the mean at most, in 95 % of all cases.
    pub margin: f32,
}

/// Draws as many sentences as there are, with repetition, `replications` times, and measures how their word error rates
/// differ.
///
/// The sums are in single precision like those of Kaldi's `compute-wer-bootci`, whose rounding errors show in the last
/// digits. The result is NaN if there is nothing to draw, if a draw has no words, or if rates that hardly differ have a
/// variance below 0 by rounding.
pub fn wer_interval(sentences: &[SentenceErrors], replications: u32, random: &mut Random) -> Interval {
    let (mut sum, mut sum_of_squares) = (0.0, 0.0);
    for _ in 0..replications {
        let (mut errors, mut words) = (0_u64, 0_u64);
        for sentence in draw(sentences, random) {
            errors += u64::from(sentences[sentence].errors);
            words += u64::from(sentences[sentence].words);
        }
        let rate = errors as f32 / words as f32;
        sum += rate;
        sum_of_squares += rate * rate;
    }
    let mean: f32 = sum / replications as f32;
    let variance: f32 = sum_of_squares / replications as f32 - mean * mean;
    Interval { mean, margin: (1.96 * f64::from(variance.sqrt())) as f32 }
}

/// The share of draws in which the second system has fewer errors than the first; see [`wer_interval`].
///
/// # Panics
/// If the numbers of sentences differ.
pub fn improvement(first: &[SentenceErrors], second: &[SentenceErrors], replications: u32, random: &mut Random) -> f32 {
    assert_eq!(first.len(), second.len(), "sentences of two systems");
    let is_better = |random: &mut Random| {
        let gain = |sentence: usize| i64::from(first[sentence].errors) - i64::from(second[sentence].errors);
        draw(first, random).map(gain).sum::<i64>() > 0
    };
    let better = (0..replications).filter(|_| is_better(random)).count();
    better as f32 / replications as f32
}

/// Draws the indices of as many sentences as there are.
fn draw<'a>(sentences: &'a [SentenceErrors], random: &'a mut Random) -> impl Iterator<Item = usize> {
    (0..sentences.len()).map(|_| random.below(sentences.len() as u32) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(errors: &[u32]) -> Vec<SentenceErrors> {
        errors.iter().map(|&errors| SentenceErrors { errors, words: 4 }).collect()
    }

    #[test]
    fn the_margin_is_that_of_a_normal_distribution() {
        let errors: Vec<u32> = (0..100).map(|number| u32::from(number % 5 == 0)).collect();
        let interval = wer_interval(&sentences(&errors), 2000, &mut Random::default());
        assert!((interval.mean - 0.05).abs() < 1e-3, "{interval:?}");
        // The deviation of one sentence is 0.1, that of the mean of a hundred a tenth of it.
        assert!((interval.margin - 1.96 * 0.01).abs() < 1e-3, "{interval:?}");
    }

    #[test]
    fn sentences_that_are_all_alike_leave_no_doubt() {
        let interval = wer_interval(&sentences(&[1, 1]), 100, &mut Random::default());
        assert_eq!(interval, Interval { mean: 0.25, margin: 0.0 });
    }

    #[test]
    fn nothing_to_draw_gives_no_number() {
        assert!(wer_interval(&[], 100, &mut Random::default()).mean.is_nan());
        assert!(wer_interval(&sentences(&[1, 2]), 0, &mut Random::default()).mean.is_nan());
    }

    #[test]
    fn fewer_errors_are_an_improvement() {
        let t = |first: &[u32], second: &[u32]| {
            improvement(&sentences(first), &sentences(second), 1000, &mut Random::default())
        };
        assert_eq!(t(&[2, 3], &[1, 0]), 1.0);
        assert_eq!(t(&[2, 3], &[2, 3]), 0.0);
        assert!((t(&[2, 0], &[0, 1]) - 0.75).abs() < 0.05);
    }
}
