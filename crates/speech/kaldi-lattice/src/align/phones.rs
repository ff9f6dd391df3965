//! Arcs of whole phones.

use kaldi_hmm::TransitionModel;

use super::{Aligned, Model, PHONE_CHANGED, Unit, Units, Waiting};
use crate::error::Result;
use crate::value::CompactLattice;

/// How lattices are aligned by phones (Kaldi's `PhoneAlignLattice`).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PhoneAlignment<'a> {
    /// The model of the transition-ids.
    pub model: &'a TransitionModel,
    /// Whether self-loops come after the transition that leaves their state.
    pub reorder: bool,
    /// Whether arcs without words are removed; then an arc may have several phones.
    pub remove_epsilon: bool,
    /// Whether labels are phones instead of words.
    pub replace_output_symbols: bool,
}

impl<'a> PhoneAlignment<'a> {
    /// The usual way: self-loops last, arcs without words removed.
    pub fn new(model: &'a TransitionModel) -> Self {
        Self { model, reorder: true, remove_epsilon: true, replace_output_symbols: false }
    }

    /// Moves transition-ids between arcs, so that each arc is a phone. A word is on the arc of its first phone, or alone
    /// if several words wait.
    ///
    /// # Errors
    /// If there is a cycle, or a transition-id is not in the model.
    pub fn align(&self, lattice: &CompactLattice) -> Result<Aligned> {
        let mut aligned = Aligned::default();
        if lattice.start().is_none() {
            aligned.fault("Trying to phone-align empty lattice.");
            return Ok(aligned);
        }
        let model = Model { model: self.model, reorder: self.reorder };
        let mut phones = Phones { model, replace: self.replace_output_symbols, aligned };
        let (graph, _) = super::follow(lattice, &mut phones, None)?;
        let graph = if self.remove_epsilon { graph.without_epsilons()? } else { graph };
        Ok(Aligned { lattice: CompactLattice(graph), ..phones.aligned })
    }
}

struct Phones<'a> {
    model: Model<'a>,
    replace: bool,
    aligned: Aligned,
}

impl Units for Phones<'_> {
    fn drops_words(&self) -> bool {
        self.replace
    }

    fn take(&mut self, waiting: &mut Waiting) -> Result<Option<Unit>> {
        if !waiting.ids.is_empty() {
            let (end, changes) = self.model.end_of_phone(&waiting.ids, 0)?;
            if changes {
                self.fault(PHONE_CHANGED.to_owned());
            }
            if let Some(end) = end {
                let label = self.label(waiting)?;
                return Ok(Some(Unit { label, ids: waiting.take_ids(end) }));
            }
        }
        let has_several = waiting.words.len() > 1;
        Ok(has_several.then(|| Unit { label: waiting.words.remove(0), ids: Vec::new() }))
    }

    fn take_rest(&mut self, waiting: &mut Waiting) -> Result<Unit> {
        let (mut finals, mut changes) = (0, false);
        for &id in &waiting.ids {
            finals += usize::from(self.model.is_final(id)?);
            changes |= self.model.phone(id)? != self.model.phone(waiting.ids[0])?;
        }
        if changes {
            self.fault("Mismatch in phone: error in lattice or mismatched transition model?".to_owned());
        }
        if finals != 1 && !waiting.ids.is_empty() {
            self.fault(format!(
                "Problem phone-aligning lattice: saw {finals} final-states in last phone in lattice (forced out?) \
                 Producing partial lattice."
            ));
        }
        let label = self.label(waiting)?;
        Ok(Unit { label, ids: std::mem::take(&mut waiting.ids) })
    }
}

impl Phones<'_> {
    fn fault(&mut self, message: String) {
        if !self.aligned.is_faulty {
            self.aligned.fault(message);
        }
    }

    /// The phone at the front, or the word that waits first.
    fn label(&self, waiting: &mut Waiting) -> Result<i32> {
        match waiting.ids.first() {
            Some(&id) if self.replace => self.model.phone(id),
            _ if waiting.words.is_empty() => Ok(0),
            _ => Ok(waiting.words.remove(0)),
        }
    }
}
