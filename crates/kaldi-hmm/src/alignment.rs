//! Alignments: the transition-id of each frame.

use std::ops::Range;

use crate::transition_model::{TransitionFacts, TransitionModel};
use crate::{Error, Result};

/// The frames of a phone in an alignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhoneSegment {
    /// The phone of the first frame.
    pub phone: i32,
    /// The frames.
    pub frames: Range<usize>,
}

/// An alignment that is split into phones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhoneSplit {
    /// The phones one after the other; together they have all frames.
    pub segments: Vec<PhoneSegment>,
    /// Whether each phone starts in its first state and leaves through its last.
    pub is_whole: bool,
    /// Whether self-loops come after the transition that leaves the state, as training with reordered graphs has them.
    pub is_reordered: bool,
}

impl PhoneSplit {
    /// The phone of each frame.
    pub fn phone_of_each_frame(&self) -> Vec<i32> {
        let mut phones = Vec::with_capacity(self.segments.last().map_or(0, |last| last.frames.end));
        for segment in &self.segments {
            phones.resize(segment.frames.end, segment.phone);
        }
        phones
    }
}

impl TransitionModel {
    /// The pdf of each frame of an alignment.
    ///
    /// # Errors
    /// If a number is not a transition-id of the model.
    pub fn pdfs_of(&self, alignment: &[i32]) -> Result<Vec<i32>> {
        let pdf = |(frame, &id)| self.pdf(id).map_err(|source| Error::TransitionId { frame, source });
        alignment.iter().enumerate().map(pdf).collect()
    }

    /// What is known about each transition-id of an alignment.
    ///
    /// # Errors
    /// If a number is not a transition-id of the model.
    pub fn facts_of(&self, alignment: &[i32]) -> Result<Vec<TransitionFacts>> {
        let facts = alignment.iter().enumerate().map(|(frame, &id)| match self.facts(id) {
            Ok(facts) => Ok(*facts),
            Err(source) => Err(Error::TransitionId { frame, source }),
        });
        facts.collect()
    }

    /// Splits an alignment into phones (Kaldi's `SplitToPhones`). An alignment that is cut or damaged is split as well as
    /// possible, and is not [whole](PhoneSplit::is_whole).
    ///
    /// # Errors
    /// If a number is not a transition-id of the model, or self-loops of two states follow each other.
    pub fn split_to_phones(&self, alignment: &[i32]) -> Result<PhoneSplit> {
        let facts = self.facts_of(alignment)?;
        let is_reordered = is_reordered(&facts)?;
        let mut split = PhoneSplit { segments: Vec::new(), is_whole: true, is_reordered };
        let (mut start, mut frame) = (0, 0);
        while let Some(this) = facts.get(frame) {
            frame += 1;
            if this.is_final {
                while is_reordered && facts.get(frame).is_some_and(|next| next.is_self_loop) {
                    if facts[frame].transition_state != this.transition_state {
                        return Err(Error::SelfLoops { frame });
                    }
                    frame += 1;
                }
            } else {
                match facts.get(frame) {
                    Some(next) if next.phone == this.phone => continue,
                    // The phone ends without a transition to its end.
                    _ => split.is_whole = false,
                }
            }
            split.is_whole &= self.may_start_with(&facts[start]);
            split.segments.push(PhoneSegment { phone: facts[start].phone, frames: start..frame });
            start = frame;
        }
        Ok(split)
    }

    /// Whether a phone may start with this transition: in its first state, if that has frames.
    fn may_start_with(&self, facts: &TransitionFacts) -> bool {
        self.states(facts.phone)[0].pdf_classes.is_none() || self.tuple(facts).state == 0
    }

    /// Changes where self-loops are within each state: from before the other transition to after it, or back.
    ///
    /// # Panics
    /// If a number is not a transition-id of the model.
    pub(crate) fn change_order(&self, alignment: &mut [i32]) {
        let facts = self.facts_of(alignment).unwrap_or_else(|error| panic!("{error}"));
        let mut start = 0;
        while start < facts.len() {
            let mut end = start + 1;
            while facts.get(end).is_some_and(|next| next.transition_state == facts[start].transition_state) {
                // A stay in a state has one other transition: as its first, or else as its last.
                let leaves = !facts[end].is_self_loop;
                if leaves && !facts[start].is_self_loop {
                    break;
                }
                end += 1;
                if leaves {
                    break;
                }
            }
            alignment.swap(start, end - 1);
            start = end;
        }
    }
}

/// Whether self-loops come after the other transition of their state; false if nothing shows it.
fn is_reordered(facts: &[TransitionFacts]) -> Result<bool> {
    for (pair, frame) in facts.windows(2).zip(1..) {
        if pair[0].transition_state != pair[1].transition_state {
            match (pair[0].is_self_loop, pair[1].is_self_loop) {
                (true, true) => return Err(Error::SelfLoops { frame }),
                (true, false) => return Ok(true),
                (false, true) => return Ok(false),
                (false, false) => {}
            }
        }
    }
    let (first, last) = (facts.first(), facts.last());
    Ok(first.is_some_and(|first| !first.is_self_loop) && last.is_some_and(|last| last.is_self_loop))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transition_model::tests::model;

    fn lengths(alignment: &[i32]) -> (Vec<(i32, usize)>, bool) {
        let split = model().split_to_phones(alignment).unwrap();
        (split.segments.iter().map(|segment| (segment.phone, segment.frames.len())).collect(), split.is_whole)
    }

    #[test]
    fn phones_end_with_their_last_transition() {
        assert_eq!(lengths(&[]), (vec![], true));
        assert_eq!(lengths(&[1, 1, 2, 3, 4, 6, 7, 8, 2, 4, 5, 6]), (vec![(1, 6), (2, 2), (1, 4)], true));
        assert_eq!(lengths(&[8, 8, 8]), (vec![(2, 1), (2, 1), (2, 1)], true));
    }

    #[test]
    fn self_loops_may_come_after_the_last_transition() {
        assert_eq!(lengths(&[2, 1, 1, 4, 3, 6, 8, 7, 7, 2, 4, 6, 5]), (vec![(1, 6), (2, 3), (1, 4)], true));
        assert_eq!(lengths(&[8, 7]), (vec![(2, 2)], true));
        assert_eq!(lengths(&[7, 8]), (vec![(2, 2)], true));
    }

    #[test]
    fn every_frame_has_a_phone_and_a_pdf() {
        let alignment = [1, 2, 4, 6, 7, 8];
        let split = model().split_to_phones(&alignment).unwrap();
        assert_eq!(split.phone_of_each_frame(), [1, 1, 1, 1, 2, 2]);
        assert_eq!(model().pdfs_of(&alignment), Ok(vec![0, 0, 1, 2, 3, 3]));
        assert!(model().pdfs_of(&[9]).is_err());
    }

    #[test]
    fn cut_alignments_are_split_and_not_whole() {
        assert_eq!(lengths(&[2, 4]), (vec![(1, 2)], false));
        assert_eq!(lengths(&[4, 6, 8]), (vec![(1, 2), (2, 1)], false));
        assert_eq!(lengths(&[2, 4, 8]), (vec![(1, 2), (2, 1)], false));
        assert_eq!(lengths(&[7]), (vec![(2, 1)], false));
    }

    #[test]
    fn numbers_that_are_no_transition_ids_are_errors() {
        let t = |alignment: &[i32]| model().split_to_phones(alignment).unwrap_err().to_string();
        assert_eq!(t(&[1, 0]), "frame 1: expected a transition-id from 1 to 8, got 0");
        assert_eq!(t(&[9]), "frame 0: expected a transition-id from 1 to 8, got 9");
        assert_eq!(t(&[-2]), "frame 0: expected a transition-id from 1 to 8, got -2");
    }

    #[test]
    fn two_self_loops_of_different_states_are_an_error() {
        let expected = "frame 1: the alignment goes from a self-loop of one state to that of another";
        assert_eq!(model().split_to_phones(&[1, 3]).unwrap_err().to_string(), expected);
        assert_eq!(model().split_to_phones(&[2, 1, 4, 6, 7]).unwrap_err(), Error::SelfLoops { frame: 4 });
    }

    #[test]
    fn the_order_of_self_loops_can_be_changed_and_changed_back() {
        let t = |alignment: &[i32], expected: &[i32]| {
            let mut changed = alignment.to_vec();
            model().change_order(&mut changed);
            assert_eq!(changed, expected);
            model().change_order(&mut changed);
            assert_eq!(changed, alignment);
        };
        t(&[1, 1, 2, 3, 4, 6], &[2, 1, 1, 4, 3, 6]);
        t(&[7, 8, 7, 7, 8, 8], &[8, 7, 8, 7, 7, 8]);
        t(&[], &[]);
    }
}
