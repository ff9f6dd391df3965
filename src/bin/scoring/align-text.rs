//! Aligns sentences word by word.
//!
//! Matches Kaldi's `align-text`.

use bstr::BStr;
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_io::ParseError;
use kaldi_io::log::{log, warning};
use kaldi_score::align;
use kaldi_table::{Entry, RandomAccessReader, SequentialReader, TableWriter, WorkError};
use kaldi_value::Tokens;

const USAGE: &str = "\
Aligns each sentence of one table with the sentence of the same key in another, so that as few words as possible differ,
and writes the pairs of words. A word that is only in one of the sentences is paired with a special symbol. With the
sentences
  utt1 a b c d
and
  utt1 a c d e
the alignment is
  utt1 a a ; b <eps> ; c c ; d d ; <eps> e

Usage: align-text [options] <text1-rspecifier> <text2-rspecifier> <alignment-wspecifier>
 e.g.: align-text --special-symbol='***' ark:ref.txt ark:hyp.txt ark,t:alignment.txt
See also: compute-wer
";

#[derive(clap::Args)]
struct Options {
    /// Symbol for a missing word; must not be a word of the sentences
    #[arg(long, default_value = "<eps>")]
    special_symbol: Arg,
    /// Text between the pairs. It may be a word of the sentences, since every third word separates
    #[arg(long, default_value = ";")]
    separator: Arg,
    source: InputName,
    other: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(align_text)).by_entry(0);

fn align_text(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Tokens>::open(&opts.source)?;
    let other = RandomAccessReader::<Tokens>::open(&opts.other)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_with_into(other, target, move |entry, found| {
        let Some(other) = found else {
            warning!("Key {} is in {}, but not in {}", entry.key(), opts.source, opts.other);
            return Ok(None);
        };
        let words = entry.read()?;
        opts.check(entry, "text1", &words)?;
        opts.check(entry, "text2", &other)?;
        let aligned = opts
            .align(&words, &other)
            .map_err(|error| format!("{error}; --special-symbol and --separator have to be printable words"))?;
        Ok(Some(entry.record(&aligned)))
    })?;
    log!("Done {} sentences, failed for {}", written.done(), written.skipped());
    Ok(written.finish()?.into())
}

impl Options {
    fn check(&self, entry: &Entry<'_, Tokens>, text: &str, words: &Tokens) -> Result<(), WorkError> {
        let fault = if !words.are_tokens() {
            "unprintable characters; is it text?".to_owned()
        } else if words.iter().any(|word| *word == **self.special_symbol) {
            format!("the special symbol '{}'; choose another --special-symbol", self.special_symbol)
        } else {
            return Ok(());
        };
        Err(format!("In {text}, the utterance {} contains {fault}", entry.key()).into())
    }

    fn align(&self, words: &Tokens, other: &Tokens) -> Result<Tokens, ParseError> {
        let (words, other): (Vec<_>, Vec<_>) = (words.iter().collect(), other.iter().collect());
        let mut aligned: Vec<&BStr> = Vec::with_capacity(3 * words.len().max(other.len()));
        for (word, other) in align(&words, &other) {
            if !aligned.is_empty() {
                aligned.push(&self.separator);
            }
            aligned.extend([word, other].map(|word| word.copied().unwrap_or(&self.special_symbol)));
        }
        Tokens::new(aligned)
    }
}
