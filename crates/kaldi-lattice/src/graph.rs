//! States and arcs in flat arrays.

use std::ops::Range;

use crate::cost::{Cost, Scale};

/// A piece of the transition-ids of a graph, which arcs and states share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    start: u32,
    length: u32,
}

impl Span {
    /// No transition-ids.
    pub const EMPTY: Self = Self { start: 0, length: 0 };

    pub(crate) fn new(start: usize, length: usize) -> Self {
        Self { start: start as u32, length: length as u32 }
    }

    /// The number of transition-ids.
    pub fn len(self) -> usize {
        self.length as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.start as usize + self.length as usize
    }
}

/// An arc between two states.
///
/// In a plain lattice the input is a transition-id or 0, the output a word or 0, and there is no string. In a compact one
/// both labels are the word.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Arc {
    /// The input label.
    pub input: i32,
    /// The output label.
    pub output: i32,
    /// The cost.
    pub cost: Cost,
    /// The transition-ids of a compact arc.
    pub string: Span,
    /// The state that it leads to.
    pub next: u32,
}

impl Arc {
    /// An arc of a compact lattice.
    pub fn word(word: i32, cost: Cost, string: Span, next: u32) -> Self {
        Self { input: word, output: word, cost, string, next }
    }

    /// An arc of a plain lattice.
    pub fn plain(input: i32, output: i32, cost: Cost, next: u32) -> Self {
        Self { input, output, cost, string: Span::EMPTY, next }
    }

    /// Whether neither label is there.
    pub fn is_epsilon(&self) -> bool {
        self.input == 0 && self.output == 0
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    /// The first of its arcs.
    pub(crate) first: u32,
    pub(crate) cost: Cost,
    pub(crate) string: Span,
}

/// A directed graph with costs: states, their arcs, and the strings of arcs and final states.
///
/// States are numbered from 0. A state is final unless its final cost is infinite and it has no final string.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub(crate) start: Option<u32>,
    pub(crate) states: Vec<State>,
    pub(crate) arcs: Vec<Arc>,
    pub(crate) ids: Vec<i32>,
    /// What is known about the graph, as the header of a file says it. It holds until the graph is changed; 0 says nothing.
    pub(crate) properties: u64,
}

/// Properties of a graph whose arcs lead to higher states: it is sorted, and there is no cycle, not through the start either.
pub(crate) const SORTED: u64 = IS_SORTED | 1 << 35 | 1 << 37;
/// The property that the states are sorted.
pub(crate) const IS_SORTED: u64 = 1 << 38;

impl Graph {
    /// The start state. `None` if there is none, which makes the graph an empty one.
    pub fn start(&self) -> Option<u32> {
        self.start
    }

    /// The number of states.
    pub fn num_states(&self) -> usize {
        self.states.len()
    }

    /// The number of arcs.
    pub fn num_arcs(&self) -> usize {
        self.arcs.len()
    }

    pub(crate) fn states(&self) -> Range<u32> {
        0..self.states.len() as u32
    }

    fn arc_range(&self, state: u32) -> Range<usize> {
        let state = state as usize;
        let end = self.states.get(state + 1).map_or(self.arcs.len(), |next| next.first as usize);
        self.states[state].first as usize..end
    }

    /// The arcs that leave a state, in their order.
    pub fn arcs(&self, state: u32) -> &[Arc] {
        &self.arcs[self.arc_range(state)]
    }

    /// The arcs that leave a state, to be changed.
    pub fn arcs_mut(&mut self, state: u32) -> &mut [Arc] {
        let range = self.arc_range(state);
        self.properties = 0;
        &mut self.arcs[range]
    }

    /// All arcs, state by state.
    pub fn all_arcs(&self) -> &[Arc] {
        &self.arcs
    }

    /// The final cost of a state; infinite if it is not final.
    pub fn final_cost(&self, state: u32) -> Cost {
        self.states[state as usize].cost
    }

    /// The final string of a state.
    pub fn final_span(&self, state: u32) -> Span {
        self.states[state as usize].string
    }

    /// The transition-ids of a final state.
    pub fn final_string(&self, state: u32) -> &[i32] {
        self.string(self.final_span(state))
    }

    /// Whether a state is final.
    pub fn is_final(&self, state: u32) -> bool {
        let State { cost, string, .. } = self.states[state as usize];
        !(cost.is_infinite() && string.is_empty())
    }

    /// The transition-ids of a span.
    pub fn string(&self, span: Span) -> &[i32] {
        &self.ids[span.range()]
    }

    pub(crate) fn set_final(&mut self, state: u32, cost: Cost, string: Span) {
        let state = &mut self.states[state as usize];
        (state.cost, state.string) = (cost, string);
        self.properties = 0;
    }

    /// Changes every cost: those of arcs and those of final states.
    pub fn map_costs(&mut self, mut change: impl FnMut(Cost) -> Cost) {
        self.properties = 0;
        for arc in &mut self.arcs {
            arc.cost = change(arc.cost);
        }
        for state in &mut self.states {
            if !(state.cost.is_infinite() && state.string.is_empty()) {
                state.cost = change(state.cost);
            }
        }
    }

    /// Multiplies all costs by scales.
    pub fn scale(&mut self, scale: &Scale) {
        if !scale.is_one() {
            self.map_costs(|cost| cost.scaled(scale));
        }
    }

    /// Adds `penalty` to the graph cost of every arc with a word.
    pub fn add_penalty(&mut self, penalty: f32) {
        self.properties = 0;
        for arc in &mut self.arcs {
            if arc.output != 0 {
                arc.cost.graph += penalty;
            }
        }
    }

    /// Takes the transition-ids off all arcs and final states of a compact lattice.
    pub fn remove_strings(&mut self) {
        self.properties = 0;
        for arc in &mut self.arcs {
            arc.string = Span::EMPTY;
        }
        for state in &mut self.states {
            state.string = Span::EMPTY;
        }
        self.ids.clear();
    }

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

    /// The same graph with the states in a new order: state `s` becomes `numbers[s]`.
    pub(crate) fn renumbered(&self, numbers: &[u32]) -> Self {
        let mut old = vec![0; numbers.len()];
        for (state, &number) in self.states().zip(numbers) {
            old[number as usize] = state;
        }
        let mut arcs = Vec::with_capacity(self.arcs.len());
        let mut states = Vec::with_capacity(old.len());
        for state in old {
            states.push(State { first: arcs.len() as u32, ..self.states[state as usize] });
            arcs.extend(self.arcs(state).iter().map(|arc| Arc { next: numbers[arc.next as usize], ..*arc }));
        }
        Self {
            start: self.start.map(|start| numbers[start as usize]),
            states,
            arcs,
            ids: self.ids.clone(),
            properties: 0,
        }
    }

    /// The states with `keep`, and the arcs with `keep_arc` between them, numbered anew in their order.
    pub(crate) fn reduced(&mut self, keep: &[bool], mut keep_arc: impl FnMut(usize) -> bool) {
        let mut numbers = vec![u32::MAX; keep.len()];
        let kept = (0..keep.len()).filter(|&state| keep[state]);
        for (number, state) in kept.enumerate() {
            numbers[state] = number as u32;
        }
        let (mut arcs, mut states) = (Vec::with_capacity(self.arcs.len()), Vec::new());
        for state in self.states().filter(|&state| keep[state as usize]) {
            states.push(State { first: arcs.len() as u32, ..self.states[state as usize] });
            for index in self.arc_range(state) {
                let arc = self.arcs[index];
                if keep[arc.next as usize] && keep_arc(index) {
                    arcs.push(Arc { next: numbers[arc.next as usize], ..arc });
                }
            }
        }
        self.start = self.start.filter(|&start| keep[start as usize]).map(|start| numbers[start as usize]);
        (self.states, self.arcs) = (states, arcs);
        self.properties &= SORTED;
    }

    pub(crate) fn first_arc(&self, state: u32) -> usize {
        self.states[state as usize].first as usize
    }
}

/// Two graphs are equal if their states, arcs and strings are; where the strings are stored does not matter.
impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        self.start == other.start
            && self.states.len() == other.states.len()
            && self.states().all(|state| {
                let (arcs, others) = (self.arcs(state), other.arcs(state));
                self.final_cost(state) == other.final_cost(state)
                    && self.final_string(state) == other.final_string(state)
                    && arcs.len() == others.len()
                    && arcs.iter().zip(others).all(|(arc, other_arc)| {
                        let string = Span::EMPTY;
                        Arc { string, ..*arc } == Arc { string, ..*other_arc }
                            && self.string(arc.string) == other.string(other_arc.string)
                    })
            })
    }
}

/// Makes a graph from states and arcs in any order.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    start: Option<u32>,
    finals: Vec<(Cost, Span)>,
    arcs: Vec<(u32, Arc)>,
    ids: Vec<i32>,
}

impl Builder {
    /// A builder without states that shares the strings of `graph`: spans of its arcs can be used.
    pub fn with_strings_of(graph: &Graph) -> Self {
        Self { ids: graph.ids.clone(), ..Self::default() }
    }

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
        Graph { start, states, arcs, ids, properties: if is_sorted { SORTED } else { 0 } }
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
