//! Graphs put together: composed, one beside the other, reversed.

use std::collections::HashMap;

use crate::builder::Builder;
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph, Span};
use crate::value::CompactLattice;
use crate::work_list::WorkList;

/// How often each pair of paths is found: once, since arcs without an output come before those without an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Turn {
    /// Either graph may go on alone.
    Either,
    /// Only the second one may go on alone.
    Second,
}

impl Graph {
    /// The paths of this graph whose outputs are the inputs of a path of `other`, with the inputs of this graph and the
    /// outputs of the other one; costs are added, strings are joined.
    pub fn compose(&self, other: &Self) -> Self {
        let (Some(start), Some(other_start)) = (self.start(), other.start()) else { return Self::default() };
        let list = WorkList::starting_with((start, other_start, Turn::Either));
        let mut composed = Composition { graphs: [self, other], list, inputs: Inputs::default() };
        while let Some((place, from)) = composed.list.next() {
            composed.expand(*place, from);
        }
        let mut graph = composed.list.finish();
        graph.connect();
        graph
    }
}

type Place = (u32, u32, Turn);

struct Composition<'a> {
    graphs: [&'a Graph; 2],
    list: WorkList<Place>,
    inputs: Inputs,
}

/// The arcs of states by their inputs. Each arc of one graph looks for those of the other one.
#[derive(Default)]
struct Inputs(HashMap<u32, HashMap<i32, Vec<u32>>>);

/// Up to so many arcs are looked through one after the other.
const FEW_ARCS: usize = 16;

impl Inputs {
    /// The arcs of a state with an input, in their order.
    fn of(&mut self, graph: &Graph, state: u32, input: i32) -> Vec<Arc> {
        let arcs = graph.arcs(state);
        if arcs.len() <= FEW_ARCS {
            return arcs.iter().filter(|arc| arc.input == input).copied().collect();
        }
        let known = self.0.entry(state).or_insert_with(|| {
            let mut by_input: HashMap<i32, Vec<u32>> = HashMap::new();
            arcs.iter().zip(0..).for_each(|(arc, index)| by_input.entry(arc.input).or_default().push(index));
            by_input
        });
        known.get(&input).into_iter().flatten().map(|&index| arcs[index as usize]).collect()
    }
}

impl Composition<'_> {
    fn string(&mut self, first: Span, second: Span) -> Span {
        let ids = [self.graphs[0].string(first), self.graphs[1].string(second)].concat();
        self.list.builder.add_string(&ids)
    }

    fn expand(&mut self, (one, other, turn): Place, from: u32) {
        let [first, second] = self.graphs;
        if first.is_final(one) && second.is_final(other) {
            let cost = first.final_cost(one).then(second.final_cost(other));
            let string = self.string(first.final_span(one), second.final_span(other));
            self.list.builder.set_final(from, cost, string);
        }
        for arc in first.arcs(one) {
            if arc.output == 0 {
                if turn == Turn::Either {
                    let next = self.list.number((arc.next, other, Turn::Either));
                    let string = self.string(arc.string, Span::EMPTY);
                    self.list.builder.add_arc(from, Arc { output: 0, string, next, ..*arc });
                }
                continue;
            }
            for match_ in self.inputs.of(second, other, arc.output) {
                let next = self.list.number((arc.next, match_.next, Turn::Either));
                let (cost, string) = (arc.cost.then(match_.cost), self.string(arc.string, match_.string));
                self.list.builder.add_arc(from, Arc { input: arc.input, output: match_.output, cost, string, next });
            }
        }
        let num_epsilons = first.arcs(one).iter().filter(|arc| arc.output == 0).count();
        if num_epsilons == first.arcs(one).len() && !first.is_final(one) {
            // The first graph would have to go on alone after that. So two long chains without words are not searched for all
            // pairs of their states.
            return;
        }
        let turn = if num_epsilons == 0 { Turn::Either } else { Turn::Second };
        for arc in second.arcs(other).iter().filter(|arc| arc.input == 0) {
            let next = self.list.number((one, arc.next, turn));
            let string = self.string(Span::EMPTY, arc.string);
            self.list.builder.add_arc(from, Arc { string, next, ..*arc });
        }
    }
}

impl Graph {
    /// Adds the states of `other`, so that the paths are those of both. The start of this graph gets an arc without labels
    /// to that of the other; if arcs lead to it, both starts get one from a new start.
    pub fn join(&mut self, other: &Self) {
        self.join_all(std::slice::from_ref(other));
    }

    /// Adds the states of all others, as [`Graph::join`] does one after the other.
    pub fn join_all(&mut self, others: &[Self]) {
        let mut others = others.iter().filter(|other| other.start().is_some()).peekable();
        if others.peek().is_none() {
            return;
        }
        let mut start = self.start();
        let is_entered = |graph: &Self, start: u32| graph.all_arcs().iter().any(|arc| arc.next == start);
        let mut must_begin = start.is_some_and(|start| is_entered(self, start));
        let mut builder = std::mem::take(self).into_builder();
        let epsilon = |next: u32| Arc::plain(0, 0, Cost::ONE, next);
        for other in others {
            let Some(other_start) = other.start() else { continue };
            let offset = builder.num_states() as u32;
            builder.add_graph(other);
            let next = other_start + offset;
            match start {
                None => {
                    start = Some(next);
                    must_begin = is_entered(other, other_start);
                }
                Some(old) => {
                    if must_begin {
                        let first = builder.add_state();
                        builder.add_arc(first, epsilon(old));
                        (start, must_begin) = (Some(first), false);
                    }
                    builder.add_arc(start.unwrap_or(old), epsilon(next));
                }
            }
        }
        if let Some(start) = start {
            builder.set_start(start);
        }
        *self = builder.finish();
    }

    /// The same paths from their ends to their starts: behind a new start with an arc to each final state. Strings are
    /// reversed. A graph without states gets the new start.
    pub fn reversed(&self) -> Self {
        let mut builder = Builder::default();
        let first = builder.add_state();
        builder.add_states_to(self.num_states() + 1);
        builder.set_start(first);
        let backwards = |builder: &mut Builder, span: Span| {
            let ids: Vec<i32> = self.string(span).iter().rev().copied().collect();
            builder.add_string(&ids)
        };
        for state in self.states() {
            if self.is_final(state) {
                let string = backwards(&mut builder, self.final_span(state));
                builder.add_arc(first, Arc { string, ..Arc::plain(0, 0, self.final_cost(state), state + 1) });
            }
            for arc in self.arcs(state) {
                let string = backwards(&mut builder, arc.string);
                builder.add_arc(arc.next + 1, Arc { string, next: state + 1, ..*arc });
            }
        }
        if let Some(start) = self.start() {
            builder.set_final(start + 1, Cost::ONE, Span::EMPTY);
        }
        builder.finish()
    }

    /// A graph of one path with these labels, which costs nothing.
    pub fn from_labels(labels: &[i32]) -> Self {
        let mut builder = Builder::default();
        builder.add_states_to(labels.len() + 1);
        builder.set_start(0);
        for (&label, state) in labels.iter().zip(0..) {
            builder.add_arc(state, Arc::plain(label, label, Cost::ONE, state + 1));
        }
        builder.set_final(labels.len() as u32, Cost::ONE, Span::EMPTY);
        builder.finish()
    }
}

impl CompactLattice {
    /// Makes the total probability of all paths `weight`: the logarithms are added to the graph costs of final states. The
    /// lattice is sorted if needed.
    ///
    /// # Errors
    /// If there is a cycle or no path, or a cost is no number.
    pub fn normalize(&mut self, weight: f32) -> Result<()> {
        self.check_costs()?;
        if !self.sort_unless_known() {
            return Err(Error::Cycle);
        }
        let Some(start) = self.start() else { return Err(Error::NoPath) };
        let total = self.scores_rounded(true).backward[start as usize];
        if !total.is_finite() {
            return Err(Error::NoPath);
        }
        let added = total as f32 - weight.ln();
        for state in self.states() {
            if self.is_final(state) {
                let Cost { graph, acoustic } = self.final_cost(state);
                let string = self.final_span(state);
                self.set_final(state, Cost::new(graph + added, acoustic), string);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{compact, plain};

    #[test]
    fn composition_matches_outputs_with_inputs() {
        let words = plain("0 1 3 5 1,2\n0 1 4 6 1,1\n1 2 7 0 0.5,0\n2\n");
        let grammar = plain("0 1 5 9 2,0\n0 2 0 0 4,0\n2 1 6 8 1,0\n1 0.25,0\n");
        let composed = words.compose(&grammar);
        let lattice = crate::value::Lattice(composed);
        assert_eq!(lattice.num_arcs(), 4);
        let best = crate::convert::to_compact(&lattice).best_path().unwrap().unwrap().linear().unwrap();
        assert_eq!((best.words, best.ids, best.cost), (vec![9], vec![3, 7], Cost::new(3.75, 2.0)));
    }

    #[test]
    fn each_pair_of_paths_is_found_once() {
        let one = plain("0 1 3 0\n1 2 0 0 1,0\n2\n");
        let other = plain("0 1 0 8\n1 2 0 9\n2\n");
        let composed = one.compose(&other);
        assert_eq!((composed.num_states(), composed.num_arcs()), (5, 4));
    }

    #[test]
    fn joined_graphs_have_the_paths_of_both() {
        let mut lattice = compact("0 1 5 1,0,3\n1\n");
        lattice.join(&compact("0 1 6 2,0,4_4\n1 0.5,0,7\n"));
        assert_eq!(lattice, compact("0 1 5 1,0,3\n0 2 0\n1\n2 3 6 2,0,4_4\n3 0.5,0,7\n"));
        let mut looped = compact("0 1 5\n1 0 6\n1\n");
        looped.join(&compact("0 1 7\n1\n"));
        assert_eq!((looped.start(), looped.arcs(4).len()), (Some(4), 2));
        let mut empty = compact("");
        empty.join(&compact("0 1 7\n1\n"));
        assert_eq!(empty, compact("0 1 7\n1\n"));
    }

    #[test]
    fn all_are_joined_as_one_after_the_other() {
        let others =
            ["0 1 5\n1\n", "", "0 1 5\n1 0 6\n1\n", "0 1 7 1,0,3\n1\n", "1 0 2\n0\n"].map(|text| compact(text).0);
        for first in &others {
            let (mut one_by_one, mut at_once) = (first.clone(), first.clone());
            others.iter().for_each(|other| one_by_one.join(other));
            at_once.join_all(&others);
            assert_eq!(at_once, one_by_one);
        }
    }

    #[test]
    fn twice_reversed_has_the_same_paths() {
        let lattice = compact("0 1 5 1,2,3_4\n1 0.5,0,7_8\n");
        let reversed = lattice.reversed();
        assert_eq!(reversed, compact("0 2 0 0.5,0,8_7\n1\n2 1 5 1,2,4_3\n").0);
        assert_eq!(compact("").reversed(), compact("0 Infinity,Infinity,\n").0);
        let again = CompactLattice(reversed.reversed().without_epsilons().unwrap());
        assert_eq!(again.best_path().unwrap().unwrap().linear(), lattice.linear());
    }

    #[test]
    fn a_normalized_lattice_has_the_probability_that_is_wanted() {
        let mut lattice = compact("0 1 5 1,0,3\n0 1 6 2,1,3\n1 0.5,0,\n");
        lattice.normalize(0.25).unwrap();
        assert!((lattice.scores(false).total - 0.25_f64.ln()).abs() < 1e-6);
        assert_eq!(compact("").normalize(1.0), Err(Error::NoPath));
        assert_eq!(compact("0 1 5\n1 0 6\n1\n").normalize(1.0), Err(Error::Cycle));
        assert!(matches!(compact("0 1 5 nan,0,\n0 1 6\n1\n").normalize(1.0), Err(Error::Cost { .. })));
    }
}
