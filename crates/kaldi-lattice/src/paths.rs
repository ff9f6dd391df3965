//! The best path, and paths one after the other.

use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Builder, Graph, Span};
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
    /// `None` if there is none of finite cost.
    ///
    /// # Errors
    /// If there is a cycle.
    pub fn best_path(&self) -> Result<Option<Self>> {
        let sorted = self.sorted()?;
        let graph = sorted.as_ref().unwrap_or(&self.0);
        let Some(start) = graph.start() else { return Ok(None) };
        let count = graph.num_states();
        let mut costs = vec![f64::INFINITY; count + 1];
        let mut before = vec![u32::MAX; count + 1];
        costs[start as usize] = 0.0;
        for state in graph.states() {
            let cost = costs[state as usize];
            for arc in graph.arcs(state) {
                let next = cost + arc.cost.total();
                if next < costs[arc.next as usize] {
                    (costs[arc.next as usize], before[arc.next as usize]) = (next, state);
                }
            }
            let last = cost + graph.final_cost(state).total();
            if last < costs[count] {
                (costs[count], before[count]) = (last, state);
            }
        }
        let mut states = Vec::new();
        let mut state = count as u32;
        while state != start {
            state = before[state as usize];
            if state == u32::MAX {
                return Ok(None);
            }
            states.push(state);
        }
        states.reverse();
        Ok(Some(Self(path_of_states(graph, &states))))
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

/// The path through these states, which are numbered from 0; between two of them the cheapest arc counts, the first one
/// of equals.
fn path_of_states(graph: &Graph, states: &[u32]) -> Graph {
    let mut builder = Builder::default();
    builder.add_states_to(states.len());
    builder.set_start(0);
    for (index, pair) in states.windows(2).enumerate() {
        let mut best: Option<&Arc> = None;
        for arc in graph.arcs(pair[0]).iter().filter(|arc| arc.next == pair[1]) {
            if best.is_none_or(|best| arc.cost.total() < best.cost.total()) {
                best = Some(arc);
            }
        }
        if let Some(arc) = best {
            let string = builder.add_string(graph.string(arc.string));
            builder.add_arc(index as u32, Arc { string, next: index as u32 + 1, ..*arc });
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
