//! Error rates of all sentences together.

use std::fmt;

use bstr::{BStr, ByteSlice};

use crate::{Edits, Percent};

/// What is counted: words, or their characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScoredUnit {
    /// Words.
    #[default]
    Word,
    /// Code points of UTF-8, without the white space between words.
    Char,
}

impl ScoredUnit {
    /// Names of command lines.
    pub const NAMES: [(&'static str, Self); 2] = [("word", Self::Word), ("char", Self::Char)];

    /// The units of a sentence.
    pub fn of<'a>(self, words: impl Iterator<Item = &'a BStr>) -> Vec<&'a BStr> {
        match self {
            Self::Word => words.collect(),
            Self::Char => {
                words.flat_map(|word| word.char_indices().map(|(start, end, _)| word[start..end].as_bstr())).collect()
            }
        }
    }
}

/// The errors of all sentences together. It is shown in the three lines of Kaldi's `compute-wer`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorRates {
    /// What is counted.
    pub unit: ScoredUnit,
    /// The edits of all sentences.
    pub edits: Edits,
    /// Words of the references.
    pub num_words: u64,
    /// Sentences that were scored.
    pub num_sentences: u64,
    /// Sentences with errors.
    pub num_wrong: u64,
    /// References without a hypothesis.
    pub num_absent: u64,
}

impl ErrorRates {
    /// No sentences yet.
    pub fn new(unit: ScoredUnit) -> Self {
        Self { unit, ..Self::default() }
    }

    /// Adds a sentence, by the number of words of its reference.
    pub fn add(&mut self, num_words: u64, edits: Edits) {
        self.edits += edits;
        self.num_words += num_words;
        self.num_sentences += 1;
        self.num_wrong += u64::from(edits.total() > 0);
    }

    /// The first line, without its end: the rate in percent, and the counts that it comes from.
    pub fn summary(&self) -> String {
        let Edits { insertions, deletions, substitutions } = self.edits;
        let name = match self.unit {
            ScoredUnit::Word => "WER",
            ScoredUnit::Char => "CER",
        };
        let (total, num_words) = (self.edits.total(), self.num_words);
        let percent = Percent::of(total, num_words);
        let partial = if self.num_absent > 0 { " [PARTIAL]" } else { "" };
        format!(
            "%{name} {percent} [ {total} / {num_words}, {insertions} ins, {deletions} del, {substitutions} sub ]{partial}"
        )
    }
}

impl fmt::Display for ErrorRates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { num_sentences, num_wrong, num_absent, .. } = self;
        writeln!(f, "{}", self.summary())?;
        writeln!(f, "%SER {} [ {num_wrong} / {num_sentences} ]", Percent::of(*num_wrong, *num_sentences))?;
        writeln!(f, "Scored {num_sentences} sentences, {num_absent} not present in hyp.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_summed() {
        let mut rates = ErrorRates::new(ScoredUnit::Word);
        rates.add(3, Edits { insertions: 1, ..Edits::default() });
        rates.add(5, Edits::default());
        assert_eq!(
            rates.to_string(),
            "%WER 12.50 [ 1 / 8, 1 ins, 0 del, 0 sub ]\n%SER 50.00 [ 1 / 2 ]\nScored 2 sentences, 0 not present in hyp.\n"
        );
        rates.num_absent = 1;
        assert_eq!(rates.summary(), "%WER 12.50 [ 1 / 8, 1 ins, 0 del, 0 sub ] [PARTIAL]");
    }

    #[test]
    fn characters_are_code_points_without_spaces() {
        let units = ScoredUnit::Char.of(["a\u{e4}", "b"].map(BStr::new).into_iter());
        assert_eq!(units, ["a", "\u{e4}", "b"]);
    }
}
