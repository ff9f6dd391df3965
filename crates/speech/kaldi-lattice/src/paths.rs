//! The best path, and paths one after the other.

use crate::builder::Builder;
use crate::cost::{Cost, Scale};
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph, Span};
use crate::value::{CompactLattice, Lattice};

/// What a lattice of one path says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    /// The transition-ids, one a frame.
    pub ids: Vec<i32>,
    /// The words.
    pub words: Vec<i32>,
    /// The cost of the path.
    pub cost: Cost,
}

/// A word of a path with its frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimedWord {
    /// The word; 0 for none.
    pub word: i32,
    /// The first frame.
    pub start: usize,
    /// The number of frames.
    pub length: usize,
}

impl CompactLattice {
    /// The best path as a lattice of its own. Of equal ones the first counts: in the order of states, and of arcs.
    /// `None` if there is none, or all are impossible. It may cost minus infinity, if no other one does.
    ///
    /// # Errors
    /// If there is a cycle, or paths cannot be compared by their costs.
    pub fn best_path(&self) -> Result<Option<Self>> {
        let sorted = self.sorted()?;
        let graph = sorted.as_ref().unwrap_or(&self.0);
        let cost = |cost: Cost, _| cost.total();
        let found = graph.best_states(&cost)?;
        Ok(found.map(|(states, _)| Self(path_of_states(graph, &states, &cost))))
    }

    /// The words of the best path after [`Graph::scale`] and [`Graph::add_penalty`], without changing the lattice, which has
    /// to be sorted topologically. `None` if there is no path, or all are impossible.
    ///
    /// # Errors
    /// If paths cannot be compared by their costs, or the best one costs minus infinity.
    pub fn best_words(&self, scale: &Scale, penalty: f32) -> Result<Option<Vec<i32>>> {
        let is_scaled = !scale.is_one();
        let cost = |cost: Cost, word: i32| {
            let mut cost = if is_scaled { cost.scaled(scale) } else { cost };
            if word != 0 {
                cost.graph += penalty;
            }
            cost.total()
        };
        let Some((states, total)) = self.best_states(&cost)? else { return Ok(None) };
        if total == f64::NEG_INFINITY {
            return Err(no_path("the best states", total));
        }
        let words = states.windows(2).filter_map(|pair| Some(self.best_arc(pair[0], pair[1], &cost)?.input));
        Ok(Some(words.filter(|&word| word != 0).collect()))
    }

    /// The words and transition-ids of a lattice of one path, and its cost: what would be read off its plain form.
    /// `None` if it is no such lattice.
    pub fn linear(&self) -> Option<Linear> {
        let mut linear = Linear::default();
        let add = |linear: &mut Linear, word: i32, string: Span, cost: Cost| {
            linear.words.extend((word != 0).then_some(word));
            linear.ids.extend(self.string(string).iter().filter(|&&id| id != 0));
            linear.cost = linear.cost.then(cost);
        };
        let last = self.walk(|arc| add(&mut linear, arc.input, arc.string, arc.cost))?;
        add(&mut linear, 0, self.final_span(last), self.final_cost(last));
        Some(linear)
    }

    /// The words of a lattice of one path with their frames, and whether the final state has frames of its own, which
    /// are those of no word. `None` if it is no such lattice.
    pub fn timed_words(&self) -> Option<(Vec<TimedWord>, bool)> {
        let (mut words, mut start) = (Vec::new(), 0);
        let last = self.walk(|arc| {
            let length = arc.string.len();
            words.push(TimedWord { word: arc.input, start, length });
            start += length;
        })?;
        Some((words, !self.final_string(last).is_empty()))
    }
}

impl Graph {
    /// The graph sorted topologically; `None` if it is already.
    pub(crate) fn sorted(&self) -> Result<Option<Graph>> {
        if self.is_sorted() {
            return Ok(None);
        }
        let mut graph = self.clone();
        if graph.sort() { Ok(Some(graph)) } else { Err(Error::Cycle) }
    }

    /// Visits the arcs of the only path and returns its final state; `None` if there is another number of paths.
    pub(crate) fn walk(&self, mut visit: impl FnMut(&Arc)) -> Option<u32> {
        let mut state = self.start()?;
        for _ in 0..=self.num_states() {
            match (self.is_final(state), self.arcs(state)) {
                (true, []) => return Some(state),
                (false, [arc]) => {
                    visit(arc);
                    state = arc.next;
                }
                _ => return None,
            }
        }
        None
    }
}

impl Graph {
    /// The states of the best path of a sorted graph, where `cost` gets a cost and the label of its arc, or 0 for that of a
    /// final state; and its cost. `None` if there is no path, or all are impossible.
    ///
    /// # Errors
    /// If paths cannot be compared by their costs.
    fn best_states(&self, cost: &impl Fn(Cost, i32) -> f64) -> Result<Option<(Vec<u32>, f64)>> {
        let Some(start) = self.start() else { return Ok(None) };
        let count = self.num_states();
        let mut best = vec![(f64::INFINITY, u32::MAX); count + 1];
        best[start as usize].0 = 0.0;
        for state in self.states() {
            let here = best[state as usize].0;
            // No path leads here.
            if here == f64::INFINITY {
                continue;
            }
            for (index, arc) in self.arcs(state).iter().enumerate() {
                let known = &mut best[arc.next as usize];
                let next = here + cost(arc.cost, arc.input);
                if is_less(next, known.0).ok_or_else(|| no_path(&format!("arc {index} of state {state}"), next))? {
                    *known = (next, state);
                }
            }
            let last = here + cost(self.final_cost(state), 0);
            if is_less(last, best[count].0).ok_or_else(|| no_path(&format!("the end of state {state}"), last))? {
                best[count] = (last, state);
            }
        }
        let mut states = Vec::new();
        let mut state = count as u32;
        while state != start {
            state = best[state as usize].1;
            if state == u32::MAX {
                return Ok(None);
            }
            states.push(state);
        }
        states.reverse();
        Ok(Some((states, best[count].0)))
    }

    /// The cheapest arc between two states, the first one of equals.
    fn best_arc(&self, from: u32, to: u32, cost: &impl Fn(Cost, i32) -> f64) -> Option<&Arc> {
        let mut best: Option<(&Arc, f64)> = None;
        for arc in self.arcs(from).iter().filter(|arc| arc.next == to) {
            let cost = cost(arc.cost, arc.input);
            if best.is_none_or(|(_, least)| cost < least) {
                best = Some((arc, cost));
            }
        }
        best.map(|(arc, _)| arc)
    }
}

/// Whether a cost is less than another one. `None` if that cannot be said: it is not a number, or both are minus infinity.
fn is_less(cost: f64, other: f64) -> Option<bool> {
    let is_open = cost.is_nan() || cost == f64::NEG_INFINITY && other == f64::NEG_INFINITY;
    (!is_open).then_some(cost < other)
}

/// Says that a path cannot be compared with others.
fn no_path(place: &str, cost: f64) -> Error {
    Error::Cost { place: format!("a path through {place}"), got: cost.to_string() }
}

/// The path through these states, which are numbered from 0.
fn path_of_states(graph: &Graph, states: &[u32], cost: &impl Fn(Cost, i32) -> f64) -> Graph {
    let mut builder = Builder::default();
    builder.add_states_to(states.len());
    builder.set_start(0);
    for (pair, index) in states.windows(2).zip(0..) {
        if let Some(arc) = graph.best_arc(pair[0], pair[1], cost) {
            let string = builder.add_string(graph.string(arc.string));
            builder.add_arc(index, Arc { string, next: index + 1, ..*arc });
        }
    }
    if let Some(&last) = states.last() {
        let string = builder.add_string(graph.final_string(last));
        builder.set_final(states.len() as u32 - 1, graph.final_cost(last), string);
    }
    builder.finish()
}

impl Lattice {
    /// The words and transition-ids of a lattice of one path, and its cost. `None` if it is no such lattice.
    pub fn linear(&self) -> Option<Linear> {
        let mut linear = Linear::default();
        let last = self.walk(|arc| {
            linear.words.extend((arc.output != 0).then_some(arc.output));
            linear.ids.extend((arc.input != 0).then_some(arc.input));
            linear.cost = linear.cost.then(arc.cost);
        })?;
        linear.cost = linear.cost.then(self.final_cost(last));
        Some(linear)
    }

    /// A lattice of one path. The first transition-id and the first word are on the first arc, and so on; what is left
    /// of the longer list goes on alone. The cost is that of the final state.
    pub fn from_linear(linear: &Linear) -> Self {
        let mut builder = Builder::default();
        let length = linear.ids.len().max(linear.words.len());
        builder.add_states_to(length + 1);
        builder.set_start(0);
        for index in 0..length {
            let label = |labels: &[i32]| labels.get(index).copied().unwrap_or(0);
            let next = index as u32 + 1;
            builder.add_arc(index as u32, Arc::plain(label(&linear.ids), label(&linear.words), Cost::ONE, next));
        }
        builder.set_final(length as u32, linear.cost, Span::EMPTY);
        Self(builder.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::compact;

    #[test]
    fn the_first_of_equally_good_paths_counts() {
        let lattice = compact("0 1 5 1,1,3\n0 2 6 1,1,4\n1 3 7\n2 3 8\n3\n");
        assert_eq!(lattice.best_path(), Ok(Some(compact("0 1 5 1,1,3\n1 2 7\n2\n"))));
        let parallel = compact("0 1 5 1,1,3\n0 1 6 0.5,1.5,4\n0 1 7 0.5,0.5,4\n0 1 8 0.25,0.75,4\n1\n");
        assert_eq!(parallel.best_path(), Ok(Some(compact("0 1 7 0.5,0.5,4\n1\n"))));
    }

    #[test]
    fn the_best_words_at_a_setting_are_those_of_the_changed_lattice() {
        let lattice = compact("0 1 5 1,8,3\n0 2 6 2,4,4\n0 2 7 3,3,4\n1 3 7\n2 4 8 0,0,\n4 3 0 0,1,\n3 0.5,0,\n");
        for (acoustic, penalty) in [(1.0, 0.0), (0.1, 0.0), (0.1, -5.0), (0.5, 2.0)] {
            let scale = Scale::new(1.0, acoustic);
            let mut changed = lattice.clone();
            changed.scale(&scale);
            changed.add_penalty(penalty);
            let path = changed.best_path().unwrap().unwrap().linear().unwrap();
            let mut sorted = lattice.clone();
            sorted.sort_if_needed();
            assert_eq!(sorted.best_words(&scale, penalty), Ok(Some(path.words)), "{acoustic} {penalty}");
        }
        assert_eq!(compact("0 1 5\n1 Infinity,Infinity,\n").best_words(&Scale::default(), 0.0), Ok(None));
    }

    #[test]
    fn a_final_state_competes_after_its_arcs() {
        let lattice = compact("0 1 5 1,0,\n1 2 6 0,0,\n1 0.5,0,\n2 0.5,0,\n");
        assert_eq!(lattice.best_path().unwrap().unwrap().linear().unwrap().words, [5]);
    }

    #[test]
    fn infinite_costs_and_cycles_give_no_path() {
        assert_eq!(compact("0 1 5 Infinity,1,3\n1\n").best_path(), Ok(None));
        assert_eq!(compact("0 1 5\n1 Infinity,Infinity,\n").best_path(), Ok(None));
        assert_eq!(compact("").best_path(), Ok(None));
        assert_eq!(compact("0 1 5\n1 0 6\n1\n").best_path(), Err(Error::Cycle));
    }

    #[test]
    fn paths_that_cannot_be_compared_have_no_best_one() {
        for (costs, place) in [
            (["nan,0", "3,0"], "arc 0 of state 0"),
            (["3,0", "0,nan"], "arc 1 of state 0"),
            (["-inf,inf", "3,0"], "arc 0 of state 0"),
            (["-inf,1", "0,-inf"], "arc 1 of state 0"),
        ] {
            let lattice = compact(&format!("0 1 5 {},1\n0 1 6 {},1\n1\n", costs[0], costs[1]));
            let error = lattice.best_path().unwrap_err();
            assert!(error.to_string().contains(place), "{error}");
            assert_eq!(lattice.best_words(&Scale::default(), 0.0), Err(error));
        }
        assert!(compact("0 1 5\n1 nan,0,\n").best_path().is_err());
        // What is taken in any case may cost minus infinity; what no path takes may cost anything.
        let lattice = compact("0 1 5 -inf,1,1\n0 1 6 3,0,1\n1\n");
        assert_eq!(lattice.best_path(), Ok(Some(compact("0 1 5 -inf,1,1\n1\n"))));
        assert!(lattice.best_words(&Scale::default(), 0.0).is_err());
        assert!(compact("0 1 5\n1\n2 1 6 nan,0,\n").best_path().is_ok());
    }

    #[test]
    fn words_have_their_frames() {
        let lattice = compact("0 1 5 1,1,3_3\n1 2 0 0,0,4\n2 3 6 0,2,5_5_5\n3 0.5,0,7\n");
        let word = |word, start, length| TimedWord { word, start, length };
        assert_eq!(lattice.timed_words(), Some((vec![word(5, 0, 2), word(0, 2, 1), word(6, 3, 3)], true)));
        let linear = lattice.linear().unwrap();
        assert_eq!((linear.words, linear.ids), (vec![5, 6], vec![3, 3, 4, 5, 5, 5, 7]));
        assert_eq!(linear.cost, Cost::new(1.5, 3.0));
        assert_eq!(compact("0 1 5\n0 1 6\n1\n").timed_words(), None);
        assert_eq!(compact("0 0 5\n").linear(), None);
    }

    #[test]
    fn one_list_may_be_longer_than_the_other() {
        let linear = Linear { ids: vec![1, 2], words: vec![7, 8, 9], cost: Cost::new(1.0, 2.0) };
        assert_eq!(Lattice::from_linear(&linear).linear(), Some(linear));
        assert_eq!(Lattice::from_linear(&Linear::default()).num_states(), 1);
    }
}
