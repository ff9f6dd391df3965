//! Entries that are read one after the other and examined on several threads.

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::{Content, Detector, Evidence, Header, ValueType};
use kaldi_io::{Locator, Rxfilename};
use kaldi_matrix::SparseMatrix;
use kaldi_reader::{Reader, from_fn, par_map};
use kaldi_table::{RawEntry, ScriptLine, ScriptLines, Session, ValueLoader};

use crate::check::Checks;
use crate::entries::Entries;
use crate::graph::read_graph;
use crate::kind::{Named, NamedKind};
use crate::numbers::{Layout, large_sparse};
use crate::trailing_bytes::bytes_after;
use crate::value::{read_content, read_header};
use crate::{Error, Result};

/// Bytes before a value that are searched for its key.
const LONGEST_KEY: usize = 1 << 8;

/// Entries and bytes of values that one thread takes at a time: it has to work longer on them than another takes to wake up.
const GROUP: (usize, usize) = (256, 1 << 19);

/// About how many bytes of memory an entry takes besides its value.
const ENTRY: usize = 1 << 8;

/// Bytes in work or waiting.
const IN_FLIGHT: usize = 4 << 20;

/// What was found where an entry is expected.
pub(crate) enum Found<V> {
    /// An entry.
    Entry(V),
    /// A line of a script file without a value: a command that is not run, or an error.
    Line(ScriptLine, Option<kaldi_table::Error>),
    /// The table cannot be read, or not here.
    Fault(Error),
}

/// An entry with what is known of its place.
pub(crate) struct Placed {
    entry: RawEntry,
    value_type: ValueType,
    line: Option<Renamed>,
    /// The file of which it should be all, if there is one.
    file: Option<BString>,
}

/// A line whose value is not after its key.
pub(crate) struct Renamed {
    pub(crate) line: ScriptLine,
    /// The bytes before the value.
    pub(crate) before: Vec<u8>,
}

/// What is known of an entry.
pub(crate) struct Examined {
    pub(crate) key: BString,
    pub(crate) value_type: ValueType,
    pub(crate) header: Result<Header>,
    /// What is wrong with the numbers of the value, or why it cannot be read.
    pub(crate) fault: Result<Option<String>>,
    /// The line of the entry, if the value is not after its key.
    pub(crate) line: Option<Renamed>,
}

/// Collects values in groups, in which `read` finds them.
pub(crate) fn in_groups<V: Send + 'static>(
    mut read: impl FnMut() -> Result<Option<(V, u64)>> + Send + 'static,
) -> impl Reader<Item = (Vec<V>, usize), Error = Error> + Send + 'static {
    let mut failure = None;
    from_fn(move |_| {
        if let Some(error) = failure.take() {
            return Err(error);
        }
        let (mut group, mut bytes) = (Vec::new(), 0_usize);
        while group.len() < GROUP.0 && bytes < GROUP.1 {
            match read() {
                Ok(Some((value, size))) => {
                    group.push(value);
                    let size = usize::try_from(size).unwrap_or(usize::MAX);
                    bytes = bytes.saturating_add(ENTRY).saturating_add(size);
                }
                Ok(None) => break,
                // What was read before comes first.
                Err(error) if group.is_empty() => return Err(error),
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        Ok((!group.is_empty()).then_some((group, bytes)))
    })
}

/// Does `work` on the values of groups on several threads, and passes the results to `each` in order.
///
/// # Errors
/// The first one of the reader or of the work, after the results before it.
pub(crate) fn for_each<V: Send + 'static, U: Send + 'static>(
    groups: impl Reader<Item = (Vec<V>, usize), Error = Error> + Send + 'static,
    work: impl Fn(V) -> U + Send + Sync + 'static,
    mut each: impl FnMut(U) -> Result<()>,
) -> Result<()> {
    let mem_size = |(_, bytes): &(Vec<V>, usize)| *bytes;
    let work = move |(group, _): (Vec<V>, usize)| Ok(group.into_iter().map(&work).collect::<Vec<U>>());
    // The caller works, too: while a group is read, nothing is lost if the results before it wait.
    let results = par_map(groups, || Session::current().num_threads(), work).in_flight(IN_FLIGHT, mem_size);
    let mut results = results.eager().with_caller();
    while let Some(group) = results.next()? {
        group.into_iter().try_for_each(&mut each)?;
    }
    Ok(())
}

/// Finds what comes next in a table, and the bytes of its value; `None` at the end.
type Finder = Box<dyn FnMut() -> Option<(Found<Placed>, u64)> + Send>;

/// The entries of a table that is to be checked.
///
/// # Errors
/// If it cannot be opened.
pub(crate) fn placed(named: Named, checks: Checks) -> Result<Finder> {
    Ok(match named.kind {
        NamedKind::Script => Box::new(script(named.rxfilename.as_bstr(), checks)?),
        NamedKind::Value => {
            let file = Some(named.rxfilename.clone());
            Box::new(archive(Entries::of(named, checks.value_type)?, file))
        }
        _ => Box::new(archive(Entries::of(named, checks.value_type)?, None)),
    })
}

fn archive(mut entries: Entries, file: Option<BString>) -> impl FnMut() -> Option<(Found<Placed>, u64)> {
    let mut has_failed = false;
    move || {
        if has_failed {
            return None;
        }
        match entries.next_entry() {
            Ok(entry) => entry.map(|entry| {
                let size = entry.size();
                (Found::Entry(Placed { value_type: entries.value_type(), entry, line: None, file: file.clone() }), size)
            }),
            Err(error) => {
                has_failed = true;
                Some((Found::Fault(error), 0))
            }
        }
    }
}

fn script(name: &BStr, checks: Checks) -> Result<impl FnMut() -> Option<(Found<Placed>, u64)> + use<>> {
    let mut lines = ScriptLines::open(name)?;
    let mut loader = ValueLoader::strict(Detector::new(checks.value_type));
    let mut evidence = Evidence::default();
    let mut has_failed = false;
    Ok(move || {
        if has_failed {
            return None;
        }
        let number = lines.number();
        let line = match lines.next_line() {
            Ok(line) => line?,
            Err(error) => {
                // The next line can be asked for, unless the file itself cannot be read.
                has_failed = lines.number() == number;
                return Some((Found::Fault(error.into()), 0));
            }
        };
        kaldi_table::count_delivered();
        if checks.skips_commands && line.is_command() {
            return Some((Found::Line(line, None), 0));
        }
        lines.expect_values(&line, &loader);
        let entry = match loader.load_line(Some(lines.name()), lines.number(), &line) {
            Ok(entry) => entry,
            Err(error) => return Some((Found::Line(line, Some(error)), 0)),
        };
        evidence.add(entry.head(), entry.is_text());
        let value_type = evidence.choose(loader.framing().candidates());
        let before = line.locator().map_or_else(|_| Vec::new(), |locator| loader.before(&locator, LONGEST_KEY));
        let is_own = before.strip_suffix(b" ").is_none_or(|before| before.ends_with(&line.key));
        let size = entry.size();
        let is_file = |locator: &Locator| matches!(locator.rxfilename(), Rxfilename::File(_));
        let file = line.locator().ok().filter(is_file).map(|locator| locator.name().to_owned());
        let line = (!is_own).then_some(Renamed { line, before });
        Some((Found::Entry(Placed { entry, value_type, line, file }), size))
    })
}

/// Reads an entry; its numbers only if the check is not quick.
pub(crate) fn examine(Placed { entry, value_type, line, file }: Placed, checks: Checks) -> Examined {
    let header = read_header(&entry, value_type);
    let fault = match &header {
        Ok(header) if !checks.quick => find_fault(&entry, value_type, header.columns),
        _ => Ok(None),
    };
    // Sound may have all sorts of things after it.
    let file = file.filter(|_| header.is_ok() && value_type != ValueType::Wave && !entry.is_open());
    let fault = match (fault, file) {
        (Ok(None), Some(file)) => bytes_after(file.as_bstr(), entry.end(), entry.is_text()),
        (fault, _) => fault,
    };
    Examined { key: entry.key().to_owned(), value_type, header, fault, line }
}

/// What is wrong with the numbers of a value.
fn find_fault(entry: &RawEntry, value_type: ValueType, columns: Option<u64>) -> Result<Option<String>> {
    if let Some(form) = value_type.graph_form() {
        let faults = read_graph(entry, form)?.faults();
        return Ok((!faults.is_empty()).then(|| faults.join("; ")));
    }
    if !value_type.has_content() {
        return Ok(None);
    }
    if entry.range().is_none() && matches!(value_type, ValueType::Matrix | ValueType::Vector) {
        let bytes = entry.bytes()?;
        if let Some(sparse) = large_sparse(&bytes) {
            return Ok(not_finite_in(&sparse));
        }
        if Layout::find(&bytes).is_some_and(|layout| layout.has_finite_numbers(&bytes)) {
            return Ok(None);
        }
    }
    Ok(match read_content(entry, value_type)? {
        Content::Numbers { values, .. } => not_finite(&values, columns),
        Content::Word(_) | Content::Words(_) => None,
    })
}

fn not_finite(values: &[f64], columns: Option<u64>) -> Option<String> {
    let first = values.iter().position(|value| !value.is_finite())?;
    let count = values[first..].iter().filter(|value| !value.is_finite()).count();
    let place = match columns.filter(|&columns| columns > 0) {
        Some(columns) => format!("row {}, column {}", first as u64 / columns, first as u64 % columns),
        None => format!("place {first}"),
    };
    Some(shown(count, values.len() as u64, &place, values[first].is_nan()))
}

/// As [`not_finite`], of a sparse matrix whose zeros are too many.
fn not_finite_in(sparse: &SparseMatrix<f32>) -> Option<String> {
    let mut found = sparse.rows().enumerate().flat_map(|(row, elements)| elements.iter().map(move |it| (row, it)));
    let (row, (column, value)) = found.find(|(_, (_, value))| !value.is_finite())?;
    let count = 1 + found.filter(|(_, (_, value))| !value.is_finite()).count();
    let of = (sparse.num_rows() as u64).saturating_mul(sparse.num_cols() as u64);
    Some(shown(count, of, &format!("row {row}, column {column}"), value.is_nan()))
}

fn shown(count: usize, of: u64, place: &str, is_nan: bool) -> String {
    let kind = if is_nan { "not a number" } else { "infinite" };
    format!("{count} of {of} values are not finite; the first, at {place}, is {kind}")
}
