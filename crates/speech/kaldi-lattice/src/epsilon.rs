//! Arcs without a label, removed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::builder::Builder;
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph, Span};
use crate::weight::compare_weights;

impl Graph {
    /// The same paths without arcs that have no label. There is a state for the start and for each end of an arc with a
    /// label; of arcs with the same labels between two states the best one is left.
    ///
    /// # Errors
    /// If there is a cycle, or a cost is no number.
    pub(crate) fn without_epsilons(mut self) -> Result<Self> {
        self.check_costs()?;
        self.connect();
        if !self.sort_if_needed() {
            return Err(Error::Cycle);
        }
        let Some(start) = self.start() else { return Ok(Self::default()) };
        let ids = std::mem::take(&mut self.ids);
        let num_ids = ids.len();
        let mut removal = Removal {
            graph: &self,
            builder: Builder::default().with_ids(ids),
            numbers: vec![u32::MAX; self.num_states()],
            waiting: Vec::new(),
            ways: vec![None; self.num_states()],
            steps: vec![Step { before: 0, string: Span::EMPTY }],
            reached: BinaryHeap::new(),
            arcs: Vec::new(),
            places: HashMap::new(),
        };
        let first = removal.number(start);
        removal.builder.set_start(first);
        while let Some(state) = removal.waiting.pop() {
            removal.expand(state, num_ids)?;
        }
        let mut graph = removal.builder.finish();
        graph.connect();
        Ok(graph)
    }
}

/// Up to so many arcs of a state are looked through, one after the other, for those with the same labels.
const FEW_ARCS: usize = 16;

/// A way without labels: its cost, and its last step with a string, or 0.
type Way = (Cost, usize);

/// A step of a way. Ways share what they have in common: if each had its whole string, those of a long chain would be too large.
#[derive(Clone, Copy)]
struct Step {
    /// The step before it, or 0.
    before: usize,
    string: Span,
}

struct Removal<'a> {
    graph: &'a Graph,
    /// What is made; it has the strings of the graph.
    builder: Builder,
    /// The new number of each state that is kept.
    numbers: Vec<u32>,
    waiting: Vec<u32>,
    /// The best way to each state that was reached without a label.
    ways: Vec<Option<Way>>,
    /// The steps of these ways, and of those that were worse. The first one stands for the start of all.
    steps: Vec<Step>,
    /// These states.
    reached: BinaryHeap<Reverse<u32>>,
    /// The arcs of the state that is made, which lead to states of the graph, and the way through each.
    arcs: Vec<(Arc, Way)>,
    /// Where arcs are among many.
    places: HashMap<(i32, i32, u32), usize>,
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

    /// A way and then a step.
    fn then(&mut self, (cost, before): Way, next_cost: Cost, string: Span) -> Way {
        if string.is_empty() {
            return (cost.then(next_cost), before);
        }
        self.steps.push(Step { before, string });
        (cost.then(next_cost), self.steps.len() - 1)
    }

    fn is_better(&self, way: Way, known: Way) -> bool {
        let by_cost = way.0.compare(known.0);
        by_cost.is_lt()
            || by_cost.is_eq() && {
                let [ids, known_ids] = self.differing_ids(way.1, known.1);
                compare_weights((way.0, &ids), (known.0, &known_ids)).is_lt()
            }
    }

    /// The strings of two ways, without the steps that both start with.
    fn differing_ids(&self, mut one: usize, mut other: usize) -> [Vec<i32>; 2] {
        let mut strings = [Vec::new(), Vec::new()];
        // A step comes after those before it.
        while one != other {
            let (last, string) = if one > other { (&mut one, &mut strings[0]) } else { (&mut other, &mut strings[1]) };
            let step = self.steps[*last];
            string.push(step.string);
            *last = step.before;
        }
        strings.map(|steps| steps.iter().rev().flat_map(|&step| self.builder.string(step)).copied().collect())
    }

    /// The string of a way.
    fn string(&mut self, way: Way) -> Span {
        let last = self.steps[way.1];
        if last.before == 0 {
            return last.string;
        }
        let mut strings = vec![last.string];
        let mut before = last.before;
        while before != 0 {
            strings.push(self.steps[before].string);
            before = self.steps[before].before;
        }
        self.builder.join_strings(strings.into_iter().rev())
    }

    /// Gives a state the arcs and the final cost of all states that it reaches without a label.
    ///
    /// # Errors
    /// If there are too many transition-ids for a graph that had `num_ids`.
    fn expand(&mut self, state: u32, num_ids: usize) -> Result<()> {
        let from = self.numbers[state as usize];
        let graph = self.graph;
        self.arcs.clear();
        self.places.clear();
        self.steps.truncate(1);
        self.ways[state as usize] = Some((Cost::ONE, 0));
        self.reached.push(Reverse(state));
        let mut last: Option<Way> = None;
        // All arcs lead to higher numbers, so the way to the lowest one is known.
        while let Some(Reverse(middle)) = self.reached.pop() {
            let Some(way) = self.ways[middle as usize].take() else { continue };
            if graph.is_final(middle) {
                let end = self.then(way, graph.final_cost(middle), graph.final_span(middle));
                if last.is_none_or(|last| self.is_better(end, last)) {
                    last = Some(end);
                }
            }
            for arc in graph.arcs(middle) {
                let next = self.then(way, arc.cost, arc.string);
                if !arc.is_epsilon() {
                    self.add(*arc, next);
                    continue;
                }
                let known = self.ways[arc.next as usize];
                if known.is_none() {
                    self.reached.push(Reverse(arc.next));
                }
                if known.is_none_or(|known| self.is_better(next, known)) {
                    self.ways[arc.next as usize] = Some(next);
                }
            }
        }
        for index in 0..self.arcs.len() {
            let (arc, way) = self.arcs[index];
            let (next, string) = (self.number(arc.next), self.string(way));
            self.builder.add_arc(from, Arc { cost: way.0, string, next, ..arc });
            Error::check_ids(self.builder.num_ids() as u64, num_ids)?;
        }
        if let Some(way) = last {
            let string = self.string(way);
            self.builder.set_final(from, way.0, string);
        }
        Ok(())
    }

    /// Adds an arc, unless there is one with the same labels: then the better one stays.
    fn add(&mut self, arc: Arc, way: Way) {
        let labels = |arc: &Arc| (arc.input, arc.output, arc.next);
        let count = self.arcs.len();
        let place = if count < FEW_ARCS {
            self.arcs.iter().position(|(known, _)| labels(known) == labels(&arc))
        } else {
            if count == FEW_ARCS && self.places.is_empty() {
                self.places.extend(self.arcs.iter().map(|(arc, _)| labels(arc)).zip(0..));
            }
            self.places.get(&labels(&arc)).copied()
        };
        match place {
            Some(place) => {
                if self.is_better(way, self.arcs[place].1) {
                    self.arcs[place] = (arc, way);
                }
            }
            None => {
                if count >= FEW_ARCS {
                    self.places.insert(labels(&arc), count);
                }
                self.arcs.push((arc, way));
            }
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
        assert_eq!(lattice.0.without_epsilons().unwrap(), expected.0);
        let twice = compact("0 1 0 1,0,3\n0 2 0 0,2,4\n1 3 5\n2 3 6\n3\n");
        let expected = compact("0 1 5 1,0,3\n0 1 6 0,2,4\n1\n");
        assert_eq!(twice.0.without_epsilons().unwrap(), expected.0);
    }

    #[test]
    fn ways_of_one_cost_are_compared_by_their_whole_strings() {
        let lattice = compact("0 1 0 1,0,3\n0 2 0 1,0,4\n1 3 0 0,0,9\n2 3 0 0,0,1\n3 4 0 0,0,7\n4 5 5 0,0,2\n5\n");
        let expected = compact("0 1 5 1,0,4_1_7_2\n1\n");
        assert_eq!(lattice.0.without_epsilons().unwrap(), expected.0);
        // The last step is the same; without one, the string is shorter.
        let shorter = compact("0 1 0 1,0,3\n0 2 0 1,0,\n1 3 0 0,0,9\n2 3 0 0,0,1\n3 4 5 0,0,2\n4\n");
        assert_eq!(shorter.0.without_epsilons().unwrap(), compact("0 1 5 1,0,1_2\n1\n").0);
    }

    #[test]
    fn ways_whose_costs_are_no_numbers_cannot_be_compared() {
        for cost in ["nan,0", "0,-inf"] {
            let lattice = compact(&format!("0 1 0 {cost},3\n0 1 0 1,0,4\n1 2 5\n2\n"));
            assert!(lattice.0.clone().without_epsilons().is_err(), "{cost}");
            assert!(lattice.determinized().is_err(), "{cost}");
        }
    }

    #[test]
    fn a_state_becomes_the_only_end() {
        let lattice = compact("0 1 5\n0 0.5,0,3\n1 0.25,0,4\n");
        assert_eq!(lattice.with_one_end(), compact("0 1 5\n0 2 0 0.5,0,3\n1 2 0 0.25,0,4\n2\n").0);
        let ended = compact("0 1 5\n1\n");
        assert_eq!(ended.with_one_end(), ended.0);
    }
}
