//! Counts word errors.
//!
//! Matches Kaldi's `compute-wer`; `--unit=char` is our own.

use anyhow::Context;
use kaldi_cli::{InputName, Tally};
use kaldi_score::{ErrorRates, Mode, ScoredUnit, count_edits};
use kaldi_table::{RandomAccessReader, SequentialReader};
use kaldi_value::Tokens;

const USAGE: &str = "\
Compares recognized sentences with the spoken ones, and prints the word error rate (WER: insertions, deletions and
substitutions per word of the reference) and the sentence error rate (SER) in percent. Words are compared byte by byte. With
--unit=char, it is the character error rate (CER), of characters without the white space between words.

Usage: compute-wer [options] <ref-rspecifier> <hyp-rspecifier>
 e.g.: compute-wer --text --mode=present ark:data/test/text ark:hyp.txt
       compute-wer --unit=char ark:data/test/text ark:hyp.txt
See also: compute-wer-bootci, align-text
";

#[derive(clap::Args)]
struct Options {
    /// What to do if a reference has no hypothesis: "strict" (it is an error), "present" (do not score it) or "all"
    /// (treat the hypothesis as empty)
    #[arg(long, default_value = "strict")]
    mode: String,
    /// What is compared: word or char (a character is a code point of UTF-8)
    #[arg(long, default_value = "word", value_parser = kaldi_cli::one_of(&ScoredUnit::NAMES))]
    unit: ScoredUnit,
    /// Has no effect any more; sentences of integers are scored like others
    #[arg(long)]
    text: bool,
    references: InputName,
    hypotheses: InputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_wer)).whole("it counts over the whole table");

fn compute_wer(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.text;
    let unit = opts.unit;
    let mode: Mode = opts.mode.parse().context("--mode option invalid")?;
    let references = SequentialReader::<Tokens>::open(&opts.references)?;
    let hypotheses = RandomAccessReader::<Tokens>::open(&opts.hypotheses)?;

    let rows = references.par_map_with(hypotheses, move |entry, found| {
        let reference = entry.read()?;
        let reference = unit.of(reference.iter());
        let hypothesis = found.as_ref().map(|words| unit.of(words.iter()));
        let Ok(scored) = mode.hypothesis(hypothesis) else {
            return Err(format!("No hypothesis for key {} and strict mode specifier", entry.key()).into());
        };
        let edits = scored.map(|hypothesis| count_edits(&reference, &hypothesis));
        Ok((reference.len() as u64, edits, found.is_none()))
    });
    let mut rates = ErrorRates::new(unit);
    let ended = rows.drain(|_, (length, found, is_absent)| {
        rates.num_absent += u64::from(is_absent);
        if let Some(found) = found {
            rates.add(length, found);
        }
        anyhow::Ok(())
    })?;
    ended.finish()?;

    kaldi_io::print(rates.to_string())?;
    Ok(Tally::new(rates.num_sentences, rates.num_absent).always_ok())
}
