//! The generator of the C library.

/// How many words the generator remembers.
const NUM_WORDS: usize = 31;

/// The generator of a program that does not seed its own.
///
/// The order counts: to get Kaldi's numbers, draw in Kaldi's order, on one thread.
#[derive(Clone, Debug)]
pub struct Random {
    words: [u32; NUM_WORDS],
    /// The place of the oldest word.
    oldest: usize,
}

impl Default for Random {
    /// Starts as `rand` does in a program that does not call `srand`.
    fn default() -> Self {
        Self::seeded(1)
    }
}

impl Random {
    /// Starts as `rand` does after `srand`.
    pub fn seeded(seed: u32) -> Self {
        // The C library computes the remainder in parts, so that it differs for negative numbers.
        let mut word = seed.max(1) as i32;
        let words = [(); NUM_WORDS].map(|()| {
            let this = word as u32;
            let next = 16_807 * i64::from(word % 127_773) - 2_836 * i64::from(word / 127_773);
            word = if next < 0 { next + i64::from(i32::MAX) } else { next } as i32;
            this
        });
        // The first words count as the most recent ones.
        let mut random = Self { words, oldest: 3 };
        for _ in 0..10 * NUM_WORDS {
            random.draw();
        }
        random
    }

    /// Starts at a place that depends on a seed and a name, such as the key of an entry.
    ///
    /// So the numbers of an entry do not depend on the entries before it.
    pub fn named(seed: u32, name: &[u8]) -> Self {
        // FNV-1a of the bytes of the seed and of the name; the upper half of the hash is mixed into the lower half.
        let hash = seed.to_le_bytes().iter().chain(name).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self::seeded((hash ^ (hash >> 32)) as u32)
    }

    /// Draws a number below 2^31 (C's `rand`).
    pub fn draw(&mut self) -> u32 {
        let recent = (self.oldest + NUM_WORDS - 3) % NUM_WORDS;
        let word = self.words[self.oldest].wrapping_add(self.words[recent]);
        self.words[self.oldest] = word;
        self.oldest = (self.oldest + 1) % NUM_WORDS;
        word >> 1
    }

    /// Draws a number between 0 and 1, both excluded except by rounding (Kaldi's `RandUniform`).
    pub fn uniform(&mut self) -> f32 {
        uniform(self.draw())
    }

    /// Draws a number with a mean of zero and a variance of one, normally distributed (Kaldi's `RandGauss`).
    pub fn gauss(&mut self) -> f32 {
        gauss_pair(self.uniform(), self.uniform())[0]
    }

    /// Draws one of `0..bound` (Kaldi's `RandInt`, which draws nothing if there is only one choice).
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound == 1 { 0 } else { self.draw() % bound }
    }

    /// Returns true with a probability, at least that of 1 always and 0 never (Kaldi's `WithProb`).
    pub fn with_prob(&mut self, prob: f32) -> bool {
        const RANGE: f32 = (1_u32 << 31) as f32;
        const RARE: u32 = 128;
        if prob <= 0.0 || prob == 1.0 {
            return prob == 1.0;
        }
        if prob * RANGE < RARE as f32 {
            // The numbers are too coarse for a small probability: it is a larger one that counts more seldom.
            return self.draw() < i32::MAX as u32 / RARE && self.with_prob(prob * RARE as f32);
        }
        (self.draw() as f32) < RANGE * prob
    }

    /// Shuffles values by the method of Fisher and Yates, with 62 bits for each.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            let drawn = u64::from(self.draw()) << 31 | u64::from(self.draw());
            values.swap(last, (drawn % (last as u64 + 1)) as usize);
        }
    }
}

/// Converts a drawn number to one between 0 and 1.
pub(crate) fn uniform(drawn: u32) -> f32 {
    const RANGE: f64 = (1_u32 << 31) as f64 + 1.0;
    ((f64::from(drawn) + 1.0) / RANGE) as f32
}

/// Makes two normally distributed numbers from two uniformly distributed ones (the method of Box and Muller).
pub(crate) fn gauss_pair(first: f32, second: f32) -> [f32; 2] {
    let radius = (-2.0 * first.ln()).sqrt();
    let angle = (std::f64::consts::TAU * f64::from(second)) as f32;
    [radius * angle.cos(), radius * angle.sin()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_c_library() {
        let mut random = Random::default();
        assert_eq!([random.draw(), random.draw()], [1_804_289_383, 846_930_886]);
        assert_eq!((2..=100_000).map(|_| random.draw()).last(), Some(1_185_112_642));
    }

    #[test]
    fn a_seed_is_that_of_the_c_library() {
        for seed in [0, 1, 2, 7, 777, 127_773, 2_147_483_647, 2_147_483_648, u32::MAX] {
            #[allow(unsafe_code)]
            // SAFETY: this is the only test that draws from the C library's generator.
            let expected = unsafe {
                libc::srand(seed);
                [libc::rand(), libc::rand(), libc::rand()]
            };
            let mut random = Random::seeded(seed);
            assert_eq!([random.draw(), random.draw(), random.draw()].map(|drawn| drawn as i32), expected, "{seed}");
        }
    }

    #[test]
    fn names_and_seeds_start_at_places_of_their_own() {
        let first = |seed, name: &str| Random::named(seed, name.as_bytes()).draw();
        assert_eq!(first(3, "utt1"), first(3, "utt1"));
        let drawn: std::collections::BTreeSet<u32> = (0..100)
            .flat_map(|number| {
                let name = format!("utt{number}");
                [first(0, &name), first(1, &name), first(256, &name)]
            })
            .collect();
        assert_eq!(drawn.len(), 300);
    }

    #[test]
    fn normal_numbers_have_their_mean_and_variance() {
        let mut random = Random::default();
        let numbers: Vec<f64> = (0..100_000).map(|_| random.gauss().into()).collect();
        let moment = |power| numbers.iter().map(|number| number.powi(power)).sum::<f64>() / numbers.len() as f64;
        assert!(moment(1).abs() < 0.01 && (moment(2) - 1.0).abs() < 0.02, "{} {}", moment(1), moment(2));
    }

    #[test]
    fn all_orders_are_drawn_about_as_often() {
        let mut random = Random::seeded(7);
        crate::random::tests::all_orders_come_about_as_often(|values| random.shuffle(values));
        Random::default().shuffle::<u8>(&mut []);
    }

    #[test]
    fn a_choice_of_one_draws_nothing() {
        let mut random = Random::default();
        assert_eq!([random.below(1), random.below(1), random.below(1000)], [0, 0, 383]);
    }

    #[test]
    fn a_probability_is_how_often_it_is_true() {
        let mut random = Random::default();
        for prob in [0.0, 0.001, 0.5, 0.99, 1.0] {
            let count = (0..100_000).filter(|_| random.with_prob(prob)).count() as f32;
            assert!((count - 1e5 * prob).abs() < 500.0, "{prob} {count}");
        }
        assert_eq!((0..100_000).filter(|_| random.with_prob(1e-9)).count(), 0);
        // Only these need no number.
        let mut other = random.clone();
        assert!(random.with_prob(1.0) && !random.with_prob(0.0));
        assert_eq!(random.draw(), other.draw());
    }

    #[test]
    fn uniform_numbers_are_spread_evenly() {
        let mut random = Random::default();
        let mut counts = [0; 10];
        for _ in 0..100_000 {
            counts[(random.uniform() * 10.0) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_700..10_300).contains(count)), "{counts:?}");
    }
}
