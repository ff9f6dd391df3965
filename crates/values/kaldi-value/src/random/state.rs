//! Generators for many numbers at once.

use crate::random::glibc::{Random, gauss_pair, uniform};

/// A generator of its own, seeded with one number of the program's generator (Kaldi's `RandomState`, which draws with
/// `rand_r` of the GNU C library).
#[derive(Clone, Debug)]
pub struct RandomState {
    seed: u32,
}

impl RandomState {
    /// Takes a seed from `random`.
    pub fn new(random: &mut Random) -> Self {
        Self { seed: random.draw().wrapping_add(27_437) }
    }

    /// Draws a number below 2^31: three steps of a congruential generator give 11, 10 and 10 bits.
    pub fn draw(&mut self) -> u32 {
        [(0, 11), (10, 10), (10, 10)].into_iter().fold(0, |drawn, (shift, bits)| {
            self.seed = self.seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            (drawn << shift) ^ ((self.seed >> 16) % (1 << bits))
        })
    }

    /// Draws a number between 0 and 1, both excluded except by rounding (Kaldi's `RandUniform`).
    pub fn uniform(&mut self) -> f32 {
        uniform(self.draw())
    }

    /// Draws a number with a mean of zero and a variance of one, normally distributed (Kaldi's `RandGauss`).
    pub fn gauss(&mut self) -> f32 {
        gauss_pair(self.uniform(), self.uniform())[0]
    }

    /// Fills `numbers` with normally distributed ones (Kaldi's `SetRandn`, which draws them in pairs).
    pub fn fill_gauss(&mut self, numbers: &mut [f32]) {
        let (pairs, rest) = numbers.as_chunks_mut::<2>();
        for pair in pairs {
            *pair = gauss_pair(self.uniform(), self.uniform());
        }
        rest.iter_mut().for_each(|number| *number = self.gauss());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_c_library() {
        let mut state = RandomState::new(&mut Random::default());
        assert_eq!([state.draw(), state.draw(), state.draw()], [200_811_192, 735_233_328, 1_421_005_139]);
        assert_eq!((3..1000).map(|_| state.draw()).last(), Some(817_393_023));
    }

    #[test]
    fn numbers_are_drawn_in_pairs_and_the_last_one_alone() {
        let state = RandomState::new(&mut Random::default());
        let (mut three, mut all) = ([0.0; 3], [0.0; 4]);
        state.clone().fill_gauss(&mut three);
        state.clone().fill_gauss(&mut all);
        assert_eq!(three, all[..3]);
        assert_eq!(state.clone().gauss(), all[0]);
        assert!(all.iter().all(|number| number.abs() < 5.0));
    }
}
