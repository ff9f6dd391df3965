//! Self-loops at the ends of words, for symbols that tell pronunciations apart.

use crate::fst::properties::{Labels, Properties};
use crate::graph::{Arc, Graph, Span, State};
use crate::{Cost, Error, Fst, Result};

impl Fst {
    /// Adds an arc from a state to itself for each pair of an input and an output label: to every state that is final, or
    /// has an arc with an output label.
    ///
    /// # Errors
    /// If an arc of such a state has one of these labels already.
    pub fn add_self_loops(&mut self, pairs: &[(i32, i32)]) -> Result<()> {
        let graph = &mut self.0;
        let mut sorted: [Vec<i32>; 2] =
            [pairs.iter().map(|pair| pair.0).collect(), pairs.iter().map(|pair| pair.1).collect()];
        sorted.iter_mut().for_each(|labels| labels.sort_unstable());
        let is_in = |labels: &[i32], label: i32| labels.binary_search(&label).is_ok();

        let mut properties = Properties::of_file(graph.properties);
        let mut arcs = Vec::with_capacity(graph.num_arcs());
        let mut states = Vec::with_capacity(graph.num_states());
        for state in graph.states() {
            states.push(State { first: arcs.len() as u32, ..graph.states[state as usize] });
            let own = graph.arcs(state);
            arcs.extend_from_slice(own);
            if !graph.is_final(state) && own.iter().all(|arc| arc.output == 0) {
                continue;
            }
            for arc in own {
                for (label, labels) in [(arc.input, &sorted[0]), (arc.output, &sorted[1])] {
                    if is_in(labels, label) {
                        return Err(Error::LabelIsThere { state, label });
                    }
                }
            }
            let mut last = own.last().map(|arc| (arc.input, arc.output));
            for &(input, output) in pairs {
                properties.arc_added(state, Labels { input, output, weight: 0.0 }, state, last);
                arcs.push(Arc { input, output, cost: Cost::ONE, string: Span::EMPTY, next: state });
                last = Some((input, output));
            }
        }
        Graph::check_num_arcs(arcs.len())?;
        (graph.states, graph.arcs, graph.properties) = (states, arcs, properties.field());
        Ok(())
    }
}
