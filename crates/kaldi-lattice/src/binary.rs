//! The binary form: a file of OpenFst's `VectorFst`.

use kaldi_io::{Frame, ParseError};

use crate::cost::Cost;
use crate::graph::{Arc, Graph, Span, State};
use crate::text::GraphForm;

/// The first four bytes of every such file.
pub(crate) const MAGIC: i32 = 2_125_659_606;
const SYMBOLS_MAGIC: i32 = 2_125_658_996;
const VERSION: i32 = 2;
/// Flags of the header: symbol tables of inputs and outputs follow.
const SYMBOL_TABLES: [i32; 2] = [1, 2];
/// The only properties that are always true: the states are there, and can be changed.
const PROPERTIES: u64 = 3;
/// Names of types and symbols are shorter than this.
const LONGEST_NAME: i32 = 1 << 12;

/// How the arcs of a file are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArcType {
    pub(crate) form: GraphForm,
    /// Whether costs are doubles.
    pub(crate) doubles: bool,
}

const ARC_TYPES: [(&str, ArcType); 5] = [
    ("lattice4", ArcType { form: GraphForm::Plain, doubles: false }),
    ("lattice8", ArcType { form: GraphForm::Plain, doubles: true }),
    ("compactlattice44", ArcType { form: GraphForm::Compact, doubles: false }),
    ("compactlattice84", ArcType { form: GraphForm::Compact, doubles: true }),
    ("standard", ArcType { form: GraphForm::Standard, doubles: false }),
];

impl ArcType {
    fn cost_size(self) -> usize {
        match self.form {
            GraphForm::Standard => 4,
            _ if self.doubles => 16,
            _ => 8,
        }
    }

    fn has_strings(self) -> bool {
        self.form == GraphForm::Compact
    }

    /// The least bytes of a state: its cost, the length of its string, and its number of arcs.
    fn state_size(self) -> usize {
        self.cost_size() + if self.has_strings() { 4 } else { 0 } + 8
    }

    /// The least bytes of an arc.
    fn arc_size(self) -> usize {
        12 + self.cost_size() + if self.has_strings() { 4 } else { 0 }
    }
}

/// Why a file cannot be walked through.
enum Fault {
    /// It goes on beyond the bytes: it has at least this many.
    Short(u64),
    Bad(ParseError),
}

impl From<ParseError> for Fault {
    fn from(error: ParseError) -> Self {
        Self::Bad(error)
    }
}

/// A position in the bytes of a file.
#[derive(Clone, Copy)]
struct Place<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Place<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..count));
        let taken = taken.ok_or(Fault::Short(self.at as u64 + count as u64))?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn int(&mut self) -> Result<i32, Fault> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    fn long(&mut self) -> Result<i64, Fault> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    fn name(&mut self, what: &str) -> Result<&'a [u8], Fault> {
        let at = self.at;
        let length = self.int()?;
        if !(0..LONGEST_NAME).contains(&length) {
            return Err(ParseError::new(at, format!("expected the length of {what}, got {length}")).into());
        }
        self.take(length as usize)
    }

    /// A count of something that takes `each` bytes or more.
    fn count(&mut self, what: &str, each: usize) -> Result<usize, Fault> {
        let at = self.at;
        let count = self.long()?;
        let bytes = u64::try_from(count).ok().and_then(|count| count.checked_mul(each as u64));
        match bytes {
            Some(bytes) if bytes < 1 << 48 => Ok(count as usize),
            _ => Err(ParseError::new(at, format!("expected a number of {what}, got {count}")).into()),
        }
    }

    fn cost(&mut self, arc_type: ArcType) -> Result<Cost, Fault> {
        Ok(match (arc_type.form, arc_type.doubles) {
            (GraphForm::Standard, _) => Cost::new(f32::from_le_bytes(self.array()?), 0.0),
            (_, false) => Cost::new(f32::from_le_bytes(self.array()?), f32::from_le_bytes(self.array()?)),
            (_, true) => Cost::new(f64::from_le_bytes(self.array()?) as f32, f64::from_le_bytes(self.array()?) as f32),
        })
    }

    /// The transition-ids of a string, if the type has strings.
    fn string(&mut self, arc_type: ArcType) -> Result<&'a [u8], Fault> {
        if !arc_type.has_strings() {
            return Ok(&[]);
        }
        let at = self.at;
        let count = self.int()?;
        match usize::try_from(count) {
            Ok(count) => self.take(count * 4),
            Err(_) => Err(ParseError::new(at, format!("expected a number of transition-ids, got {count}")).into()),
        }
    }
}

/// What the header says.
struct Header {
    arc_type: ArcType,
    flags: i32,
    properties: u64,
    start: Option<u32>,
    num_states: usize,
    num_arcs: i64,
}

/// Reads the first bytes of a file: what its arcs are. Where a file of another type ends cannot be known.
fn read_types(place: &mut Place<'_>) -> Result<ArcType, Fault> {
    let magic = place.int()?;
    if magic != MAGIC {
        return Err(ParseError::new(0, "expected the first bytes of an FST (d6 fd b2 7e), got others").into());
    }
    let at = place.at;
    let (fst_type, arcs) = (place.name("the type of an FST")?, place.name("the type of arcs")?);
    let known = ARC_TYPES.iter().find(|(known, _)| fst_type == b"vector" && known.as_bytes() == arcs);
    known.map(|(_, arc_type)| *arc_type).ok_or_else(|| {
        let (fst_type, arcs) = (fst_type.escape_ascii(), arcs.escape_ascii());
        let expected = "expected an FST of type \"vector\" with arcs of type \"standard\" or of a lattice";
        ParseError::new(at, format!("{expected}, got type \"{fst_type}\" with arcs of type \"{arcs}\"")).into()
    })
}

/// What the arcs are of a file that starts like this; `None` if its header is not complete.
///
/// # Errors
/// If it is no file of a lattice or an FST.
pub(crate) fn arc_type(window: &[u8]) -> Result<Option<ArcType>, ParseError> {
    match read_types(&mut Place { bytes: window, at: 0 }) {
        Ok(arc_type) => Ok(Some(arc_type)),
        Err(Fault::Short(_)) => Ok(None),
        Err(Fault::Bad(error)) => Err(error),
    }
}

fn read_header(place: &mut Place<'_>) -> Result<Header, Fault> {
    let arc_type = read_types(place)?;
    let at = place.at;
    let version = place.int()?;
    if version != VERSION {
        return Err(ParseError::new(at, format!("expected an FST of version {VERSION}, got {version}")).into());
    }
    let flags = place.int()?;
    let properties = place.long()? as u64;
    let at = place.at;
    let start = place.long()?;
    let num_states = place.count("states", arc_type.state_size())?;
    if num_states > u32::MAX as usize - 1 || start < -1 || start >= num_states.max(1) as i64 {
        let message = format!("expected a start state and a number of states, got {start} and {num_states}");
        return Err(ParseError::new(at, message).into());
    }
    let num_arcs = place.long()?;
    for flag in SYMBOL_TABLES {
        if flags & flag != 0 {
            skip_symbols(place)?;
        }
    }
    let start = u32::try_from(start).ok().filter(|&start| (start as usize) < num_states);
    Ok(Header { arc_type, flags, properties, start, num_states, num_arcs })
}

fn skip_symbols(place: &mut Place<'_>) -> Result<(), Fault> {
    let at = place.at;
    if place.int()? != SYMBOLS_MAGIC {
        return Err(ParseError::new(at, "expected a symbol table, as the flags of the header say").into());
    }
    place.name("the name of a symbol table")?;
    place.long()?;
    for _ in 0..place.count("symbols", 12)? {
        place.name("a symbol")?;
        place.long()?;
    }
    Ok(())
}

/// The header of a file and its length. Where arcs lead is not looked at.
fn walk(bytes: &[u8]) -> Result<(Header, usize), Fault> {
    let mut place = Place { bytes, at: 0 };
    let header = read_header(&mut place)?;
    let arc_type = header.arc_type;
    for left in (0..header.num_states).rev() {
        let rest = left as u64 * arc_type.state_size() as u64;
        let walked = skip_state(&mut place, arc_type);
        walked.map_err(|fault| match fault {
            Fault::Short(least) => Fault::Short(least + rest),
            bad => bad,
        })?;
    }
    Ok((header, place.at))
}

fn skip_state(place: &mut Place<'_>, arc_type: ArcType) -> Result<(), Fault> {
    place.take(arc_type.cost_size())?;
    place.string(arc_type)?;
    let num_arcs = place.count("arcs", arc_type.arc_size())?;
    if !arc_type.has_strings() {
        place.take(num_arcs * arc_type.arc_size())?;
        return Ok(());
    }
    for left in (0..num_arcs).rev() {
        let rest = (left * arc_type.arc_size()) as u64;
        let mut skip = || -> Result<(), Fault> {
            place.take(8 + arc_type.cost_size())?;
            place.string(arc_type)?;
            place.take(4)?;
            Ok(())
        };
        skip().map_err(|fault| match fault {
            Fault::Short(least) => Fault::Short(least + rest),
            bad => bad,
        })?;
    }
    Ok(())
}

/// Where the file at the start of the window ends.
///
/// # Errors
/// If it is no such file, or incomplete and `at_end` is set.
pub(crate) fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
    match walk(window) {
        Ok((_, length)) => Ok(Frame::Whole(length)),
        Err(Fault::Bad(error)) => Err(error),
        Err(Fault::Short(least)) if at_end => {
            Err(ParseError::end(window.len(), format_args!("a graph of {least} bytes or more")))
        }
        Err(Fault::Short(least)) => Ok(Frame::Partial(least)),
    }
}

/// Whether `bytes` are one whole file of this form with floats, as [`write`] makes it but for the properties.
pub(crate) fn is_canonical(bytes: &[u8], form: GraphForm) -> bool {
    let wanted = ArcType { form, doubles: false };
    let mut place = Place { bytes, at: 0 };
    let Ok(header) = read_header(&mut place) else { return false };
    let has_properties = header.properties & PROPERTIES == PROPERTIES;
    if header.arc_type != wanted || header.flags != 0 || header.num_arcs != 0 || !has_properties {
        return false;
    }
    let is_state = |next: i32| usize::try_from(next).is_ok_and(|next| next < header.num_states);
    let mut check = || -> Result<bool, Fault> {
        let mut leads_to_states = true;
        for _ in 0..header.num_states {
            place.take(wanted.cost_size())?;
            place.string(wanted)?;
            for _ in 0..place.count("arcs", wanted.arc_size())? {
                place.take(8 + wanted.cost_size())?;
                place.string(wanted)?;
                leads_to_states &= is_state(place.int()?);
            }
        }
        Ok(leads_to_states)
    };
    check().unwrap_or(false) && place.at == bytes.len()
}

/// Reads the file at the start of `bytes`; returns the graph, what its arcs were, and the length.
///
/// # Errors
/// If it is no such file, it is cut, or an arc leads to a state that does not exist.
pub(crate) fn read(bytes: &[u8]) -> Result<(Graph, ArcType, usize), ParseError> {
    read_graph(bytes).map_err(|fault| match fault {
        Fault::Bad(error) => error,
        Fault::Short(least) => ParseError::end(bytes.len(), format_args!("a graph of {least} bytes or more")),
    })
}

fn read_graph(bytes: &[u8]) -> Result<(Graph, ArcType, usize), Fault> {
    let mut place = Place { bytes, at: 0 };
    let header = read_header(&mut place)?;
    let arc_type = header.arc_type;
    let mut graph = Graph { start: header.start, properties: header.properties, ..Graph::default() };
    graph.states.reserve(header.num_states.min((bytes.len() - place.at) / arc_type.state_size()));
    for state in 0..header.num_states {
        let mut cost = place.cost(arc_type)?;
        // The one cost of an FST is infinite where both of a lattice are.
        if arc_type.form == GraphForm::Standard && cost.graph == f32::INFINITY {
            cost = Cost::INFINITE;
        }
        let string = read_string(&mut place, arc_type, &mut graph.ids)?;
        graph.states.push(State { first: graph.arcs.len() as u32, cost, string });
        let num_arcs = place.count("arcs", arc_type.arc_size())?;
        // As many as there are bytes for.
        graph.arcs.reserve(num_arcs.min((bytes.len() - place.at) / arc_type.arc_size()));
        for index in 0..num_arcs {
            let (input, output) = (place.int()?, place.int()?);
            let cost = place.cost(arc_type)?;
            let string = read_string(&mut place, arc_type, &mut graph.ids)?;
            let at = place.at;
            let next = place.int()?;
            if usize::try_from(next).map_or(true, |next| next >= header.num_states) {
                let states = header.num_states;
                let message = format!("expected a state below {states} after arc {index} of state {state}, got {next}");
                return Err(ParseError::new(at, message).into());
            }
            graph.arcs.push(Arc { input, output, cost, string, next: next as u32 });
        }
    }
    let most = graph.ids.len().max(graph.arcs.len());
    if u32::try_from(most).is_err() {
        return Err(ParseError::new(0, format!("expected less than 2^32 arcs and transition-ids, got {most}")).into());
    }
    Ok((graph, arc_type, place.at))
}

fn read_string(place: &mut Place<'_>, arc_type: ArcType, ids: &mut Vec<i32>) -> Result<Span, Fault> {
    let bytes = place.string(arc_type)?;
    if bytes.is_empty() {
        return Ok(Span::EMPTY);
    }
    let first = ids.len();
    ids.extend(bytes.as_chunks::<4>().0.iter().map(|id| i32::from_le_bytes(*id)));
    Ok(Span::new(first, ids.len() - first))
}

/// Appends the file of a graph.
pub(crate) fn write(graph: &Graph, form: GraphForm, out: &mut Vec<u8>) {
    let arc_type = ArcType { form, doubles: false };
    let name = ARC_TYPES.iter().find(|(_, known)| *known == arc_type).map_or("", |(name, _)| name);
    let strings = if arc_type.has_strings() { 4 * graph.ids.len() } else { 0 };
    out.reserve(100 + graph.num_states() * arc_type.state_size() + graph.num_arcs() * arc_type.arc_size() + strings);
    out.extend_from_slice(&MAGIC.to_le_bytes());
    for name in ["vector", name] {
        out.extend_from_slice(&(name.len() as i32).to_le_bytes());
        out.extend_from_slice(name.as_bytes());
    }
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&0_i32.to_le_bytes());
    out.extend_from_slice(&(graph.properties | PROPERTIES).to_le_bytes());
    out.extend_from_slice(&graph.start().map_or(-1, i64::from).to_le_bytes());
    out.extend_from_slice(&(graph.num_states() as i64).to_le_bytes());
    out.extend_from_slice(&0_i64.to_le_bytes());
    for state in graph.states() {
        write_cost(out, form, graph.final_cost(state));
        write_string(out, form, graph.final_string(state));
        let arcs = graph.arcs(state);
        out.extend_from_slice(&(arcs.len() as i64).to_le_bytes());
        for arc in arcs {
            let [input, output, next] = [arc.input, arc.output, arc.next as i32].map(i32::to_le_bytes);
            let mut labels = [0; 8];
            labels[..4].copy_from_slice(&input);
            labels[4..].copy_from_slice(&output);
            out.extend_from_slice(&labels);
            write_cost(out, form, arc.cost);
            write_string(out, form, graph.string(arc.string));
            out.extend_from_slice(&next);
        }
    }
}

fn write_cost(out: &mut Vec<u8>, form: GraphForm, cost: Cost) {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&cost.graph.to_le_bytes());
    bytes[4..].copy_from_slice(&cost.acoustic.to_le_bytes());
    out.extend_from_slice(if form == GraphForm::Standard { &bytes[..4] } else { &bytes });
}

fn write_string(out: &mut Vec<u8>, form: GraphForm, ids: &[i32]) {
    if form == GraphForm::Compact {
        out.extend_from_slice(&(ids.len() as i32).to_le_bytes());
        let first = out.len();
        out.resize(first + 4 * ids.len(), 0);
        for (bytes, id) in out[first..].as_chunks_mut::<4>().0.iter_mut().zip(ids) {
            *bytes = id.to_le_bytes();
        }
    }
}
