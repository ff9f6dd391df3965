//! Transition models made from a topology and a tree.

use crate::topology::HmmTopology;
use crate::transition_model::{TransitionModel, TransitionTuple};
use crate::tree::ContextDependency;
use crate::{Error, Result};

impl TransitionModel {
    /// Makes the model of a tree, with the probabilities of the topology: a tuple for each state of a phone and all pdfs
    /// that the tree may give it. States for which the tree has no pdfs are left out: see [`Self::states_without_pdfs`].
    ///
    /// # Errors
    /// If the tree has no pdfs for any state, or a probability of the topology is above 1.
    pub fn from_tree(topology: HmmTopology, tree: &ContextDependency) -> Result<Self> {
        let is_hmm = topology.is_hmm();
        let mut tuples = Vec::new();
        for &phone in topology.phones() {
            let states = topology.states(phone).unwrap_or_default();
            for (state, number) in states.iter().zip(0..) {
                let Some(classes) = state.pdf_classes else { continue };
                let pairs = match is_hmm {
                    true => tree.possible_pdfs(phone, classes.forward).into_iter().map(|pdf| (pdf, pdf)).collect(),
                    false => {
                        tree.possible_pdf_pairs(phone, classes.forward, Some(classes.self_loop), topology.phones())
                    }
                };
                tuples.extend(pairs.into_iter().map(|(forward_pdf, self_loop_pdf)| TransitionTuple {
                    phone,
                    state: number,
                    forward_pdf,
                    self_loop_pdf,
                }));
            }
        }
        tuples.sort_unstable();
        Self::from_tuples(topology, tuples).map_err(|message| Error::Tree { message })
    }

    /// The phones and states of the topology that should have pdfs, and have none.
    pub fn states_without_pdfs(&self) -> Vec<(i32, usize)> {
        let states = |&phone: &i32| {
            let states = self.topology().states(phone).unwrap_or_default().iter().enumerate();
            states.filter(|(_, state)| state.pdf_classes.is_some()).map(move |(state, _)| (phone, state))
        };
        let has_pdf = |&(phone, state): &(i32, usize)| {
            self.tuples().iter().any(|tuple| (tuple.phone, tuple.state as usize) == (phone, state))
        };
        self.phones().iter().flat_map(states).filter(|state| !has_pdf(state)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tests::{state, three_states};
    use crate::topology::{HmmState, PdfClasses};
    use crate::tree::{EventMap, PDF_CLASS};

    /// Every class of a phone has a pdf of its own, whatever the context.
    fn mono(phone: usize, pdfs: &[i32]) -> (usize, EventMap) {
        (phone, EventMap::table(PDF_CLASS, pdfs.iter().map(|&pdf| Some(EventMap::leaf(pdf))).collect()))
    }

    fn tree(maps: Vec<(usize, EventMap)>) -> ContextDependency {
        let mut by_phone = vec![None; 4];
        maps.into_iter().for_each(|(phone, map)| by_phone[phone] = Some(map));
        ContextDependency::new(1, 0, EventMap::table(0, by_phone))
    }

    fn tuples(model: &TransitionModel) -> Vec<(i32, i32, i32, i32)> {
        model.tuples().iter().map(|t| (t.phone, t.state, t.forward_pdf, t.self_loop_pdf)).collect()
    }

    #[test]
    fn states_get_the_pdfs_of_the_tree() {
        let entries =
            vec![(vec![2, 1], three_states()), (vec![3], vec![state(0, &[(0, 0.5), (1, 0.5)]), state(-1, &[])])];
        let topology = HmmTopology::from_entries(entries).unwrap();
        let tree = tree(vec![mono(1, &[5, 4, 3]), mono(2, &[0, 1, 2]), mono(3, &[6])]);
        let model = TransitionModel::from_tree(topology, &tree).unwrap();
        let expected =
            [(1, 0, 5, 5), (1, 1, 4, 4), (1, 2, 3, 3), (2, 0, 0, 0), (2, 1, 1, 1), (2, 2, 2, 2), (3, 0, 6, 6)];
        assert_eq!((tuples(&model), model.num_pdfs()), (expected.to_vec(), 7));
    }

    #[test]
    fn a_split_of_the_context_gives_several_tuples() {
        let map = EventMap::split(0, vec![1], EventMap::leaf(1), EventMap::leaf(0));
        let tree = ContextDependency::new(2, 1, map);
        let topology = HmmTopology::from_entries(vec![(vec![1], vec![state(0, &[(1, 1.0)]), state(-1, &[])])]).unwrap();
        let model = TransitionModel::from_tree(topology, &tree).unwrap();
        assert_eq!(tuples(&model), [(1, 0, 0, 0), (1, 0, 1, 1)]);
    }

    fn two_classes(forward: i32, self_loop: i32, next: usize) -> HmmState {
        HmmState {
            pdf_classes: Some(PdfClasses { forward, self_loop }),
            transitions: vec![(next - 1, 0.5), (next, 0.5)],
        }
    }

    /// In Kaldi every tuple of the two states comes twice, and the program aborts.
    #[test]
    fn two_states_may_share_both_classes() {
        let entry = vec![two_classes(0, 1, 1), two_classes(0, 1, 2), state(-1, &[])];
        let topology = HmmTopology::from_entries(vec![(vec![1], entry)]).unwrap();
        let model = TransitionModel::from_tree(topology, &tree(vec![mono(1, &[0, 1])])).unwrap();
        assert_eq!(tuples(&model), [(1, 0, 0, 1), (1, 1, 0, 1)]);
    }

    #[test]
    fn a_state_for_which_the_tree_has_no_pdfs_is_left_out() {
        let topology = || HmmTopology::from_entries(vec![(vec![1], three_states())]).unwrap();
        let model = TransitionModel::from_tree(topology(), &tree(vec![mono(1, &[0, 1])])).unwrap();
        assert_eq!(tuples(&model), [(1, 0, 0, 0), (1, 1, 1, 1)]);
        assert_eq!(model.states_without_pdfs(), [(1, 2)]);
        assert!(TransitionModel::from_tree(topology(), &tree(vec![])).is_err());
    }

    #[test]
    fn a_probability_above_one_is_an_error() {
        let steep = vec![state(0, &[(0, 0.5), (1, 1.5)]), state(-1, &[])];
        let topology = HmmTopology::from_entries(vec![(vec![1], steep)]).unwrap();
        let error = TransitionModel::from_tree(topology, &tree(vec![mono(1, &[0])])).unwrap_err();
        assert_eq!(error.to_string(), "expected log-probabilities of 0 or less, got 0.405465 for transition-id 2");
    }
}
