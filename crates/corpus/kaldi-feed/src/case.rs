//! Upper and lower case of text, and characters that a model does not have.

use std::borrow::Cow;

use crate::{Error, Result, Tokenizer};

/// After so many texts it is clear whether a model fits them.
const MANY: u64 = 1000;

/// Bytes of texts that are kept for advice.
const KEPT: usize = 1 << 20;

/// What happens to upper and lower case of text before it is cut into symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Case {
    /// It stays.
    Keep,
    /// The text becomes upper case.
    Upper,
    /// The text becomes lower case.
    Lower,
}

impl Case {
    /// Every way with its name.
    pub const NAMES: [(&str, Self); 3] = [("keep", Self::Keep), ("upper", Self::Upper), ("lower", Self::Lower)];

    /// The text in this case, by the rules of Unicode.
    pub fn of(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Keep => text.into(),
            Self::Upper => text.to_uppercase().into(),
            Self::Lower => text.to_lowercase().into(),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, case)| *case == self).map_or("", |(name, _)| name)
    }
}

/// Counts the characters of texts that the SentencePiece model of a tokenizer does not have: a model of text in lower case has no use
/// for text in upper case. A tokenizer without a model has all of them.
pub struct ModelCheck {
    tokenizer: Tokenizer,
    num_texts: u64,
    share: Share,
    kept: Vec<String>,
    num_kept_bytes: usize,
}

/// Characters that a model does not have, of all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Share {
    pub(crate) missing: u64,
    pub(crate) all: u64,
}

impl Share {
    fn percent(self) -> f64 {
        100.0 * self.missing as f64 / self.all.max(1) as f64
    }
}

impl ModelCheck {
    /// A check of the model of a tokenizer.
    pub fn new(tokenizer: &Tokenizer) -> Self {
        Self {
            tokenizer: tokenizer.clone(),
            num_texts: 0,
            share: Share::default(),
            kept: Vec::new(),
            num_kept_bytes: 0,
        }
    }

    /// Counts a text that was cut into these symbols.
    pub fn add(&mut self, text: &str, tokens: &[String]) {
        if self.tokenizer.model().is_none() {
            return;
        }
        self.num_texts += 1;
        self.tokenizer.count_missing(tokens, &mut self.share);
        if self.num_texts <= MANY && self.num_kept_bytes + text.len() <= KEPT {
            self.num_kept_bytes += text.len();
            self.kept.push(text.to_owned());
        }
    }

    /// Whether there were enough texts for a verdict, or none is needed.
    pub fn is_sure(&self) -> bool {
        self.num_texts >= MANY || self.tokenizer.model().is_none()
    }

    /// A warning, if the model does not have some characters: their share, and the case that would leave fewer.
    ///
    /// # Errors
    /// If it does not have more than half of them.
    pub fn verdict(&self) -> Result<Option<String>> {
        let Some(model) = self.tokenizer.model().filter(|_| self.share.missing > 0) else { return Ok(None) };
        let mut message = format!("{:.1} % of the characters are not in {model}", self.share.percent());
        let case = self.tokenizer.case();
        let now = self.share_of(case)?.percent();
        let mut best: Option<(Case, f64)> = None;
        for (_, other) in Case::NAMES.into_iter().filter(|(_, other)| *other != case) {
            let percent = self.share_of(other)?.percent();
            if percent < best.map_or(now, |(_, least)| least) {
                best = Some((other, percent));
            }
        }
        if let Some((other, percent)) = best {
            message += &format!("; `case = {}` would leave {percent:.1} %", other.name());
        }
        match self.share.missing * 2 > self.share.all {
            true => Err(Error::Arguments { message }),
            false => Ok(Some(message)),
        }
    }

    /// The share of the texts that were kept, in a case.
    fn share_of(&self, case: Case) -> Result<Share> {
        let tokenizer = self.tokenizer.clone().with_case(case);
        let mut share = Share::default();
        for text in &self.kept {
            tokenizer.count_missing(&tokenizer.tokens(text)?, &mut share);
        }
        Ok(share)
    }
}
