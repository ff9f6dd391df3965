//! What is known about an acceptor: the bits that OpenFst computes when Kaldi writes one.

use std::collections::HashSet;

use crate::{CompactElement, CompactFst};

/// The bit that the form in files always has.
const EXPANDED: u64 = 1;

/// Pairs of bits: that something holds, and after it that it does not.
const ACCEPTOR: u32 = 16;
const INPUT_DETERMINISTIC: u32 = 18;
const OUTPUT_DETERMINISTIC: u32 = 20;
const EPSILONS: u32 = 22;
const INPUT_EPSILONS: u32 = 24;
const OUTPUT_EPSILONS: u32 = 26;
const INPUT_SORTED: u32 = 28;
const OUTPUT_SORTED: u32 = 30;
const WEIGHTED: u32 = 32;
const CYCLIC: u32 = 34;
const INITIAL_CYCLIC: u32 = 36;
const STATES_SORTED: u32 = 38;
const ACCESSIBLE: u32 = 40;
const COACCESSIBLE: u32 = 42;
const STRING: u32 = 44;
const WEIGHTED_CYCLES: u32 = 46;

/// What a search through all states finds.
struct Found {
    is_cyclic: bool,
    is_initial_cyclic: bool,
    is_accessible: bool,
    is_coaccessible: bool,
    /// The strongly connected component of each state.
    components: Vec<usize>,
}

impl CompactFst {
    /// Computes the properties.
    pub(crate) fn compute_properties(&self) -> u64 {
        let found = self.search();
        let weighs = |element: &CompactElement| element.weight != 0.0;
        let (mut is_deterministic, mut has_epsilons, mut is_sorted) = (true, false, true);
        let (mut is_weighted, mut has_weighted_cycles) = (false, false);
        let (mut states_are_sorted, mut is_string) = (true, matches!(self.start, -1 | 0));
        let mut has_final = false;
        let mut labels = HashSet::new();
        for state in 0..self.num_states() {
            is_string &= !has_final;
            labels.clear();
            let elements = self.state(state);
            let is_final = elements.first().is_some_and(|first| first.is_final() && first.weight != f32::INFINITY);
            let arcs = if elements.first().is_some_and(|first| first.is_final()) { &elements[1..] } else { elements };
            is_sorted &= arcs.is_sorted_by_key(|arc| arc.label);
            for arc in arcs {
                let next = arc.next as usize;
                is_deterministic &= labels.insert(arc.label);
                has_epsilons |= arc.label == 0;
                let is_weight = weighs(arc) && arc.weight != f32::INFINITY;
                is_weighted |= is_weight;
                has_weighted_cycles |= is_weight && found.components[state] == found.components[next];
                states_are_sorted &= next > state;
                is_string &= next == state + 1;
            }
            if is_final {
                is_weighted |= weighs(&elements[0]);
                has_final = true;
            } else {
                is_string &= arcs.len() == 1;
            }
        }
        let pairs = [
            (ACCEPTOR, true),
            (INPUT_DETERMINISTIC, is_deterministic),
            (OUTPUT_DETERMINISTIC, is_deterministic),
            (EPSILONS, has_epsilons),
            (INPUT_EPSILONS, has_epsilons),
            (OUTPUT_EPSILONS, has_epsilons),
            (INPUT_SORTED, is_sorted),
            (OUTPUT_SORTED, is_sorted),
            (WEIGHTED, is_weighted),
            (CYCLIC, found.is_cyclic),
            (INITIAL_CYCLIC, found.is_initial_cyclic),
            (STATES_SORTED, states_are_sorted),
            (ACCESSIBLE, found.is_accessible),
            (COACCESSIBLE, found.is_coaccessible),
            (STRING, is_string),
            (WEIGHTED_CYCLES, has_weighted_cycles),
        ];
        pairs.iter().fold(EXPANDED, |bits, &(pair, holds)| bits | 1 << (pair + u32::from(!holds)))
    }

    /// Searches depth first from the start, and then from all states that were not found, for strongly connected
    /// components (Tarjan's algorithm, with a stack of its own).
    fn search(&self) -> Found {
        let num_states = self.num_states();
        let start = self.start();
        let (mut numbers, mut lows) = (vec![usize::MAX; num_states], vec![0; num_states]);
        let mut search = Search { fst: self, on_path: vec![false; num_states], open: Vec::new() };
        let mut found = Found {
            is_cyclic: false,
            is_initial_cyclic: false,
            is_accessible: true,
            is_coaccessible: true,
            components: vec![usize::MAX; num_states],
        };
        let mut reaches_final = vec![false; num_states];
        let mut next_number = 0;
        for root in start.into_iter().chain(0..num_states) {
            if numbers[root] != usize::MAX {
                continue;
            }
            found.is_accessible &= Some(root) == start;
            search.enter(root, &mut numbers, &mut lows, &mut next_number);
            let mut path = vec![(root, 0)];
            while let Some((state, place)) = path.last_mut() {
                let (state, elements) = (*state, self.state(*state));
                let Some(element) = elements.get(*place) else {
                    path.pop();
                    search.leave(state, &numbers, &lows, &mut found, &mut reaches_final);
                    if let Some(&(parent, _)) = path.last() {
                        lows[parent] = lows[parent].min(lows[state]);
                        reaches_final[parent] |= reaches_final[state];
                    }
                    continue;
                };
                *place += 1;
                if element.is_final() {
                    reaches_final[state] |= element.weight != f32::INFINITY;
                    continue;
                }
                let next = element.next as usize;
                if numbers[next] == usize::MAX {
                    search.enter(next, &mut numbers, &mut lows, &mut next_number);
                    path.push((next, 0));
                    continue;
                }
                found.is_cyclic |= search.on_path[next];
                found.is_initial_cyclic |= search.on_path[next] && Some(next) == start;
                if found.components[next] == usize::MAX {
                    lows[state] = lows[state].min(numbers[next]);
                }
                reaches_final[state] |= reaches_final[next];
            }
        }
        found.is_coaccessible = reaches_final.iter().all(|&reaches| reaches);
        found
    }
}

/// The state of a search.
struct Search<'a> {
    fst: &'a CompactFst,
    /// Whether a state is on the path from the root.
    on_path: Vec<bool>,
    /// States whose component is not known yet.
    open: Vec<usize>,
}

impl Search<'_> {
    fn enter(&mut self, state: usize, numbers: &mut [usize], lows: &mut [usize], next_number: &mut usize) {
        debug_assert!(state < self.fst.num_states());
        (numbers[state], lows[state]) = (*next_number, *next_number);
        *next_number += 1;
        self.on_path[state] = true;
        self.open.push(state);
    }

    /// Closes the component of which `state` is the first, if it is. All states of a component reach a final state if one
    /// does.
    fn leave(&mut self, state: usize, numbers: &[usize], lows: &[usize], found: &mut Found, reaches: &mut [bool]) {
        self.on_path[state] = false;
        if lows[state] != numbers[state] {
            return;
        }
        let from = self.open.iter().rposition(|&open| open == state).unwrap_or(0);
        let component = self.open.split_off(from);
        let reached = component.iter().any(|&member| reaches[member]);
        for member in component {
            found.components[member] = state;
            reaches[member] = reached;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(label: i32, weight: f32, next: i32) -> CompactElement {
        CompactElement { label, weight, next }
    }

    fn properties(states: &[&[CompactElement]]) -> u64 {
        let mut offsets = vec![0];
        offsets.extend(states.iter().scan(0, |end, state| {
            *end += state.len() as u32;
            Some(*end)
        }));
        CompactFst::from_parts(Some(0), &offsets, states.concat()).unwrap().properties()
    }

    fn holds(properties: u64, pair: u32) -> bool {
        assert_ne!(properties >> pair & 1, properties >> (pair + 1) & 1, "one bit of the pair {pair}");
        properties >> pair & 1 == 1
    }

    /// The bits of a usual acceptor of Kaldi's.
    #[test]
    fn a_usual_acceptor_has_kaldis_bits() {
        let last = CompactElement::of_final(0.0);
        let bits = properties(&[&[arc(3, 0.0, 1), arc(0, 0.0, 2)], &[arc(5, 0.0, 2)], &[last]]);
        assert_eq!(bits, 0x0000_a56a_a555_0001);
    }

    #[test]
    fn cycles_are_found_wherever_they_are() {
        let last = CompactElement::of_final(0.0);
        let later = properties(&[&[arc(1, 0.0, 1)], &[arc(1, 0.0, 2)], &[last, arc(2, 0.0, 1)]]);
        assert!(holds(later, CYCLIC) && !holds(later, INITIAL_CYCLIC) && !holds(later, WEIGHTED_CYCLES));
        let first = properties(&[&[arc(1, 0.5, 1)], &[last, arc(1, 0.0, 0)]]);
        assert!(holds(first, INITIAL_CYCLIC) && holds(first, WEIGHTED_CYCLES) && holds(first, WEIGHTED));
        let alone = properties(&[&[last, arc(1, 0.0, 0)]]);
        assert!(holds(alone, INITIAL_CYCLIC) && !holds(alone, STATES_SORTED));
    }

    #[test]
    fn states_that_are_of_no_use_are_found() {
        let last = CompactElement::of_final(0.0);
        let unreached = properties(&[&[last], &[arc(1, 0.0, 0)]]);
        assert!(!holds(unreached, ACCESSIBLE) && holds(unreached, COACCESSIBLE));
        let dead = properties(&[&[last, arc(1, 0.0, 1)], &[arc(1, 0.0, 1)]]);
        assert!(holds(dead, ACCESSIBLE) && !holds(dead, COACCESSIBLE));
        let around = properties(&[&[arc(1, 0.0, 1)], &[arc(1, 0.0, 2)], &[arc(1, 0.0, 1), arc(2, 0.0, 3)], &[last]]);
        assert!(holds(around, COACCESSIBLE));
    }

    #[test]
    fn strings_are_one_path() {
        let last = CompactElement::of_final(0.0);
        assert!(holds(properties(&[&[arc(1, 0.0, 1)], &[last]]), STRING));
        assert!(!holds(properties(&[&[arc(1, 0.0, 1), arc(2, 0.0, 1)], &[last]]), STRING));
        assert!(!holds(properties(&[&[last, arc(1, 0.0, 1)], &[last]]), STRING));
    }

    #[test]
    fn a_long_path_needs_no_stack() {
        let length = 100_000;
        let elements: Vec<_> = (1..=length).map(|next| arc(1, 0.0, next)).collect();
        let offsets: Vec<u32> = (0..=length as u32).chain([length as u32]).collect();
        let fst = CompactFst::from_parts(Some(0), &offsets, elements).unwrap();
        assert!(!holds(fst.properties(), CYCLIC) && !holds(fst.properties(), COACCESSIBLE));
    }
}
