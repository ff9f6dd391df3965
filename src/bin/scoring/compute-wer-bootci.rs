//! Computes word error rates with their confidence intervals.
//!
//! Matches Kaldi's `compute-wer-bootci`, including random numbers: the printed digits are Kaldi's.

use anyhow::Context;
use kaldi_cli::{InputName, Tally};
use kaldi_io::Output;
use kaldi_score::{Interval, Mode, Percent, SentenceErrors, count_edits, improvement, wer_interval};
use kaldi_table::{RandomAccessReader, SequentialReader};
use kaldi_value::Tokens;
use kaldi_value::random::Random;

const USAGE: &str = "\
Computes the word error rate with its 95 % confidence interval, by drawing sentences many times (the bootstrap of Bisani
and Ney). With two sets of hypotheses for the same references, it also prints the probability that the second one is
better. Words are compared byte by byte.

Usage: compute-wer-bootci [options] <ref-rspecifier> <hyp-rspecifier> [<hyp2-rspecifier>]
 e.g.: compute-wer-bootci --mode=present ark:data/test/text ark:hyp.txt
       compute-wer-bootci ark:data/test/text ark:hyp.txt ark:hyp2.txt
See also: compute-wer
";

#[derive(clap::Args)]
struct Options {
    /// What to do if a reference has no hypothesis: "strict" (it is an error), "present" (do not score it) or "all"
    /// (treat the hypothesis as empty)
    #[arg(long, default_value = "strict")]
    mode: String,
    /// How often to draw as many sentences as there are
    #[arg(long, default_value_t = 10000)]
    replications: u32,
    references: InputName,
    hypotheses: InputName,
    others: Option<InputName>,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_wer_bootci)).whole("it counts over the whole table");

fn compute_wer_bootci(opts: Options) -> anyhow::Result<Tally> {
    let mode: Mode = opts.mode.parse().context("--mode option invalid")?;
    let references = SequentialReader::<Tokens>::open(&opts.references)?;
    let mut hypotheses = vec![RandomAccessReader::<Tokens>::open(&opts.hypotheses)?];
    if let Some(others) = &opts.others {
        hypotheses.push(RandomAccessReader::open(others)?);
    }
    let mut sets = vec![Vec::new(); hypotheses.len()];

    let rows = references.par_map_with(hypotheses, move |entry, found| {
        let reference = entry.read()?;
        let reference: Vec<_> = reference.iter().collect();
        let mut errors = Vec::new();
        for hypothesis in &found {
            match mode.hypothesis(hypothesis.as_ref().map(|words| words.iter().collect())) {
                Ok(Some(hypothesis)) => errors.push(SentenceErrors {
                    errors: count_edits(&reference, &hypothesis).total() as u32,
                    words: reference.len() as u32,
                }),
                Ok(None) => return Ok(None),
                Err(_) if found.len() > 1 => {
                    return Err(format!("No hypothesis for key {} in both transcripts", entry.key()).into());
                }
                Err(_) => return Err(format!("No hypothesis for key {} and strict mode specifier", entry.key()).into()),
            }
        }
        Ok(Some(errors))
    });
    let ended = rows.drain(|_, row| {
        for (set, errors) in sets.iter_mut().zip(row.into_iter().flatten()) {
            set.push(errors);
        }
        anyhow::Ok(())
    })?;
    ended.finish()?;

    let mut random = Random::default();
    let mut stdout = Output::stdout()?;
    for (number, set) in (1..).zip(&sets) {
        let Interval { mean, margin } = wer_interval(set, opts.replications, &mut random);
        let (mean, margin) = (100.0 * mean, 100.0 * margin);
        let [mean, low, high] = [mean, mean - margin, mean + margin].map(Percent);
        let line = format!("Set{number}: %WER {mean} 95% Conf Interval [ {low}, {high} ]\n");
        stdout.write_all(line.as_bytes())?;
    }
    if let [first, second] = &sets[..] {
        let better = Percent(100.0 * improvement(first, second, opts.replications, &mut random));
        let line = format!("Probability of Set2 improving Set1: {better}\n");
        stdout.write_all(line.as_bytes())?;
    }
    stdout.finish()?;
    Ok(Tally::default().always_ok())
}
