//! What is measured of the text of an utterance.

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

    /// Counts the errors of a hypothesis, too.
    #[must_use]
    pub fn with_hypothesis(self, text: &[u8], hypothesis: &[u8]) -> Self {
        let words = |text: &[u8]| -> Vec<String> {
            String::from_utf8_lossy(text).split_whitespace().map(str::to_owned).collect()
        };
        let edits = kaldi_score::count_edits(&words(text), &words(hypothesis));
        Self { errors: Some(usize::try_from(edits.total()).unwrap_or(usize::MAX)), ..self }
    }

    /// Errors for each word of the text; a text without words counts as one.
    pub fn error_rate(&self) -> Option<f64> {
        self.errors.map(|errors| errors as f64 / self.words.max(1) as f64)
    }
}
