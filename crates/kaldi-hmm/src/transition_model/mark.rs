//! What splitting an alignment asks of a transition-id, in one number.

use super::TransitionFacts;

/// The phone, the transition-state, and the kind of a transition in one number, so that those of all transition-ids fit into a
/// small cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TransitionMark(u64);

const FINAL: u64 = 1;
const SELF_LOOP: u64 = 2;
const MAY_START: u64 = 4;
const STATE_SHIFT: u32 = 3;
const PHONE_SHIFT: u32 = STATE_SHIFT + u32::BITS;

impl TransitionMark {
    /// Phones have at most 24 bits, see [`LARGEST_NUMBER`](crate::topology::LARGEST_NUMBER).
    pub(super) fn new(facts: &TransitionFacts) -> Self {
        let (phone, state) = (facts.phone as u64, u64::from(facts.transition_state));
        let bit = |is_so: bool, bit: u64| if is_so { bit } else { 0 };
        let kind = bit(facts.is_final, FINAL) | bit(facts.is_self_loop, SELF_LOOP) | bit(facts.may_start, MAY_START);
        Self((phone << PHONE_SHIFT) | (state << STATE_SHIFT) | kind)
    }

    /// The phone.
    #[inline]
    pub(crate) fn phone(self) -> i32 {
        (self.0 >> PHONE_SHIFT) as i32
    }

    /// Whether the phone may start with the transition.
    #[inline]
    pub(crate) fn may_start(self) -> bool {
        self.0 & MAY_START != 0
    }

    /// 1 if the transition leads to the end of the phone.
    #[inline]
    pub(crate) fn is_final(self) -> u64 {
        self.0 & FINAL
    }

    /// 1 if the transition leads to its own state.
    #[inline]
    pub(crate) fn is_self_loop(self) -> u64 {
        (self.0 / SELF_LOOP) & 1
    }

    /// 1 if the transition-states differ.
    #[inline]
    pub(crate) fn is_of_other_state(self, other: Self) -> u64 {
        u64::from((self.0 ^ other.0) >> STATE_SHIFT != 0)
    }

    /// 1 if the phones differ.
    #[inline]
    pub(crate) fn is_of_other_phone(self, other: Self) -> u64 {
        u64::from((self.0 ^ other.0) >> PHONE_SHIFT != 0)
    }
}
