//! Faults of a table.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use bstr::{BStr, BString, ByteSlice};
use corpus_quality::{code_point, invisible_characters};
use kaldi_any::{Header, ValueType};
use kaldi_io::{Locator, Rxfilename, WorkStage};
use kaldi_table::{ScriptLine, ScriptLines};

use crate::Result;
use crate::examined::{Examined, Found, Renamed, examine, for_each, in_groups, placed};
use crate::fault::Fault;
use crate::keys::Keys;
use crate::kind::{Named, NamedKind};

/// How tables are checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checks {
    /// Whether only headers are read.
    pub quick: bool,
    /// The type of the values, if it should not be detected.
    pub value_type: Option<ValueType>,
    /// Whether commands of script files are not run.
    pub skips_commands: bool,
    /// Whether keys, and their order, are not looked at.
    pub skips_keys: bool,
}

/// Finds everything that is wrong with a table called `table` and passes each fault to the caller. Returns the number
/// of entries.
///
/// Values must be readable, of one type, and finite. Matrices and posteriors must have rows, waveforms samples. Matrices must have the same
/// number of columns. Lattices must be sound: [`StoredGraph::faults`](kaldi_lattice::StoredGraph::faults). Keys must be in the order of
/// their bytes, each only once. An archive must be complete. Lines of a script file must lead to values, and not to those of other keys, if
/// an archive has keys of the script file.
///
/// # Errors
/// If the table cannot be opened.
pub fn check(table: &str, named: Named, checks: Checks, report: &mut dyn FnMut(Fault)) -> Result<u64> {
    check_each(table, named, checks, report, &mut |_, _| {})
}

/// Like [`check`], and prints key and header of every entry.
pub(crate) fn check_each(
    table: &str,
    named: Named,
    checks: Checks,
    report: &mut dyn FnMut(Fault),
    each: &mut dyn FnMut(&BStr, &Header),
) -> Result<u64> {
    let list = (named.kind == NamedKind::Script && !named.is_stream()).then(|| named.rxfilename.to_path_lossy());
    let stage = WorkStage::begin_list(format!("checking {table}"), "entries", list.map(Into::into));
    let mut check = Check {
        table,
        checks,
        report,
        each,
        keys: Keys::default(),
        columns: None,
        missing: BTreeMap::new(),
        entries: 0,
        stage: &stage,
    };
    check.table(named)?;
    Ok(check.entries)
}

/// A check in progress.
struct Check<'a> {
    table: &'a str,
    checks: Checks,
    report: &'a mut dyn FnMut(Fault),
    each: &'a mut dyn FnMut(&BStr, &Header),
    keys: Keys,
    /// The columns of the first matrix, and its key.
    columns: Option<(u64, BString)>,
    /// Files that cannot be opened, and how many more lines lead into each.
    missing: BTreeMap<PathBuf, u64>,
    entries: u64,
    /// Counts the entries for a display.
    stage: &'a WorkStage,
}

impl Check<'_> {
    fn fault(&mut self, place: impl AsRef<[u8]>, message: impl Into<String>) {
        (self.report)(Fault::new(self.table, place, message));
    }

    fn table(&mut self, named: Named) -> Result<()> {
        let script = (named.kind == NamedKind::Script).then(|| named.rxfilename.clone());
        let (checks, mut renamed) = (self.checks, Vec::new());
        let mut placed = placed(named, checks)?;
        let work = move |found| match found {
            Found::Entry(entry) => Found::Entry(examine(entry, checks)),
            Found::Line(line, error) => Found::Line(line, error),
            Found::Fault(error) => Found::Fault(error),
        };
        for_each(in_groups(move || Ok(placed())), work, |found| {
            match found {
                Found::Entry(entry) => renamed.extend(self.entry(entry)),
                Found::Line(line, error) => self.line(&line, error),
                Found::Fault(error) => (self.report)(Fault::of(self.table, error)),
            }
            Ok(())
        })?;
        for (file, more) in std::mem::take(&mut self.missing).into_iter().filter(|(_, more)| *more > 0) {
            self.fault("", format!("{more} more lines lead into {}, which cannot be opened", file.display()));
        }
        script.map_or(Ok(()), |name| self.compare(name.as_bstr(), renamed))
    }

    /// A line without a value. If its file is not there, this is reported once for the file.
    fn line(&mut self, line: &ScriptLine, error: Option<kaldi_table::Error>) {
        self.key(line.key.as_bstr());
        let Some(error) = error else { return };
        if let kaldi_table::Error::Entry { source, .. } = &error
            && let kaldi_io::Error::Open { .. } = source.as_ref()
            && let Some(path) = line.locator().ok().as_ref().and_then(Locator::path)
        {
            if let Some(more) = self.missing.get_mut(path) {
                *more += 1;
                return;
            }
            self.missing.insert(path.to_owned(), 0);
        }
        (self.report)(Fault::of(self.table, error.into()));
    }

    fn key(&mut self, key: &BStr) {
        self.entries += 1;
        self.stage.step();
        if self.checks.skips_keys {
            return;
        }
        let last = self.keys.last().map(ToOwned::to_owned);
        let place = self.keys.add(key);
        match last {
            Some(last) if place.is_unsorted => {
                self.fault(key, format!("keys are not sorted: it comes after {}", kaldi_io::excerpt(&last)));
            }
            _ => {}
        }
        if place.is_duplicate {
            self.fault(key, "the key was there before");
        }
        if let Some(message) = invisible_in(key) {
            self.fault(key, message);
        }
    }

    /// Returns the line of the entry, if its value is not after its key.
    fn entry(&mut self, entry: Examined) -> Option<Renamed> {
        let Examined { key, value_type, header, fault, line } = entry;
        let key = key.as_bstr();
        self.key(key);
        match header {
            Ok(header) => self.header(key, &header, value_type),
            Err(error) => (self.report)(Fault::of(self.table, error)),
        }
        match fault {
            Ok(None) => {}
            Ok(Some(message)) => self.fault(key, message),
            Err(error) => (self.report)(Fault::of(self.table, error)),
        }
        line
    }

    fn header(&mut self, key: &BStr, header: &Header, value_type: ValueType) {
        (self.each)(key, header);
        if let Some((stored, _)) = header.graph
            && (stored == ValueType::Fst) != (value_type == ValueType::Fst)
        {
            self.fault(key, format!("expected values of the type {value_type}, got one of the type {stored}"));
        }
        let has_rows = value_type.has_frames_as_rows() && value_type.graph_form().is_none();
        if header.rows == Some(0) && (has_rows || value_type == ValueType::Wave) {
            let rows = if value_type == ValueType::Wave { "samples" } else { "rows" };
            self.fault(key, format!("the {value_type} has no {rows}"));
        }
        if let Some(columns) = header.columns.filter(|_| value_type.has_common_columns() && header.rows != Some(0)) {
            match &self.columns {
                None => self.columns = Some((columns, key.to_owned())),
                Some((expected, _)) if *expected == columns => {}
                Some((expected, first)) => {
                    let message = format!("expected {expected} columns as in {first}, got {columns}");
                    self.fault(key, message);
                }
            }
        }
    }

    /// Finds lines that lead to the value of another key, if that key has a line that leads elsewhere. If the archive
    /// has keys that the script file does not have, or two lines lead to the same value, keys were renamed or copied on
    /// purpose.
    fn compare(&mut self, name: &BStr, renamed: Vec<Renamed>) -> Result<()> {
        let is_file = matches!(Rxfilename::parse(name), Ok(Rxfilename::File(path)) if path.is_file());
        if renamed.is_empty() || !is_file {
            return Ok(());
        }
        let mut lines = ScriptLines::open(name)?;
        let mut places = HashMap::new();
        while let Ok(Some(line)) = lines.next_line() {
            places.insert(line.key, line.xfilename);
        }
        for Renamed { line, before } in renamed {
            let word = &before[..before.len() - 1];
            // In a binary archive, other bytes are directly before the key.
            let other = (0..word.len()).find_map(|start| places.get_key_value(word[start..].as_bstr()));
            if let Some((other, place)) = other
                && name_of(place) != name_of(&line.xfilename)
            {
                self.fault(&line.key, format!("{} is the value of {other} in its archive", name_of(&line.xfilename)));
            }
        }
        Ok(())
    }
}

/// Names the characters of a key that cannot be seen, if there are any.
pub(crate) fn invisible_in(key: &BStr) -> Option<String> {
    let found: Vec<String> = invisible_characters(key).into_iter().map(code_point).collect();
    (!found.is_empty()).then(|| format!("{INVISIBLE}: {}", found.join(" ")))
}

pub(crate) const INVISIBLE: &str = "the key has characters that cannot be told from a space or from nothing";

/// The name without a range.
fn name_of(xfilename: &BString) -> BString {
    Locator::parse(xfilename.as_bstr()).map_or_else(|_| xfilename.clone(), |locator| locator.name().to_owned())
}
