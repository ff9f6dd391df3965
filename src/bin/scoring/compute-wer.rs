//! Counts word errors.
//!
//! Matches Kaldi's `compute-wer`; `--unit=char` is our own.

use anyhow::Context;
use bstr::{BStr, ByteSlice};
use kaldi_cli::{InputName, Tally};
use kaldi_io::Output;
use kaldi_score::{Edits, Mode, Percent, count_edits};
use kaldi_table::{RandomAccessReader, SequentialReader};
use kaldi_values::Tokens;

const USAGE: &str = "\
Compares recognized sentences with the spoken ones, and prints the word error rate (WER: insertions, deletions and
substitutions per word of the reference) and the sentence error rate (SER) in percent. Words are compared byte by byte. With
--unit=char, it is the character error rate (CER), of characters without the white space between words.

Usage: compute-wer [options] <ref-rspecifier> <hyp-rspecifier>
 e.g.: compute-wer --text --mode=present ark:data/test/text ark:hyp.txt
       compute-wer --unit=char ark:data/test/text ark:hyp.txt
See also: compute-wer-bootci, align-text
";

#[derive(option_table::Options)]
struct Options {
    /// What to do if a reference has no hypothesis: "strict" (it is an error), "present" (do not score it) or "all"
    /// (treat the hypothesis as empty)
    #[option(default = "strict")]
    mode: String,
    /// What is compared: word or char (a character is a code point of UTF-8)
    #[option(default = "word", one_of = &UNITS)]
    unit: Unit,
    /// Has no effect any more; sentences of integers are scored like others
    #[option]
    text: bool,
    references: InputName,
    hypotheses: InputName,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Word,
    Char,
}

const UNITS: [(&str, Unit); 2] = [("word", Unit::Word), ("char", Unit::Char)];

impl Unit {
    /// The units of a sentence.
    fn of(self, sentence: &Tokens) -> Vec<&BStr> {
        let characters = |word: &'_ BStr| word.char_indices().map(|(start, end, _)| start..end).collect::<Vec<_>>();
        match self {
            Self::Word => sentence.iter().collect(),
            Self::Char => {
                sentence.iter().flat_map(|word| characters(word).into_iter().map(|it| word[it].as_bstr())).collect()
            }
        }
    }

    /// The name of the rate.
    fn rate(self) -> &'static str {
        match self {
            Self::Word => "WER",
            Self::Char => "CER",
        }
    }
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
        let reference = unit.of(&reference);
        let hypothesis = found.as_ref().map(|words| unit.of(words));
        let Ok(scored) = mode.hypothesis(hypothesis) else {
            return Err(format!("No hypothesis for key {} and strict mode specifier", entry.key()).into());
        };
        let edits = scored.map(|hypothesis| count_edits(&reference, &hypothesis));
        Ok((reference.len() as u64, edits, found.is_none()))
    });
    let mut edits = Edits::default();
    let (mut num_words, mut num_sentences, mut num_wrong, mut num_absent) = (0, 0, 0, 0);
    let ended = rows.drain(|_, (length, found, is_absent)| {
        num_absent += u64::from(is_absent);
        if let Some(found) = found {
            edits += found;
            num_words += length;
            num_sentences += 1;
            num_wrong += u64::from(found.total() > 0);
        }
        anyhow::Ok(())
    })?;
    ended.finish()?;

    let Edits { insertions, deletions, substitutions } = edits;
    let mut stdout = Output::create("-".into(), false)?;
    stdout.write_all(
        format!(
            "%{} {} [ {} / {num_words}, {insertions} ins, {deletions} del, {substitutions} sub ]{}\n\
             %SER {} [ {num_wrong} / {num_sentences} ]\n\
             Scored {num_sentences} sentences, {num_absent} not present in hyp.\n",
            unit.rate(),
            Percent::of(edits.total(), num_words),
            edits.total(),
            if num_absent > 0 { " [PARTIAL]" } else { "" },
            Percent::of(num_wrong, num_sentences),
        )
        .as_bytes(),
    )?;
    stdout.finish()?;
    Ok(Tally::new(num_sentences, num_absent).always_ok())
}
