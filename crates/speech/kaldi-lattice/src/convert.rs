//! Plain lattices from compact ones, and back.

use crate::builder::Builder;
use crate::cost::Cost;
use crate::graph::{Arc, Span};
use crate::value::{CompactLattice, Lattice};

/// Makes a plain lattice of a compact one: each string becomes a chain of arcs through new states, with the word and the
/// cost on the first arc. States keep their numbers. Nothing is computed.
pub fn to_plain(lattice: &CompactLattice) -> Lattice {
    let mut builder = Builder::default();
    builder.add_states_to(lattice.num_states());
    if let Some(start) = lattice.start() {
        builder.set_start(start);
    }
    for state in lattice.states() {
        if lattice.is_final(state) {
            let (mut last, mut cost) = (state, lattice.final_cost(state));
            for &id in lattice.final_string(state) {
                let next = builder.add_state();
                builder.add_arc(last, Arc::plain(id, 0, cost, next));
                (last, cost) = (next, Cost::ONE);
            }
            builder.set_final(last, cost, Span::EMPTY);
        }
        for arc in lattice.arcs(state) {
            let ids = lattice.string(arc.string);
            let (mut from, mut cost, mut word) = (state, arc.cost, arc.input);
            let Some((&last, others)) = ids.split_last() else {
                builder.add_arc(from, Arc::plain(0, word, cost, arc.next));
                continue;
            };
            for &id in others {
                let next = builder.add_state();
                builder.add_arc(from, Arc::plain(id, word, cost, next));
                (from, cost, word) = (next, Cost::ONE, 0);
            }
            builder.add_arc(from, Arc::plain(last, word, cost, arc.next));
        }
    }
    Lattice(builder.finish())
}

/// Makes a compact lattice of a plain one: chains of arcs become one arc, and the states are sorted topologically unless
/// there is a cycle.
///
/// A state vanishes if it is not the start, not final, and has one arc in and one out, which has no word.
pub fn to_compact(lattice: &Lattice) -> CompactLattice {
    let Some(start) = lattice.start() else { return CompactLattice::default() };
    let vanishes = vanishing(lattice, start);
    let mut builder = Builder::default();
    let mut numbers = vec![u32::MAX; lattice.num_states()];
    let mut number = |builder: &mut Builder, state: u32| {
        let number = &mut numbers[state as usize];
        if *number == u32::MAX {
            *number = builder.add_state();
        }
        *number
    };
    for state in lattice.discovery_order() {
        if vanishes[state as usize] {
            continue;
        }
        let from = number(&mut builder, state);
        for arc in lattice.arcs(state) {
            let (mut cost, mut next) = (arc.cost, arc.next);
            let first = builder.num_ids();
            if arc.input != 0 {
                builder.add_id(arc.input);
            }
            while vanishes[next as usize] {
                let after = lattice.arcs(next)[0];
                cost = cost.then(after.cost);
                if after.input != 0 {
                    builder.add_id(after.input);
                }
                next = after.next;
            }
            let string = Span::new(first, builder.num_ids() - first);
            let next = number(&mut builder, next);
            builder.add_arc(from, Arc::word(arc.output, cost, string, next));
        }
        if lattice.is_final(state) {
            builder.set_final(from, lattice.final_cost(state), Span::EMPTY);
        }
    }
    let start = number(&mut builder, start);
    builder.set_start(start);
    let mut graph = builder.finish();
    graph.sort();
    CompactLattice(graph)
}

/// The states that vanish into an arc.
fn vanishing(lattice: &Lattice, start: u32) -> Vec<bool> {
    let mut entries = vec![0_u8; lattice.num_states()];
    for arc in lattice.all_arcs() {
        let count = &mut entries[arc.next as usize];
        *count = count.saturating_add(1);
    }
    let vanishes = |state: u32| {
        let is_middle = state != start && entries[state as usize] == 1 && !lattice.is_final(state);
        is_middle && matches!(lattice.arcs(state), [arc] if arc.output == 0)
    };
    lattice.states().map(vanishes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{compact, plain};

    #[test]
    fn strings_become_chains() {
        let lattice = compact("0 1 8 7,-5,3_3_4\n1 2 0 0.5,0,\n2 1.25,0,7_8\n");
        let expected = plain("0 3 3 8 7,-5\n1 2 0 0 0.5,0\n2 5 7 0 1.25,0\n3 4 3 0\n4 1 4 0\n5 6 8 0\n6\n");
        assert_eq!(to_plain(&lattice), expected);
    }

    #[test]
    fn chains_become_strings() {
        let lattice = plain("0 1 3 8 7,-5\n1 2 3 0\n2 3 0 0 1,1\n3 4 4 9\n4 5 6 0 0.5,0\n5\n");
        assert_eq!(to_compact(&lattice), compact("0 1 8 8,-4,3_3\n1 2 9 0.5,0,4_6\n2\n"));
    }

    #[test]
    fn a_compact_lattice_without_epsilons_comes_back() {
        let lattice = compact("0 2 5 1,2,3_4\n0 1 6 2,1,7\n1 3 8 0,1,\n2 3 9 0,2,1_1_1\n3 0.5,0,\n");
        assert_eq!(to_compact(&to_plain(&lattice)), lattice);
    }

    #[test]
    fn a_lattice_with_a_cycle_is_not_sorted() {
        let lattice = plain("0 1 3 5\n1 2 4 6\n2 1 5 7\n2\n");
        assert_eq!(to_compact(&lattice), compact("0 1 5 0,0,3\n1 2 6 0,0,4\n2 1 7 0,0,5\n2\n"));
    }
}
