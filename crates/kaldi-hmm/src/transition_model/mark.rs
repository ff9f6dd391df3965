//! What splitting an alignment asks of a transition-id, in one number.

use super::TransitionFacts;

/// Frames whose kinds fit into one number.
pub(crate) const FRAMES: usize = 16;

/// The phone and the kind of a transition in one number, so that those of all transition-ids fit into a small cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TransitionMark(u64);

/// The lowest bits, one for each of these frames.
const KINDS: u64 = (1 << FRAMES) - 1;

const MAY_START: u64 = 1;
const FINAL: u64 = 1 << (FRAMES - 1);
const SELF_LOOP: u64 = 1 << (2 * FRAMES - 1);
const OTHER_PHONE: u64 = 1 << (4 * FRAMES - 1);
const PHONE_SHIFT: u32 = 38;
const PHONE: u64 = OTHER_PHONE - (1 << PHONE_SHIFT);

/// The kinds of up to 16 transitions, one after the other: a bit for each, from the lowest bit on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TransitionKinds(u64);

impl TransitionKinds {
    /// Adds the transition with the mark `next` after the one with the mark `last`.
    #[inline(always)]
    pub(crate) fn push(&mut self, next: TransitionMark, last: TransitionMark) {
        // If the phones differ, the sum reaches the bit above them.
        let differs = ((next.0 ^ last.0) & PHONE) + PHONE;
        self.0 = (self.0 >> 1) | ((differs | next.0) & (OTHER_PHONE | FINAL | SELF_LOOP));
    }

    /// Those of `count` transitions, which are all that were added.
    #[inline]
    pub(crate) fn of(self, count: usize) -> Self {
        Self(self.0 >> (FRAMES - count))
    }

    /// Transitions that lead to the end of the phone.
    #[inline]
    pub(crate) fn are_final(self) -> u64 {
        self.0 & KINDS
    }

    /// Transitions that lead to their own state.
    #[inline]
    pub(crate) fn are_self_loops(self) -> u64 {
        self.0 >> FRAMES & KINDS
    }

    /// Transitions of another phone than the one before them.
    #[inline]
    pub(crate) fn are_of_other_phone(self) -> u64 {
        self.0 >> (3 * FRAMES)
    }
}

impl TransitionMark {
    /// Phones have at most 24 bits, see [`LARGEST_NUMBER`](crate::topology::LARGEST_NUMBER).
    pub(super) fn new(facts: &TransitionFacts) -> Self {
        let bit = |is_so: bool, bit: u64| if is_so { bit } else { 0 };
        let kind = bit(facts.is_final, FINAL) | bit(facts.is_self_loop, SELF_LOOP) | bit(facts.may_start, MAY_START);
        Self((facts.phone as u64) << PHONE_SHIFT | kind)
    }

    /// The phone.
    #[inline]
    pub(crate) fn phone(self) -> i32 {
        ((self.0 & PHONE) >> PHONE_SHIFT) as i32
    }

    /// Whether the phone may start with the transition.
    #[inline]
    pub(crate) fn may_start(self) -> bool {
        self.0 & MAY_START != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(phone: i32, is_final: bool, is_self_loop: bool, may_start: bool) -> TransitionMark {
        TransitionMark::new(&TransitionFacts { phone, pdf: 0, transition_state: 1, is_self_loop, is_final, may_start })
    }

    #[test]
    fn kinds_are_bits_in_the_order_of_their_transitions() {
        let largest = crate::topology::LARGEST_NUMBER;
        let phones = [1, 1, 2, largest, largest, 3];
        for count in [0, 1, 5, 6, 16] {
            let (mut kinds, mut last) = (TransitionKinds::default(), TransitionMark::default());
            for at in 0..count {
                let next = mark(phones[at % 6], at % 2 == 1, at % 3 == 0, true);
                assert_eq!((next.phone(), next.may_start()), (phones[at % 6], true));
                kinds.push(next, last);
                last = next;
            }
            let bits =
                |is_so: &dyn Fn(usize) -> bool| (0..count).filter(|&at| is_so(at)).map(|at| 1 << at).sum::<u64>();
            let kinds = kinds.of(count);
            assert_eq!(kinds.are_final(), bits(&|at| at % 2 == 1));
            assert_eq!(kinds.are_self_loops(), bits(&|at| at % 3 == 0));
            assert_eq!(kinds.are_of_other_phone(), bits(&|at| ![1, 4].contains(&(at % 6))), "{count}");
        }
    }
}
