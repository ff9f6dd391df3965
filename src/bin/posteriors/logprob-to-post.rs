//! Converts matrices of log-probabilities to posteriors.
//!
//! Matches Kaldi's `logprob-to-post`, including random numbers: `--random-prune` keeps the same entries as Kaldi, for
//! any number of threads.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Posterior;
use kaldi_value::random::{Pruning, Random, RandomArguments};

const USAGE: &str = "\
Converts matrices of log-probabilities, a row for each frame, to posteriors: for each frame the numbers of the columns
with their probabilities, without those below --min-post (but see --random-prune).

Usage: logprob-to-post [options] <logprob-matrix-rspecifier> <posteriors-wspecifier>
 e.g.: logprob-to-post --min-post=0.05 ark:logprob.ark ark:1.post
See also: prob-to-post, feat-to-post, post-to-feats
";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The smallest probability that is kept unchanged
    #[arg(long, default_value_t = 0.01)]
    min_post: f32,
    /// Keep a random share of the smaller ones, raised to --min-post, so that sums are the same on average
    #[arg(long, default_value_t = true)]
    random_prune: bool,
    #[command(flatten)]
    random: RandomArguments,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(logprob_to_post)).in_pieces(PIECES).by_entry(0);

pub(crate) const PIECES: kaldi_cli::PieceRules = &[
    (kaldi_cli::PiecesIf::Is("random", "entry"), kaldi_cli::Pieces::Entries(0)),
    (
        kaldi_cli::PiecesIf::IsNot("random-prune", "false"),
        kaldi_cli::Pieces::Whole(
            "the random numbers of Kaldi run through the whole table (--random=entry draws them by key)",
        ),
    ),
];

fn logprob_to_post(opts: Options) -> anyhow::Result<Tally> {
    write_posteriors(opts, Matrix::apply_exp)
}

/// Writes matrices as posteriors, after `to_probabilities` has changed their numbers.
pub(crate) fn write_posteriors(opts: Options, to_probabilities: fn(&mut Matrix<f32>)) -> anyhow::Result<Tally> {
    let mut pruning = Pruning { least: opts.min_post, random: opts.random_prune.then(Random::default) };
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let mut target = TableWriter::<Posterior>::create(&opts.target)?;

    let rows = source.par_map(move |entry| {
        let mut probabilities = entry.read()?;
        to_probabilities(&mut probabilities);
        Ok(probabilities)
    });
    let mut done = 0;
    let ended = rows.drain(|key, probabilities| {
        // Not on the workers: Kaldi draws random numbers in the order of the table.
        if let Some(random) = &mut pruning.random {
            opts.random.start_entry(random, 0, &key);
        }
        target.write(&key, &probabilities.to_posterior(|probability| pruning.weigh(probability)))?;
        done += 1;
        anyhow::Ok(())
    })?;
    log!("Converted {done} log-prob matrices to posteriors.");
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}
