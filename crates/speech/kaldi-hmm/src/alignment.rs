//! Alignments: the transition-id of each frame.

use std::ops::Range;

use kaldi_value::{convert_binary_integers, integer_of_unit, integer_units};

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
    fn push(&mut self, first: &TransitionFacts, frames: Range<usize>) {
        self.is_whole &= first.may_start;
        self.segments.push(PhoneSegment { phone: first.phone, frames });
    }

    /// Adds a phone that starts with a transition of this mark.
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
        if let Some(split) = self.split(alignment, |&id| id) {
            return Ok(split);
        }
        self.check_ids(alignment)?;
        self.is_reordered(alignment, |&id| id)?;
        Err(self.wrong_self_loops(alignment))
    }

    /// Does the same to the bytes of a binary alignment, without making the vector. `None` if they have another form, or it is
    /// an error.
    pub fn split_bytes_to_phones(&self, alignment: &[u8]) -> Option<PhoneSplit> {
        self.split(integer_units(alignment)?, integer_of_unit)
    }

    /// Splits an alignment whose frames have the transition-ids that `id` reads. `None` if it is an error.
    fn split<V>(&self, alignment: &[V], id: impl Fn(&V) -> i32 + Copy) -> Option<PhoneSplit> {
        let facts = |frame: &V| self.all_facts().get((id(frame) as usize).wrapping_sub(1));
        let Some(first) = alignment.first() else {
            return Some(PhoneSplit { segments: Vec::new(), is_whole: true, is_reordered: false });
        };
        let is_reordered = self.is_reordered(alignment, id).ok()?;
        let segments = Vec::with_capacity(alignment.len() / 8);
        let mut split = PhoneSplit { segments, is_whole: true, is_reordered };
        let first = facts(first)?;
        // The first frame of the phone, the frame before this one, and whether the phone may end with that.
        let (mut start, mut start_facts, mut last, mut ended) = (0, first, first, false);
        for (frame, value) in alignment.iter().enumerate() {
            let this = facts(value)?;
            // Self-loops that come after the last transition of a phone belong to it.
            let stays = ended && is_reordered && this.is_self_loop;
            if stays && this.transition_state != last.transition_state {
                return None;
            }
            // A phone may end without a transition to its end.
            let is_cut = !ended && this.phone != last.phone;
            if is_cut || (ended && !stays) {
                split.push(start_facts, start..frame);
                split.is_whole &= !is_cut;
                (start, start_facts) = (frame, this);
            }
            ended = this.is_final || stays;
            last = this;
        }
        split.push(start_facts, start..alignment.len());
        split.is_whole &= ended;
        Some(split)
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

    /// Whether self-loops come after the other transition of their state; false if nothing shows it.
    ///
    /// # Errors
    /// If a number that matters is not a transition-id of the model, or self-loops of two states follow each other.
    fn is_reordered<V>(&self, alignment: &[V], id: impl Fn(&V) -> i32) -> Result<bool> {
        let facts =
            |frame: usize| self.facts(id(&alignment[frame])).map_err(|source| Error::TransitionId { frame, source });
        for frame in 1..alignment.len() {
            let (this, next) = (facts(frame - 1)?, facts(frame)?);
            if this.transition_state != next.transition_state {
                match (this.is_self_loop, next.is_self_loop) {
                    (true, true) => return Err(Error::SelfLoops { frame }),
                    (true, false) => return Ok(true),
                    (false, true) => return Ok(false),
                    (false, false) => {}
                }
            }
        }
        match alignment.len() {
            0 => Ok(false),
            count => Ok(!facts(0)?.is_self_loop && facts(count - 1)?.is_self_loop),
        }
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
    use kaldi_value::{Format, Value};

    use super::*;
    use crate::transition_model::tests::model;

    fn bytes(alignment: &[i32]) -> Vec<u8> {
        alignment.to_vec().to_bytes(Format::Binary)
    }

    fn lengths(alignment: &[i32]) -> (Vec<(i32, usize)>, bool) {
        let split = model().split_to_phones(alignment).unwrap();
        assert_eq!(model().split_bytes_to_phones(&bytes(alignment)).as_ref(), Some(&split));
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
        assert_eq!(model().pdfs_in_bytes(&bytes(&alignment)), Some(bytes(&[0, 0, 1, 2, 3, 3])));
        assert_eq!(model().pdfs_in_bytes(&bytes(&[1, 9])), None);
    }

    /// The same, frame by frame.
    fn split_slowly(alignment: &[i32]) -> Option<PhoneSplit> {
        let facts = model().facts_of(alignment).ok()?;
        let is_reordered = model().is_reordered(alignment, |&id| id).ok()?;
        let (mut segments, mut is_whole) = (Vec::<PhoneSegment>::new(), true);
        let mut has_ended = true;
        for (frame, next) in facts.iter().enumerate() {
            let last = frame.checked_sub(1).map(|last| facts[last]);
            let stays = frame > 0 && has_ended && is_reordered && next.is_self_loop;
            if stays && last.is_some_and(|last| last.transition_state != next.transition_state) {
                return None;
            }
            let is_cut = !has_ended && last.is_some_and(|last| last.phone != next.phone);
            is_whole &= !is_cut;
            if (has_ended && !stays) || is_cut {
                is_whole &= next.may_start;
                segments.push(PhoneSegment { phone: next.phone, frames: frame..frame });
            }
            segments.last_mut().unwrap().frames.end = frame + 1;
            has_ended = stays || next.is_final;
        }
        Some(PhoneSplit { segments, is_whole: is_whole && has_ended, is_reordered })
    }

    #[test]
    fn alignments_of_any_length_are_split() {
        let mut state = 1_u32;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % limit
        };
        let mut found = [0; 3];
        for round in 0..3000 {
            let (length, is_reordered) = (below(150) as usize, round % 2 == 0);
            let mut alignment = Vec::new();
            while alignment.len() < length {
                let states: &[i32] = if below(3) == 0 { &[7] } else { &[1, 3, 5] };
                for &self_loop in states {
                    let loops = std::iter::repeat_n(self_loop, below(4) as usize);
                    match is_reordered {
                        true => alignment.extend(std::iter::once(self_loop + 1).chain(loops)),
                        false => alignment.extend(loops.chain([self_loop + 1])),
                    }
                }
            }
            alignment.truncate(length);
            // Most are as recognizers write them. Some have one wrong number, some are noise.
            match (round % 7, length) {
                (0, 1..) => alignment[below(length as u32) as usize] = below(10) as i32,
                (1, _) => alignment.iter_mut().for_each(|id| *id = 1 + below(8) as i32),
                _ => {}
            }
            let expected = split_slowly(&alignment);
            assert_eq!(model().split_to_phones(&alignment).ok(), expected, "{alignment:?}");
            assert_eq!(model().split_bytes_to_phones(&bytes(&alignment)), expected, "{alignment:?}");
            found[expected.map_or(0, |split| 1 + usize::from(split.is_reordered))] += 1;
        }
        assert!(found.iter().all(|&count| count > 100), "{found:?}");
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
