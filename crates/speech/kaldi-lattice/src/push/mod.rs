//! Transition-ids and costs moved towards the start.

mod strings;

use crate::builder::Builder;
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph, Span};
use crate::value::CompactLattice;

impl CompactLattice {
    /// Moves costs to the front: what the best path from a state costs is on the arcs into it. The start keeps what is
    /// left. The lattice is sorted if needed. Returns whether all states reach the end.
    ///
    /// # Errors
    /// If there is a cycle, a cost is no number, or costs of a path add up to none.
    pub fn push_costs(&mut self) -> Result<bool> {
        self.check_costs()?;
        if !self.sort_if_needed() {
            return Err(Error::Cycle);
        }
        let Some(start) = self.start() else { return Ok(true) };
        let mut to_end = vec![Cost::INFINITE; self.num_states()];
        for state in self.states().rev() {
            let mut best = self.final_cost(state);
            for (index, arc) in self.arcs(state).iter().enumerate() {
                let rest = to_end[arc.next as usize];
                let cost = arc.cost.then(rest);
                if arc.cost.is_finite() && rest.is_finite() && !cost.is_finite() {
                    return Err(Error::no_number(&format!("a path through arc {index} of state {state}"), cost));
                }
                if cost.compare(best).is_lt() {
                    best = cost;
                }
            }
            to_end[state as usize] = best;
        }
        let all_end = to_end.iter().all(|cost| !cost.is_infinite());
        to_end[start as usize] = Cost::ONE;
        for state in self.states() {
            let here = to_end[state as usize];
            if here.is_infinite() {
                continue;
            }
            for arc in self.arcs_mut(state) {
                let next = to_end[arc.next as usize];
                if !next.is_infinite() {
                    arc.cost = arc.cost.then(next.after(here));
                }
            }
            if self.is_final(state) {
                let (cost, string) = (self.final_cost(state).after(here), self.final_span(state));
                self.set_final(state, cost, string);
            }
        }
        Ok(all_end)
    }
}

impl Graph {
    /// Joins arcs without labels to the arcs before or after them where that is easily done: into a state that no other
    /// arc enters, or that has nothing else behind it. Some such arcs may stay; all if there is a cycle.
    pub(crate) fn without_easy_epsilons(&self) -> Self {
        // Joining arcs of a cycle would never end.
        let Some(start) = self.start().filter(|_| !self.is_cyclic()) else { return self.clone() };
        let mut local = Local {
            arcs: self.states().map(|state| self.arcs(state).iter().map(|arc| Some(*arc)).collect()).collect(),
            finals: self.states().map(|state| self.final_cost(state)).collect(),
            entries: vec![0; self.num_states()],
        };
        local.entries[start as usize] = 1;
        for arc in self.all_arcs() {
            local.entries[arc.next as usize] += 1;
        }
        for state in self.states() {
            let mut index = 0;
            while index < local.arcs[state as usize].len() {
                local.join(state as usize, index);
                index += 1;
            }
        }
        let mut builder = Builder::default();
        builder.add_states_to(self.num_states());
        builder.set_start(start);
        for (state, (arcs, cost)) in (0..).zip(local.arcs.into_iter().zip(local.finals)) {
            builder.set_final(state, cost, Span::EMPTY);
            arcs.into_iter().flatten().for_each(|arc| builder.add_arc(state, arc));
        }
        let mut graph = builder.finish();
        graph.connect();
        graph
    }
}

/// A graph whose arcs are joined; those that are gone are `None`.
struct Local {
    arcs: Vec<Vec<Option<Arc>>>,
    finals: Vec<Cost>,
    /// Arcs into each state, and 1 for the start.
    entries: Vec<usize>,
}

impl Local {
    /// The ways out of a state; more than two are counted as two or three.
    fn exits(&self, state: usize) -> usize {
        self.arcs[state].iter().flatten().take(2).count() + usize::from(!self.finals[state].is_infinite())
    }

    /// Joins an arc with those after it, if that can be done.
    fn join(&mut self, state: usize, index: usize) {
        let Some(arc) = self.arcs[state][index] else { return };
        let next = arc.next as usize;
        if next == state {
            return;
        }
        let is_only_entry = self.entries[next] == 1;
        match self.exits(next) {
            1 => {}
            2.. if is_only_entry => {}
            _ => return,
        }
        let (mut removed, mut kept) = (Cost::INFINITE, Cost::INFINITE);
        let better = |one: Cost, other: Cost| if one.compare(other).is_le() { one } else { other };
        let mut joined = Vec::new();
        for place in 0..self.arcs[next].len() {
            let Some(after) = self.arcs[next][place] else { continue };
            let fits = (arc.input == 0 || after.input == 0) && (arc.output == 0 || after.output == 0);
            if !fits {
                kept = better(kept, after.cost);
                continue;
            }
            removed = better(removed, after.cost);
            let either = |label: i32, other: i32| if label != 0 { label } else { other };
            let (input, output) = (either(arc.input, after.input), either(arc.output, after.output));
            joined.push(Arc { input, output, cost: arc.cost.then(after.cost), ..after });
            if is_only_entry {
                self.entries[after.next as usize] -= 1;
                self.arcs[next][place] = None;
            }
        }
        let last = self.finals[next];
        if !last.is_infinite() {
            if arc.is_epsilon() {
                removed = better(removed, last);
                self.finals[state] = better(self.finals[state], arc.cost.then(last));
                if is_only_entry {
                    self.finals[next] = Cost::INFINITE;
                }
            } else {
                kept = better(kept, last);
            }
        }
        if removed.is_infinite() {
            return;
        }
        if kept.is_infinite() {
            self.arcs[state][index] = None;
            self.entries[next] -= 1;
        } else {
            self.reweigh(state, index, kept.after(better(removed, kept)));
        }
        for arc in joined {
            self.entries[arc.next as usize] += 1;
            self.arcs[state].push(Some(arc));
        }
    }

    /// Adds a cost to an arc and takes it from all that follows.
    fn reweigh(&mut self, state: usize, index: usize, added: Cost) {
        let Some(arc) = &mut self.arcs[state][index] else { return };
        arc.cost = arc.cost.then(added);
        let next = arc.next as usize;
        for arc in self.arcs[next].iter_mut().flatten() {
            arc.cost = arc.cost.after(added);
        }
        if !self.finals[next].is_infinite() {
            self.finals[next] = self.finals[next].after(added);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::compact;

    #[test]
    fn costs_are_pushed_along_the_best_path() {
        let mut lattice = compact("0 1 5 1,2,3\n0 1 6 4,2,3\n1 2 7 3,1,4\n1 2 8 2,1,4\n2 0.5,0,\n");
        assert_eq!(lattice.push_costs(), Ok(true));
        assert_eq!(lattice, compact("0 1 5 3.5,3,3\n0 1 6 6.5,3,3\n1 2 7 1,0,4\n1 2 8 0,0,4\n2\n"));
        let mut endless = compact("0 1 5 1,2,3\n1 Infinity,Infinity,\n");
        let before = endless.clone();
        assert_eq!((endless.push_costs(), endless), (Ok(false), before));
    }

    #[test]
    fn the_start_need_not_be_the_first_state() {
        let mut lattice = compact("1 2 5 1,2,3\n1 2 6 4,2,3\n0 2 9 1,1,3\n2 3 7 3,1,4\n3 0.5,0,\n");
        assert_eq!(lattice.push_costs(), Ok(true));
        let path = lattice.best_path().unwrap().unwrap();
        assert_eq!(path, compact("0 1 5 4.5,3,3\n1 2 7 0,0,4\n2\n"));
    }

    #[test]
    fn costs_that_are_no_numbers_are_not_pushed() {
        for text in ["0 1 5 nan,2,3\n0 1 6 3,0,3\n1\n", "0 1 5\n1 -inf,0,\n", "0 1 5 3e38,0,\n1 2 6 3e38,0,\n2\n"] {
            let mut lattice = compact(text);
            assert!(matches!(lattice.push_costs(), Err(Error::Cost { .. })), "{text}");
        }
    }

    #[test]
    fn easy_epsilons_are_joined() {
        let graph = compact("0 1 0 1,0,\n1 2 5 2,0,\n2 3 0 0.5,0,\n3 4 6\n4\n").without_easy_epsilons();
        assert_eq!(graph, compact("0 1 5 3.5,0,\n1 2 6\n2\n").0);
    }
}
