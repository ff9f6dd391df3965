//! Pictures of lattices and FSTs in the language of Graphviz.

use bstr::ByteSlice;
use kaldi_io::printable;
use kaldi_lattice::{Arc, Cost, Graph, GraphForm, StoredGraph};
use kaldi_table::RawEntry;
use kaldi_value::SymbolTable;

use crate::Result;
use crate::graph::read_graph;

/// Appends the lattice or the FST of an entry as a digraph for `dot`: states from left to right, the start bold, final ones
/// with two circles and their costs. An arc has its word (before it the other label, if there is one), its costs, and the
/// number of its transition-ids. Labels of outputs are words of `symbols`, as far as it has them.
///
/// # Errors
/// If it cannot be read, or is no graph.
pub fn show_dot(entry: &RawEntry, wanted: GraphForm, symbols: &SymbolTable, out: &mut Vec<u8>) -> Result<()> {
    let drawn = Drawn { stored: read_graph(entry, wanted)?, symbols };
    let graph = &drawn.stored.graph;
    let mut text = format!("digraph {} {{\n  rankdir = LR;\n", quoted(&printable(entry.key())));
    for state in 0..graph.num_states() as u32 {
        let style = if graph.start() == Some(state) { ", style = bold" } else { "" };
        let (shape, label) = match graph.is_final(state) {
            true => ("doublecircle", format!("{state}{}", drawn.end(state))),
            false => ("circle", state.to_string()),
        };
        text += &format!("  {state} [label = {}, shape = {shape}{style}];\n", quoted(&label));
        for arc in graph.arcs(state) {
            text += &format!("  {state} -> {} [label = {}];\n", arc.next, quoted(&drawn.arc(arc)));
        }
    }
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(b"}\n");
    Ok(())
}

/// Text as a string of the language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

struct Drawn<'a> {
    stored: StoredGraph,
    symbols: &'a SymbolTable,
}

impl Drawn<'_> {
    fn arc(&self, arc: &Arc) -> String {
        let word = self.symbols.symbol(arc.output).map(|word| printable(word.as_bytes()));
        let word = word.unwrap_or_else(|| arc.output.to_string());
        let label = if self.stored.form == GraphForm::Compact { word } else { format!("{}:{word}", arc.input) };
        label + &self.weight(arc.cost, arc.string.len())
    }

    /// The costs of a final state.
    fn end(&self, state: u32) -> String {
        let graph: &Graph = &self.stored.graph;
        self.weight(graph.final_cost(state), graph.final_span(state).len())
    }

    fn weight(&self, cost: Cost, frames: usize) -> String {
        let acoustic =
            if self.stored.form == GraphForm::Standard { String::new() } else { format!(",{}", cost.acoustic) };
        let frames = if frames > 0 { format!(" ({frames})") } else { String::new() };
        match cost == Cost::ONE {
            true => frames,
            false => format!("/{}{acoustic}{frames}", cost.graph),
        }
    }
}
