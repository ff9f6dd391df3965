//! The option of tools that draw random numbers for the entries of a table.

use crate::random::Random;

/// What the random numbers of an entry depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum RandomBy {
    /// The entries before it in the table, as in Kaldi.
    Table,
    /// Its key alone.
    Entry,
}

/// Options of random numbers.
#[derive(Clone, Debug, clap::Args)]
pub struct RandomArguments {
    /// What random numbers depend on: table (all entries before, as in Kaldi) or entry (the key alone, so that a table gives
    /// the same in pieces and in any order)
    #[arg(long = "random", default_value = "table")]
    pub random: RandomBy,
}

impl RandomArguments {
    /// Whether the numbers of an entry depend on its key alone.
    pub fn is_by_entry(&self) -> bool {
        self.random == RandomBy::Entry
    }

    /// Starts an entry: its numbers follow those of the entry before, or start anew from a seed and the key.
    pub fn start_entry(&self, random: &mut Random, seed: u32, key: &[u8]) {
        if self.is_by_entry() {
            *random = Random::named(seed, key);
        }
    }
}
