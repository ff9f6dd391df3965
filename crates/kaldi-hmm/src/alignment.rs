//! Alignments: the transition-id of each frame.

use std::ops::Range;

use kaldi_values::convert_binary_integers;

use crate::transition_model::{TransitionFacts, TransitionMark, TransitionModel};
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
        self.check_ids(alignment)?;
        Ok(alignment.iter().map(|&id| self.facts_of_known(id).pdf).collect())
    }

    /// Does the same to the bytes of a binary alignment, without making the vector. `None` if they have another form, or a
    /// number is not a transition-id of the model.
    pub fn pdfs_in_bytes(&self, alignment: &[u8]) -> Option<Vec<u8>> {
        convert_binary_integers(alignment, |id| self.pdf(id).ok())
    }

    /// What is known about each transition-id of an alignment.
    ///
    /// # Errors
    /// If a number is not a transition-id of the model.
    pub fn facts_of(&self, alignment: &[i32]) -> Result<Vec<TransitionFacts>> {
        self.check_ids(alignment)?;
        Ok(alignment.iter().map(|&id| *self.facts_of_known(id)).collect())
    }

    /// Refuses an alignment with a number that is not a transition-id of the model.
    fn check_ids(&self, alignment: &[i32]) -> Result<()> {
        let largest = self.num_transition_ids().min(i32::MAX as usize) as u32;
        // A loop without an end in its middle works on several numbers at a time.
        let are_known = alignment.iter().fold(true, |all, &id| all & ((id as u32).wrapping_sub(1) < largest));
        if are_known {
            return Ok(());
        }
        let check = |(frame, &id)| match self.facts(id) {
            Ok(_) => Ok(()),
            Err(source) => Err(Error::TransitionId { frame, source }),
        };
        alignment.iter().enumerate().try_for_each(check)
    }

    /// What is known about a transition-id that was checked.
    #[inline]
    fn facts_of_known(&self, id: i32) -> &TransitionFacts {
        &self.all_facts()[id as usize - 1]
    }

    /// Splits an alignment into phones (Kaldi's `SplitToPhones`). An alignment that is cut or damaged is split as well as
    /// possible, and is not [whole](PhoneSplit::is_whole).
    ///
    /// # Errors
    /// If a number is not a transition-id of the model, or self-loops of two states follow each other.
    pub fn split_to_phones(&self, alignment: &[i32]) -> Result<PhoneSplit> {
        self.check_ids(alignment)?;
        let is_reordered = self.is_reordered(alignment)?;
        let Some(&first) = alignment.first() else {
            return Ok(PhoneSplit { segments: Vec::new(), is_whole: true, is_reordered });
        };
        // Numbers of 0 and 1 instead of branches, since no processor can predict where phones end. Each frame is a candidate for
        // a start, which the next one replaces if it is none.
        let (mut starts, mut count) = (vec![0; alignment.len() + 1], 1);
        let mut this = self.mark_of_known(first);
        let (mut ended, mut whole, mut wrong, reordered) = (this.is_final(), 1, 0, u64::from(is_reordered));
        for (frame, &id) in alignment.iter().enumerate().skip(1) {
            let next = self.mark_of_known(id);
            // Self-loops that come after the last transition of a phone belong to it.
            let stays = ended & reordered & next.is_self_loop();
            wrong |= stays & next.is_of_other_state(this);
            let starts_phone = (ended ^ stays) | (!ended & next.is_of_other_phone(this));
            starts[count] = frame;
            count += starts_phone as usize;
            // A phone may end without a transition to its end.
            whole &= ended | !starts_phone;
            ended = stays | next.is_final();
            this = next;
        }
        if wrong != 0 {
            return Err(self.wrong_self_loops(alignment));
        }
        let mut is_whole = whole & ended == 1;
        starts[count] = alignment.len();
        let segments: Vec<PhoneSegment> = starts[..=count]
            .windows(2)
            .map(|ends| {
                let first = self.mark_of_known(alignment[ends[0]]);
                is_whole &= first.may_start();
                PhoneSegment { phone: first.phone(), frames: ends[0]..ends[1] }
            })
            .collect();
        Ok(PhoneSplit { segments, is_whole, is_reordered })
    }

    /// The error about the first self-loop of another state after the end of a phone.
    fn wrong_self_loops(&self, alignment: &[i32]) -> Error {
        let (mut has_ended, mut frame) = (false, 0);
        for (pair, next_frame) in alignment.windows(2).zip(1..) {
            let (this, next) = (self.facts_of_known(pair[0]), self.facts_of_known(pair[1]));
            has_ended = this.is_final || (has_ended && this.is_self_loop);
            if has_ended && next.is_self_loop && next.transition_state != this.transition_state {
                frame = next_frame;
                break;
            }
        }
        Error::SelfLoops { frame }
    }

    #[inline]
    fn mark_of_known(&self, id: i32) -> TransitionMark {
        self.marks()[id as usize - 1]
    }

    /// Whether self-loops come after the other transition of their state; false if nothing shows it.
    fn is_reordered(&self, alignment: &[i32]) -> Result<bool> {
        for (pair, frame) in alignment.windows(2).zip(1..) {
            let (this, next) = (self.facts_of_known(pair[0]), self.facts_of_known(pair[1]));
            if this.transition_state != next.transition_state {
                match (this.is_self_loop, next.is_self_loop) {
                    (true, true) => return Err(Error::SelfLoops { frame }),
                    (true, false) => return Ok(true),
                    (false, true) => return Ok(false),
                    (false, false) => {}
                }
            }
        }
        let is_self_loop = |id: Option<&i32>| id.map(|&id| self.facts_of_known(id).is_self_loop);
        Ok(is_self_loop(alignment.first()) == Some(false) && is_self_loop(alignment.last()) == Some(true))
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

#[cfg(test)]
mod tests {
    use kaldi_values::{Format, Value};

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
        let bytes = |alignment: &[i32]| {
            let mut bytes = Vec::new();
            alignment.to_vec().write(&mut bytes, Format::Binary);
            bytes
        };
        assert_eq!(model().pdfs_in_bytes(&bytes(&alignment)), Some(bytes(&[0, 0, 1, 2, 3, 3])));
        assert_eq!(model().pdfs_in_bytes(&bytes(&[1, 9])), None);
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
