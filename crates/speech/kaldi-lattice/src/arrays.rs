//! Graphs as flat arrays of numbers, for files and programs that have no states and arcs.

use crate::builder::Builder;
use crate::cost::Cost;
use crate::graph::{Arc, Graph, Span};
use crate::text::GraphForm;

/// A graph as arrays. Those of arcs have an element for each arc, state by state; those of final costs one for each state.
///
/// An FST has no acoustic costs, and only a compact lattice has strings: the others have empty arrays there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphArrays {
    /// The start state; -1 for none.
    pub start: i32,
    /// The states that arcs leave.
    pub from: Vec<i32>,
    /// The states that they reach.
    pub to: Vec<i32>,
    /// Their input labels.
    pub input: Vec<i32>,
    /// Their output labels.
    pub output: Vec<i32>,
    /// Their graph costs.
    pub graph: Vec<f32>,
    /// Their acoustic costs.
    pub acoustic: Vec<f32>,
    /// The final graph costs of states; infinite if they are not final.
    pub final_graph: Vec<f32>,
    /// The final acoustic costs of states.
    pub final_acoustic: Vec<f32>,
    /// The numbers of transition-ids of arcs, and then of states.
    pub lengths: Vec<i32>,
    /// All transition-ids.
    pub ids: Vec<i32>,
}

impl GraphArrays {
    /// The arrays of a graph.
    pub fn of(graph: &Graph, form: GraphForm) -> Self {
        let arcs = graph.all_arcs();
        let mut arrays = Self {
            start: graph.start().map_or(-1, |start| start as i32),
            from: graph.states().flat_map(|state| graph.arcs(state).iter().map(move |_| state as i32)).collect(),
            to: arcs.iter().map(|arc| arc.next as i32).collect(),
            input: arcs.iter().map(|arc| arc.input).collect(),
            output: arcs.iter().map(|arc| arc.output).collect(),
            graph: arcs.iter().map(|arc| arc.cost.graph).collect(),
            final_graph: graph.states().map(|state| graph.final_cost(state).graph).collect(),
            ..Self::default()
        };
        if form != GraphForm::Standard {
            arrays.acoustic = arcs.iter().map(|arc| arc.cost.acoustic).collect();
            arrays.final_acoustic = graph.states().map(|state| graph.final_cost(state).acoustic).collect();
        }
        if form == GraphForm::Compact {
            let spans = arcs.iter().map(|arc| arc.string);
            for span in spans.chain(graph.states().map(|state| graph.final_span(state))) {
                arrays.lengths.push(span.len() as i32);
                arrays.ids.extend_from_slice(graph.string(span));
            }
        }
        arrays
    }

    /// The graph of the arrays.
    ///
    /// # Errors
    /// If they do not fit each other.
    pub fn into_graph(mut self, form: GraphForm) -> Result<Graph, String> {
        let (num_arcs, num_states) = (self.from.len(), self.final_graph.len());
        if form == GraphForm::Standard {
            self.acoustic = vec![0.0; num_arcs];
            let is_no_end = |&cost: &f32| if cost == f32::INFINITY { cost } else { 0.0 };
            self.final_acoustic = self.final_graph.iter().map(is_no_end).collect();
        }
        for (name, found, wanted) in [
            ("states that arcs reach", self.to.len(), num_arcs),
            ("input labels", self.input.len(), num_arcs),
            ("output labels", self.output.len(), num_arcs),
            ("graph costs", self.graph.len(), num_arcs),
            ("acoustic costs", self.acoustic.len(), num_arcs),
            ("final acoustic costs", self.final_acoustic.len(), num_states),
        ] {
            if found != wanted {
                return Err(format!("expected {wanted} {name}, got {found}"));
            }
        }
        let state = |number: i32| match usize::try_from(number) {
            Ok(state) if state < num_states => Ok(number as u32),
            _ => Err(format!("expected states below {num_states}, got {number}")),
        };
        let mut builder = Builder::default();
        builder.add_states_to(num_states);
        let spans = self.add_strings(form, &mut builder)?;
        for (index, &next) in self.to.iter().enumerate() {
            let (input, output) = (self.input[index], self.output[index]);
            let cost = Cost::new(self.graph[index], self.acoustic[index]);
            let arc = Arc { input, output, cost, string: spans[index], next: state(next)? };
            builder.add_arc(state(self.from[index])?, arc);
        }
        for (number, (&graph, &acoustic)) in self.final_graph.iter().zip(&self.final_acoustic).enumerate() {
            builder.set_final(number as u32, Cost::new(graph, acoustic), spans[num_arcs + number]);
        }
        if self.start != -1 {
            builder.set_start(state(self.start)?);
        }
        Ok(builder.finish())
    }

    /// The strings of arcs and then of states.
    fn add_strings(&self, form: GraphForm, builder: &mut Builder) -> Result<Vec<Span>, String> {
        let mut spans = vec![Span::EMPTY; self.from.len() + self.final_graph.len()];
        if form != GraphForm::Compact {
            return Ok(spans);
        }
        if self.lengths.len() != spans.len() {
            return Err(format!("expected {} lengths of strings, got {}", spans.len(), self.lengths.len()));
        }
        let mut rest = self.ids.as_slice();
        for (span, &length) in spans.iter_mut().zip(&self.lengths) {
            let string = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
            let Some((string, behind)) = string else { return Err(self.other_lengths()) };
            (*span, rest) = (builder.add_string(string), behind);
        }
        if rest.is_empty() { Ok(spans) } else { Err(self.other_lengths()) }
    }

    fn other_lengths(&self) -> String {
        format!("expected lengths of strings that add up to {} transition-ids, got others", self.ids.len())
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::Cursor;

    use super::*;
    use crate::value::StoredGraph;

    fn graph(text: &str, form: GraphForm) -> Graph {
        StoredGraph::read(&mut Cursor::new(format!("\n{text}\n").as_bytes()), form).unwrap().graph
    }

    #[test]
    fn arrays_have_all_of_a_graph() {
        for (text, form) in [
            ("0 1 8 1,2,3_4\n0 1 0 0.5,0,\n1 inf,1,5\n2 inf,inf,\n", GraphForm::Compact),
            ("1 0 8 9 1,2\n0 1,1\n", GraphForm::Plain),
            ("0 1 8 9 1\n1 0.5\n", GraphForm::Standard),
            ("", GraphForm::Compact),
        ] {
            let graph = graph(text, form);
            assert_eq!(GraphArrays::of(&graph, form).into_graph(form), Ok(graph), "{text}");
        }
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let form = GraphForm::Compact;
        let arrays = GraphArrays::of(&graph("0 1 8 1,2,3_4\n1 0,0,5\n", form), form);
        let refused = |change: fn(&mut GraphArrays)| {
            let mut arrays = arrays.clone();
            change(&mut arrays);
            arrays.into_graph(form).unwrap_err()
        };
        assert_eq!(refused(|it| it.to[0] = 2), "expected states below 2, got 2");
        assert_eq!(refused(|it| it.from[0] = -1), "expected states below 2, got -1");
        assert_eq!(refused(|it| it.start = 2), "expected states below 2, got 2");
        assert_eq!(refused(|it| it.to.push(1)), "expected 1 states that arcs reach, got 2");
        let lengths = "expected lengths of strings that add up to 3 transition-ids, got others";
        assert_eq!(refused(|it| it.lengths[2] = 2), lengths);
        assert_eq!(refused(|it| it.lengths[0] = -1), lengths);
        assert_eq!(refused(|it| it.lengths[0] = 1), lengths);
        assert_eq!(refused(|it| it.lengths.push(0)), "expected 3 lengths of strings, got 4");
    }
}
