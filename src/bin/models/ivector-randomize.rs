//! Replaces some i-vectors of utterances by later ones.
//!
//! Matches Kaldi's `ivector-randomize`, its random numbers included, except that `--srand` has an effect if it is given,
//! and that an utterance is counted once.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::random::Random;

const USAGE: &str = "\
Replaces rows of matrices by a row that is drawn from those after it and the row itself. In training with i-vectors of
ivector-extract-online2 this avoids that the networks depend on how i-vectors get better in the course of an utterance.

Usage: ivector-randomize [options] <ivector-rspecifier> <ivector-wspecifier>
 e.g.: ivector-randomize --randomize-prob=0.5 ark:- ark:-
See also: ivector-extract-online, ivector-extract-online2, subsample-feats
";

#[derive(clap::Args)]
struct Options {
    /// The probability with which a row is replaced
    #[arg(long, default_value_t = 0.5)]
    randomize_prob: f32,
    /// The seed of the random numbers; 0 gives those of a program without a seed, as in Kaldi
    #[arg(long, default_value_t = 0)]
    srand: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_randomize))
    .whole("the random numbers of Kaldi run through the whole table");

fn ivector_randomize(opts: Options) -> anyhow::Result<Tally> {
    let prob = opts.randomize_prob;
    // Kaldi allows for rounding.
    anyhow::ensure!((0.0..=1.1).contains(&prob), "expected --randomize-prob to be from 0 to 1, got {prob}");
    let rows = SequentialReader::<Matrix<f32>>::open(&opts.source)?.values();
    let mut target = TableWriter::create(&opts.target)?;
    let mut random = Random::seeded(opts.srand as u32);
    let mut tally = Tally::default();
    let ended = rows.drain(|key, ivectors| {
        target.write(&key, &randomized(&ivectors, prob, &mut random))?;
        tally.done += 1;
        anyhow::Ok(())
    })?;
    log!("Randomized {} iVectors.", tally.done);
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}

fn randomized(ivectors: &Matrix<f32>, prob: f32, random: &mut Random) -> Matrix<f32> {
    let (num_rows, num_cols) = ivectors.size();
    let mut out = Vec::with_capacity(num_rows * num_cols);
    for row in 0..num_rows {
        let offset = if random.with_prob(prob) { random.below((num_rows - row) as u32) as usize } else { 0 };
        out.extend_from_slice(ivectors.row(row + offset));
    }
    Matrix::from_vec(num_rows, num_cols, out)
}
