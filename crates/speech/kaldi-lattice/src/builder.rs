//! Graphs made state by state.

use crate::cost::Cost;
use crate::graph::{Arc, Graph, SORTED, Span, State};

/// Makes a graph from states and arcs in any order.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    start: Option<u32>,
    finals: Vec<(Cost, Span)>,
    arcs: Vec<(u32, Arc)>,
    ids: Vec<i32>,
}

impl Builder {
    /// The number of states.
    pub fn num_states(&self) -> usize {
        self.finals.len()
    }

    /// Adds a state that is not final, and returns its number.
    pub fn add_state(&mut self) -> u32 {
        self.finals.push((Cost::INFINITE, Span::EMPTY));
        (self.finals.len() - 1) as u32
    }

    /// Adds states until there are at least `count`.
    pub fn add_states_to(&mut self, count: usize) {
        if self.finals.len() < count {
            self.finals.resize(count, (Cost::INFINITE, Span::EMPTY));
        }
    }

    /// Adds all states and arcs of a graph behind those that are there.
    pub(crate) fn add_graph(&mut self, graph: &Graph) {
        let (first_state, first_id) = (self.num_states() as u32, self.num_ids());
        self.ids.extend_from_slice(&graph.ids);
        let moved =
            |span: Span| if span.is_empty() { span } else { Span::new(span.start as usize + first_id, span.len()) };
        self.finals.extend(graph.states.iter().map(|state| (state.cost, moved(state.string))));
        for state in graph.states() {
            let arcs = graph.arcs(state).iter();
            let moved_arc = |arc: &Arc| Arc { string: moved(arc.string), next: arc.next + first_state, ..*arc };
            self.arcs.extend(arcs.map(|arc| (state + first_state, moved_arc(arc))));
        }
    }

    /// Makes a state the start.
    pub fn set_start(&mut self, state: u32) {
        self.start = Some(state);
    }

    /// Makes a state final.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn set_final(&mut self, state: u32, cost: Cost, string: Span) {
        self.finals[state as usize] = (cost, string);
    }

    pub(crate) fn final_of(&self, state: u32) -> (Cost, Span) {
        self.finals[state as usize]
    }

    /// Adds an arc after those that the state has. It may lead to a state that is added later.
    pub fn add_arc(&mut self, state: u32, arc: Arc) {
        self.arcs.push((state, arc));
    }

    /// Stores transition-ids.
    pub fn add_string(&mut self, ids: &[i32]) -> Span {
        if ids.is_empty() {
            return Span::EMPTY;
        }
        self.ids.extend_from_slice(ids);
        Span::new(self.ids.len() - ids.len(), ids.len())
    }

    /// The transition-ids of a span.
    pub(crate) fn string(&self, span: Span) -> &[i32] {
        &self.ids[span.range()]
    }

    /// Strings one after the other.
    pub(crate) fn join_strings(&mut self, strings: impl IntoIterator<Item = Span>) -> Span {
        let start = self.ids.len();
        strings.into_iter().for_each(|string| self.ids.extend_from_within(string.range()));
        Span::new(start, self.ids.len() - start)
    }

    /// The same with these transition-ids, which spans may name already.
    pub(crate) fn with_ids(self, ids: Vec<i32>) -> Self {
        Self { ids, ..self }
    }

    pub(crate) fn add_id(&mut self, id: i32) {
        self.ids.push(id);
    }

    /// The number of transition-ids that are stored.
    pub(crate) fn num_ids(&self) -> usize {
        self.ids.len()
    }

    /// The graph. The arcs of a state stay in the order in which they were added.
    ///
    /// # Panics
    /// If an arc leaves or reaches a state that was not added.
    pub fn finish(self) -> Graph {
        let Self { start, finals, arcs, ids } = self;
        let mut counts = vec![0_u32; finals.len() + 1];
        let is_sorted = arcs.iter().all(|(state, arc)| arc.next > *state);
        for (state, arc) in &arcs {
            assert!((arc.next as usize) < finals.len(), "no state {}", arc.next);
            counts[*state as usize + 1] += 1;
        }
        for index in 1..counts.len() {
            counts[index] += counts[index - 1];
        }
        let states = finals.iter().zip(&counts);
        let states = states.map(|(&(cost, string), &first)| State { first, cost, string }).collect();
        let arcs = if arcs.is_sorted_by_key(|(state, _)| *state) {
            arcs.into_iter().map(|(_, arc)| arc).collect()
        } else {
            let mut sorted = vec![Arc::default(); arcs.len()];
            for (state, arc) in arcs {
                let place = &mut counts[state as usize];
                sorted[*place as usize] = arc;
                *place += 1;
            }
            sorted
        };
        let properties = if is_sorted { SORTED } else { 0 };
        Graph { start, states, arcs, ids, properties, ..Graph::default() }
    }
}

impl Graph {
    /// A builder with the states and arcs of this graph, which goes on with new ones.
    pub(crate) fn into_builder(self) -> Builder {
        let mut builder = Builder { start: self.start, ..Builder::default() };
        for state in self.states() {
            builder.arcs.extend(self.arcs(state).iter().map(|arc| (state, *arc)));
        }
        builder.finals = self.states.iter().map(|state| (state.cost, state.string)).collect();
        builder.ids = self.ids;
        builder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_may_come_in_any_order() {
        let mut builder = Builder::default();
        builder.add_states_to(3);
        builder.set_start(0);
        for (state, input, next) in [(1, 5, 2), (0, 7, 1), (1, 4, 2), (0, 3, 2)] {
            builder.add_arc(state, Arc::plain(input, 0, Cost::ONE, next));
        }
        let graph = builder.finish();
        let inputs = |state| graph.arcs(state).iter().map(|arc| arc.input).collect::<Vec<_>>();
        assert_eq!((inputs(0), inputs(1), inputs(2)), (vec![7, 3], vec![5, 4], vec![]));
    }

    #[test]
    fn equal_graphs_may_store_their_strings_elsewhere() {
        let make = |first: &[i32]| {
            let mut builder = Builder::default();
            builder.add_string(first);
            let string = builder.add_string(&[1, 2]);
            let state = builder.add_state();
            builder.set_final(state, Cost::ONE, string);
            builder.finish()
        };
        assert_eq!(make(&[]), make(&[9, 9]));
        assert_ne!(make(&[]), Graph::default());
    }

    #[test]
    fn a_state_with_an_infinite_cost_and_a_string_is_final() {
        let mut builder = Builder::default();
        builder.add_states_to(2);
        let string = builder.add_string(&[1]);
        builder.set_final(1, Cost::INFINITE, string);
        let graph = builder.finish();
        assert_eq!([graph.is_final(0), graph.is_final(1)], [false, true]);
    }
}
