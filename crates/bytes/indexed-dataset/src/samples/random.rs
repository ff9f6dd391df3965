//! The generator and the shuffle of NumPy's `RandomState`, bit for bit.

/// The number of words of the generator's state.
const NUM_WORDS: usize = 624;

/// The distance to the word that another one is mixed with.
const SHIFT: usize = 397;

/// The number of places that are drawn before their values are swapped.
const DRAWN: usize = 1024;

/// NumPy's `RandomState`: MT19937 (Matsumoto and Nishimura, 1998), seeded with one number.
#[derive(Clone, Debug)]
pub struct NumpyRandom {
    state: [u32; NUM_WORDS],
    /// The numbers for the current state.
    words: [u32; NUM_WORDS],
    used: usize,
}

impl NumpyRandom {
    /// Starts like `RandomState(seed)`.
    pub fn new(seed: u32) -> Self {
        let mut state = [seed; NUM_WORDS];
        for at in 1..NUM_WORDS {
            let before = state[at - 1];
            state[at] = 1_812_433_253_u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(at as u32);
        }
        Self { state, words: [0; NUM_WORDS], used: NUM_WORDS }
    }

    /// The next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        let word = self.unused()[0];
        self.used += 1;
        word
    }

    /// The words that were not used yet; at least one.
    fn unused(&mut self) -> &[u32] {
        if self.used == NUM_WORDS {
            self.regenerate();
        }
        &self.words[self.used..]
    }

    fn regenerate(&mut self) {
        let mix = |high: u32, low: u32| {
            let both = (high & 0x8000_0000) | (low & 0x7fff_ffff);
            (both >> 1) ^ ((low & 1).wrapping_neg() & 0x9908_b0df)
        };
        let state = &mut self.state;
        for at in 0..NUM_WORDS - SHIFT {
            state[at] = state[at + SHIFT] ^ mix(state[at], state[at + 1]);
        }
        for at in NUM_WORDS - SHIFT..NUM_WORDS - 1 {
            state[at] = state[at + SHIFT - NUM_WORDS] ^ mix(state[at], state[at + 1]);
        }
        state[NUM_WORDS - 1] = state[SHIFT - 1] ^ mix(state[NUM_WORDS - 1], state[0]);
        for (word, state) in self.words.iter_mut().zip(&self.state) {
            let mut mixed = *state;
            mixed ^= mixed >> 11;
            mixed ^= (mixed << 7) & 0x9d2c_5680;
            mixed ^= (mixed << 15) & 0xefc6_0000;
            *word = mixed ^ (mixed >> 18);
        }
        self.used = 0;
    }

    /// A number up to `most`, if that needs more than 32 bits.
    fn long_interval(&mut self, most: u64) -> u64 {
        let mask = u64::MAX >> most.leading_zeros();
        loop {
            let high = u64::from(self.next_u32()) << 32;
            let drawn = (high | u64::from(self.next_u32())) & mask;
            if drawn <= most {
                return drawn;
            }
        }
    }

    /// Shuffles like `RandomState.shuffle` on an array of one dimension.
    ///
    /// The places to swap do not depend on the values. So they are drawn for many swaps at once, and the values there
    /// are fetched together: one by one, each would wait for the memory.
    pub fn shuffle<T: Copy>(&mut self, values: &mut [T]) {
        let mut last = values.len().saturating_sub(1);
        while last > u32::MAX as usize {
            let place = self.long_interval(last as u64) as usize;
            values.swap(last, place);
            last -= 1;
        }
        let mut places = [0_u32; DRAWN];
        while last > 0 {
            let count = self.draw_places(last as u32, &mut places);
            for place in &places[..count] {
                std::hint::black_box(values[*place as usize]);
            }
            for place in &places[..count] {
                values.swap(last, *place as usize);
                last -= 1;
            }
        }
    }

    /// Draws a number up to `last`, one up to `last - 1` and so on, as long as there is room and the mask is the same;
    /// returns how many.
    fn draw_places(&mut self, last: u32, places: &mut [u32; DRAWN]) -> usize {
        let mask = u32::MAX >> last.leading_zeros();
        let count = DRAWN.min((last - (mask >> 1)) as usize);
        let mut drawn = 0;
        while drawn < count {
            let wanted = count - drawn;
            let words = self.unused();
            let words = &words[..words.len().min(wanted)];
            // A number that is too large is overwritten by the next one: this needs no branch, which would be
            // mispredicted.
            for word in words {
                let place = word & mask;
                places[drawn] = place;
                drawn += usize::from(place <= last - drawn as u32);
            }
            self.used += words.len();
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that the authors' program and NumPy print.
    #[test]
    fn the_first_words_are_those_of_the_reference() {
        assert_eq!(NumpyRandom::new(5489).next_u32(), 3_499_211_612);
        assert_eq!(NumpyRandom::new(1234).next_u32(), 822_569_775);
        // The C++ standard requires this for the 10000th.
        let mut random = NumpyRandom::new(5489);
        assert_eq!((0..10_000).map(|_| random.next_u32()).last(), Some(4_123_659_995));
    }

    #[test]
    fn shuffles_are_numpys() {
        let mut values = [0, 1, 2, 3, 4];
        NumpyRandom::new(1234).shuffle(&mut values);
        assert_eq!(values, [4, 0, 1, 2, 3]);
        let mut values: Vec<_> = (0..3).flat_map(|_| 0..5).collect();
        NumpyRandom::new(1234).shuffle(&mut values);
        assert_eq!(values, [3, 1, 0, 2, 4, 2, 0, 2, 1, 4, 3, 4, 0, 1, 3]);
    }

    /// The plain rule, one place at a time.
    #[test]
    fn places_drawn_ahead_are_those_drawn_in_turn() {
        for length in [0, 1, 2, 3, 1023, 1024, 1025, 4096, 10_000] {
            let mut values: Vec<_> = (0..length).collect();
            let mut random = NumpyRandom::new(length);
            random.shuffle(&mut values);
            let mut plain: Vec<_> = (0..length).collect();
            let mut turn = NumpyRandom::new(length);
            for last in (1..length).rev() {
                let mask = u32::MAX >> last.leading_zeros();
                let place = std::iter::repeat_with(|| turn.next_u32() & mask).find(|place| *place <= last).unwrap();
                plain.swap(last as usize, place as usize);
            }
            assert_eq!(values, plain, "{length}");
            assert_eq!(random.next_u32(), turn.next_u32(), "{length}");
        }
    }

    #[test]
    fn long_intervals_take_two_words() {
        let mut random = NumpyRandom::new(1);
        let [high, low] = [random.clone().next_u32(), {
            let mut other = random.clone();
            other.next_u32();
            other.next_u32()
        }];
        let most = (1 << 40) - 1;
        assert_eq!(random.long_interval(most), (u64::from(high) << 32 | u64::from(low)) & most);
    }
}
