//! States and arcs in flat arrays.

use std::ops::Range;

use crate::cost::{Cost, Scale};
use crate::error::{Error, Result};
use crate::fst::FstSymbols;

/// A piece of the transition-ids of a graph, which arcs and states share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub(crate) start: u32,
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

    pub(crate) fn range(self) -> Range<usize> {
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
    /// The symbol tables of an FST: of its inputs, of its outputs.
    pub(crate) symbols: [Option<FstSymbols>; 2],
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

    /// Checks that paths can be compared by their costs.
    ///
    /// # Errors
    /// If one is not a number, or minus infinity. A cost that is infinite is that of what is impossible.
    pub fn check_costs(&self) -> Result<()> {
        let are_sound = self.arcs.iter().all(|arc| arc.cost.is_comparable())
            && self.states.iter().all(|state| state.cost.is_comparable());
        if are_sound {
            return Ok(());
        }
        for state in self.states() {
            for (index, arc) in self.arcs(state).iter().enumerate() {
                if !arc.cost.is_comparable() {
                    return Err(Error::no_number(&format!("arc {index} of state {state}"), arc.cost));
                }
            }
            if !self.final_cost(state).is_comparable() {
                return Err(Error::no_number(&format!("the end of state {state}"), self.final_cost(state)));
            }
        }
        Ok(())
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

    /// Adds `penalty` to the graph cost of every arc of a compact lattice that has a word.
    pub fn add_penalty(&mut self, penalty: f32) {
        self.properties = 0;
        for arc in &mut self.arcs {
            if arc.input != 0 {
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
            ..Self::default()
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

    /// Checks that arcs can be numbered.
    ///
    /// # Errors
    /// If there are too many.
    pub(crate) fn check_num_arcs(count: usize) -> Result<()> {
        if u32::try_from(count).is_ok() { Ok(()) } else { Err(Error::TooManyArcs { count }) }
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
