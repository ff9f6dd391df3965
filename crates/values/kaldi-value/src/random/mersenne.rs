//! The generator that C++ programs shuffle with.

use rand_mt::Mt;

/// The generator `std::mt19937` of C++, and the order that `std::shuffle` of the GNU library makes with it (from version 11
/// of the compiler on). Kaldi's programs for training examples use them.
#[derive(Clone, Debug)]
pub struct Mersenne(Mt);

impl Mersenne {
    /// Starts as `std::mt19937` does with this seed.
    pub fn seeded(seed: u32) -> Self {
        Self(Mt::new(seed))
    }

    /// Draws 32 bits.
    pub fn draw(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Draws one of `0..bound`, each with the same probability: the upper half of a product, without those draws that
    /// would make some numbers more likely.
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "a number below 0");
        let mut product = u64::from(self.draw()) * u64::from(bound);
        if (product as u32) < bound {
            let least = bound.wrapping_neg() % bound;
            while (product as u32) < least {
                product = u64::from(self.draw()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// Shuffles values as `std::shuffle` does: one draw for two places, as long as their product fits.
    ///
    /// # Panics
    /// If there are 2^32 values or more.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        assert!(u32::try_from(values.len()).is_ok(), "{} values to shuffle", values.len());
        let length = values.len();
        if length < 2 {
            return;
        }
        if u32::MAX as usize / length < length {
            for place in 1..length {
                values.swap(place, self.below(place as u32 + 1) as usize);
            }
            return;
        }
        let mut place = 1;
        if length.is_multiple_of(2) {
            values.swap(1, self.below(2) as usize);
            place = 2;
        }
        while place < length {
            let (first, second) = (place as u32 + 1, place as u32 + 2);
            let drawn = self.below(first * second);
            values.swap(place, (drawn / second) as usize);
            values.swap(place + 1, (drawn % second) as usize);
            place += 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ten-thousandth number of the seed 5489 is part of the standard of C++.
    #[test]
    fn numbers_are_those_of_the_standard() {
        let mut random = Mersenne::seeded(5489);
        assert_eq!(random.draw(), 3_499_211_612);
        assert_eq!((1..10_000).map(|_| random.draw()).last(), Some(4_123_659_995));
    }

    #[test]
    fn every_order_is_one_of_all_values() {
        for length in [0, 1, 2, 3, 10, 11, 1000, 65_535, 65_536, 65_537] {
            let mut values: Vec<usize> = (0..length).collect();
            Mersenne::seeded(7).shuffle(&mut values);
            assert!(length < 10 || values.iter().enumerate().any(|(place, value)| place != *value));
            values.sort_unstable();
            assert!(values.iter().copied().eq(0..length), "{length}");
        }
    }

    #[test]
    fn one_value_or_none_draws_nothing() {
        let mut random = Mersenne::seeded(3);
        random.shuffle::<u8>(&mut []);
        random.shuffle(&mut [1]);
        assert_eq!(random.draw(), Mersenne::seeded(3).draw());
    }

    #[test]
    fn all_orders_come_about_as_often() {
        let mut random = Mersenne::seeded(1);
        crate::random::tests::all_orders_come_about_as_often(|values| random.shuffle(values));
    }
}
