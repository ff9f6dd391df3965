//! Lattices and FSTs as arrays, and arrays as lattices and FSTs.

use kaldi_lattice::{Arc, Builder, Cost, Graph, GraphForm, Span};

use crate::array::Array;
use crate::item::{integers, singles};

/// The arrays of every graph: the start state (-1 for none), for each arc the states that it leaves and reaches, its labels
/// and its graph cost; and for each state the graph cost of a final one, infinite for others.
const STANDARD: &[&str] = &["start", "from", "to", "input", "output", "graph", "final_graph"];

/// Lattices have acoustic costs, too.
const PLAIN: &[&str] =
    &["start", "from", "to", "input", "output", "graph", "final_graph", "acoustic", "final_acoustic"];

/// In addition, compact ones have strings: the lengths of those of arcs and then of those of states, and all their ids.
const COMPACT: &[&str] =
    &["start", "from", "to", "input", "output", "graph", "final_graph", "acoustic", "final_acoustic", "lengths", "ids"];

/// The names of the arrays of graphs of a form.
pub(crate) fn graph_part_names(form: GraphForm) -> &'static [&'static str] {
    match form {
        GraphForm::Standard => STANDARD,
        GraphForm::Plain => PLAIN,
        GraphForm::Compact => COMPACT,
    }
}

/// Whether the numbers of an array of this name are floats.
pub(crate) fn has_floats(name: &str) -> bool {
    matches!(name, "graph" | "final_graph" | "acoustic" | "final_acoustic")
}

/// The arrays of a graph, in the order of their names.
pub(crate) fn graph_parts(graph: &Graph, form: GraphForm) -> Vec<Array> {
    let arcs = graph.all_arcs();
    let states = || 0..graph.num_states() as u32;
    let ints = |values: Vec<i32>| Array::from_i32(&[values.len()], &values);
    let floats = |values: Vec<f32>| Array::from_f32(&[values.len()], &values);
    let finals = |part: fn(Cost) -> f32| floats(states().map(|state| part(graph.final_cost(state))).collect());
    let from = states().flat_map(|state| graph.arcs(state).iter().map(move |_| state as i32)).collect();
    let mut parts = vec![
        Array::from_i32(&[], &[graph.start().map_or(-1, |start| start as i32)]),
        ints(from),
        ints(arcs.iter().map(|arc| arc.next as i32).collect()),
        ints(arcs.iter().map(|arc| arc.input).collect()),
        ints(arcs.iter().map(|arc| arc.output).collect()),
        floats(arcs.iter().map(|arc| arc.cost.graph).collect()),
        finals(|cost| cost.graph),
    ];
    if form != GraphForm::Standard {
        parts.extend([floats(arcs.iter().map(|arc| arc.cost.acoustic).collect()), finals(|cost| cost.acoustic)]);
    }
    if form == GraphForm::Compact {
        let spans = || arcs.iter().map(|arc| arc.string).chain(states().map(|state| graph.final_span(state)));
        parts.push(ints(spans().map(|span| span.len() as i32).collect()));
        parts.push(ints(spans().flat_map(|span| graph.string(span).iter().copied()).collect()));
    }
    parts
}

/// Puts a graph together from the arrays of [`graph_parts`].
///
/// # Errors
/// If they do not fit each other.
pub(crate) fn graph_from_parts(form: GraphForm, parts: &[Array]) -> Result<Graph, String> {
    let names = graph_part_names(form);
    let find = |name: &str| names.iter().position(|known| *known == name).and_then(|at| parts.get(at));
    let ints = |name: &str| find(name).map_or(Ok(Vec::new()), integers);
    let floats = |name: &str| find(name).map_or(Ok(Vec::new()), singles);
    let (from, to, input, output) = (ints("from")?, ints("to")?, ints("input")?, ints("output")?);
    let (costs, finals) = (floats("graph")?, floats("final_graph")?);
    let (mut acoustic, mut final_acoustic) = (floats("acoustic")?, floats("final_acoustic")?);
    if form == GraphForm::Standard {
        acoustic = vec![0.0; costs.len()];
        final_acoustic = finals.iter().map(|&cost| if cost == f32::INFINITY { cost } else { 0.0 }).collect();
    }
    let num_arcs = from.len();
    for (name, found) in [
        ("to", to.len()),
        ("input", input.len()),
        ("output", output.len()),
        ("graph", costs.len()),
        ("acoustic", acoustic.len()),
    ] {
        same("from", num_arcs, name, found)?;
    }
    same("final_graph", finals.len(), "final_acoustic", final_acoustic.len())?;
    let state = |number: i32| match usize::try_from(number) {
        Ok(state) if state < finals.len() => Ok(number as u32),
        _ => Err(format!("expected states below {}, got {number}", finals.len())),
    };
    let mut builder = Builder::default();
    builder.add_states_to(finals.len());
    let mut spans = vec![Span::EMPTY; num_arcs + finals.len()];
    if form == GraphForm::Compact {
        let (lengths, ids) = (ints("lengths")?, ints("ids")?);
        same("from and final_graph", spans.len(), "lengths", lengths.len())?;
        let mut rest = ids.as_slice();
        for (span, &length) in spans.iter_mut().zip(&lengths) {
            let string = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
            let (string, behind) = string.ok_or("expected lengths that add up to the number of ids, got others")?;
            (*span, rest) = (builder.add_string(string), behind);
        }
        if !rest.is_empty() {
            return Err("expected lengths that add up to the number of ids, got others".into());
        }
    }
    for (index, &next) in to.iter().enumerate() {
        let cost = Cost::new(costs[index], acoustic[index]);
        let arc = Arc { input: input[index], output: output[index], cost, string: spans[index], next: state(next)? };
        builder.add_arc(state(from[index])?, arc);
    }
    for (number, (&graph, &acoustic)) in finals.iter().zip(&final_acoustic).enumerate() {
        builder.set_final(number as u32, Cost::new(graph, acoustic), spans[num_arcs + number]);
    }
    match ints("start")?[..] {
        [-1] => {}
        [start] => builder.set_start(state(start)?),
        _ => return Err("expected one start state, got another number".into()),
    }
    Ok(builder.finish())
}

fn same(name: &str, count: usize, other: &str, found: usize) -> Result<(), String> {
    if count == found { Ok(()) } else { Err(format!("expected {count} numbers in {other} as in {name}, got {found}")) }
}

#[cfg(test)]
mod tests {
    use kaldi_lattice::StoredGraph;
    use kaldi_values::Cursor;

    use super::*;

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
            let parts = graph_parts(&graph, form);
            assert_eq!(parts.len(), graph_part_names(form).len());
            assert_eq!(graph_from_parts(form, &parts), Ok(graph), "{text}");
        }
    }

    #[test]
    fn arrays_that_do_not_fit_are_refused() {
        let form = GraphForm::Compact;
        let parts = graph_parts(&graph("0 1 8 1,2,3_4\n1 0,0,5\n", form), form);
        let refused = |name: &str, array: Array| {
            let at = graph_part_names(form).iter().position(|known| *known == name).unwrap();
            let mut parts = parts.clone();
            parts[at] = array;
            graph_from_parts(form, &parts).unwrap_err()
        };
        let ints = |values: &[i32]| Array::from_i32(&[values.len()], values);
        assert_eq!(refused("to", ints(&[2])), "expected states below 2, got 2");
        assert_eq!(refused("from", ints(&[-1])), "expected states below 2, got -1");
        assert_eq!(refused("start", ints(&[2])), "expected states below 2, got 2");
        assert_eq!(refused("to", ints(&[1, 1])), "expected 1 numbers in to as in from, got 2");
        assert_eq!(
            refused("lengths", ints(&[2, 0, 2])),
            "expected lengths that add up to the number of ids, got others"
        );
        assert_eq!(refused("ids", ints(&[3, 4, 5, 6])), refused("lengths", ints(&[-1, 0, 4])));
    }
}
