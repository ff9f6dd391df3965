//! Transition models: the transitions of all states, and what is known about each.

mod format;

use std::collections::{BTreeSet, HashSet};

use kaldi_matrix::Vector;

use crate::topology::{HmmState, HmmTopology, LARGEST_NUMBER, PdfClasses};

/// The transitions of a recognizer's states (Kaldi's `TransitionModel`).
///
/// A [`TransitionTuple`] is a *transition-state*. The transition-states are counted from 1, in ascending order, and
/// *transition-ids* from 1 through the transitions of each of them. Alignments and posteriors consist of transition-ids.
#[derive(Clone, Debug, PartialEq)]
pub struct TransitionModel {
    topology: HmmTopology,
    /// Ascending.
    tuples: Vec<TransitionTuple>,
    /// The logarithm of the probability of each transition-id; a zero for 0, which is none.
    log_probs: Vector<f32>,
    /// The first transition-id of each tuple, and the number of all plus 1.
    first_ids: Vec<u32>,
    /// What is known about each transition-id, from 1.
    ids: Vec<TransitionFacts>,
    num_pdfs: usize,
}

/// A state of a phone together with the pdfs that a tree gives it in some context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransitionTuple {
    /// The phone.
    pub phone: i32,
    /// The state of the phone's topology, from 0.
    pub state: i32,
    /// The pdf of transitions to other states.
    pub forward_pdf: i32,
    /// The pdf of the transition to the state itself.
    pub self_loop_pdf: i32,
}

/// What is known about a transition-id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransitionFacts {
    /// The phone.
    pub phone: i32,
    /// The pdf that gives the likelihood of the frame.
    pub pdf: i32,
    /// The transition-state, from 1.
    pub transition_state: u32,
    /// Whether the transition leads to its own state.
    pub is_self_loop: bool,
    /// Whether the transition leads to the end of the phone.
    pub is_final: bool,
    /// Whether the phone may start with it: its state is the first one, or that has no frames.
    pub may_start: bool,
}

/// A number that is not a transition-id of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a transition-id from 1 to {largest}, got {got}")]
pub struct UnknownTransitionId {
    /// The number.
    pub got: i32,
    /// The largest transition-id.
    pub largest: usize,
}

impl TransitionModel {
    /// Makes a model whose log-probabilities are those of the topology.
    pub(crate) fn from_tuples(topology: HmmTopology, tuples: Vec<TransitionTuple>) -> Result<Self, String> {
        let mut log_probs = vec![0.0];
        for tuple in &tuples {
            let transitions = &state_of(&topology, tuple)?.transitions;
            log_probs.extend(transitions.iter().map(|&(_, probability)| probability.ln()));
        }
        Self::new(topology, tuples, Vector::from_vec(log_probs))
    }

    /// Derives everything from tuples and log-probabilities, which may be wrong.
    fn new(topology: HmmTopology, tuples: Vec<TransitionTuple>, log_probs: Vector<f32>) -> Result<Self, String> {
        let (mut num_ids, mut first_ids) = (0_u64, Vec::with_capacity(tuples.len() + 1));
        for (tuple, number) in tuples.iter().zip(1..) {
            let state = state_of(&topology, tuple).map_err(|message| format!("tuple {number}: {message}"))?;
            check_pdfs(tuple, state).map_err(|message| format!("tuple {number}: {message}"))?;
            first_ids.push(num_ids as u32 + 1);
            num_ids += state.transitions.len() as u64;
        }
        first_ids.push(num_ids as u32 + 1);
        if let Some(at) = tuples.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(format!("expected tuples in ascending order, got tuple {} in the wrong place", at + 2));
        }
        if log_probs.dim() as u64 != num_ids + 1 {
            let (expected, got) = (num_ids + 1, log_probs.dim());
            return Err(format!("expected {expected} log-probabilities for {num_ids} transition-ids, got {got}"));
        }
        if num_ids == 0 {
            return Err("expected a model with transitions, got an empty one".to_owned());
        }
        let is_wrong = |log_prob: &f32| !(log_prob.is_finite() && *log_prob <= 0.0);
        if let Some(id) = log_probs.as_slice()[1..].iter().position(is_wrong) {
            let got = kaldi_value::number::general(f64::from(log_probs.as_slice()[id + 1]));
            return Err(format!("expected log-probabilities of 0 or less, got {got} for transition-id {}", id + 1));
        }
        let num_pdfs = tuples.iter().map(|tuple| tuple.forward_pdf.max(tuple.self_loop_pdf) as usize + 1).max();
        let ids = facts(&topology, &tuples, num_ids as usize);
        Ok(Self { topology, tuples, log_probs, first_ids, ids, num_pdfs: num_pdfs.unwrap_or(0) })
    }

    /// The states of the phones.
    pub fn topology(&self) -> &HmmTopology {
        &self.topology
    }

    /// The transition-states, ascending: the first is transition-state 1.
    pub fn tuples(&self) -> &[TransitionTuple] {
        &self.tuples
    }

    /// The phones, ascending.
    pub fn phones(&self) -> &[i32] {
        self.topology.phones()
    }

    /// The largest pdf plus 1.
    pub fn num_pdfs(&self) -> usize {
        self.num_pdfs
    }

    /// The number of transition-ids.
    pub fn num_transition_ids(&self) -> usize {
        self.ids.len()
    }

    /// The number of transition-states.
    pub fn num_transition_states(&self) -> usize {
        self.tuples.len()
    }

    /// The logarithm of the probability of each transition-id; element 0 is unused.
    pub fn log_probs(&self) -> &[f32] {
        self.log_probs.as_slice()
    }

    /// Replaces the logarithm of the probability of a transition-id.
    ///
    /// # Panics
    /// If there is no such transition-id, or the logarithm is above 0 or not finite.
    pub fn set_log_prob(&mut self, transition_id: usize, log_prob: f32) {
        assert!(transition_id > 0 && log_prob.is_finite() && log_prob <= 0.0, "{transition_id}: {log_prob}");
        self.log_probs.as_mut_slice()[transition_id] = log_prob;
    }

    /// What is known about a transition-id.
    ///
    /// # Errors
    /// If the model does not have it.
    #[inline]
    pub fn facts(&self, transition_id: i32) -> Result<&TransitionFacts, UnknownTransitionId> {
        let index = (transition_id as usize).wrapping_sub(1);
        self.ids.get(index).ok_or(UnknownTransitionId { got: transition_id, largest: self.ids.len() })
    }

    /// What is known about all transition-ids, from 1.
    pub fn all_facts(&self) -> &[TransitionFacts] {
        &self.ids
    }

    /// The pdf of a transition-id.
    ///
    /// # Errors
    /// If the model does not have it.
    pub fn pdf(&self, transition_id: i32) -> Result<i32, UnknownTransitionId> {
        Ok(self.facts(transition_id)?.pdf)
    }

    /// The pdfs that states of some phones have, ascending, and whether other phones have any of them, too.
    pub fn pdfs_of_phones(&self, phones: &[i32]) -> (Vec<i32>, bool) {
        let phones: HashSet<i32> = phones.iter().copied().collect();
        let pdfs_of = |tuple: &TransitionTuple| [tuple.forward_pdf, tuple.self_loop_pdf];
        let (own, others): (Vec<_>, Vec<_>) = self.tuples.iter().partition(|tuple| phones.contains(&tuple.phone));
        let pdfs: BTreeSet<i32> = own.into_iter().flat_map(pdfs_of).collect();
        let are_shared = others.into_iter().flat_map(pdfs_of).any(|pdf| pdfs.contains(&pdf));
        (pdfs.into_iter().collect(), are_shared)
    }

    /// The phones that have a pdf, ascending.
    pub fn phones_of_pdf(&self, pdf: i32) -> Vec<i32> {
        let has_pdf = |tuple: &&TransitionTuple| tuple.forward_pdf == pdf || tuple.self_loop_pdf == pdf;
        let phones: BTreeSet<i32> = self.tuples.iter().filter(has_pdf).map(|tuple| tuple.phone).collect();
        phones.into_iter().collect()
    }

    /// The numbers of phones, pdfs, transition-ids and transition-states in four lines, as Kaldi's `am-info` prints them.
    pub fn summary(&self) -> String {
        format!(
            "number of phones {}\nnumber of pdfs {}\nnumber of transition-ids {}\nnumber of transition-states {}\n",
            self.phones().len(),
            self.num_pdfs(),
            self.num_transition_ids(),
            self.num_transition_states()
        )
    }

    /// The phone of a transition-id.
    ///
    /// # Errors
    /// If the model does not have it.
    pub fn phone(&self, transition_id: i32) -> Result<i32, UnknownTransitionId> {
        Ok(self.facts(transition_id)?.phone)
    }

    /// The tuple of a transition-id that the model has.
    pub fn tuple(&self, facts: &TransitionFacts) -> &TransitionTuple {
        &self.tuples[facts.transition_state as usize - 1]
    }

    /// The transition-state of a tuple, from 1; `None` if the model does not have it.
    pub fn transition_state(&self, tuple: &TransitionTuple) -> Option<usize> {
        self.tuples.binary_search(tuple).ok().map(|index| index + 1)
    }

    /// The transition-ids of a transition-state, in the order of the transitions of its topology.
    ///
    /// # Panics
    /// If there is no such transition-state.
    pub fn ids_of(&self, transition_state: usize) -> std::ops::Range<usize> {
        self.first_ids[transition_state - 1] as usize..self.first_ids[transition_state] as usize
    }
}

fn state_of<'a>(topology: &'a HmmTopology, tuple: &TransitionTuple) -> Result<&'a HmmState, String> {
    let states = topology.states(tuple.phone);
    let states = states.ok_or_else(|| format!("phone {} is not in the topology", tuple.phone))?;
    let state = usize::try_from(tuple.state).ok().and_then(|state| states.get(state));
    state
        .ok_or_else(|| format!("expected a state below {} of phone {}, got {}", states.len(), tuple.phone, tuple.state))
}

fn check_pdfs(tuple: &TransitionTuple, state: &HmmState) -> Result<(), String> {
    for pdf in [tuple.forward_pdf, tuple.self_loop_pdf] {
        if !(0..=LARGEST_NUMBER).contains(&pdf) {
            return Err(format!("expected pdfs from 0 to {LARGEST_NUMBER}, got {pdf}"));
        }
    }
    match state.pdf_classes {
        Some(PdfClasses { forward, self_loop }) if forward == self_loop && tuple.forward_pdf != tuple.self_loop_pdf => {
            Err(format!("expected one pdf, got {} and {}", tuple.forward_pdf, tuple.self_loop_pdf))
        }
        Some(_) => Ok(()),
        None => Err(format!("state {} of phone {} has no pdf", tuple.state, tuple.phone)),
    }
}

fn facts(topology: &HmmTopology, tuples: &[TransitionTuple], num_ids: usize) -> Vec<TransitionFacts> {
    let mut facts = Vec::with_capacity(num_ids);
    for (tuple, transition_state) in tuples.iter().zip(1..) {
        let states = topology.states(tuple.phone).unwrap_or_default();
        let may_start = tuple.state == 0 || states[0].pdf_classes.is_none();
        facts.extend(states[tuple.state as usize].transitions.iter().map(|&(target, _)| {
            let is_self_loop = target == tuple.state as usize;
            TransitionFacts {
                phone: tuple.phone,
                pdf: if is_self_loop { tuple.self_loop_pdf } else { tuple.forward_pdf },
                transition_state,
                is_self_loop,
                is_final: target + 1 == states.len(),
                may_start,
            }
        }));
    }
    facts
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::topology::tests::{state, three_states};

    pub(crate) fn tuple(phone: i32, state: i32, pdf: i32) -> TransitionTuple {
        TransitionTuple { phone, state, forward_pdf: pdf, self_loop_pdf: pdf }
    }

    /// Phone 1 has three states, phone 2 has one; ids 1 to 6 and 7, 8.
    pub(crate) fn model() -> TransitionModel {
        let entries = vec![(vec![1], three_states()), (vec![2], vec![state(0, &[(0, 0.5), (1, 0.5)]), state(-1, &[])])];
        let topology = HmmTopology::from_entries(entries).unwrap();
        let tuples = vec![tuple(1, 0, 0), tuple(1, 1, 1), tuple(1, 2, 2), tuple(2, 0, 3)];
        TransitionModel::from_tuples(topology, tuples).unwrap()
    }

    #[test]
    fn everything_follows_from_the_tuples() {
        let model = model();
        assert_eq!((model.num_transition_states(), model.num_transition_ids(), model.num_pdfs()), (4, 8, 4));
        let facts = |phone, pdf, transition_state, is_self_loop, is_final| TransitionFacts {
            phone,
            pdf,
            transition_state,
            is_self_loop,
            is_final,
            may_start: phone == 2 || transition_state == 1,
        };
        assert_eq!(model.facts(1), Ok(&facts(1, 0, 1, true, false)));
        assert_eq!(model.facts(2), Ok(&facts(1, 0, 1, false, false)));
        assert_eq!(model.facts(6), Ok(&facts(1, 2, 3, false, true)));
        assert_eq!(model.facts(8), Ok(&facts(2, 3, 4, false, true)));
        assert_eq!((model.ids_of(1), model.ids_of(4)), (1..3, 7..9));
        assert_eq!(model.transition_state(&tuple(1, 2, 2)), Some(3));
        assert_eq!(model.transition_state(&tuple(1, 2, 0)), None);
        assert_eq!(model.log_probs()[..3], [0.0, 0.75_f32.ln(), 0.25_f32.ln()]);
    }

    #[test]
    fn a_pdf_beyond_ten_million_is_refused() {
        let topology = || HmmTopology::from_entries(vec![(vec![1], three_states())]).unwrap();
        let with = |pdf| vec![tuple(1, 0, 0), tuple(1, 1, 1), tuple(1, 2, pdf)];
        assert!(TransitionModel::from_tuples(topology(), with(10_000_000)).is_ok());
        let error = TransitionModel::from_tuples(topology(), with(10_000_001)).unwrap_err();
        assert!(error.to_string().contains("expected pdfs from 0 to 10000000, got 10000001"), "{error}");
    }

    #[test]
    fn phones_have_pdfs_and_pdfs_have_phones() {
        assert_eq!(model().pdfs_of_phones(&[2, 1]), (vec![0, 1, 2, 3], false));
        assert_eq!(model().pdfs_of_phones(&[9]), (vec![], false));
        assert_eq!((model().phones_of_pdf(3), model().phones_of_pdf(4)), (vec![2], vec![]));
    }

    #[test]
    fn other_numbers_are_no_transition_ids() {
        for got in [0, -1, 9, i32::MIN, i32::MAX] {
            assert_eq!(model().facts(got), Err(UnknownTransitionId { got, largest: 8 }));
        }
        assert_eq!(model().pdf(0).unwrap_err().to_string(), "expected a transition-id from 1 to 8, got 0");
    }

    #[test]
    fn wrong_tuples_and_probabilities_are_refused() {
        let good = model();
        let t = |tuples: &[TransitionTuple], log_probs: &[f32]| {
            TransitionModel::new(good.topology.clone(), tuples.to_vec(), Vector::from_vec(log_probs.to_vec()))
                .unwrap_err()
        };
        let two = [0.0, -1.0, -1.0];
        assert_eq!(t(&[tuple(3, 0, 0)], &two), "tuple 1: phone 3 is not in the topology");
        assert_eq!(t(&[tuple(2, 4, 0)], &two), "tuple 1: expected a state below 2 of phone 2, got 4");
        assert_eq!(t(&[tuple(2, -1, 0)], &two), "tuple 1: expected a state below 2 of phone 2, got -1");
        assert_eq!(t(&[tuple(2, 1, 0)], &two), "tuple 1: state 1 of phone 2 has no pdf");
        assert_eq!(t(&[tuple(2, 0, -1)], &two), "tuple 1: expected pdfs from 0 to 10000000, got -1");
        assert_eq!(t(&[tuple(2, 0, 0); 2], &two), "expected tuples in ascending order, got tuple 2 in the wrong place");
        assert_eq!(t(&[tuple(2, 0, 0)], &two[..2]), "expected 3 log-probabilities for 2 transition-ids, got 2");
        assert_eq!(t(&[], &[0.0]), "expected a model with transitions, got an empty one");
        for (wrong, shown) in [(0.5, "0.5"), (f32::NAN, "nan"), (f32::NEG_INFINITY, "-inf")] {
            let expected = format!("expected log-probabilities of 0 or less, got {shown} for transition-id 2");
            assert_eq!(t(&[tuple(2, 0, 0)], &[0.0, -1.0, wrong]), expected);
        }
    }
}
