//! Computes the inner products of pairs of vectors.
//!
//! Matches Kaldi's `ivector-compute-dot-products`; sums are in double precision, so the last digits may differ.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Context;
use bstr::{BStr, BString};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::Lines;
use kaldi_io::log::{log, warning};
use kaldi_ivector::{TrialList, TrialScores};
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, create_output};
use kaldi_value::number::general;

const USAGE: &str = "\
Computes inner products of pairs of speaker vectors, which are cosine scores if their lengths are normalized. A trial is
a line with two keys; the score is appended to it. Trials with a key that has no vector are left out.

Usage: ivector-compute-dot-products [options] <trials-rxfilename> <ivector-rspecifier1> <ivector-rspecifier2>
                                    <scores-wxfilename>
 e.g.: ivector-compute-dot-products trials ark:train.ark ark:test.ark scores
See also: ivector-plda-scoring, ivector-normalize-length, compute-eer
";

#[derive(clap::Args)]
struct Options {
    trials: InputName,
    first: InputName,
    second: InputName,
    scores: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_compute_dot_products))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Lines(0))]);

fn ivector_compute_dot_products(opts: Options) -> anyhow::Result<Tally> {
    let (mut first, mut second) = (Ivectors::open(&opts.first)?, Ivectors::open(&opts.second)?);
    let mut trials = TrialList::new(Lines::open(&opts.trials)?);
    let mut scores = TrialScores::new(create_output(&opts.scores, false)?);

    let mut tally = Tally::default();
    while let Some((key1, key2)) = trials.next_trial()? {
        let Some(ivector1) = first.get(key1)? else {
            warning!("Key {key1} not present in 1st table of ivectors.");
            tally.failed += 1;
            continue;
        };
        let Some(ivector2) = second.get(key2)? else {
            warning!("Key {key2} not present in 2nd table of ivectors.");
            tally.failed += 1;
            continue;
        };
        let product = ivector1.dot(&ivector2).with_context(|| format!("trial {key1} {key2}"))? as f32;
        scores.write(key1, key2, product)?;
        tally.done += 1;
    }
    if let Some((mean, deviation)) = scores.mean_and_deviation() {
        log!("Mean dot-product was {}, standard deviation was {}", general(mean), general(deviation));
    }
    log!("Processed {} trials {} had errors.", tally.done, tally.failed);
    first.table.finish()?;
    second.table.finish()?;
    scores.finish()?;
    Ok(tally)
}

/// A table of vectors that keeps the values it has read: trials name every key many times.
struct Ivectors {
    table: RandomAccessReader<Vector<f32>>,
    found: HashMap<BString, Option<Arc<Vector<f32>>>>,
}

impl Ivectors {
    fn open(rspecifier: &BStr) -> anyhow::Result<Self> {
        Ok(Self { table: RandomAccessReader::open(rspecifier)?, found: HashMap::new() })
    }

    fn get(&mut self, key: &BStr) -> anyhow::Result<Option<Arc<Vector<f32>>>> {
        if let Some(ivector) = self.found.get(key) {
            return Ok(ivector.clone());
        }
        let ivector = self.table.get(key)?;
        self.found.insert(key.to_owned(), ivector.clone());
        Ok(ivector)
    }
}
