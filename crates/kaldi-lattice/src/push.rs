//! Transition-ids and costs moved towards the start.

use crate::builder::Builder;
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph, Span};
use crate::value::CompactLattice;

impl CompactLattice {
    /// Moves transition-ids to the front as far as all paths that go on from a state agree. The lattice is sorted if
    /// needed.
    ///
    /// # Errors
    /// If there is a cycle.
    pub fn push_strings(&mut self) -> Result<()> {
        if !self.sort_if_needed() {
            return Err(Error::Cycle);
        }
        let Some(start) = self.start() else { return Ok(()) };
        let graph = &self.0;
        // So many of the next transition-ids are the same on all paths from each state.
        let mut shared = vec![0; graph.num_states()];
        for state in graph.states().rev().take_while(|&state| state > start) {
            shared[state as usize] = graph.shared_start(state, &shared);
        }
        let mut ids = Vec::with_capacity(graph.ids.len());
        let mut pushed = |state: u32, span: Span, next: Option<u32>| {
            let first = ids.len();
            let skipped = shared[state as usize];
            let more = next.map_or(0, |next| shared[next as usize]);
            let following = next.into_iter().flat_map(|next| graph.any_path(next)).take(more);
            ids.extend(graph.string(span).iter().copied().chain(following).skip(skipped));
            Span::new(first, ids.len() - first)
        };
        let mut arcs = graph.arcs.clone();
        let mut states = graph.states.clone();
        for state in graph.states() {
            let first = graph.first_arc(state);
            for (index, arc) in graph.arcs(state).iter().enumerate() {
                arcs[first + index].string = pushed(state, arc.string, Some(arc.next));
            }
            states[state as usize].string = pushed(state, graph.final_span(state), None);
        }
        self.0 = Graph { start: Some(start), states, arcs, ids, properties: 0 };
        Ok(())
    }

    /// Moves costs to the front: what the best path from a state costs is on the arcs into it. The start keeps what is
    /// left. The lattice is sorted if needed. Returns whether all states reach the end.
    ///
    /// # Errors
    /// If there is a cycle.
    pub fn push_costs(&mut self) -> Result<bool> {
        if !self.sort_if_needed() {
            return Err(Error::Cycle);
        }
        let mut to_end = vec![Cost::INFINITE; self.num_states()];
        for state in self.states().rev() {
            let mut best = self.final_cost(state);
            for arc in self.arcs(state) {
                let cost = arc.cost.then(to_end[arc.next as usize]);
                if cost.compare(best).is_lt() {
                    best = cost;
                }
            }
            to_end[state as usize] = best;
        }
        let all_end = to_end.iter().all(|cost| !cost.is_infinite());
        if let Some(first) = to_end.first_mut() {
            *first = Cost::ONE;
        }
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
    /// The number of transition-ids at the start of all paths from a state that are the same, if those of higher states
    /// are known.
    fn shared_start(&self, state: u32, shared: &[usize]) -> usize {
        let ends = self.is_final(state).then(|| self.final_span(state).len());
        let goes_on = self.arcs(state).iter().map(|arc| arc.string.len() + shared[arc.next as usize]);
        let Some(mut count) = ends.into_iter().chain(goes_on).min() else { return 0 };
        let from_arcs = self.arcs(state).iter().skip(usize::from(ends.is_none()));
        for arc in from_arcs {
            let other = self.string(arc.string).iter().copied().chain(self.any_path(arc.next));
            let same = self.any_path(state).zip(other).take(count).take_while(|(one, other)| one == other);
            count = same.count();
        }
        count
    }

    /// The transition-ids on some path from a state: it ends where it can, otherwise it takes the first arc.
    fn any_path(&self, state: u32) -> impl Iterator<Item = i32> {
        let mut state = Some(state);
        let spans = std::iter::from_fn(move || {
            let here = state?;
            if self.is_final(here) {
                state = None;
                return Some(self.final_span(here));
            }
            let arc = self.arcs(here).first()?;
            state = Some(arc.next);
            Some(arc.string)
        });
        spans.flat_map(|span| self.string(span).iter().copied())
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
    fn exits(&self, state: usize) -> usize {
        self.arcs[state].iter().flatten().count() + usize::from(!self.finals[state].is_infinite())
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
    fn strings_are_pushed_as_far_as_paths_agree() {
        let mut lattice = compact("0 1 5 1,0,\n1 2 6 0,0,3_4\n1 2 7 0,0,3_5\n2 0,0,9\n");
        lattice.push_strings().unwrap();
        assert_eq!(lattice, compact("0 1 5 1,0,3\n1 2 6 0,0,4_9\n1 2 7 0,0,5_9\n2\n"));
        assert_eq!(compact("0 1 5\n1 0 6\n1\n").push_strings(), Err(Error::Cycle));
    }

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
    fn easy_epsilons_are_joined() {
        let graph = compact("0 1 0 1,0,\n1 2 5 2,0,\n2 3 0 0.5,0,\n3 4 6\n4\n").without_easy_epsilons();
        assert_eq!(graph, compact("0 1 5 3.5,0,\n1 2 6\n2\n").0);
    }
}
