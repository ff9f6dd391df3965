//! Lattices and graphs as values of tables.

use std::fmt::Debug;
use std::ops::{Deref, DerefMut};

use kaldi_io::{Frame, ParseError};
use kaldi_value::{Cursor, Format, Value};

use crate::convert::{to_compact, to_plain};
use crate::graph::Graph;
use crate::text::GraphForm;
use crate::{binary, text};

/// A graph of any form, as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredGraph {
    /// The graph.
    pub graph: Graph,
    /// What its arcs have.
    pub form: GraphForm,
    /// Whether costs had double or single precision in a binary file; `None` in text.
    pub has_doubles: Option<bool>,
}

impl StoredGraph {
    /// Where the graph at the start of the window ends. In text that is an empty line, or the end of all.
    ///
    /// # Errors
    /// If it is no graph, or not a whole one and `at_end` is set.
    pub fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        match window.first() {
            None if at_end => Err(ParseError::end(0, "a lattice")),
            None => Ok(Frame::Partial(1)),
            Some(byte) if is_space(*byte) => text::frame(window, at_end),
            Some(_) if Self::is_binary(window) => binary::frame(window, at_end),
            Some(_) => Err(no_lattice(window)),
        }
    }

    /// Whether the first byte is that of a binary graph.
    pub fn is_binary(window: &[u8]) -> bool {
        window.first() == Some(&binary::MAGIC.to_le_bytes()[0])
    }

    /// The form that the first bytes of a binary graph name; `None` if they are not all there.
    ///
    /// # Errors
    /// If they are those of another type of FSTs or arcs.
    pub fn binary_form(window: &[u8]) -> Result<Option<GraphForm>, ParseError> {
        Ok(binary::arc_type(window)?.map(|arc_type| arc_type.form))
    }

    /// Reads a graph. Text is that of an FST if one is `wanted`, and otherwise that of a lattice, by its columns.
    ///
    /// # Errors
    /// If it is no graph.
    pub fn read(cursor: &mut Cursor<'_>, wanted: GraphForm) -> Result<Self, ParseError> {
        let bytes = cursor.rest();
        let start = cursor.offset();
        let stored = match bytes.first() {
            None => Err(ParseError::end(0, "a lattice")),
            Some(byte) if is_space(*byte) => {
                text::read(bytes, wanted).map(|(graph, form, length)| (Self { graph, form, has_doubles: None }, length))
            }
            Some(_) if Self::is_binary(bytes) => binary::read(bytes).map(|(graph, arc_type, length)| {
                (Self { graph, form: arc_type.form, has_doubles: Some(arc_type.doubles) }, length)
            }),
            Some(_) => Err(no_lattice(bytes)),
        };
        let (stored, length) = stored.map_err(|error| ParseError { offset: error.offset + start, ..error })?;
        cursor.advance(length);
        Ok(stored)
    }

    /// Appends the graph in its form. Costs are of single precision.
    pub fn write(&self, out: &mut Vec<u8>, format: Format) {
        write(&self.graph, self.form, out, format);
    }
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

fn no_lattice(window: &[u8]) -> ParseError {
    let word = window.split(|&byte| is_space(byte)).next().unwrap_or_default();
    let word = kaldi_io::excerpt(word);
    ParseError::new(0, format!("expected a lattice (a line end, or bytes of an FST), got \"{word}\""))
}

fn write(graph: &Graph, form: GraphForm, out: &mut Vec<u8>, format: Format) {
    match format {
        Format::Binary => binary::write(graph, form, out),
        Format::Text => text::write(graph, form, out),
    }
}

/// Reads a graph of the wanted form, or one that converts to it.
fn read(cursor: &mut Cursor<'_>, wanted: GraphForm) -> Result<Graph, ParseError> {
    let start = cursor.clone();
    let StoredGraph { graph, form, .. } = StoredGraph::read(cursor, wanted)?;
    match (wanted, form) {
        (wanted, form) if wanted == form => Ok(graph),
        (GraphForm::Plain, GraphForm::Compact) => Ok(to_plain(&CompactLattice(graph)).0),
        (GraphForm::Compact, GraphForm::Plain) => Ok(to_compact(&Lattice(graph)).0),
        (GraphForm::Standard, _) => Err(start.error("expected an FST with standard arcs, got a lattice")),
        (_, _) => Err(start.error("expected a lattice, got an FST with standard arcs")),
    }
}

/// A graph of one form as a value. Functions over all three types are generic over it.
pub trait GraphValue: Value + Debug + From<Graph> + Deref<Target = Graph> {
    /// What its arcs have.
    const FORM: GraphForm;
}

/// Makes types of graphs that are values.
macro_rules! graphs {
    ($($(#[$doc:meta])* $type:ident = $name:literal, $form:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $type(pub Graph);

        impl Deref for $type {
            type Target = Graph;

            fn deref(&self) -> &Graph {
                &self.0
            }
        }

        impl DerefMut for $type {
            fn deref_mut(&mut self) -> &mut Graph {
                &mut self.0
            }
        }

        impl From<Graph> for $type {
            fn from(graph: Graph) -> Self {
                Self(graph)
            }
        }

        impl GraphValue for $type {
            const FORM: GraphForm = GraphForm::$form;
        }

        impl Value for $type {
            const NAME: &'static str = $name;

            fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
                StoredGraph::frame(window, at_end)
            }

            fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
                read(cursor, GraphForm::$form).map(Self)
            }

            fn write(&self, out: &mut Vec<u8>, format: Format) {
                write(&self.0, GraphForm::$form, out, format);
            }

            fn is_canonical_binary(bytes: &[u8]) -> bool {
                binary::is_canonical(bytes, GraphForm::$form)
            }
        }
    )* };
}

graphs! {
    /// A plain lattice: arcs with a transition-id, a word and a cost (Kaldi's `Lattice`).
    Lattice = "lattice", Plain;
    /// A compact lattice: arcs with a word, a cost and a string of transition-ids (Kaldi's `CompactLattice`).
    CompactLattice = "compact lattice", Compact;
    /// A graph with one cost, kept as the graph cost (a `VectorFst` with standard arcs), such as a training graph.
    Fst = "fst", Standard;
}

#[cfg(test)]
mod tests;
