//! Keeps a random subset of training examples of chain models.
//!
//! Matches Kaldi's `nnet3-chain-subset-egs`, the choice and the order included.

use kaldi_cli::Tally;
use kaldi_egs::NnetChainExample;

use crate::nnet3_subset_egs::{Options, keep_subset};

const USAGE: &str = "\
Keeps a random subset of training examples of chain models. Only the subset is in memory; it is written after everything was read.

Usage: nnet3-chain-subset-egs [options] <egs-rspecifier> <egs-wspecifier>
 e.g.: nnet3-chain-subset-egs --n=1000 --srand=1 ark:train.cegs ark:subset.cegs
See also: nnet3-chain-copy-egs, nnet3-chain-shuffle-egs, table-sample
";

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_chain_subset_egs)).whole("the subset is one of all examples");

fn nnet3_chain_subset_egs(opts: Options) -> anyhow::Result<Tally> {
    keep_subset::<NnetChainExample>(opts, "nnet3+chain")
}
