//! Arcs without a label, removed.

use std::collections::{BTreeMap, HashMap};

use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Builder, Graph, Span};
use crate::weight::Weight;

impl Graph {
    /// The same paths without arcs that have no label. There is a state for the start and for each end of an arc with a
    /// label; of arcs with the same labels between two states the best one is left.
    ///
    /// # Errors
    /// If there is a cycle.
    pub(crate) fn without_epsilons(&self) -> Result<Self> {
        let mut sorted = self.clone();
        sorted.connect();
        if !sorted.sort_if_needed() {
            return Err(Error::Cycle);
        }
        let Some(start) = sorted.start() else { return Ok(Self::default()) };
        let mut removal = Removal {
            graph: &sorted,
            builder: Builder::default(),
            numbers: vec![u32::MAX; sorted.num_states()],
            waiting: Vec::new(),
        };
        let first = removal.number(start);
        removal.builder.set_start(first);
        while let Some(state) = removal.waiting.pop() {
            removal.expand(state);
        }
        let mut graph = removal.builder.finish();
        graph.connect();
        Ok(graph)
    }
}

struct Removal<'a> {
    graph: &'a Graph,
    builder: Builder,
    /// The new number of each state that is kept.
    numbers: Vec<u32>,
    waiting: Vec<u32>,
}

impl Removal<'_> {
    fn number(&mut self, state: u32) -> u32 {
        let number = &mut self.numbers[state as usize];
        if *number == u32::MAX {
            *number = self.builder.add_state();
            self.waiting.push(state);
        }
        *number
    }

    /// Gives a state the arcs and the final cost of all states that it reaches without a label.
    fn expand(&mut self, state: u32) {
        let from = self.numbers[state as usize];
        let graph = self.graph;
        let mut reached = BTreeMap::from([(state, Weight::default())]);
        let mut arcs: Vec<(Arc, Weight)> = Vec::new();
        let mut places: HashMap<(i32, i32, u32), usize> = HashMap::new();
        let mut last: Option<Weight> = None;
        // All arcs lead to higher numbers, so the weight of the lowest one is known.
        while let Some((middle, weight)) = reached.pop_first() {
            if graph.is_final(middle) {
                let end = weight.then(graph.final_cost(middle), graph.final_string(middle));
                if last.as_ref().is_none_or(|last| end.is_better_than(last)) {
                    last = Some(end);
                }
            }
            for arc in graph.arcs(middle) {
                let next = weight.then(arc.cost, graph.string(arc.string));
                let known = if arc.is_epsilon() {
                    reached.get_mut(&arc.next)
                } else {
                    places.get(&(arc.input, arc.output, arc.next)).map(|&place| &mut arcs[place].1)
                };
                match known {
                    Some(known) if next.is_better_than(known) => *known = next,
                    Some(_) => {}
                    None if arc.is_epsilon() => {
                        reached.insert(arc.next, next);
                    }
                    None => {
                        places.insert((arc.input, arc.output, arc.next), arcs.len());
                        arcs.push((*arc, next));
                    }
                }
            }
        }
        for (arc, weight) in arcs {
            let next = self.number(arc.next);
            let string = self.builder.add_string(&weight.ids);
            self.builder.add_arc(from, Arc { cost: weight.cost, string, next, ..arc });
        }
        if let Some(weight) = last {
            let string = self.builder.add_string(&weight.ids);
            self.builder.set_final(from, weight.cost, string);
        }
    }
}

impl Graph {
    /// Gives the graph one final state without a cost, a string or arcs: a new one, unless there is such a one only.
    pub(crate) fn with_one_end(&self) -> Self {
        let finals: Vec<u32> = self.states().filter(|&state| self.is_final(state)).collect();
        if let [only] = finals[..] {
            let is_bare = self.final_cost(only) == Cost::ONE && self.final_string(only).is_empty();
            if is_bare && self.arcs(only).is_empty() {
                return self.clone();
            }
        }
        let mut builder = self.clone().into_builder();
        let end = builder.add_state();
        builder.set_final(end, Cost::ONE, Span::EMPTY);
        for state in finals {
            let (cost, string) = builder.final_of(state);
            builder.set_final(state, Cost::INFINITE, Span::EMPTY);
            builder.add_arc(state, Arc::word(0, cost, string, end));
        }
        builder.finish()
    }

    /// Whether no state has two arcs of one input label, or an arc without one.
    pub(crate) fn is_deterministic(&self) -> bool {
        let mut labels = Vec::new();
        self.states().all(|state| {
            labels.clear();
            labels.extend(self.arcs(state).iter().map(|arc| arc.input));
            labels.sort_unstable();
            labels.windows(2).all(|pair| pair[0] != pair[1]) && !labels.contains(&0)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::compact;

    #[test]
    fn arcs_without_a_word_are_put_before_those_with_one() {
        let lattice = compact("0 1 0 1,0,3\n0 2 5 0,0,4\n1 2 5 0.5,0,5\n2 3 0 0,1,6\n3 0.5,0,7\n");
        let expected = compact("0 1 5 0,0,4\n1 0.5,1,6_7\n");
        assert_eq!(lattice.without_epsilons().unwrap(), expected.0);
        let twice = compact("0 1 0 1,0,3\n0 2 0 0,2,4\n1 3 5\n2 3 6\n3\n");
        let expected = compact("0 1 5 1,0,3\n0 1 6 0,2,4\n1\n");
        assert_eq!(twice.without_epsilons().unwrap(), expected.0);
    }

    #[test]
    fn a_state_becomes_the_only_end() {
        let lattice = compact("0 1 5\n0 0.5,0,3\n1 0.25,0,4\n");
        assert_eq!(lattice.with_one_end(), compact("0 1 5\n0 2 0 0.5,0,3\n1 2 0 0.25,0,4\n2\n").0);
        let ended = compact("0 1 5\n1\n");
        assert_eq!(ended.with_one_end(), ended.0);
    }
}
