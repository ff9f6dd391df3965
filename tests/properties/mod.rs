//! Values are drawn. A failure prints their seed, `KALDI_TABLES_SEED` repeats it, and `KALDI_TABLES_SEED=new` draws new ones.

mod matrices;
mod parsers;

use std::time::{SystemTime, UNIX_EPOCH};

use kaldi_tables::reader::Draws;

/// A source of random values.
struct Random(Draws);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    fn bits(&mut self) -> u64 {
        self.0.bits()
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

/// Runs `property` many times, and tells the seed of a run that fails. The seeds are the same each time, unless
/// `KALDI_TABLES_SEED` is one, or `new`.
fn check(runs: usize, property: impl Fn(&mut Random)) {
    let wanted = std::env::var("KALDI_TABLES_SEED").ok();
    let first = match wanted.as_deref() {
        None => 1,
        Some("new") => SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64,
        Some(seed) => seed.parse().unwrap(),
    };
    let runs = if wanted.is_none_or(|wanted| wanted == "new") { runs } else { 1 };
    for seed in (0..runs as u64).map(|run| first.wrapping_add(run)) {
        eprintln!("KALDI_TABLES_SEED={seed}");
        property(&mut Random(Draws::seeded(seed)));
    }
}
