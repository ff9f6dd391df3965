//! Lattices and FSTs: their sums, their JSON, what differs in them.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use kaldi_any::ValueType;
use kaldi_lattice::{Cost, Graph, GraphForm, GraphSize, StoredGraph};
use kaldi_table::RawEntry;
use kaldi_value::Cursor;
use serde_json::{Map, Value, json};

use crate::Result;
use crate::show::number;
use crate::summary::widen;

/// Reads the lattice or the FST of an entry as it is stored; see [`StoredGraph::read`].
///
/// # Errors
/// If it cannot be read, or is no graph.
pub fn read_graph(entry: &RawEntry, wanted: GraphForm) -> Result<StoredGraph> {
    StoredGraph::read(&mut Cursor::new(&entry.bytes()?), wanted).map_err(|error| entry.error(error).into())
}

/// What the lattices or FSTs of a table have.
#[derive(Clone, Debug, Default)]
pub struct GraphSums {
    /// How many are stored as each type.
    pub types: BTreeMap<&'static str, u64>,
    /// The smallest and the largest number of states.
    pub states: Option<RangeInclusive<u64>>,
    /// The smallest and the largest number of arcs.
    pub arcs: Option<RangeInclusive<u64>>,
    /// Frames, frames of all arcs, and words of the best paths, of lattices whose paths agree about frames.
    paths: Option<[u64; 3]>,
}

impl GraphSums {
    /// Adds a graph.
    pub(crate) fn add(&mut self, stored: ValueType, size: &GraphSize) {
        *self.types.entry(stored.name()).or_default() += 1;
        widen(&mut self.states, Some(size.states as u64));
        widen(&mut self.arcs, Some(size.arcs as u64));
        if let Some(path) = size.path {
            let sums = self.paths.get_or_insert_default();
            let more = [path.frames, path.arc_frames, path.words];
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more as u64);
        }
    }

    /// The mean number of arcs across a frame, rounded to two digits after the point; `None` without frames.
    pub fn depth(&self) -> Option<f64> {
        let [frames, arc_frames, _] = self.paths?;
        (frames > 0).then(|| rounded(arc_frames as f64 / frames as f64))
    }

    /// The words of the best paths; `None` without lattices.
    pub fn words(&self) -> Option<u64> {
        self.paths.map(|[_, _, words]| words)
    }

    /// The words of the best paths in a second, if a frame takes `frame_shift` seconds; rounded.
    pub fn word_rate(&self, frame_shift: f64) -> Option<f64> {
        let [frames, _, words] = self.paths?;
        let seconds = frames as f64 * frame_shift;
        (seconds > 0.0).then(|| rounded(words as f64 / seconds))
    }
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// A lattice or an FST as an object: its start state, its number of states, its arcs and its final states. Infinite costs are null.
pub(crate) fn graph_json(entry: &RawEntry, wanted: GraphForm) -> Result<Value> {
    let StoredGraph { graph, form, .. } = read_graph(entry, wanted)?;
    let (mut arcs, mut finals) = (Vec::new(), Vec::new());
    for state in 0..graph.num_states() as u32 {
        for arc in graph.arcs(state) {
            let mut object = Map::new();
            object.insert("from".into(), state.into());
            object.insert("to".into(), arc.next.into());
            if form == GraphForm::Compact {
                object.insert("word".into(), arc.output.into());
            } else {
                object.insert("input".into(), arc.input.into());
                object.insert("output".into(), arc.output.into());
            }
            insert_weight(&mut object, form, arc.cost, graph.string(arc.string));
            arcs.push(Value::Object(object));
        }
        if graph.is_final(state) {
            let mut object = Map::new();
            object.insert("state".into(), state.into());
            insert_weight(&mut object, form, graph.final_cost(state), graph.final_string(state));
            finals.push(Value::Object(object));
        }
    }
    Ok(json!({ "start": graph.start(), "states": graph.num_states(), "arcs": arcs, "finals": finals }))
}

fn insert_weight(object: &mut Map<String, Value>, form: GraphForm, cost: Cost, ids: &[i32]) {
    if form == GraphForm::Standard {
        object.insert("cost".into(), number(&cost.graph.into()));
        return;
    }
    object.insert("graph".into(), number(&cost.graph.into()));
    object.insert("acoustic".into(), number(&cost.acoustic.into()));
    if form == GraphForm::Compact {
        object.insert("ids".into(), ids.into());
    }
}

/// The first thing in which two graphs differ, in words. `differ` gives the difference of two numbers if it counts.
pub(crate) fn graph_difference(
    [one, other]: &[StoredGraph; 2],
    differ: impl Fn(f64, f64) -> Option<f64>,
) -> Option<String> {
    let [sizes, other_sizes] = [one, other].map(|it| {
        let (states, arcs) = (it.graph.num_states(), it.graph.num_arcs());
        format!("{} of {states} states and {arcs} arcs", kind(it.form))
    });
    if sizes != other_sizes {
        return Some(format!("sizes differ: {sizes}, and {other_sizes}"));
    }
    let (one, other) = (&one.graph, &other.graph);
    if one.start() != other.start() {
        let start = |graph: &Graph| graph.start().map_or("none".to_owned(), |start| start.to_string());
        return Some(format!("start states differ: {}, and {}", start(one), start(other)));
    }
    let mut costs = Costs { differ, count: 0, of: 0, largest: None };
    for state in 0..one.num_states() as u32 {
        let (arcs, others) = (one.arcs(state), other.arcs(state));
        let have_same_ends = one.is_final(state) == other.is_final(state)
            && one.final_string(state) == other.final_string(state)
            && arcs.len() == others.len();
        if !have_same_ends {
            return Some(format!("state {state} differs: its final string or the number of its arcs"));
        }
        for (index, (arc, other_arc)) in arcs.iter().zip(others).enumerate() {
            let labels = (arc.input, arc.output, arc.next);
            if labels != (other_arc.input, other_arc.output, other_arc.next) {
                return Some(format!("arc {index} of state {state} differs: its labels or its next state"));
            }
            if one.string(arc.string) != other.string(other_arc.string) {
                return Some(format!("arc {index} of state {state} differs: its transition-ids"));
            }
            costs.compare(arc.cost, other_arc.cost, &|| format!("arc {index} of state {state}"));
        }
        if one.is_final(state) {
            costs.compare(one.final_cost(state), other.final_cost(state), &|| format!("final state {state}"));
        }
    }
    let (largest, place) = costs.largest?;
    let plural = if costs.count == 1 { "differs" } else { "differ" };
    Some(format!("{} of {} costs {plural}; the largest difference is {largest:.6} at {place}", costs.count, costs.of))
}

fn kind(form: GraphForm) -> &'static str {
    match form {
        GraphForm::Plain => "a lattice",
        GraphForm::Compact => "a compact lattice",
        GraphForm::Standard => "an FST",
    }
}

/// Costs that are compared one after the other.
struct Costs<F> {
    differ: F,
    count: u64,
    of: u64,
    /// The largest difference, its place, and both numbers there.
    largest: Option<(f64, String)>,
}

impl<F: Fn(f64, f64) -> Option<f64>> Costs<F> {
    fn compare(&mut self, one: Cost, other: Cost, place: &dyn Fn() -> String) {
        for (one, other) in [(one.graph, other.graph), (one.acoustic, other.acoustic)] {
            self.of += 1;
            let Some(difference) = (self.differ)(one.into(), other.into()) else { continue };
            self.count += 1;
            if self.largest.as_ref().is_none_or(|(largest, _)| difference > *largest) {
                self.largest = Some((difference, format!("{}: {one}, and {other}", place())));
            }
        }
    }
}
