//! Shuffles training examples of chain models.
//!
//! Matches Kaldi's `nnet3-chain-shuffle-egs`, except that `--srand` seeds the order of all examples, which Kaldi draws anew in each run.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_egs::NnetChainExample;
use kaldi_value::random::Random;

use crate::nnet3_shuffle_egs::shuffle;

const USAGE: &str = "\
Shuffles training examples of chain models: all of them in memory, or in a buffer while they pass.

Usage: nnet3-chain-shuffle-egs [options] <egs-rspecifier> <egs-wspecifier>
 e.g.: nnet3-chain-shuffle-egs --srand=1 ark:train.cegs ark:shuffled.cegs
       nnet3-chain-shuffle-egs --buffer-size=5000 ark:train.cegs ark:-
See also: nnet3-chain-copy-egs, nnet3-chain-subset-egs, table-shuffle
";

#[derive(clap::Args)]
struct Options {
    /// Seed of the order
    #[arg(long, default_value_t = 0)]
    srand: i32,
    /// Keep this many examples in memory: each new one takes a random place, and the one that was there is written. 0 keeps
    /// all of them
    #[arg(long, default_value_t = 0)]
    buffer_size: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_chain_shuffle_egs)).whole("the order is one of all examples");

fn nnet3_chain_shuffle_egs(opts: Options) -> anyhow::Result<Tally> {
    let random = Random::seeded(opts.srand as u32);
    shuffle::<NnetChainExample>((&opts.source, &opts.target), opts.buffer_size, random, opts.srand)
}
