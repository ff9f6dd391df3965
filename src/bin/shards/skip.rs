//! Utterances that are skipped.

use anyhow::{Result, bail};
use kaldi_io::AdviceGiven;
use kaldi_io::log::warning;

/// Skipped utterances.
pub(crate) struct Skip {
    strict: bool,
    pub(crate) count: u64,
    advice: AdviceGiven,
}

impl Skip {
    pub(crate) fn new(strict: bool) -> Self {
        Self { strict, count: 0, advice: AdviceGiven::default() }
    }

    /// Warns of an utterance that is skipped; an error if none may be.
    pub(crate) fn utterance(&mut self, key: &str, reason: &str) -> Result<()> {
        if self.strict {
            bail!("{key}: {reason}");
        }
        let reason = self.advice.once(reason.to_owned());
        warning!("{key}: {reason}; skipping it.");
        self.count += 1;
        Ok(())
    }
}
