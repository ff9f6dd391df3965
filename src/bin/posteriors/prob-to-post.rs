//! Converts matrices of probabilities to posteriors.
//!
//! Matches Kaldi's `prob-to-post`, including random numbers: `--random-prune` keeps the same entries as Kaldi, for any
//! number of threads.

use kaldi_cli::Tally;

use crate::logprob_to_post::{Options, PIECES, write_posteriors};

const USAGE: &str = "\
Converts matrices of probabilities, a row for each frame, to posteriors: for each frame the numbers of the columns with
their probabilities, without those below --min-post (but see --random-prune).

Usage: prob-to-post [options] <prob-matrix-rspecifier> <posteriors-wspecifier>
 e.g.: prob-to-post --min-post=0.05 ark:prob.ark ark:1.post
See also: logprob-to-post, feat-to-post, post-to-feats
";

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(prob_to_post)).in_pieces(PIECES).by_entry(0);

fn prob_to_post(opts: Options) -> anyhow::Result<Tally> {
    write_posteriors(opts, |_| ())
}
