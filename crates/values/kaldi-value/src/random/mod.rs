//! The random numbers that Kaldi draws, number for number, and noise that depends on a seed, a name and a place alone.
//!
//! Kaldi draws with `rand` of the C library. Only its programs with an option `--srand` seed it, so the others give the
//! same output in every run. With the GNU C library `rand` is an additive feedback generator: each word is the sum of
//! the words 3 and 31 places before it, and the lowest bit is left out. If Kaldi needs many numbers at once, it draws
//! one of them to seed a generator of their own ([`RandomState`]). Work on several threads uses [`Noise`] instead, in
//! which every number has a place. [`Mersenne`] shuffles as C++ programs do.
//!
//! ```
//! let mut random = kaldi_value::random::Random::default();
//! assert_eq!([random.draw(), random.draw(), random.draw()], [1_804_289_383, 846_930_886, 1_681_692_777]);
//! ```

mod glibc;
mod mersenne;
mod noise;
mod pruning;
#[cfg(feature = "cli")]
mod random_options;
mod state;

pub use glibc::Random;
pub use mersenne::Mersenne;
pub use noise::Noise;
pub use pruning::Pruning;
#[cfg(feature = "cli")]
pub use random_options::{RandomArguments, RandomBy};
pub use state::RandomState;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    /// Checks that a shuffle of four values has each of the 24 results about equally often.
    pub(crate) fn all_orders_come_about_as_often(mut shuffle: impl FnMut(&mut [u8])) {
        let mut counts = BTreeMap::new();
        for _ in 0..24_000 {
            let mut values = [0, 1, 2, 3];
            shuffle(&mut values);
            *counts.entry(values).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| (880..1120).contains(count)), "{counts:?}");
    }
}
