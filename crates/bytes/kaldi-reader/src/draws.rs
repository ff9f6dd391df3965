//! Random choices from a seed.

/// Random numbers that depend on a seed alone, on every machine and in every version (the generator SplitMix64).
///
/// ```
/// use kaldi_reader::Draws;
///
/// let mut order = [0, 1, 2, 3];
/// Draws::seeded(7).shuffle(&mut order);
/// let mut again = [0, 1, 2, 3];
/// Draws::seeded(7).shuffle(&mut again);
/// assert_eq!(order, again);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draws {
    state: u64,
}

impl Draws {
    /// Starts a sequence of numbers, another one for each seed.
    pub fn seeded(seed: u64) -> Self {
        // The seed is scrambled: otherwise the sequences of neighbouring seeds would overlap.
        Self { state: scramble(seed.wrapping_add(INCREMENT)) }
    }

    /// Starts a sequence of numbers that depends on several numbers, in this order, and on a name: for example on a
    /// seed, an epoch and the key of an utterance.
    pub fn named(seeds: &[u64], name: &[u8]) -> Self {
        let seed = seeds.iter().fold(seeds.len() as u64, |state, &seed| scramble(state ^ scramble(seed)));
        // FNV-1a.
        let hash = name.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self::seeded(scramble(seed) ^ hash)
    }

    /// Draws 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(INCREMENT);
        scramble(self.state)
    }

    /// Draws one of `0..bound`, all with the same probability.
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a choice of nothing");
        // The upper half of the product (Lemire). If the lower half is among the lowest values, the number is dropped:
        // it would be too frequent.
        let uneven = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if product as u64 >= uneven {
                return (product >> 64) as u64;
            }
        }
    }

    /// Draws one of the indices `0..length`.
    ///
    /// # Panics
    /// If `length` is 0.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// Draws a number from 0 to 1, 1 excluded.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Puts values into a random order; all orders have the same probability.
    pub fn shuffle<V>(&mut self, values: &mut [V]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.index(last + 1));
        }
    }
}

/// 2^64 divided by the golden ratio.
const INCREMENT: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of SplitMix64.
fn scramble(state: u64) -> u64 {
    let state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_published_generator() {
        // The first outputs of SplitMix64 for the state 1234567, as in its reference code.
        let mut draws = Draws { state: 1_234_567 };
        assert_eq!(draws.bits(), 6_457_827_717_110_365_317);
        assert_eq!(draws.bits(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn orders_are_drawn_evenly() {
        let mut counts = std::collections::BTreeMap::new();
        let mut draws = Draws::seeded(1);
        for _ in 0..24_000 {
            let mut order = [0, 1, 2, 3];
            draws.shuffle(&mut order);
            *counts.entry(order).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn a_name_an_epoch_and_a_seed_each_make_a_difference() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..10 {
            for epoch in 0..10 {
                for name in ["", "utt1", "utt2"] {
                    seen.insert(Draws::named(&[seed, epoch], name.as_bytes()).bits());
                }
            }
        }
        assert_eq!(seen.len(), 300);
    }

    #[test]
    fn numbers_between_zero_and_one_have_their_mean() {
        let mut draws = Draws::seeded(3);
        let mean = (0..10_000).map(|_| draws.uniform()).sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
    }
}
