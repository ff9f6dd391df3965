//! How large a graph is, and what is wrong with it.

use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph};
use crate::text::GraphForm;
use crate::value::StoredGraph;

/// How large a graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphSize {
    /// The number of states.
    pub states: usize,
    /// The number of arcs.
    pub arcs: usize,
    /// What paths of a lattice have. `None` for an FST, and where paths disagree about frames or there is a cycle.
    pub path: Option<PathSize>,
}

/// What the paths of a lattice have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathSize {
    /// Frames of the longest path.
    pub frames: usize,
    /// Frames of all arcs and final strings together: divided by the frames this is the depth.
    pub arc_frames: usize,
    /// Words of the best path; 0 if there is none.
    pub words: usize,
}

impl StoredGraph {
    /// The size of the graph.
    pub fn size(&self) -> GraphSize {
        let path = if self.form == GraphForm::Standard { None } else { self.path_size().ok() };
        GraphSize { states: self.graph.num_states(), arcs: self.graph.num_arcs(), path }
    }

    /// The frames of an arc of a lattice.
    fn frames_of(&self) -> fn(&Arc) -> usize {
        match self.form {
            GraphForm::Compact => |arc| arc.string.len(),
            _ => |arc| usize::from(arc.input != 0),
        }
    }

    fn path_size(&self) -> Result<PathSize> {
        let sorted = self.graph.sorted()?;
        let graph = sorted.as_ref().unwrap_or(&self.graph);
        let frames_of = self.frames_of();
        let times = graph.times_with(frames_of)?;
        let ends = graph.states().filter_map(|state| Some(times[state as usize]? + graph.final_span(state).len()));
        let frames = ends.max().unwrap_or(0);
        let finals: usize = graph.states().map(|state| graph.final_span(state).len()).sum();
        let arc_frames = graph.all_arcs().iter().map(frames_of).sum::<usize>() + finals;
        Ok(PathSize { frames, arc_frames, words: graph.words_of_best_path() })
    }

    /// What is wrong with the graph, each fault in words; nothing if it is sound.
    ///
    /// A graph must have states, of which each can be reached and leads to a final one, and finite costs. A lattice must
    /// have no cycle, and as many frames on all paths to a state.
    pub fn faults(&self) -> Vec<String> {
        let graph = &self.graph;
        let Some(start) = graph.start() else {
            return vec![if graph.num_states() == 0 { "it has no states" } else { "it has no start state" }.to_owned()];
        };
        let mut faults = Vec::new();
        let reached = graph.reached(start);
        let count = reached.len();
        let mut tell = |states: &mut dyn Iterator<Item = u32>, what: &str| {
            let Some(first) = states.next() else { return };
            faults.push(format!("{} of {count} states {what}; the first is {first}", 1 + states.count()));
        };
        tell(&mut graph.states().filter(|&state| !reached[state as usize]), "cannot be reached from the start");
        if graph.states().any(|state| reached[state as usize] && graph.is_final(state)) {
            let on_paths = graph.states_on_paths(|_| true);
            let is_lost = |&state: &u32| reached[state as usize] && !on_paths[state as usize];
            tell(&mut graph.states().filter(is_lost), "lead to no final state");
        } else {
            faults.push("no final state can be reached".to_owned());
        }
        faults.extend(self.cost_fault());
        if self.form != GraphForm::Standard
            && let Err(error) = self.path_size()
        {
            faults.push(match error {
                Error::Cycle => "there is a cycle".to_owned(),
                error => error.to_string(),
            });
        }
        faults
    }

    /// Says which costs are not finite.
    fn cost_fault(&self) -> Option<String> {
        let graph = &self.graph;
        let (mut count, mut bad, mut first) = (0, 0, None);
        let mut look = |cost: Cost, place: &dyn Fn() -> String| {
            count += 1;
            if !cost.is_finite() {
                bad += 1;
                first.get_or_insert_with(place);
            }
        };
        for state in graph.states() {
            for (index, arc) in graph.arcs(state).iter().enumerate() {
                look(arc.cost, &|| format!("of arc {index} of state {state}"));
            }
            if graph.is_final(state) {
                look(graph.final_cost(state), &|| format!("the final cost of state {state}"));
            }
        }
        first.map(|first| format!("{bad} of {count} costs are not finite; the first is {first}"))
    }
}

impl Graph {
    /// The states that can be reached from `start`.
    fn reached(&self, start: u32) -> Vec<bool> {
        let mut reached = vec![false; self.num_states()];
        reached[start as usize] = true;
        let mut stack = vec![start];
        while let Some(state) = stack.pop() {
            for arc in self.arcs(state) {
                if !std::mem::replace(&mut reached[arc.next as usize], true) {
                    stack.push(arc.next);
                }
            }
        }
        reached
    }

    /// The number of words on the best path of a sorted graph.
    fn words_of_best_path(&self) -> usize {
        let mut best = vec![(f64::INFINITY, 0); self.num_states()];
        let mut end = (f64::INFINITY, 0);
        if let Some(start) = self.start() {
            best[start as usize].0 = 0.0;
        }
        for state in self.states() {
            let (cost, words) = best[state as usize];
            for arc in self.arcs(state) {
                let next = (cost + arc.cost.total(), words + usize::from(arc.output != 0));
                if next.0 < best[arc.next as usize].0 {
                    best[arc.next as usize] = next;
                }
            }
            let last = cost + self.final_cost(state).total();
            if last < end.0 {
                end = (last, words);
            }
        }
        end.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{compact, plain};

    fn stored(graph: Graph, form: GraphForm) -> StoredGraph {
        StoredGraph { graph, form, has_doubles: None }
    }

    fn faults(text: &str) -> String {
        stored(compact(text).0, GraphForm::Compact).faults().join("; ")
    }

    #[test]
    fn both_forms_of_a_lattice_have_the_same_frames_and_words() {
        let lattice = compact("0 1 8 1,2,3_4\n0 1 0 5,5,3_4\n1 2 9 0,0,5\n2 0.5,0,6\n");
        let path = Some(PathSize { frames: 4, arc_frames: 6, words: 2 });
        let size = stored(lattice.0.clone(), GraphForm::Compact).size();
        assert_eq!(size, GraphSize { states: 3, arcs: 3, path });
        let plain = crate::to_plain(&lattice);
        let size = stored(plain.0, GraphForm::Plain).size();
        assert_eq!(size, GraphSize { states: 6, arcs: 6, path });
        // The words are those of the best path, whatever the order of states.
        let unsorted = stored(compact("1 0 8 1,2,3\n1 2 9 0,0,3\n2 0 9 0,0,\n0\n").0, GraphForm::Compact);
        assert_eq!(unsorted.size().path, Some(PathSize { frames: 1, arc_frames: 2, words: 2 }));
    }

    #[test]
    fn an_fst_has_states_and_arcs_and_may_have_cycles() {
        let fst = stored(plain("0 0 3 8\n0 1 4 0\n1\n").0, GraphForm::Standard);
        assert_eq!(fst.size(), GraphSize { states: 2, arcs: 2, path: None });
        assert!(fst.faults().is_empty(), "{:?}", fst.faults());
    }

    #[test]
    fn faults_are_told_with_their_states() {
        for (text, expected) in [
            ("0 1 8 1,2,3_4\n1\n", ""),
            ("", "it has no states"),
            ("0 1 8 1,2,3\n1\n3 1 8 0,0,3\n", "2 of 4 states cannot be reached from the start; the first is 2"),
            ("0 1 8 1,2,3\n0 2 8 1,2,3\n1\n", "1 of 3 states lead to no final state; the first is 2"),
            ("0 1 8 1,2,3\n", "no final state can be reached"),
            ("0 1 8 1,2,3\n1 1 8 1,2,\n1\n", "there is a cycle"),
            ("0 1 8 1,2,3\n0 1 8 1,2,3_4\n1\n", "state 1 is reached after 1 frames and after 2 frames"),
            ("0 1 8 1,2,3\n0 1 9 nan,2,3\n1 inf,1,\n", "2 of 3 costs are not finite; the first is of arc 1 of state 0"),
            ("0 1 8 1,2,3\n1 inf,1,\n", "1 of 2 costs are not finite; the first is the final cost of state 1"),
        ] {
            assert_eq!(faults(text), expected, "{text}");
        }
    }
}
