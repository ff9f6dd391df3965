//! The binary form: a file of OpenFst's `VectorFst`.

use kaldi_io::{Frame, ParseError};

use crate::cost::Cost;
use crate::fst::FstSymbols;
use crate::fst::properties::Properties;
use crate::fst::symbols::{SYMBOLS_MAGIC, write_name};
use crate::graph::{Arc, Graph, Span, State};
use crate::text::GraphForm;

/// The first four bytes of every such file.
pub(crate) const MAGIC: i32 = 2_125_659_606;
const VERSION: i32 = 2;
/// Flags of the header: symbol tables of inputs and outputs follow.
const SYMBOL_TABLES: [i32; 2] = [1, 2];
/// The flag that states and arcs of a `const` file begin at multiples of [`ALIGNMENT`].
const ALIGNED: i32 = 4;
/// The version of `const` files that are aligned without the flag.
const ALIGNED_VERSION: i32 = 1;
const ALIGNMENT: usize = 16;
/// Bytes of a state of a `const` file: its cost, its first arc, and the numbers of its arcs and of two kinds of epsilons.
const CONST_STATE: usize = 20;
/// Bytes of an arc of an FST.
const STANDARD_ARC: usize = 16;
/// The number of states if they go on to the end of the file.
const UNTIL_THE_END: i64 = -1;
/// Names of types and symbols are shorter than this.
const LONGEST_NAME: i32 = 1 << 12;

/// How the arcs of a file are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArcType {
    pub(crate) form: GraphForm,
    /// Whether costs are doubles.
    pub(crate) doubles: bool,
}

/// How states and arcs of a file are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Each state is followed by its arcs.
    Vector,
    /// All states, and then all arcs.
    Const,
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

impl Fault {
    fn into_error(self, bytes: &[u8]) -> ParseError {
        match self {
            Self::Bad(error) => error,
            Self::Short(least) => ParseError::end(bytes.len(), format_args!("a graph of {least} bytes or more")),
        }
    }
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

    fn peek_long(&self) -> Result<i64, Fault> {
        Self { ..*self }.long()
    }

    /// Goes to the next multiple of the alignment.
    fn align(&mut self) -> Result<(), Fault> {
        self.take(self.at.next_multiple_of(ALIGNMENT) - self.at).map(drop)
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
    layout: Layout,
    /// Whether states and arcs of a `const` file are aligned.
    is_aligned: bool,
    flags: i32,
    properties: u64,
    version: i32,
    /// -1 if there is none.
    start: i64,
    /// The offset of the start.
    start_at: usize,
    /// `None` if states go on to the end of the file.
    num_states: Option<usize>,
    num_arcs: i64,
    symbols: [Option<FstSymbols>; 2],
}

impl Header {
    /// The start, in a file of so many states.
    fn start(&self, num_states: usize) -> Result<Option<u32>, ParseError> {
        if self.start < -1 || self.start >= num_states.max(1) as i64 {
            let message = format!("expected a start state and a number of states, got {} and {num_states}", self.start);
            return Err(ParseError::new(self.start_at, message));
        }
        Ok(u32::try_from(self.start).ok().filter(|&start| (start as usize) < num_states))
    }

    /// Whether there is another state after so many.
    fn has_more(&self, states: usize, place: &Place<'_>) -> bool {
        self.num_states.map_or(place.at < place.bytes.len(), |count| states < count)
    }
}

/// Reads the first bytes of a file: what its arcs are. Where a file of another type ends cannot be known.
fn read_types(place: &mut Place<'_>, may_be_const: bool) -> Result<(Layout, ArcType), Fault> {
    let magic = place.int()?;
    if magic != MAGIC {
        return Err(ParseError::new(0, "expected the first bytes of an FST (d6 fd b2 7e), got others").into());
    }
    let at = place.at;
    let (fst_type, arcs) = (place.name("the type of an FST")?, place.name("the type of arcs")?);
    let layout = match fst_type {
        b"vector" => Some(Layout::Vector),
        b"const" if may_be_const => Some(Layout::Const),
        _ => None,
    };
    let known = ARC_TYPES.iter().find(|(known, _)| known.as_bytes() == arcs);
    let known = known.filter(|(_, arc_type)| !may_be_const || arc_type.form == GraphForm::Standard);
    layout.zip(known).map(|(layout, (_, arc_type))| (layout, *arc_type)).ok_or_else(|| {
        let (fst_type, arcs) = (fst_type.escape_ascii(), arcs.escape_ascii());
        let expected = match may_be_const {
            true => "expected an FST of type \"vector\" or \"const\" with arcs of type \"standard\"",
            false => "expected an FST of type \"vector\" with arcs of type \"standard\" or of a lattice",
        };
        ParseError::new(at, format!("{expected}, got type \"{fst_type}\" with arcs of type \"{arcs}\"")).into()
    })
}

/// What the arcs are of a file that starts like this; `None` if its header is not complete.
///
/// # Errors
/// If it is no file of a lattice or an FST.
pub(crate) fn arc_type(window: &[u8]) -> Result<Option<ArcType>, ParseError> {
    match read_types(&mut Place { bytes: window, at: 0 }, false) {
        Ok((_, arc_type)) => Ok(Some(arc_type)),
        Err(Fault::Short(_)) => Ok(None),
        Err(Fault::Bad(error)) => Err(error),
    }
}

fn read_header(place: &mut Place<'_>, may_be_const: bool) -> Result<Header, Fault> {
    let (layout, arc_type) = read_types(place, may_be_const)?;
    let at = place.at;
    let version = place.int()?;
    let least = if layout == Layout::Const { ALIGNED_VERSION } else { VERSION };
    if version < least {
        return Err(ParseError::new(at, format!("expected an FST of version {VERSION}, got {version}")).into());
    }
    let flags = place.int()?;
    let properties = place.long()? as u64;
    let start_at = place.at;
    let start = place.long()?;
    let state_size = if layout == Layout::Const { CONST_STATE } else { arc_type.state_size() };
    let goes_on = layout == Layout::Vector && place.peek_long()? == UNTIL_THE_END;
    let num_states = if goes_on { place.long().map(|_| None)? } else { Some(place.count("states", state_size)?) };
    if num_states.is_some_and(|count| count > u32::MAX as usize - 1) {
        let message = format!("expected a number of states, got {}", num_states.unwrap_or_default());
        return Err(ParseError::new(start_at, message).into());
    }
    let num_arcs = place.long()?;
    let mut symbols = [None, None];
    for (flag, symbols) in SYMBOL_TABLES.into_iter().zip(&mut symbols) {
        if flags & flag != 0 {
            *symbols = read_symbols(place, arc_type.form == GraphForm::Standard)?;
        }
    }
    let is_aligned = layout == Layout::Const && (version == ALIGNED_VERSION || flags & ALIGNED != 0);
    Ok(Header {
        arc_type,
        layout,
        is_aligned,
        flags,
        properties,
        version,
        start,
        start_at,
        num_states,
        num_arcs,
        symbols,
    })
}

/// Reads a symbol table, which nobody needs if it is not to be `kept`.
fn read_symbols(place: &mut Place<'_>, kept: bool) -> Result<Option<FstSymbols>, Fault> {
    let at = place.at;
    if place.int()? != SYMBOLS_MAGIC {
        return Err(ParseError::new(at, "expected a symbol table, as the flags of the header say").into());
    }
    let name = place.name("the name of a symbol table")?;
    let next = place.long()?;
    let mut symbols = Vec::new();
    for _ in 0..place.count("symbols", 12)? {
        let symbol = (place.name("a symbol")?, place.long()?);
        if kept {
            symbols.push(symbol);
        }
    }
    Ok(kept.then(|| FstSymbols::new(name, next, symbols)))
}

/// The header of a file and its length. Where arcs lead is not looked at.
fn walk(bytes: &[u8]) -> Result<(Header, usize), Fault> {
    let mut place = Place { bytes, at: 0 };
    let header = read_header(&mut place, false)?;
    header.num_states.map_or(Ok(None), |count| header.start(count))?;
    let arc_type = header.arc_type;
    let mut states = 0;
    while header.has_more(states, &place) {
        states += 1;
        let left = header.num_states.map_or(0, |count| count - states);
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
        Ok((header, length)) if header.num_states.is_none() && !at_end => Ok(Frame::Partial(length as u64 + 1)),
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
    let Ok(header) = read_header(&mut place, false) else { return false };
    let has_properties = Properties::of_file(header.properties).field() == header.properties;
    let Some(num_states) = header.num_states else { return false };
    let is_usual = header.version == VERSION && header.flags == 0;
    if header.arc_type != wanted || !is_usual || header.num_arcs != 0 || !has_properties {
        return false;
    }
    let is_state = |next: i32| usize::try_from(next).is_ok_and(|next| next < num_states);
    let mut check = || -> Result<bool, Fault> {
        let mut leads_to_states = header.start(num_states).is_ok();
        for _ in 0..num_states {
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
    let mut place = Place { bytes, at: 0 };
    let read = read_header(&mut place, false).and_then(|header| {
        let arc_type = header.arc_type;
        Ok((read_graph(place, header)?, arc_type))
    });
    read.map(|((graph, length), arc_type)| (graph, arc_type, length)).map_err(|fault| fault.into_error(bytes))
}

/// Reads the FST at the start of `bytes`, perhaps one of the type `const`; returns its length, too.
///
/// # Errors
/// As [`read`].
pub(crate) fn read_fst(bytes: &[u8], may_be_const: bool) -> Result<(Graph, usize), ParseError> {
    let mut place = Place { bytes, at: 0 };
    let read = read_header(&mut place, may_be_const).and_then(|header| match header {
        Header { layout: Layout::Const, .. } => read_const(place, header),
        Header { arc_type: ArcType { form: GraphForm::Standard, .. }, .. } => read_graph(place, header),
        _ => Err(ParseError::new(4, "expected an FST with standard arcs, got a lattice").into()),
    });
    read.map_err(|fault| fault.into_error(bytes))
}

/// Calls `visit` with the final weight and the arcs of each state of the FST at the start of `bytes`, and returns its length.
/// Where the arcs lead is not looked at.
///
/// # Errors
/// If it is no FST, or cut.
pub(crate) fn each_state(bytes: &[u8], mut visit: impl FnMut(f32, &[StoredArc])) -> Result<usize, ParseError> {
    let mut place = Place { bytes, at: 0 };
    let mut walk = || -> Result<usize, Fault> {
        let header = read_header(&mut place, true)?;
        let visit = |_, cost: f32, arcs: &[StoredArc]| {
            visit(cost, arcs);
            Ok(())
        };
        match header.layout {
            Layout::Const => each_const_state(&mut place, &header, visit)?,
            Layout::Vector => each_vector_state(&mut place, &header, visit)?,
        }
        Ok(place.at)
    };
    walk().map_err(|fault| fault.into_error(bytes))
}

/// The bytes of an arc of an FST.
pub(crate) type StoredArc = [u8; STANDARD_ARC];

/// The weight of a stored arc.
pub(crate) fn weight_of_arc(arc: &StoredArc) -> f32 {
    f32::from_bits(u32::from_le_bytes([arc[8], arc[9], arc[10], arc[11]]))
}

fn each_vector_state(
    place: &mut Place<'_>,
    header: &Header,
    mut visit: impl FnMut(usize, f32, &[StoredArc]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut state = 0;
    while header.has_more(state, place) {
        let cost = f32::from_le_bytes(place.array()?);
        let num_arcs = place.count("arcs", STANDARD_ARC)?;
        visit(state, cost, place.take(num_arcs * STANDARD_ARC)?.as_chunks().0)?;
        state += 1;
    }
    Ok(())
}

fn each_const_state(
    place: &mut Place<'_>,
    header: &Header,
    mut visit: impl FnMut(usize, f32, &[StoredArc]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let align = |place: &mut Place<'_>| if header.is_aligned { place.align() } else { Ok(()) };
    align(place)?;
    let first_state = place.at;
    let states = place.take(header.num_states.unwrap_or_default() * CONST_STATE)?;
    align(place)?;
    let num_arcs = u64::try_from(header.num_arcs).unwrap_or_default();
    let size = num_arcs.checked_mul(STANDARD_ARC as u64).filter(|size| *size < 1 << 48);
    let size = size.ok_or_else(|| ParseError::new(0, format!("expected a number of arcs, got {num_arcs}")))?;
    let arcs: &[StoredArc] = place.take(size as usize)?.as_chunks().0;
    let mut left = arcs.len();
    for (index, state) in states.as_chunks::<CONST_STATE>().0.iter().enumerate() {
        let number = |at: usize| u32::from_le_bytes([state[at], state[at + 1], state[at + 2], state[at + 3]]);
        let (first, count) = (number(4) as usize, number(8) as usize);
        // No two states share an arc.
        let own = arcs.get(first..).and_then(|arcs| arcs.get(..count)).filter(|own| own.len() <= left);
        let own = own.ok_or_else(|| {
            let message = format!("expected {num_arcs} arcs or fewer, got {count} from {first} on in state {index}");
            ParseError::new(first_state + index * CONST_STATE, message)
        })?;
        left -= own.len();
        visit(index, f32::from_bits(number(0)), own)?;
    }
    Ok(())
}

fn read_const(mut place: Place<'_>, mut header: Header) -> Result<(Graph, usize), Fault> {
    let num_states = header.num_states.unwrap_or_default();
    let symbols = std::mem::take(&mut header.symbols);
    let start = header.start(num_states)?;
    let mut graph = Graph { start, properties: header.properties, symbols, ..Graph::default() };
    each_const_state(&mut place, &header, |state, cost, arcs| {
        let cost = standard_cost(cost);
        graph.states.push(State { first: graph.arcs.len() as u32, cost, string: Span::EMPTY });
        for (index, arc) in arcs.iter().enumerate() {
            let number = |at: usize| i32::from_le_bytes([arc[at], arc[at + 1], arc[at + 2], arc[at + 3]]);
            let (input, output, cost) = (number(0), number(4), Cost::new(weight_of_arc(arc), 0.0));
            let next = checked_next(number(12), num_states, index, state, 0)?;
            graph.arcs.push(Arc { input, output, cost, string: Span::EMPTY, next });
        }
        Ok(())
    })?;
    check_counts(&graph)?;
    Ok((graph, place.at))
}

/// The number of a state that an arc leads to.
fn checked_next(next: i32, num_states: usize, index: usize, state: usize, at: usize) -> Result<u32, ParseError> {
    if usize::try_from(next).map_or(true, |next| next >= num_states) {
        let message = format!("expected a state below {num_states} after arc {index} of state {state}, got {next}");
        return Err(ParseError::new(at, message));
    }
    Ok(next as u32)
}

/// The one cost of an FST is infinite where both of a lattice are.
fn standard_cost(cost: f32) -> Cost {
    if cost == f32::INFINITY { Cost::INFINITE } else { Cost::new(cost, 0.0) }
}

fn check_counts(graph: &Graph) -> Result<(), ParseError> {
    let most = graph.ids.len().max(graph.arcs.len());
    if u32::try_from(most).is_err() {
        return Err(ParseError::new(0, format!("expected less than 2^32 arcs and transition-ids, got {most}")));
    }
    Ok(())
}

fn read_graph(mut place: Place<'_>, mut header: Header) -> Result<(Graph, usize), Fault> {
    let (bytes, arc_type) = (place.bytes, header.arc_type);
    let symbols = std::mem::take(&mut header.symbols);
    let mut graph = Graph { properties: header.properties, symbols, ..Graph::default() };
    let most_states = header.num_states.unwrap_or_default();
    graph.states.reserve(most_states.min((bytes.len() - place.at) / arc_type.state_size()));
    // Where states go on to the end, their number is known then.
    let most_next = header.num_states.unwrap_or(u32::MAX as usize - 1);
    while header.has_more(graph.states.len(), &place) {
        let state = graph.states.len();
        let mut cost = place.cost(arc_type)?;
        if arc_type.form == GraphForm::Standard {
            cost = standard_cost(cost.graph);
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
            let next = checked_next(place.int()?, most_next, index, state, at)?;
            graph.arcs.push(Arc { input, output, cost, string, next });
        }
    }
    check_counts(&graph)?;
    graph.start = header.start(graph.states.len())?;
    if header.num_states.is_none() {
        for state in graph.states() {
            for (index, arc) in graph.arcs(state).iter().enumerate() {
                checked_next(arc.next as i32, graph.num_states(), index, state as usize, 0)?;
            }
        }
    }
    Ok((graph, place.at))
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

/// What is written before the states of a file.
pub(crate) struct WrittenHeader<'a> {
    pub(crate) form: GraphForm,
    pub(crate) properties: Properties,
    pub(crate) start: Option<u32>,
    pub(crate) num_states: usize,
    pub(crate) symbols: [Option<&'a FstSymbols>; 2],
}

impl WrittenHeader<'_> {
    /// Appends the header with its symbol tables.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let arc_type = ArcType { form: self.form, doubles: false };
        let name = ARC_TYPES.iter().find(|(_, known)| *known == arc_type).map_or("", |(name, _)| name);
        out.extend_from_slice(&MAGIC.to_le_bytes());
        for name in ["vector", name] {
            write_name(out, name.as_bytes());
        }
        let tables = SYMBOL_TABLES.into_iter().zip(self.symbols);
        let flags: i32 = tables.map(|(flag, symbols)| if symbols.is_some() { flag } else { 0 }).sum();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&flags.to_le_bytes());
        out.extend_from_slice(&self.properties.field().to_le_bytes());
        out.extend_from_slice(&self.start.map_or(-1, i64::from).to_le_bytes());
        out.extend_from_slice(&(self.num_states as i64).to_le_bytes());
        out.extend_from_slice(&0_i64.to_le_bytes());
        self.symbols.iter().flatten().for_each(|symbols| out.extend_from_slice(symbols.bytes()));
    }
}

/// Appends the start of a state of an FST, whose arcs follow.
pub(crate) fn write_standard_state(out: &mut Vec<u8>, cost: f32, num_arcs: usize) {
    out.extend_from_slice(&cost.to_le_bytes());
    out.extend_from_slice(&(num_arcs as i64).to_le_bytes());
}

/// Appends an arc of an FST.
pub(crate) fn write_standard_arc(out: &mut Vec<u8>, input: i32, output: i32, weight: f32, next: u32) {
    let mut bytes = [0; STANDARD_ARC];
    bytes[..4].copy_from_slice(&input.to_le_bytes());
    bytes[4..8].copy_from_slice(&output.to_le_bytes());
    bytes[8..12].copy_from_slice(&weight.to_le_bytes());
    bytes[12..].copy_from_slice(&next.to_le_bytes());
    out.extend_from_slice(&bytes);
}

/// Appends the file of a graph.
pub(crate) fn write(graph: &Graph, form: GraphForm, out: &mut Vec<u8>) {
    let arc_type = ArcType { form, doubles: false };
    let strings = if arc_type.has_strings() { 4 * graph.ids.len() } else { 0 };
    out.reserve(100 + graph.num_states() * arc_type.state_size() + graph.num_arcs() * arc_type.arc_size() + strings);
    let symbols = match form {
        GraphForm::Standard => graph.symbols.each_ref().map(Option::as_ref),
        _ => [None, None],
    };
    let properties = Properties::of_file(graph.properties);
    let header = WrittenHeader { form, properties, start: graph.start(), num_states: graph.num_states(), symbols };
    header.write(out);
    if form == GraphForm::Standard {
        for state in graph.states() {
            let arcs = graph.arcs(state);
            write_standard_state(out, graph.final_cost(state).graph, arcs.len());
            arcs.iter().for_each(|arc| write_standard_arc(out, arc.input, arc.output, arc.cost.graph, arc.next));
        }
        return;
    }
    for state in graph.states() {
        write_cost(out, graph.final_cost(state));
        write_string(out, form, graph.final_string(state));
        let arcs = graph.arcs(state);
        out.extend_from_slice(&(arcs.len() as i64).to_le_bytes());
        for arc in arcs {
            let [input, output, next] = [arc.input, arc.output, arc.next as i32].map(i32::to_le_bytes);
            let mut labels = [0; 8];
            labels[..4].copy_from_slice(&input);
            labels[4..].copy_from_slice(&output);
            out.extend_from_slice(&labels);
            write_cost(out, arc.cost);
            write_string(out, form, graph.string(arc.string));
            out.extend_from_slice(&next);
        }
    }
}

fn write_cost(out: &mut Vec<u8>, cost: Cost) {
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&cost.graph.to_le_bytes());
    bytes[4..].copy_from_slice(&cost.acoustic.to_le_bytes());
    out.extend_from_slice(&bytes);
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
