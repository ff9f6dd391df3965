//! Lattices and FSTs.
//!
//! Their three types differ in what an archive is said to be. Where a value ends is the same for all, so that graphs of
//! several types, of both precisions and both forms pass through in one archive, each as it is stored.

use kaldi_io::ParseError;
use kaldi_lattice::{CompactLattice, Fst, GraphForm, GraphValue, Lattice, StoredGraph};
use kaldi_value::{Cursor, Format, Frame};
use memchr::memrchr;

use crate::advice::TypeAdvice;
use crate::blocks::{self, Lines};
use crate::frames;
use crate::header::{Header, Precision};
use crate::row::{Detected, Found, Row, Text};
use crate::value_type::ValueType;

type Result<T> = std::result::Result<T, ParseError>;

/// The row of plain lattices.
pub(crate) const LATTICE: Row = row::<Lattice>("lattice", advice("this is a lattice", "lattice-copy", "reads it"));

/// The row of compact lattices.
pub(crate) const COMPACT_LATTICE: Row =
    row::<CompactLattice>("compact-lattice", advice("this is a lattice", "lattice-copy", "reads it"));

/// The row of FSTs.
pub(crate) const FST: Row = row::<Fst>("fst", advice("this is an FST", "table-head", "prints it"));

const fn advice(sentence: &'static str, tool: &'static str, verb: &'static str) -> TypeAdvice {
    TypeAdvice { sentence, tool, verb }
}

const fn row<T: GraphValue>(name: &'static str, advice: TypeAdvice) -> Row {
    Row {
        found: Found::AtStart(detect::<T>),
        has_frames_as_rows: !matches!(T::FORM, GraphForm::Standard),
        frames: if matches!(T::FORM, GraphForm::Standard) { None } else { Some(frames::of_lattice) },
        has_common_columns: false,
        frame,
        parse: parse::<T>,
        header: header::<T>,
        rewrite: rewrite::<T>,
        ..Row::without_content::<T>(name, Text::Own, advice)
    }
}

impl ValueType {
    /// What the arcs of values have; `None` if they are neither lattices nor FSTs.
    pub fn graph_form(self) -> Option<GraphForm> {
        match self {
            Self::Lattice => Some(GraphForm::Plain),
            Self::CompactLattice => Some(GraphForm::Compact),
            Self::Fst => Some(GraphForm::Standard),
            _ => None,
        }
    }

    /// The type of graphs of a form.
    pub const fn of_graph(form: GraphForm) -> Self {
        match form {
            GraphForm::Plain => Self::Lattice,
            GraphForm::Compact => Self::CompactLattice,
            GraphForm::Standard => Self::Fst,
        }
    }
}

/// Whether a value that starts like this is binary although it does not start with a zero byte.
pub(crate) fn starts_binary(window: &[u8]) -> bool {
    StoredGraph::is_binary(window)
}

/// Whether the first value of a table, which starts like this, is a graph of this type. A binary one of a type that is not
/// known counts as a compact lattice, so that the message about its end names the type.
fn detect<T: GraphValue>(window: &[u8], at_end: bool) -> Detected {
    let form = match StoredGraph::is_binary(window) {
        true => match StoredGraph::binary_form(window) {
            Ok(None) if !at_end => return Detected::NeedMoreBytes,
            form => form.ok().flatten().unwrap_or(GraphForm::Compact),
        },
        false => match blocks::parse_front(window, at_end) {
            Lines::Graphs(form) => form,
            Lines::NeedMoreBytes => return Detected::NeedMoreBytes,
            Lines::Words | Lines::Others => return Detected::No,
        },
    };
    if form == T::FORM { Detected::Yes } else { Detected::No }
}

/// Where a value ends. Readers of lattices take text without an empty line at its end, but its last line may be cut, and what
/// is put behind it would become a part of it.
fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
    let frame = StoredGraph::frame(window, at_end)?;
    let is_ended = |text: &[u8]| {
        let lines = text.strip_suffix(b"\n").and_then(|text| memrchr(b'\n', text).map(|last| &text[last..]));
        lines.is_some_and(|last| last.trim_ascii().is_empty())
    };
    match frame {
        Frame::Whole(length) if at_end && !starts_binary(window) && !is_ended(&window[..length]) => {
            Err(ParseError::end(window.len(), "an empty line after the value"))
        }
        frame => Ok(frame),
    }
}

/// Checks a graph. Of one that is not whole, the last line of text may be cut.
fn parse<T: GraphValue>(window: &[u8], is_whole: bool) -> Result<()> {
    let lines = memrchr(b'\n', window).map_or(0, |last| last + 1);
    let window = if is_whole || starts_binary(window) { window } else { &window[..lines] };
    match StoredGraph::read(&mut Cursor::new(window), T::FORM) {
        Err(error) if error.at_end && !is_whole => Ok(()),
        read => read.map(drop),
    }
}

/// A graph has no header: all of it is read.
fn header<T: GraphValue>(head: &[u8], beyond: u64, range: Option<&[u8]>) -> Result<Option<Header>> {
    if beyond > 0 {
        return Err(ParseError::end(head.len(), "the rest of the graph"));
    }
    let stored = read::<T>(&mut Cursor::new(head), range)?;
    let precision =
        stored.has_doubles.map(|has_doubles| if has_doubles { Precision::Double } else { Precision::Single });
    let size = stored.size();
    let rows = size.path.map(|path| path.frames as u64);
    Ok(Some(Header { rows, precision, graph: Some((ValueType::of_graph(stored.form), size)), ..Header::EMPTY }))
}

/// Reads a graph as it is stored.
fn read<T: GraphValue>(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<StoredGraph> {
    // Graphs have no parts, which the error says.
    range.map_or(Ok(()), |range| T::read_range(cursor, range).map(drop))?;
    StoredGraph::read(cursor, T::FORM)
}

/// Appends a graph in its own form: nothing of the others is lost in an archive of several.
fn rewrite<T: GraphValue>(
    cursor: &mut Cursor<'_>,
    range: Option<&[u8]>,
    format: Format,
    out: &mut Vec<u8>,
) -> Result<()> {
    read::<T>(cursor, range)?.write(out, format);
    Ok(())
}
