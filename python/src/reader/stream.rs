//! The entries of a table, one after the other, without the interpreter.

use std::collections::VecDeque;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::{Header, ValueType};
use kaldi_inspect::{Entries, Named, NamedKind};
use kaldi_io::log::warning;
use kaldi_io::sync::Mutex;
use kaldi_io::{Rspecifier, RspecifierKind};
use kaldi_reader::Share;
use kaldi_table::{RawEntry, ScriptLines};
use pyo3::prelude::*;

use super::shards::Shards;
use super::{Delivers, Item, file_object};
use crate::errors::{Class, Failure, Result, wrong_type};
use crate::interrupt;
use crate::names;
use crate::values::{Precision, Wanted, read_value};

/// Entries that are read together, if no stream has to be waited for.
const BATCH: usize = 256;

/// Bytes of the values that are read together, for each thread.
const BATCH_BYTES: usize = 1 << 18;

/// The fewest bytes of values that are worth a second thread.
const WORTH: usize = 1 << 17;

/// How a table is read.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub wanted: Wanted,
    pub dtype: Option<Precision>,
    pub permissive: bool,
    pub delivers: Delivers,
    /// Whether a name without `ark:` or `scp:` may be one of a table. If not, it is a single value.
    pub has_keys: bool,
    /// The entries that are delivered; values of others are not read.
    pub share: Share,
    /// How many threads parse values.
    pub threads: usize,
}

/// The entries of a table.
#[derive(Debug)]
pub struct Stream {
    source: Source,
    options: Options,
    /// The type of the values, once it is known.
    value_type: Option<ValueType>,
    /// The key of a single value: its name.
    name: BString,
    is_script: bool,
    /// How many entries were met.
    place: u64,
}

#[derive(Debug)]
enum Source {
    Entries(Box<Entries>),
    Shards(Box<dyn Shards>),
}

impl Stream {
    /// Opens a table: an rspecifier, or a name that is looked at.
    pub fn open(name: &BString, mut options: Options) -> Result<Self> {
        let specifier = Rspecifier::parse(name.as_bstr());
        if let Some(specifier) = &specifier {
            options.permissive |= specifier.options.permissive;
        }
        if specifier
            .as_ref()
            .is_some_and(|specifier| matches!(specifier.kind, RspecifierKind::Shards | RspecifierKind::Shar))
        {
            let source = Source::Shards(super::shards::open(name, options)?);
            let value_type = options.wanted.value_type();
            return Ok(Self { source, options, value_type, name: name.clone(), is_script: false, place: 0 });
        }
        if options.has_keys {
            names::check_rspecifier(name.as_bstr())?;
        }
        let named = match options.has_keys {
            true => Named::find(name.as_bstr())?,
            false => Named::new(NamedKind::Value, name.clone()),
        };
        let is_script = named.kind == NamedKind::Script;
        let entries = Box::new(Entries::of(named, options.wanted.value_type())?);
        Ok(Self::new(Source::Entries(entries), options, name.clone(), is_script))
    }

    /// Reads an archive from a file object.
    pub fn of_object(object: &Bound<'_, PyAny>, options: Options) -> PyResult<Self> {
        let entries = Entries::of_input(file_object::open(object)?, options.wanted.value_type());
        Ok(Self::new(Source::Entries(Box::new(entries)), options, BString::default(), false))
    }

    fn new(source: Source, options: Options, name: BString, is_script: bool) -> Self {
        Self { source, options, value_type: None, name, is_script, place: 0 }
    }

    /// Delivers something else from now on.
    pub fn deliver(&mut self, delivers: Delivers) {
        self.options.delivers = delivers;
    }

    /// The type of the values, found by looking if it was not given.
    pub fn value_type(&mut self) -> Option<ValueType> {
        if let Source::Entries(entries) = &mut self.source
            && self.value_type.is_none()
        {
            entries.begin();
            if entries.is_ready() || self.options.wanted.value_type().is_some() {
                self.value_type = self.options.wanted.or_found(entries);
            }
        }
        self.value_type
    }

    /// Reads entries that come together into `ready`. Returns `false` at the end.
    pub fn read(&mut self, ready: &mut VecDeque<(BString, Item)>) -> Result<bool> {
        let Source::Entries(_) = &self.source else { return self.read_shards(ready) };
        let (mut framed, mut bytes) = (Vec::new(), 0);
        let most = BATCH_BYTES * self.options.threads.max(1);
        let ended = loop {
            match self.next_framed() {
                Ok(Some(Some(entry))) => {
                    bytes += entry.head().len();
                    framed.push(entry);
                }
                Ok(Some(None)) => {}
                Ok(None) => break Ok(true),
                Err(failure) => break Err(failure),
            }
            let may_wait = matches!(&self.source, Source::Entries(entries) if !entries.is_ready());
            if !framed.is_empty() && (may_wait || framed.len() >= BATCH || bytes >= most) {
                break Ok(false);
            }
        };
        // Values before a failure come first.
        self.parse(framed, bytes, ready)?;
        ended.map(|at_end| !at_end)
    }

    /// The next entry of this share; `None` in place of one that is left out.
    fn next_framed(&mut self) -> Result<Option<Option<RawEntry>>> {
        let Source::Entries(entries) = &mut self.source else { return Ok(None) };
        let raw = match entries.next_entry() {
            Ok(Some(raw)) => raw,
            Ok(None) => {
                finish(entries, self.options.permissive)?;
                return Ok(None);
            }
            Err(error) => {
                let failure = Failure::from(error);
                if !self.options.permissive || !is_forgivable(&failure) {
                    return Err(self.advised(failure, false));
                }
                if self.is_script {
                    warning!("{failure}; left out, as permissive mode asks");
                    return Ok(Some(None));
                }
                warning!("{failure}; what follows is left out, as permissive mode asks");
                return Ok(None);
            }
        };
        if self.value_type.is_none() {
            self.value_type = self.options.wanted.or_found(entries);
        }
        self.place += 1;
        Ok(Some(self.options.share.contains(self.place - 1).then_some(raw)))
    }

    /// Parses values, on threads if they are long, and delivers them in order.
    fn parse(&self, framed: Vec<RawEntry>, bytes: usize, ready: &mut VecDeque<(BString, Item)>) -> Result<()> {
        let threads = match self.options.delivers {
            Delivers::Values => self.options.threads.min(framed.len()).min(bytes / WORTH),
            Delivers::Shapes | Delivers::Keys => 1,
        };
        let Options { delivers, dtype, .. } = self.options;
        let form = Form { delivers, value_type: self.value_type, dtype };
        if threads < 2 {
            return framed.iter().try_for_each(|raw| self.settle(raw, form.item(raw), ready));
        }
        let (share, mut framed) = (framed.len().div_ceil(threads), framed.into_iter());
        let parts =
            std::iter::from_fn(|| Some(framed.by_ref().take(share).collect()).filter(|part: &Vec<_>| !part.is_empty()));
        let parts: Vec<Mutex<Vec<RawEntry>>> = parts.map(Mutex::new).collect();
        let parsed = interrupt::on_threads(parts.len(), |number| {
            let part = std::mem::take(&mut *parts[number].lock());
            Ok(part.into_iter().map(|raw| (form.item(&raw), raw)).collect::<Vec<_>>())
        })?;
        parsed.into_iter().flatten().try_for_each(|(item, raw)| self.settle(&raw, item, ready))
    }

    /// Delivers a value that was parsed, or judges why it could not be.
    fn settle(&self, raw: &RawEntry, item: Result<Item>, ready: &mut VecDeque<(BString, Item)>) -> Result<()> {
        match item {
            Ok(item) => {
                let key = if raw.key().is_empty() { self.name.clone() } else { raw.key().to_owned() };
                ready.push_back((key, item));
                Ok(())
            }
            Err(failure) if self.options.permissive && is_forgivable(&failure) => {
                warning!("{failure}; left out, as permissive mode asks");
                Ok(())
            }
            Err(failure) => Err(self.advised(failure, raw.is_text())),
        }
    }

    /// Reads the next samples of shards of this share.
    fn read_shards(&mut self, ready: &mut VecDeque<(BString, Item)>) -> Result<bool> {
        let Source::Shards(shards) = &mut self.source else { return Ok(false) };
        while let Some(entry) = shards.next_value()? {
            self.place += 1;
            if self.options.share.contains(self.place - 1) {
                ready.push_back(entry);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A failure of a value whose type was found by looking says how to give the type.
    fn advised(&self, failure: Failure, is_text: bool) -> Failure {
        let message = failure.to_string();
        if let Some((first, _)) = message.split_once("`type` may help").filter(|_| message.contains("<Nnet3")) {
            return failure
                .with_message(format!("{first}these are examples for the training of nnet3, which are not read here"));
        }
        let was_found = self.options.wanted == Wanted::Type(None) && failure.class() == Class::Data;
        match self.value_type.filter(|_| was_found && !message.contains("got the end of the input")) {
            Some(found) if is_text || found.is_words() || message.contains("expected") => failure.with_message(
                format!("{message} (values looked like type {found}; if they are words, pass type=\"token-vector\")"),
            ),
            _ => failure,
        }
    }
}

/// What is made of an entry.
#[derive(Clone, Copy)]
struct Form {
    delivers: Delivers,
    value_type: Option<ValueType>,
    dtype: Option<Precision>,
}

impl Form {
    fn item(self, raw: &RawEntry) -> Result<Item> {
        Ok(match self.delivers {
            Delivers::Values => Item::Value(read_value(raw, self.value_type, self.dtype)?),
            Delivers::Shapes => Item::Shape(shape(raw, self.value_type)?),
            Delivers::Keys => Item::Key,
        })
    }
}

/// The number of lines of a script file.
pub fn script_length(name: &BString) -> Result<usize> {
    let named = Named::find(name.as_bstr())?;
    if named.kind != NamedKind::Script {
        let raised = wrong_type("only script files have a length: an archive would have to be read for it");
        return Err(raised.into());
    }
    let (mut lines, mut count) = (ScriptLines::open(named.rxfilename.as_bstr())?, 0);
    while lines.next_line()?.is_some() {
        count += 1;
    }
    lines.finish()?;
    Ok(count)
}

/// Closes the table at its end. A command that failed is an error.
fn finish(entries: &mut Entries, permissive: bool) -> Result<()> {
    match kaldi_table::Reader::finish(entries) {
        Err(error) if permissive => {
            warning!("{error}; ignored, as permissive mode asks");
            Ok(())
        }
        other => Ok(other?),
    }
}

/// Whether permissive mode goes on after a failure: of one value, of a missing file.
fn is_forgivable(failure: &Failure) -> bool {
    matches!(failure.class(), Class::Data | Class::File | Class::MissingFile | Class::Command)
}

/// The shape of the array that a value becomes; of lists their length.
///
/// # Errors
/// If it cannot be read.
pub fn shape(raw: &RawEntry, value_type: Option<ValueType>) -> Result<Vec<u64>> {
    let Some(value_type) = value_type else { return Ok(vec![raw.size()]) };
    let range = raw.range().map(|range: &BStr| range.as_bytes());
    let beyond = raw.size() - raw.head().len() as u64;
    let header = match Header::in_head(value_type, raw.head(), beyond, range) {
        Err(error) if error.at_end && beyond > 0 => Header::in_head(value_type, &raw.bytes()?, 0, range),
        other => other,
    };
    let header = header.map_err(|error| raw.error(error))?;
    let channels = |header: &Header| header.columns.filter(|&channels| channels != 1);
    match (value_type, header) {
        (ValueType::Wave, Some(header)) if header.rows.is_some() => {
            Ok(header.rows.into_iter().chain(channels(&header)).collect())
        }
        (ValueType::Int32Pairs | ValueType::FloatPairs, Some(Header { rows: Some(rows), .. })) => Ok(vec![rows, 2]),
        (ValueType::Wave | ValueType::Int32Pairs | ValueType::FloatPairs, _) | (_, None) => {
            Ok(read_value(raw, Some(value_type), None)?.shape())
        }
        (_, Some(Header { graph: Some((_, size)), .. })) => Ok(vec![size.states as u64, size.arcs as u64]),
        (_, Some(header)) => Ok(header.rows.into_iter().chain(header.columns).collect()),
    }
}
