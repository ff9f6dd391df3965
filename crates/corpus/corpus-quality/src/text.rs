//! What is measured of the text of an utterance.

use kaldi_score::align;

/// This rate of errors is a finding.
const MOSTLY_WRONG: f64 = 0.5;

/// What is measured of the text of an utterance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextMeasures {
    /// Words between white space.
    pub words: usize,
    /// Characters (code points) that are no white space.
    pub characters: usize,
    /// Words that were inserted, deleted or substituted, if there is a hypothesis.
    pub errors: Option<usize>,
}

impl TextMeasures {
    /// Measures a text. Bytes that are not UTF-8 count as one character for each sequence.
    pub fn of(text: &[u8]) -> Self {
        let text = String::from_utf8_lossy(text);
        Self {
            words: text.split_whitespace().count(),
            characters: text.chars().filter(|letter| !letter.is_whitespace()).count(),
            errors: None,
        }
    }

    /// Counts the errors of a hypothesis, too. Each of them is passed to `confused`: the word that was said and the one that was
    /// recognized, of which one may be missing.
    #[must_use]
    pub fn with_hypothesis(
        self,
        text: &[u8],
        hypothesis: &[u8],
        mut confused: impl FnMut(Option<&str>, Option<&str>),
    ) -> Self {
        let (text, hypothesis) = (String::from_utf8_lossy(text), String::from_utf8_lossy(hypothesis));
        let [text, hypothesis] = [&text, &hypothesis].map(|text| text.split_whitespace().collect::<Vec<_>>());
        let mut errors = 0;
        for (said, heard) in align(&text, &hypothesis).into_iter().filter(|(said, heard)| said != heard) {
            errors += 1;
            confused(said.copied(), heard.copied());
        }
        Self { errors: Some(errors), ..self }
    }

    /// Errors for each word of the text; a text without words counts as one.
    pub fn error_rate(&self) -> Option<f64> {
        self.errors.map(|errors| errors as f64 / self.words.max(1) as f64)
    }
    /// If half of the words or more are wrong.
    pub fn is_mostly_wrong(&self) -> bool {
        self.error_rate().is_some_and(|rate| rate >= MOSTLY_WRONG)
    }
}
