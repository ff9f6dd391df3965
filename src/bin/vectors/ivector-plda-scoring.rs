//! Scores trials with a PLDA model.
//!
//! Matches Kaldi's `ivector-plda-scoring`, except that there is a warning for a vector that is the mean of the model:
//! it has no length to normalize, and its scores are NaN.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::bail;
use bstr::{BStr, BString};
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_io::Lines;
use kaldi_io::log::{log, warning};
use kaldi_ivector::{LengthNormalization, Plda, Scorer, TrialList, TrialScores};
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, Rows, SequentialReader, create_output, read_file};
use kaldi_value::number::general;

const USAGE: &str = "\
Scores trials with a PLDA model. A trial is a line with two keys, of a speaker and of a test utterance. The score is
appended to it: the log likelihood ratio of the hypotheses that the utterance is by that speaker and that it is not.
Trials with a key that has no vector are left out. A speaker's vector is the mean of those of its utterances; their
number, --num-utts, matters.

Usage: ivector-plda-scoring [options] <plda-rxfilename> <train-ivector-rspecifier> <test-ivector-rspecifier>
                            <trials-rxfilename> <scores-wxfilename>
 e.g.: ivector-plda-scoring --num-utts=ark:num_utts.ark plda ark:spk_ivectors.ark scp:ivectors.scp trials scores
See also: ivector-compute-plda, ivector-mean, ivector-compute-dot-products, compute-eer
";

#[derive(clap::Args)]
struct Options {
    /// Table of the number of utterances of each speaker; 1 without this table
    #[arg(long)]
    num_utts: Option<MapName>,
    #[command(flatten)]
    normalization: LengthNormalization,
    plda: InputName,
    train: InputName,
    test: InputName,
    trials: InputName,
    scores: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_plda_scoring))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Lines(3))]);

fn ivector_plda_scoring(opts: Options) -> anyhow::Result<Tally> {
    let plda: Arc<Plda> = Arc::new(read_file(&opts.plda)?);
    let mut scorer = Scorer::new(&plda);

    log!("Reading train iVectors");
    let train = transformed(&plda, &opts.train, opts.num_utts.as_ref(), opts.normalization)?;
    let train = collect(train, "training", |ivector, num_utts| scorer.enroll(ivector, num_utts))?;
    log!("Reading test iVectors");
    let test = transformed(&plda, &opts.test, None, opts.normalization)?;
    let test = collect(test, "test", |ivector, _| scorer.trial(ivector))?;

    let mut trials = TrialList::new(Lines::open(&opts.trials)?);
    let mut scores = TrialScores::new(create_output(&opts.scores, false)?);
    let mut tally = Tally::default();
    while let Some((key1, key2)) = trials.next_trial()? {
        let Some(train) = train.get(key1) else {
            warning!("Key {key1} not present in training iVectors.");
            tally.failed += 1;
            continue;
        };
        let Some(test) = test.get(key2) else {
            warning!("Key {key2} not present in test iVectors.");
            tally.failed += 1;
            continue;
        };
        scores.write(key1, key2, train.score(test))?;
        tally.done += 1;
    }
    if let Some((mean, deviation)) = scores.mean_and_deviation() {
        log!("Mean score was {}, standard deviation was {}", general(mean), general(deviation));
    }
    log!("Processed {} trials, {} had errors.", tally.done, tally.failed);
    scores.finish()?;
    Ok(tally)
}

/// A vector, the number of its utterances, and the factor by which it was multiplied.
type Transformed = (Vector<f32>, i32, f32);

/// Transforms the vectors of a table; `None` for a vector whose number of utterances is missing.
fn transformed(
    plda: &Arc<Plda>,
    ivectors: &BStr,
    num_utts: Option<&MapName>,
    normalization: LengthNormalization,
) -> anyhow::Result<Rows<Option<Transformed>>> {
    let plda = Arc::clone(plda);
    let ivectors = SequentialReader::<Vector<f32>>::open(ivectors)?;
    let num_utts = num_utts.map(RandomAccessReader::<i32>::open).transpose()?;
    Ok(ivectors.par_map_with(num_utts, move |entry, num_utts| {
        let key = entry.key();
        let num_utts = match num_utts {
            None => 1,
            Some(Some(num_utts)) => *num_utts,
            Some(None) => {
                warning!("Number of utterances not given for speaker {key}");
                return Ok(None);
            }
        };
        let transformed = plda.transform(entry.read()?.as_slice(), num_utts, normalization);
        let (ivector, scale) = transformed?;
        if !scale.is_finite() {
            warning!("The length of the iVector of {key} cannot be normalized");
        }
        Ok(Some((ivector, num_utts, scale)))
    }))
}

/// Reads all transformed vectors, each key once.
fn collect<T>(
    rows: Rows<Option<Transformed>>,
    kind: &str,
    mut prepare: impl FnMut(Vector<f32>, i32) -> T,
) -> anyhow::Result<HashMap<BString, T>> {
    let (mut found, mut failed, mut sum) = (HashMap::new(), 0, 0.0);
    let ended = rows.drain(|key, row| {
        let Some((ivector, num_utts, scale)) = row else {
            failed += 1;
            return Ok(());
        };
        sum += f64::from(scale);
        if found.contains_key(&key) {
            bail!("Duplicate {kind} iVector found for key {key}");
        }
        found.insert(key, prepare(ivector, num_utts));
        anyhow::Ok(())
    })?;
    log!("Read {} {kind} iVectors, errors on {failed}", found.len());
    if found.is_empty() {
        bail!("No {kind} iVectors present.");
    }
    log!("Average renormalization scale on {kind} iVectors was {}", general(sum / found.len() as f64));
    ended.finish()?;
    Ok(found)
}
