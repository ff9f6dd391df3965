//! Lattices and graphs as values of tables.

use std::ops::{Deref, DerefMut};

use kaldi_io::{Frame, ParseError};
use kaldi_values::{Cursor, Format, Value};

use crate::convert::{to_compact, to_plain};
use crate::graph::Graph;
use crate::text::Form;
use crate::{binary, text};

/// A plain lattice: arcs with a transition-id, a word and a cost (Kaldi's `Lattice`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lattice(pub Graph);

/// A compact lattice: arcs with a word, a cost and a string of transition-ids (Kaldi's `CompactLattice`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompactLattice(pub Graph);

/// A graph with one cost, kept as the graph cost (a `VectorFst` with standard arcs), such as a training graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fst(pub Graph);

/// Finds the end of a graph of any form.
fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
    match window.first() {
        None if at_end => Err(ParseError::end(0, "a lattice")),
        None => Ok(Frame::Partial(1)),
        Some(byte) if is_space(*byte) => text::frame(window, at_end),
        Some(_) if is_binary(window) => binary::frame(window, at_end),
        Some(_) => Err(no_lattice(window)),
    }
}

fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

/// Whether the first byte is that of a binary graph.
fn is_binary(window: &[u8]) -> bool {
    window.first() == Some(&binary::MAGIC.to_le_bytes()[0])
}

fn no_lattice(window: &[u8]) -> ParseError {
    let word = window.split(|&byte| is_space(byte)).next().unwrap_or_default();
    let word = kaldi_io::excerpt(word);
    ParseError::new(0, format!("expected a lattice (a line end, or bytes of an FST), got \"{word}\""))
}

/// Reads a graph that is in any form of those that `accepts` takes.
fn read(cursor: &mut Cursor<'_>, wanted: Form, accepts: fn(Form) -> bool) -> Result<(Graph, Form), ParseError> {
    let bytes = cursor.rest();
    let start = cursor.offset();
    let graph = match bytes.first() {
        None => Err(ParseError::end(0, "a lattice")),
        Some(byte) if is_space(*byte) => text::read(bytes, wanted),
        Some(_) if is_binary(bytes) => binary::read(bytes),
        Some(_) => Err(no_lattice(bytes)),
    };
    let (graph, form, length) = graph.map_err(|error| ParseError { offset: error.offset + start, ..error })?;
    if !accepts(form) {
        return Err(cursor.error(match wanted {
            Form::Standard => "expected an FST with standard arcs, got a lattice",
            _ => "expected a lattice, got an FST with standard arcs",
        }));
    }
    cursor.advance(length);
    Ok((graph, form))
}

fn is_lattice(form: Form) -> bool {
    form != Form::Standard
}

fn is_standard(form: Form) -> bool {
    form == Form::Standard
}

fn write(graph: &Graph, form: Form, out: &mut Vec<u8>, format: Format) {
    match format {
        Format::Binary => binary::write(graph, form, out),
        Format::Text => text::write(graph, form, out),
    }
}

impl Value for Lattice {
    const NAME: &'static str = "lattice";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame(window, at_end)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let (graph, form) = read(cursor, Form::Plain, is_lattice)?;
        Ok(match form {
            Form::Compact => to_plain(&CompactLattice(graph)),
            _ => Self(graph),
        })
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        write(&self.0, Form::Plain, out, format);
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        binary::is_canonical(bytes, Form::Plain)
    }
}

impl Value for CompactLattice {
    const NAME: &'static str = "compact lattice";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame(window, at_end)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let (graph, form) = read(cursor, Form::Compact, is_lattice)?;
        Ok(match form {
            Form::Plain => to_compact(&Lattice(graph)),
            _ => Self(graph),
        })
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        write(&self.0, Form::Compact, out, format);
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        binary::is_canonical(bytes, Form::Compact)
    }
}

impl Value for Fst {
    const NAME: &'static str = "FST";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame(window, at_end)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        read(cursor, Form::Standard, is_standard).map(|(graph, _)| Self(graph))
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        write(&self.0, Form::Standard, out, format);
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        binary::is_canonical(bytes, Form::Standard)
    }
}

macro_rules! graphs {
    ($($name:ident)*) => { $(
        impl Deref for $name {
            type Target = Graph;

            fn deref(&self) -> &Graph {
                &self.0
            }
        }

        impl DerefMut for $name {
            fn deref_mut(&mut self) -> &mut Graph {
                &mut self.0
            }
        }
    )* };
}

graphs! { Lattice CompactLattice Fst }

#[cfg(test)]
mod tests;
