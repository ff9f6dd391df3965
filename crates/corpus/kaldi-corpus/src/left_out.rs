//! What is left out of a data directory.

use crate::{CorpusPlace, Result};

/// Counts what is left out, by its kind, with the first place of each.
#[derive(Clone, Debug, Default)]
pub struct LeftOut {
    /// Whether what would be left out is an error.
    pub strict: bool,
    kinds: Vec<(String, u64, CorpusPlace)>,
}

impl LeftOut {
    /// Counts one. `kind` ends a sentence that starts with a number: `utterances have no text`.
    ///
    /// # Errors
    /// If nothing may be left out: what is there, at its place.
    pub fn add(&mut self, kind: &str, place: &CorpusPlace) -> Result<()> {
        if self.strict {
            return Err(place.error(format!("expected nothing that is left out, got one of which {kind}")));
        }
        match self.kinds.iter_mut().find(|(known, ..)| known == kind) {
            Some((_, count, _)) => *count += 1,
            None => self.kinds.push((kind.to_owned(), 1, place.clone())),
        }
        Ok(())
    }

    /// Adds what was left out after this.
    pub(crate) fn append(&mut self, others: Self) {
        for (kind, count, place) in others.kinds {
            match self.kinds.iter_mut().find(|(known, ..)| *known == kind) {
                Some((_, known, _)) => *known += count,
                None => self.kinds.push((kind, count, place)),
            }
        }
    }

    /// A sentence for each kind, in the order in which they came.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        self.kinds.iter().map(|(kind, count, first)| format!("{count} {kind}, and were left out; the first is {first}"))
    }
}
