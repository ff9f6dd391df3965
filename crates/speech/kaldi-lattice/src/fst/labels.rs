//! Labels that are taken off: made epsilons, given a penalty, or removed with their arcs.

use crate::fst::properties::{Labels, Properties, Side};
use crate::graph::Arc;
use crate::{Cost, Error, Fst, Result};

/// Labels of one side of an FST, in order.
#[derive(Clone, Debug)]
pub struct LabelSet {
    labels: Vec<i32>,
    side: Side,
}

impl LabelSet {
    /// Labels of a side.
    pub fn new(mut labels: Vec<i32>, side: Side) -> Self {
        labels.sort_unstable();
        Self { labels, side }
    }

    fn has(&self, arc: &Arc) -> bool {
        let label = match self.side {
            Side::Input => arc.input,
            Side::Output => arc.output,
        };
        self.labels.binary_search(&label).is_ok()
    }
}

impl Fst {
    /// Makes these labels epsilons, and drops the symbol table of their side. Without a start, labels stay.
    ///
    /// # Errors
    /// If 0, the epsilon itself, is among them.
    pub fn remove_labels(&mut self, set: &LabelSet) -> Result<()> {
        if set.labels.binary_search(&0).is_ok() {
            return Err(Error::EpsilonRemoved);
        }
        let graph = &mut self.0;
        graph.symbols[set.side as usize] = None;
        if graph.start.is_none() {
            return Ok(());
        }
        for arc in graph.arcs.iter_mut().filter(|arc| set.has(arc)) {
            match set.side {
                Side::Input => arc.input = 0,
                Side::Output => arc.output = 0,
            }
        }
        let mut properties = Properties::of_file(graph.properties);
        properties.labels_removed(set.side);
        graph.properties = properties.field();
        Ok(())
    }

    /// Adds to the cost of each arc that has one of these labels.
    pub fn penalize_labels(&mut self, set: &LabelSet, penalty: f32) {
        let mut properties = Properties::of_file(self.0.properties);
        for arc in self.0.arcs.iter_mut().filter(|arc| set.has(arc)) {
            let old = labels(arc);
            arc.cost.graph += penalty;
            properties.arc_overwritten(old, labels(arc));
        }
        self.0.properties = properties.field();
    }

    /// Removes the arcs that have one of these labels, and every state that is then on no path from the start to a final
    /// state. An FST of which nothing is left has no states.
    pub fn remove_arcs(&mut self, set: &LabelSet) {
        let graph = &mut self.0;
        let mut properties = Properties::of_file(graph.properties);
        properties.state_added();
        for arc in graph.arcs.iter().filter(|arc| set.has(arc)) {
            properties.arc_overwritten(labels(arc), labels(arc));
        }
        properties.states_dropped();
        let stays: Vec<bool> = graph.arcs.iter().map(|arc| !set.has(arc)).collect();
        let on_paths = graph.states_on_paths(|index| stays[index]);
        graph.reduced(&on_paths, |index| stays[index]);
        graph.properties = properties.field();
    }
}

fn labels(arc: &Arc) -> Labels {
    let Cost { graph: weight, .. } = arc.cost;
    Labels { input: arc.input, output: arc.output, weight }
}
