//! Pruning of probabilities that keeps their sums as they are on average.

use crate::random::Random;

/// Which of many probabilities are kept (Kaldi's `prob-to-post` and `logprob-to-post`).
///
/// Those of at least `least` are kept. With random numbers smaller ones have a chance, too: a tenth of `least` is kept
/// one time in ten, and then counts as `least`.
#[derive(Clone, Debug)]
pub struct Pruning {
    /// The threshold.
    pub least: f32,
    /// The numbers that decide about probabilities below the threshold; without them these are dropped.
    pub random: Option<Random>,
}

impl Pruning {
    /// The weight of a probability that is kept. Draws a number for everything below the threshold and for NaN, even if
    /// it has no chance.
    pub fn weigh(&mut self, probability: f32) -> Option<f32> {
        if probability >= self.least {
            return Some(probability);
        }
        let chance = probability / self.least;
        let random = self.random.as_mut()?;
        (chance >= random.uniform()).then_some(self.least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_random_numbers_the_threshold_decides() {
        let mut pruning = Pruning { least: 0.25, random: None };
        assert_eq!(
            [0.25, 0.5, 0.2, -1.0, f32::NAN].map(|p| pruning.weigh(p)),
            [Some(0.25), Some(0.5), None, None, None]
        );
    }

    #[test]
    fn sums_stay_as_they_are_on_average() {
        let mut pruning = Pruning { least: 0.01, random: Some(Random::default()) };
        let sum: f32 = (0..100_000).filter_map(|_| pruning.weigh(0.003)).sum();
        assert!((290.0..310.0).contains(&sum), "{sum}");
        assert_eq!((0..1000).find_map(|_| pruning.weigh(0.0).or(pruning.weigh(f32::NAN))), None);
    }

    #[test]
    fn a_number_is_drawn_for_everything_below_the_threshold() {
        let mut pruning = Pruning { least: 0.5, random: Some(Random::default()) };
        for probability in [0.7, 0.0, -1.0, f32::NAN] {
            pruning.weigh(probability);
        }
        let mut random = Random::default();
        assert_eq!(pruning.random.unwrap().draw(), (0..4).map(|_| random.draw()).last().unwrap());
    }
}
