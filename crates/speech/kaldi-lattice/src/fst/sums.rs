//! Whether the probabilities of what leaves a state sum to one.

use kaldi_io::ParseError;

use crate::binary;

/// How weights are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Semiring {
    /// As negative logarithms of probabilities.
    Log,
    /// The smaller one is taken.
    Tropical,
}

impl Semiring {
    /// The sum of two weights.
    pub(crate) fn plus(self, one: f32, other: f32) -> f32 {
        match self {
            Self::Log if one == f32::INFINITY => other,
            Self::Log if other == f32::INFINITY => one,
            Self::Log => {
                let (less, more) = if one > other { (other, one) } else { (one, other) };
                let difference = f64::from(more - less);
                (f64::from(less) - (-difference).exp().ln_1p()) as f32
            }
            Self::Tropical if !is_member(one) || !is_member(other) => f32::NAN,
            Self::Tropical => {
                if one < other {
                    one
                } else {
                    other
                }
            }
        }
    }
}

fn is_member(weight: f32) -> bool {
    !weight.is_nan() && weight != f32::NEG_INFINITY
}

/// What the states of an FST sum to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateSums {
    /// The smallest sum; 0 if there are no states.
    pub smallest: f32,
    /// The largest sum.
    pub largest: f32,
    /// Whether all sums are 0 within the tolerance.
    pub are_fine: bool,
}

impl StateSums {
    /// Adds up the final weight of each state of a file and the weights of its arcs. Where arcs lead does not matter. Returns
    /// the length of the file, too.
    ///
    /// # Errors
    /// If the bytes do not start with an FST of the type `vector` or `const` with standard arcs.
    pub fn of_file(bytes: &[u8], semiring: Semiring, delta: f32) -> Result<(Self, usize), ParseError> {
        let mut sums = Self { smallest: 0.0, largest: 0.0, are_fine: true };
        let mut is_first = true;
        let length = binary::each_state(bytes, |cost, arcs| {
            let weights = arcs.iter().map(binary::weight_of_arc);
            let sum = weights.fold(cost, |sum, weight| semiring.plus(sum, weight));
            sums.are_fine &= 0.0 <= sum + delta && sum <= delta;
            if is_first || sum < sums.smallest {
                sums.smallest = sum;
            }
            if is_first || sum > sums.largest {
                sums.largest = sum;
            }
            is_first = false;
        })?;
        Ok((sums, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_sum_to_one_in_the_log_semiring() {
        let half = std::f32::consts::LN_2;
        assert!(Semiring::Log.plus(half, half).abs() < 1e-6);
        assert_eq!(Semiring::Log.plus(f32::INFINITY, half), half);
        assert_eq!(Semiring::Tropical.plus(half, 2.0), half);
        assert!(Semiring::Tropical.plus(half, f32::NEG_INFINITY).is_nan());
        assert!(Semiring::Log.plus(f32::NAN, half).is_nan());
    }
}
