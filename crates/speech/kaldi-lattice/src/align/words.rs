//! Arcs of whole words, by the positions of phones in words.

use kaldi_hmm::TransitionModel;

use super::boundaries::Position;
use super::{Aligned, LOOP_CHANGED, Model, PHONE_CHANGED, UNEXPECTED_CHANGE, Unit, Units, Waiting, WordBoundaries};
use crate::error::Result;
use crate::value::CompactLattice;

/// How lattices are aligned by word boundaries (Kaldi's `WordAlignLattice`).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WordAlignment<'a> {
    /// The model of the transition-ids.
    pub model: &'a TransitionModel,
    /// Where in words phones may be.
    pub boundaries: &'a WordBoundaries,
    /// Whether self-loops come after the transition that leaves their state.
    pub reorder: bool,
    /// The label of arcs outside of words.
    pub silence_label: i32,
    /// The label of a word that has no label and does not end.
    pub partial_word_label: i32,
    /// At most so many states are made before arcs without labels are removed.
    pub most_states: Option<usize>,
}

impl<'a> WordAlignment<'a> {
    /// The usual way: self-loops last, no labels for what is no word.
    pub fn new(model: &'a TransitionModel, boundaries: &'a WordBoundaries) -> Self {
        Self { model, boundaries, reorder: true, silence_label: 0, partial_word_label: 0, most_states: None }
    }

    /// Moves transition-ids between arcs, so that each arc is a word or a phone outside of words.
    ///
    /// # Errors
    /// If there is a cycle, a transition-id is not in the model, or a phone is not in the table.
    pub fn align(&self, lattice: &CompactLattice) -> Result<Aligned> {
        let mut aligned = Aligned::default();
        if lattice.start().is_none() {
            aligned.fault("Trying to word-align empty lattice.");
            return Ok(aligned);
        }
        super::warn_of_ambiguity(lattice, &mut aligned);
        // Labels that no word has, so that these arcs are not taken for those without a unit.
        let unused = super::unused_label(lattice, [self.silence_label, self.partial_word_label]);
        let replaced = |label: i32, replacement: i32| if label == 0 { replacement } else { label };
        let silence = replaced(self.silence_label, unused);
        let partial = replaced(self.partial_word_label, unused.wrapping_sub(1));
        let model = Model { model: self.model, reorder: self.reorder };
        let mut words = Words { model, boundaries: self.boundaries, silence, partial, aligned };
        let (graph, is_whole) = super::follow(lattice, &mut words, self.most_states)?;
        let mut aligned = words.aligned;
        if !is_whole {
            let most = self.most_states.unwrap_or_default();
            aligned.fault(format!(
                "Number of states in lattice exceeded max-states of {most}, original lattice had {} states. Returning \
                 what we have.",
                lattice.num_states()
            ));
        }
        let mut graph = graph.without_epsilons()?;
        let temporary = [(self.silence_label, silence), (self.partial_word_label, partial)];
        for arc in &mut graph.arcs {
            if temporary.iter().any(|&(label, replacement)| label == 0 && arc.input == replacement) {
                (arc.input, arc.output) = (0, 0);
            }
        }
        aligned.lattice = CompactLattice(graph);
        Ok(aligned)
    }
}

struct Words<'a> {
    model: Model<'a>,
    boundaries: &'a WordBoundaries,
    silence: i32,
    partial: i32,
    aligned: Aligned,
}

impl Units for Words<'_> {
    fn take(&mut self, waiting: &mut Waiting) -> Result<Option<Unit>> {
        let Some(&first) = waiting.ids.first() else { return Ok(None) };
        match self.position(first)? {
            Position::Outside => {
                let Some(end) = self.end_of_phone(&waiting.ids, true)? else { return Ok(None) };
                Ok(Some(Unit { label: self.silence, ids: waiting.take_ids(end) }))
            }
            Position::Whole if !waiting.words.is_empty() => {
                let Some(end) = self.end_of_phone(&waiting.ids, false)? else { return Ok(None) };
                Ok(Some(Unit { label: waiting.words.remove(0), ids: waiting.take_ids(end) }))
            }
            Position::Begin if !waiting.words.is_empty() => {
                let Some(end) = self.end_of_word(&waiting.ids)? else { return Ok(None) };
                Ok(Some(Unit { label: waiting.words.remove(0), ids: waiting.take_ids(end) }))
            }
            _ => Ok(None),
        }
    }

    fn take_rest(&mut self, waiting: &mut Waiting) -> Result<Unit> {
        let ids = std::mem::take(&mut waiting.ids);
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else {
            // The words would make trouble without transition-ids.
            waiting.words.clear();
            self.fault("Discarding word-ids at the end of a sentence, that don't have alignments.");
            return Ok(Unit { label: 0, ids });
        };
        if !waiting.words.is_empty() {
            if !self.is_word(&ids)? {
                self.fault("Invalid word at end of lattice [partial lattice, forced out?]");
            }
            return Ok(Unit { label: waiting.words.remove(0), ids });
        }
        if self.position(first)? != Position::Outside {
            self.fault("Partial word detected at end of utterance");
            return Ok(Unit { label: self.partial, ids });
        }
        if self.model.phone(first)? != self.model.phone(last)? {
            self.fault("Broken silence arc at end of utterance (the phone changed)");
        } else if !self.model.ends_whole(&ids)? {
            self.fault("Broken silence arc at end of utterance (does not reach end of silence)");
        }
        Ok(Unit { label: self.silence, ids })
    }
}

impl Words<'_> {
    fn position(&self, id: i32) -> Result<Position> {
        self.boundaries.position(self.model.phone(id)?)
    }

    /// Notes the first fault of a lattice: those that follow come from it.
    fn fault(&mut self, message: impl Into<String>) {
        if !self.aligned.is_faulty {
            self.aligned.fault(message);
        }
    }

    /// The end of the phone at the front, if something follows.
    fn end_of_phone(&mut self, ids: &[i32], is_silence: bool) -> Result<Option<usize>> {
        let (end, changes) = self.model.end_of_phone(ids, 0)?;
        if changes && is_silence {
            self.fault(PHONE_CHANGED);
        }
        if let Some(end) = end
            && self.model.phone(ids[end - 1])? != self.model.phone(ids[0])?
            && !is_silence
        {
            self.fault(UNEXPECTED_CHANGE);
        }
        Ok(end)
    }

    /// The end of the word of several phones at the front, if something follows.
    fn end_of_word(&mut self, ids: &[i32]) -> Result<Option<usize>> {
        let Some(middle) = self.model.end_of_phone(ids, 0)?.0 else { return Ok(None) };
        if self.model.phone(ids[middle - 1])? != self.model.phone(ids[0])? {
            self.fault(UNEXPECTED_CHANGE);
        }
        let mut at = middle;
        loop {
            let Some(&id) = ids.get(at) else { return Ok(None) };
            match self.position(id)? {
                Position::End => break,
                Position::Internal => {}
                _ => self.fault(format!("Unexpected phone {} found inside a word.", self.model.phone(id)?)),
            }
            at += 1;
        }
        let (end, changes) = self.model.end_of_phone(ids, at)?;
        if changes {
            self.fault(PHONE_CHANGED);
        }
        if let Some(end) = end
            && self.model.phone(ids[end - 1])? != self.model.phone(ids[at])?
        {
            self.fault(LOOP_CHANGED);
        }
        Ok(end)
    }

    /// Whether transition-ids may be those of one word.
    fn is_word(&self, ids: &[i32]) -> Result<bool> {
        let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else { return Ok(false) };
        let is_one = self.position(first)? == Position::Whole && self.model.phone(first)? == self.model.phone(last)?;
        let is_many = self.position(first)? == Position::Begin && self.position(last)? == Position::End;
        Ok((is_one || is_many) && self.model.ends_whole(ids)?)
    }
}
