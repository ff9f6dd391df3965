//! The best paths, and random ones.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

use crate::builder::Builder;
use crate::convert::{to_compact, to_plain};
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph};
use crate::value::CompactLattice;

/// A path that is not at its end yet, or is.
struct Partial {
    /// The cost of the path and of the best way to go on.
    cost: f64,
    /// The cost up to here.
    so_far: f64,
    /// Where it is; `None` at the end.
    state: Option<u32>,
    /// The step that led here, by its index.
    step: usize,
}

impl PartialEq for Partial {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Partial {}

impl PartialOrd for Partial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The cheapest is the greatest; of equal ones that which was found first.
impl Ord for Partial {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.step.cmp(&self.step))
    }
}

/// An arc of a path, by its index among all arcs, and the step before it.
#[derive(Clone, Copy)]
struct Step {
    before: usize,
    arc: Option<u32>,
    state: u32,
}

impl CompactLattice {
    /// The `count` best paths, the best first, each a lattice of its own. They differ as paths, but may have the same
    /// words. Cycles are allowed.
    ///
    /// # Errors
    /// If there is a cycle whose cost is below 0, or a cost is no number.
    pub fn best_paths(&self, count: usize) -> Result<Vec<Self>> {
        self.check_costs()?;
        // Where there is a cycle, the order of states does not matter.
        let sorted = self.sorted().unwrap_or_default();
        let graph = sorted.as_ref().unwrap_or(&self.0);
        let Some(start) = graph.start() else { return Ok(Vec::new()) };
        let to_end = graph.costs_to_end()?;
        let mut steps = vec![Step { before: usize::MAX, arc: None, state: start }];
        let mut heap = BinaryHeap::new();
        let mut reached = vec![0_usize; graph.num_states()];
        let mut paths = Vec::new();
        heap.push(Partial { cost: to_end[start as usize], so_far: 0.0, state: Some(start), step: 0 });
        while paths.len() < count
            && let Some(Partial { so_far, state, step, .. }) = heap.pop()
        {
            let Some(state) = state else {
                paths.push(Self(path_of_steps(graph, &steps, step)));
                continue;
            };
            if reached[state as usize] >= count {
                continue;
            }
            reached[state as usize] += 1;
            if graph.is_final(state) {
                let cost = so_far + graph.final_cost(state).total();
                if cost.is_finite() {
                    heap.push(Partial { cost, so_far: cost, state: None, step });
                }
            }
            let first = graph.first_arc(state);
            for (index, arc) in graph.arcs(state).iter().enumerate() {
                let so_far = so_far + arc.cost.total();
                let cost = so_far + to_end[arc.next as usize];
                if cost.is_finite() {
                    steps.push(Step { before: step, arc: Some((first + index) as u32), state: arc.next });
                    heap.push(Partial { cost, so_far, state: Some(arc.next), step: steps.len() - 1 });
                }
            }
        }
        // A path has the arcs that the plain form gives it.
        Ok(paths.iter().map(|path| to_compact(&to_plain(path))).collect())
    }

    /// A path that is drawn step by step, each way alike, without its costs. `choose` gets the number of ways.
    /// `None` if there is no path, or none was found after as many steps as there are states.
    pub fn random_path(&self, mut choose: impl FnMut(usize) -> usize) -> Option<Self> {
        let mut connected = self.0.clone();
        connected.connect();
        let mut state = connected.start()?;
        let mut steps = vec![Step { before: usize::MAX, arc: None, state }];
        for _ in 0..=10 * connected.num_states() {
            let arcs = connected.arcs(state);
            let chosen = choose(arcs.len() + usize::from(connected.is_final(state)));
            let Some(arc) = arcs.get(chosen) else {
                let mut path = path_of_steps(&connected, &steps, steps.len() - 1);
                path.map_costs(|_| Cost::ONE);
                return Some(to_compact(&to_plain(&Self(path))));
            };
            let arc_index = (connected.first_arc(state) + chosen) as u32;
            state = arc.next;
            steps.push(Step { before: steps.len() - 1, arc: Some(arc_index), state });
        }
        None
    }

    /// The cost of the best path with these words and transition-ids; `None` if there is none.
    ///
    /// # Errors
    /// If there is a cycle, or a cost is no number.
    pub fn cost_of(&self, words: &[i32], ids: &[i32]) -> Result<Option<Cost>> {
        self.check_costs()?;
        let sorted = self.sorted()?;
        let graph = sorted.as_ref().unwrap_or(&self.0);
        let Some(start) = graph.start() else { return Ok(None) };
        let mut places: Vec<HashMap<(usize, usize), Cost>> = vec![HashMap::new(); graph.num_states()];
        places[start as usize].insert((0, 0), Cost::ONE);
        let mut best: Option<Cost> = None;
        for state in graph.states() {
            for ((word, id), cost) in std::mem::take(&mut places[state as usize]) {
                if graph.is_final(state) && word == words.len() && ids[id..] == *graph.final_string(state) {
                    let cost = cost.then(graph.final_cost(state));
                    best = Some(best.filter(|best| best.compare(cost).is_le()).unwrap_or(cost));
                }
                for arc in graph.arcs(state) {
                    let has_word = arc.input == 0 || words.get(word) == Some(&arc.input);
                    if !has_word || !ids[id..].starts_with(graph.string(arc.string)) {
                        continue;
                    }
                    let place = (word + usize::from(arc.input != 0), id + arc.string.len());
                    let cost = cost.then(arc.cost);
                    let known = places[arc.next as usize].entry(place).or_insert(cost);
                    if cost.compare(*known).is_lt() {
                        *known = cost;
                    }
                }
            }
        }
        Ok(best)
    }
}

impl Graph {
    /// What the best path from each state to the end costs.
    ///
    /// # Errors
    /// If there is a cycle whose cost is below 0.
    fn costs_to_end(&self) -> Result<Vec<f64>> {
        let mut costs: Vec<f64> = self.states().map(|state| self.final_cost(state).total()).collect();
        // Without a cycle, this takes one round, and another one that finds nothing to change.
        let order = self.backward_order();
        for _ in 0..=self.num_states() {
            let mut has_changed = false;
            for &state in &order {
                for arc in self.arcs(state) {
                    let cost = arc.cost.total() + costs[arc.next as usize];
                    if cost < costs[state as usize] {
                        costs[state as usize] = cost;
                        has_changed = true;
                    }
                }
            }
            if !has_changed {
                return Ok(costs);
            }
        }
        Err(Error::Cycle)
    }
}

fn path_of_steps(graph: &Graph, steps: &[Step], last: usize) -> Graph {
    let mut path = Vec::new();
    let mut at = last;
    while let Some(step) = steps.get(at) {
        path.extend(step.arc);
        at = step.before;
    }
    let mut builder = Builder::default();
    builder.add_states_to(path.len() + 1);
    builder.set_start(0);
    for (state, &index) in (0..).zip(path.iter().rev()) {
        let arc = graph.all_arcs()[index as usize];
        let string = builder.add_string(graph.string(arc.string));
        builder.add_arc(state, Arc { string, next: state + 1, ..arc });
    }
    let end = steps[last].state;
    let string = builder.add_string(graph.final_string(end));
    builder.set_final(path.len() as u32, graph.final_cost(end), string);
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::compact;

    fn lattice() -> CompactLattice {
        compact("0 1 5 1,0,3\n0 1 6 2,0,4\n1 2 7 0,0,5\n1 2 8 1.5,0,5\n2\n")
    }

    #[test]
    fn paths_come_by_their_costs() {
        let words = |count| -> Vec<Vec<i32>> {
            let paths = lattice().best_paths(count).unwrap();
            paths.iter().map(|path| path.linear().unwrap().words).collect()
        };
        assert_eq!(words(3), [[5, 7], [6, 7], [5, 8]]);
        assert_eq!(words(99).len(), 4);
        assert!(compact("").best_paths(2).unwrap().is_empty());
        let cyclic = |cost| compact(&format!("0 1 5 1,0,\n1 0 6 {cost},0,\n1\n")).best_paths(3);
        let lengths: Vec<usize> = cyclic(1).unwrap().iter().map(|path| path.linear().unwrap().words.len()).collect();
        assert_eq!(lengths, [1, 3, 5]);
        assert_eq!(cyclic(-2).unwrap_err(), Error::Cycle);
        for cost in ["nan,0", "-inf,0", "0,nan"] {
            let lattice = compact(&format!("0 1 5 {cost},3\n0 1 6 3,0,4\n1\n"));
            assert!(matches!(lattice.best_paths(2), Err(Error::Cost { .. })), "{cost}");
            assert!(matches!(lattice.cost_of(&[6], &[4]), Err(Error::Cost { .. })), "{cost}");
        }
        assert_eq!(compact("0 1 5 inf,0,3\n0 1 6 3,0,4\n1\n").best_paths(2).unwrap().len(), 1);
    }

    #[test]
    fn a_random_path_is_one_of_the_lattice() {
        let path = lattice().random_path(|ways| ways - 1).unwrap().linear().unwrap();
        assert_eq!((path.words, path.cost), (vec![6, 8], Cost::ONE));
        assert!(compact("0 1 5\n1 Infinity,Infinity,\n").random_path(|_| 0).is_none());
    }

    #[test]
    fn the_cost_of_words_and_frames_is_that_of_the_best_path() {
        assert_eq!(lattice().cost_of(&[5, 8], &[3, 5]), Ok(Some(Cost::new(2.5, 0.0))));
        assert_eq!(lattice().cost_of(&[5, 8], &[4, 5]), Ok(None));
        assert_eq!(lattice().cost_of(&[5], &[3]), Ok(None));
    }
}
