//! Faults of a table.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Locator, Rxfilename};
use kaldi_table::{RawEntry, ScriptLine, ScriptLines, ValueLoader};
use kaldi_types::{Content, Detector, Evidence, Header, ValueType};

use crate::Result;
use crate::entries::Entries;
use crate::fault::Fault;
use crate::keys::Keys;
use crate::kind::{Kind, Named};
use crate::value::{read_content, read_header};

/// Bytes before a value that are searched for its key.
const LONGEST_KEY: usize = 1 << 8;

/// How tables are checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checks {
    /// Whether only headers are read.
    pub quick: bool,
    /// The type of the values, if it should not be detected.
    pub value_type: Option<ValueType>,
    /// Whether commands of script files are not run.
    pub skips_commands: bool,
}

/// Finds everything that is wrong with a table called `table` and passes each fault to the caller. Returns the number
/// of entries.
///
/// Values must be readable, of one type, and finite. Matrices and posteriors must have rows, waveforms samples. Matrices must have the same number of columns. Keys must be in the
/// order of their bytes, each only once. An archive must be complete. Lines of a script file must lead to values, and
/// not to those of other keys, if an archive has keys of the script file.
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
    let mut check = Check {
        table,
        checks,
        report,
        each,
        keys: Keys::default(),
        columns: None,
        missing: BTreeMap::new(),
        entries: 0,
    };
    match named.kind {
        Kind::Script => check.script(named.rxfilename.as_bstr())?,
        _ => check.archive(named)?,
    }
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
}

/// A line whose value is not after its key.
struct Renamed {
    line: ScriptLine,
    /// The bytes before the value.
    before: Vec<u8>,
}

impl Check<'_> {
    fn fault(&mut self, place: impl AsRef<[u8]>, message: impl Into<String>) {
        (self.report)(Fault::new(self.table, place, message));
    }

    fn archive(&mut self, named: Named) -> Result<()> {
        let mut entries = Entries::of(named, self.checks.value_type)?;
        loop {
            match entries.next_entry() {
                Ok(Some(entry)) => {
                    self.key(entry.key());
                    self.entry(&entry, entries.value_type());
                }
                Ok(None) => return Ok(()),
                Err(error) => {
                    (self.report)(Fault::of(self.table, error));
                    return Ok(());
                }
            }
        }
    }

    fn script(&mut self, name: &BStr) -> Result<()> {
        let mut lines = ScriptLines::open(name)?;
        let mut loader = ValueLoader::strict(Detector::new(self.checks.value_type));
        let mut evidence = Evidence::default();
        let mut renamed = Vec::new();
        loop {
            let number = lines.number();
            let line = match lines.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => {
                    (self.report)(Fault::of(self.table, error.into()));
                    // The next line can be asked for, unless the file itself cannot be read.
                    if lines.number() == number {
                        break;
                    }
                    continue;
                }
            };
            kaldi_table::count_delivered();
            self.key(line.key.as_bstr());
            if self.checks.skips_commands && line.is_command() {
                continue;
            }
            lines.expect_values(&line, &loader);
            match loader.load_line(Some(lines.name()), lines.number(), &line) {
                Ok(entry) => {
                    evidence.add(entry.head(), entry.is_text());
                    self.entry(&entry, evidence.choose(loader.framing().candidates()));
                    let before =
                        line.locator().map_or_else(|_| Vec::new(), |locator| loader.before(&locator, LONGEST_KEY));
                    let own = [line.key.as_slice(), b" "].concat();
                    if before.last() == Some(&b' ') && !before.ends_with(&own) {
                        renamed.push(Renamed { line, before });
                    }
                }
                Err(error) => self.line(&line, error),
            }
        }
        for (file, more) in std::mem::take(&mut self.missing).into_iter().filter(|(_, more)| *more > 0) {
            self.fault("", format!("{more} more lines lead into {}, which cannot be opened", file.display()));
        }
        self.compare(name, renamed)
    }

    /// A line whose value cannot be read. If its file is not there, this is reported once for the file.
    fn line(&mut self, line: &ScriptLine, error: kaldi_table::Error) {
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
    }

    fn entry(&mut self, entry: &RawEntry, value_type: ValueType) {
        let header = match read_header(entry, value_type) {
            Ok(header) => header,
            Err(error) => return (self.report)(Fault::of(self.table, error)),
        };
        (self.each)(entry.key(), &header);
        if header.rows == Some(0) && (value_type.has_frames_as_rows() || value_type == ValueType::Wave) {
            let rows = if value_type == ValueType::Wave { "samples" } else { "rows" };
            self.fault(entry.key(), format!("the {value_type} has no {rows}"));
        }
        if let Some(columns) = header.columns.filter(|_| value_type.has_common_columns() && header.rows != Some(0)) {
            match &self.columns {
                None => self.columns = Some((columns, entry.key().to_owned())),
                Some((expected, _)) if *expected == columns => {}
                Some((expected, first)) => {
                    let message = format!("expected {expected} columns as in {first}, got {columns}");
                    self.fault(entry.key(), message);
                }
            }
        }
        if self.checks.quick {
            return;
        }
        match read_content(entry, value_type) {
            Ok(Content::Numbers { values, .. }) => self.numbers(entry.key(), &values, header.columns),
            Ok(Content::Word(_) | Content::Words(_)) => {}
            Err(error) => (self.report)(Fault::of(self.table, error)),
        }
    }

    fn numbers(&mut self, key: &BStr, values: &[f64], columns: Option<u64>) {
        let Some(first) = values.iter().position(|value| !value.is_finite()) else { return };
        let count = values[first..].iter().filter(|value| !value.is_finite()).count();
        let place = match columns.filter(|&columns| columns > 0) {
            Some(columns) => format!("row {}, column {}", first as u64 / columns, first as u64 % columns),
            None => format!("place {first}"),
        };
        let kind = if values[first].is_nan() { "not a number" } else { "infinite" };
        let of = values.len();
        self.fault(key, format!("{count} of {of} values are not finite; the first, at {place}, is {kind}"));
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

/// The name without a range.
fn name_of(xfilename: &BString) -> BString {
    Locator::parse(xfilename.as_bstr()).map_or_else(|_| xfilename.clone(), |locator| locator.name().to_owned())
}
