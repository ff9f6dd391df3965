//! What a transition model says about the transition-ids of lattices.

use kaldi_hmm::TransitionModel;

use crate::error::{Error, Result};
use crate::graph::{Graph, Span};
use crate::value::{CompactLattice, Fst, Lattice};

impl Lattice {
    /// Puts phones in place of words: a phone on the transition from its first state to another one.
    ///
    /// # Errors
    /// If a transition-id is not in the model.
    pub fn replace_words_by_phones(&mut self, model: &TransitionModel) -> Result<()> {
        for arc in &mut self.arcs {
            arc.output = 0;
            if arc.input != 0 {
                let facts = model.facts(arc.input)?;
                let is_start = model.tuple(facts).state == 0 && !facts.is_self_loop;
                arc.output = if is_start { facts.phone } else { 0 };
            }
        }
        Ok(())
    }

    /// Takes `boost` off the graph cost of each frame whose phone is not that of the alignment; of phones of
    /// `silence_phones` only the share `most_silence`. The lattice is sorted if needed.
    ///
    /// # Errors
    /// If there is a cycle, a transition-id is not in the model, a state is reached after different numbers of frames, or
    /// the alignment has another number of frames.
    pub fn boost(
        &mut self,
        model: &TransitionModel,
        alignment: &[i32],
        silence_phones: &[i32],
        boost: f32,
        most_silence: f32,
    ) -> Result<()> {
        if !self.sort_if_needed() {
            return Err(Error::Cycle);
        }
        let (times, length) = self.times()?;
        if length != alignment.len() {
            return Err(Error::OtherLength { lattice: length, alignment: alignment.len() });
        }
        let phones = alignment.iter().map(|&id| model.phone(id));
        let phones: Vec<i32> = phones.collect::<Result<_, _>>()?;
        for state in self.states() {
            let Some(time) = times[state as usize] else { continue };
            for arc in self.arcs_mut(state).iter_mut().filter(|arc| arc.input != 0) {
                let phone = model.phone(arc.input)?;
                if phone != phones[time] {
                    let share = if silence_phones.contains(&phone) { most_silence } else { 1.0 };
                    arc.cost.graph += -boost * share;
                }
            }
        }
        Ok(())
    }

    /// Adds the costs of transitions, each scaled, to the graph costs.
    ///
    /// # Errors
    /// If a transition-id is not in the model.
    pub fn add_transition_costs(
        &mut self,
        model: &TransitionModel,
        transition_scale: f32,
        self_loop_scale: f32,
    ) -> Result<()> {
        let stay = log_probs_to_leave(model);
        for arc in self.arcs.iter_mut().filter(|arc| arc.input != 0) {
            let facts = model.facts(arc.input)?;
            let log_prob = model.log_probs()[arc.input as usize];
            let scaled = if transition_scale == self_loop_scale {
                log_prob * transition_scale
            } else if facts.is_self_loop {
                log_prob * self_loop_scale
            } else {
                let leave = stay[facts.transition_state as usize - 1];
                self_loop_scale * leave + transition_scale * (log_prob - leave)
            };
            arc.cost.graph -= scaled;
        }
        Ok(())
    }
}

/// The logarithm of the probability that each transition-state is left.
fn log_probs_to_leave(model: &TransitionModel) -> Vec<f32> {
    let mut leave = vec![0.0; model.num_transition_states()];
    for (facts, log_prob) in model.all_facts().iter().zip(&model.log_probs()[1..]) {
        if facts.is_self_loop {
            let rest = 1.0 - log_prob.exp();
            leave[facts.transition_state as usize - 1] = if rest > 0.0 { rest } else { 1.0e-10_f32 }.ln();
        }
    }
    leave
}

impl CompactLattice {
    /// Puts phones in place of the transition-ids of strings: each phone once.
    ///
    /// # Errors
    /// If a transition-id is not in the model.
    pub fn replace_ids_by_phones(&mut self, model: &TransitionModel) -> Result<()> {
        let mut ids = Vec::new();
        let graph = &self.0;
        let mut phones_of = |span: Span| -> Result<Span> {
            let first = ids.len();
            for &id in graph.string(span) {
                let facts = model.facts(id)?;
                ids.extend(facts.is_final.then_some(facts.phone));
            }
            Ok(Span::new(first, ids.len() - first))
        };
        let (mut arcs, mut states) = (graph.arcs.clone(), graph.states.clone());
        for arc in &mut arcs {
            arc.string = phones_of(arc.string)?;
        }
        for state in &mut states {
            state.string = phones_of(state.string)?;
        }
        self.0 = Graph { start: graph.start(), states, arcs, ids, ..Graph::default() };
        Ok(())
    }

    /// The words as a graph with one cost, the sum of both; with `joins_epsilons`, arcs without a word are joined to others
    /// where that is easily done.
    ///
    /// # Errors
    /// If a cost is no number.
    pub fn to_fst(&self, joins_epsilons: bool) -> Result<Fst> {
        self.check_costs()?;
        let mut graph = self.0.clone();
        graph.remove_strings();
        graph.map_costs(|cost| crate::cost::Cost::new(cost.graph + cost.acoustic, 0.0));
        for arc in &mut graph.arcs {
            arc.output = arc.input;
        }
        // A cost that is infinite makes a state one that is not final.
        for state in graph.states() {
            if graph.final_cost(state).graph == f32::INFINITY {
                graph.set_final(state, crate::cost::Cost::INFINITE, Span::EMPTY);
            }
        }
        Ok(Fst(if joins_epsilons { graph.without_easy_epsilons() } else { graph }))
    }
}

impl Lattice {
    /// Leaves only the transition-ids, on both sides, or only the words.
    pub fn project(&mut self, to_words: bool) {
        self.properties = 0;
        for arc in &mut self.arcs {
            if to_words { arc.input = arc.output } else { arc.output = arc.input }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{compact, plain};

    #[test]
    fn a_graph_of_words_has_the_sum_of_costs() {
        let fst = compact("0 1 5 1,2,3_3\n0 1 0 0.5,0,4\n1 0.25,0.5,7\n").to_fst(false).unwrap();
        assert_eq!(fst.0, plain("0 1 5 5 3,0\n0 1 0 0 0.5,0\n1 0.75,0\n").0);
        let joined = compact("0 1 0 0.5,0,4\n1 2 5 1,2,3_3\n2\n").to_fst(true).unwrap();
        assert_eq!(joined.0, plain("0 1 5 5 3.5,0\n1\n").0);
        assert!(compact("0 1 5 nan,2,\n1\n").to_fst(false).is_err());
    }

    #[test]
    fn projection_leaves_one_side() {
        let mut lattice = plain("0 1 3 5 1,2\n1\n");
        lattice.project(false);
        assert_eq!(lattice, plain("0 1 3 3 1,2\n1\n"));
    }
}
