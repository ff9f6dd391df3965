//! Lattices and FSTs as arrays, and arrays as lattices and FSTs.

use std::collections::BTreeMap;

use kaldi_lattice::{Graph, GraphArrays, GraphForm};
use serde_json::value::RawValue;

use crate::array::Array;
use crate::item::{integers, singles};
use crate::json_read::Single;

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
pub(crate) const fn graph_part_names(form: GraphForm) -> &'static [&'static str] {
    match form {
        GraphForm::Standard => STANDARD,
        GraphForm::Plain => PLAIN,
        GraphForm::Compact => COMPACT,
    }
}

/// Whether the numbers of an array of this name are floats.
fn has_floats(name: &str) -> bool {
    matches!(field(&mut GraphArrays::default(), name), Some(Field::Floats(_)))
}

/// The arrays of a graph, in the order of their names.
pub(crate) fn graph_parts(graph: &Graph, form: GraphForm) -> Vec<Array> {
    let mut arrays = GraphArrays::of(graph, form);
    let start = Array::from_i32(&[], &[arrays.start]);
    let part = |name: &&str| match field(&mut arrays, name) {
        None => start.clone(),
        Some(Field::Ints(values)) => Array::from_i32(&[values.len()], values),
        Some(Field::Floats(values)) => Array::from_f32(&[values.len()], values),
    };
    graph_part_names(form).iter().map(part).collect()
}

/// Puts a graph together from the arrays of [`graph_parts`].
///
/// # Errors
/// If they do not fit each other.
pub(crate) fn graph_from_parts(form: GraphForm, parts: &[Array]) -> Result<Graph, String> {
    let mut arrays = GraphArrays::default();
    for (name, part) in graph_part_names(form).iter().zip(parts) {
        match field(&mut arrays, name) {
            Some(Field::Ints(values)) => *values = integers(part)?,
            Some(Field::Floats(values)) => *values = singles(part)?,
            None => match integers(part)?[..] {
                [start] => arrays.start = start,
                _ => return Err("expected one start state, got another number".into()),
            },
        }
    }
    arrays.into_graph(form)
}

/// Reads a graph from a JSON object of its arrays.
///
/// # Errors
/// If arrays are missing, or do not fit each other.
pub(crate) fn parse_graph(text: &str, form: GraphForm) -> Result<Graph, String> {
    let object: BTreeMap<&str, &RawValue> =
        serde_json::from_str(text).map_err(|error| format!("expected an object of arrays: {error}"))?;
    let mut parts = Vec::new();
    for name in graph_part_names(form) {
        let text = object.get(name).ok_or_else(|| format!("expected an array \"{name}\", got others only"))?.get();
        let fault = |error: serde_json::Error| format!("expected numbers in \"{name}\": {error}");
        parts.push(match *name {
            "start" => Array::from_i32(&[], &[serde_json::from_str(text).map_err(fault)?]),
            name if has_floats(name) => {
                let values: Vec<Single> = serde_json::from_str(text).map_err(fault)?;
                Array::from_f32(&[values.len()], &values.into_iter().map(|value| value.0).collect::<Vec<f32>>())
            }
            _ => {
                let values: Vec<i32> = serde_json::from_str(text).map_err(fault)?;
                Array::from_i32(&[values.len()], &values)
            }
        });
    }
    graph_from_parts(form, &parts)
}

/// Numbers of a graph that have a name.
enum Field<'a> {
    Ints(&'a mut Vec<i32>),
    Floats(&'a mut Vec<f32>),
}

/// The array of this name; `None` is the start state, which is a single number.
fn field<'a>(arrays: &'a mut GraphArrays, name: &str) -> Option<Field<'a>> {
    Some(match name {
        "from" => Field::Ints(&mut arrays.from),
        "to" => Field::Ints(&mut arrays.to),
        "input" => Field::Ints(&mut arrays.input),
        "output" => Field::Ints(&mut arrays.output),
        "lengths" => Field::Ints(&mut arrays.lengths),
        "ids" => Field::Ints(&mut arrays.ids),
        "graph" => Field::Floats(&mut arrays.graph),
        "acoustic" => Field::Floats(&mut arrays.acoustic),
        "final_graph" => Field::Floats(&mut arrays.final_graph),
        "final_acoustic" => Field::Floats(&mut arrays.final_acoustic),
        _ => return None,
    })
}
