//! Every run draws new values; a failure prints its seed, and `KALDI_TABLES_SEED` repeats it.

mod matrices;
mod parsers;

use std::time::{SystemTime, UNIX_EPOCH};

/// A source of random values (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// A number of any size, of a common size, or one that is special.
    fn number(&mut self) -> f64 {
        match self.below(8) {
            0 => f64::from_bits(self.bits()),
            1 => f64::from(f32::from_bits(self.bits() as u32)),
            2 => [0.0, -0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN][self.below(6) as usize],
            _ => (self.bits() as i64 as f64) * 2f64.powi(-60),
        }
    }
}

/// Runs `property` many times, and tells the seed of a run that fails.
fn check(runs: usize, property: impl Fn(&mut Random)) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    let first = std::env::var("KALDI_TABLES_SEED").ok().map(|seed| seed.parse().unwrap());
    for run in 0..runs {
        let seed = first.unwrap_or_else(|| now.wrapping_add(run as u64));
        eprintln!("KALDI_TABLES_SEED={seed}");
        property(&mut Random(seed));
        if first.is_some() {
            return;
        }
    }
}
