//! The order of states: depth first, topological; states that are on no path.

use crate::cost::Cost;
use crate::graph::{Graph, IS_SORTED, SORTED, Span};

/// The states in the order in which a search finds and leaves them.
struct Search {
    found: Vec<u32>,
    left: Vec<u32>,
    is_cyclic: bool,
}

impl Graph {
    /// Searches depth first from the start, arcs in their order, and then from each state that was not found yet.
    fn search(&self) -> Search {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const LEFT: u8 = 2;
        let mut marks = vec![NEW; self.num_states()];
        let mut search = Search { found: Vec::with_capacity(marks.len()), left: Vec::new(), is_cyclic: false };
        search.left.reserve(marks.len());
        let mut path: Vec<(u32, usize)> = Vec::new();
        for root in self.start().into_iter().chain(self.states()) {
            if marks[root as usize] != NEW {
                continue;
            }
            marks[root as usize] = OPEN;
            search.found.push(root);
            path.push((root, 0));
            while let Some((state, index)) = path.last_mut() {
                let Some(arc) = self.arcs(*state).get(*index) else {
                    marks[*state as usize] = LEFT;
                    search.left.push(*state);
                    path.pop();
                    continue;
                };
                *index += 1;
                match &mut marks[arc.next as usize] {
                    mark @ &mut NEW => {
                        *mark = OPEN;
                        search.found.push(arc.next);
                        path.push((arc.next, 0));
                    }
                    &mut OPEN => search.is_cyclic = true,
                    _ => {}
                }
            }
        }
        search
    }

    /// The states in an order in which each comes after those that its arcs lead to, but for arcs that close a cycle.
    pub(crate) fn backward_order(&self) -> Vec<u32> {
        self.search().left
    }

    /// The states in the order of depth-first discovery.
    pub(crate) fn discovery_order(&self) -> Vec<u32> {
        self.search().found
    }

    /// Whether there is a cycle, reachable or not.
    pub fn is_cyclic(&self) -> bool {
        !self.is_sorted() && self.search().is_cyclic
    }

    /// Whether all arcs lead to states of higher numbers.
    pub fn is_sorted(&self) -> bool {
        self.states().all(|state| self.arcs(state).iter().all(|arc| arc.next > state))
    }

    /// Sorts the states topologically, also where that would not be needed; returns false, and leaves them, if there is a
    /// cycle.
    pub fn sort(&mut self) -> bool {
        let search = self.search();
        if search.is_cyclic {
            return false;
        }
        let mut numbers = vec![0; self.num_states()];
        for (number, &state) in search.left.iter().rev().enumerate() {
            numbers[state as usize] = number as u32;
        }
        let is_same = numbers.iter().zip(0..).all(|(&number, state)| number == state);
        if !is_same {
            *self = self.renumbered(&numbers);
        }
        self.properties |= SORTED;
        true
    }

    /// Like [`Graph::sort`], but an order that is topological stays.
    pub fn sort_if_needed(&mut self) -> bool {
        self.is_sorted() || self.sort()
    }

    /// Like [`Graph::sort_if_needed`], but only an order that is known to be topological stays: it is not known any more after
    /// costs were changed. Where rounding decides, this gives the results of Kaldi.
    pub fn sort_unless_known(&mut self) -> bool {
        if self.properties & IS_SORTED != 0 { self.sort_if_needed() } else { self.sort() }
    }

    /// Drops states that are on no path from the start to a final state; the others stay in their order.
    pub fn connect(&mut self) {
        let keep = self.states_on_paths(|_| true);
        if keep.iter().any(|keep| !keep) {
            self.reduced(&keep, |_| true);
        }
    }

    /// Drops what is impossible, and what is on no path then; the others stay in their order.
    pub(crate) fn keep_possible(&mut self) {
        let is_possible = |cost: Cost| !cost.is_impossible();
        for state in self.states() {
            if self.is_final(state) && !is_possible(self.final_cost(state)) {
                self.set_final(state, Cost::INFINITE, Span::EMPTY);
            }
        }
        if self.all_arcs().iter().all(|arc| is_possible(arc.cost)) {
            return self.connect();
        }
        let possible: Vec<bool> = self.all_arcs().iter().map(|arc| is_possible(arc.cost)).collect();
        let keep = self.states_on_paths(|index| possible[index]);
        self.reduced(&keep, |index| possible[index]);
    }

    /// The states that are on a path of arcs that `may_use` takes by their index.
    pub(crate) fn states_on_paths(&self, may_use: impl Fn(usize) -> bool) -> Vec<bool> {
        let nexts = |state: u32, visit: &mut dyn FnMut(u32)| {
            let first = self.first_arc(state);
            let arcs = self.arcs(state).iter().enumerate();
            arcs.filter(|(index, _)| may_use(first + index)).for_each(|(_, arc)| visit(arc.next));
        };
        states_on_paths(self.num_states(), self.start(), nexts, |state| self.is_final(state))
    }
}

/// The states that are on a path from the start to a final one. `nexts` visits the ends of the arcs of a state.
pub(crate) fn states_on_paths(
    count: usize,
    start: Option<u32>,
    nexts: impl Fn(u32, &mut dyn FnMut(u32)),
    is_final: impl Fn(u32) -> bool,
) -> Vec<bool> {
    let Some(start) = start else { return vec![false; count] };
    let mut reached = vec![false; count];
    reached[start as usize] = true;
    let mut stack = vec![start];
    // Arcs backwards: how many enter each state, then where they come from.
    let mut firsts = vec![0_u32; count + 1];
    while let Some(state) = stack.pop() {
        nexts(state, &mut |next| {
            firsts[next as usize + 1] += 1;
            if !reached[next as usize] {
                reached[next as usize] = true;
                stack.push(next);
            }
        });
    }
    for index in 1..firsts.len() {
        firsts[index] += firsts[index - 1];
    }
    let mut sources = vec![0_u32; firsts[count] as usize];
    for state in (0..count as u32).rev().filter(|&state| reached[state as usize]) {
        nexts(state, &mut |next| {
            let place = &mut firsts[next as usize + 1];
            *place -= 1;
            sources[*place as usize] = state;
        });
    }
    // Each list has moved one place: it begins at the number behind its state.
    firsts.push(sources.len() as u32);
    let mut kept = vec![false; count];
    for state in (0..count as u32).filter(|&state| reached[state as usize] && is_final(state)) {
        kept[state as usize] = true;
        stack.push(state);
    }
    while let Some(state) = stack.pop() {
        for &source in &sources[firsts[state as usize + 1] as usize..firsts[state as usize + 2] as usize] {
            if !kept[source as usize] {
                kept[source as usize] = true;
                stack.push(source);
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use crate::testing::compact;

    #[test]
    fn states_are_sorted_by_reversed_finishing_order() {
        // The longer way is found first, so it gets the first numbers.
        let mut lattice = compact("0 2 5\n0 1 6\n2 3 7\n1 3 8\n3\n");
        assert!(!lattice.is_sorted() || lattice.sort());
        assert!(lattice.sort());
        assert_eq!(lattice, compact("0 2 5\n0 1 6\n1 3 8\n2 3 7\n3\n"));
    }

    #[test]
    fn an_order_that_is_topological_may_change_when_it_is_sorted() {
        let mut lattice = compact("0 1 5\n0 2 6\n1 3 7\n2 3 8\n3\n");
        let before = lattice.clone();
        assert!(lattice.sort_if_needed());
        assert_eq!(lattice, before);
        assert!(lattice.sort());
        assert_eq!(lattice, compact("0 2 5\n0 1 6\n1 3 8\n2 3 7\n3\n"));
    }

    #[test]
    fn cycles_are_found_also_where_they_cannot_be_reached() {
        let mut lattice = compact("0 1 5\n1\n2 3 4\n3 2 4\n");
        assert!(lattice.is_cyclic() && !lattice.sort());
        lattice.connect();
        assert!(!lattice.is_cyclic());
        assert_eq!(lattice, compact("0 1 5\n1\n"));
    }

    #[test]
    fn connecting_leaves_nothing_if_there_is_no_path() {
        let mut lattice = compact("0 1 5\n1 Infinity,Infinity,\n");
        lattice.connect();
        assert_eq!((lattice.num_states(), lattice.start()), (0, None));
    }

    #[test]
    fn what_is_impossible_is_dropped() {
        let mut lattice = compact("0 1 5 1,0,3\n0 2 6 inf,0,3\n1 2 7 0,inf,3\n1 3 8 0,0,3\n2 3 9\n1 inf,1,3\n3\n");
        lattice.keep_possible();
        assert_eq!(lattice, compact("0 1 5 1,0,3\n1 2 8 0,0,3\n2\n"));
    }
}
