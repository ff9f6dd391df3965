//! A summary of a table.

use std::collections::HashMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::{Evidence, Header, Precision, ValueType};
use kaldi_io::{Locator, Rxfilename, is_remote, printable_rxfilename};
use kaldi_table::{RawEntry, ScriptLines, ValueLoader};

use crate::entries::Entries;
use crate::graph::GraphSums;
use crate::keys::Keys;
use crate::kind::{Named, NamedKind};
use crate::value::read_header;
use crate::{Error, Result};

/// What is in a table, by its keys and headers.
#[derive(Debug)]
pub struct Summary {
    /// What the table is.
    pub kind: NamedKind,
    /// The type of its values, or the most likely one; `None` if no value was read.
    pub value_type: Option<ValueType>,
    /// All types that fit.
    pub candidates: Vec<ValueType>,
    /// The precision of binary numbers: the lowest and the highest.
    pub precision: Option<(Precision, Precision)>,
    /// Values in binary form.
    pub binary: u64,
    /// Values in text form.
    pub text: u64,
    /// Compressed matrices.
    pub compressed: u64,
    /// Entries.
    pub entries: u64,
    /// The size of an archive's file in bytes; for a script file, the bytes of all values.
    pub bytes: u64,
    /// The minimum and maximum of rows, as in [`Header::rows`](kaldi_any::Header::rows).
    pub rows: Option<RangeInclusive<u64>>,
    /// The minimum and maximum of columns, as in [`Header::columns`](kaldi_any::Header::columns).
    pub columns: Option<RangeInclusive<u64>>,
    /// The sum of all rows.
    pub all_rows: u64,
    /// The sum of the durations of waveforms, as far as headers give them.
    pub seconds: Option<f64>,
    /// The shortest and the longest duration of waveforms in seconds, as far as headers give them.
    pub durations: Option<(f64, f64)>,
    /// The lowest and the highest sample rate.
    pub sample_rates: Option<(f32, f32)>,
    /// What lattices and FSTs have.
    pub graphs: GraphSums,
    /// Whether keys are in the order of their bytes.
    pub is_sorted: bool,
    /// Keys that were there before.
    pub duplicates: u64,
    /// The files that a script file points into, in order of appearance.
    pub archives: Vec<String>,
    /// Those of them that do not exist.
    pub missing: Vec<String>,
    /// Values of a script file that come from commands. Commands are not run.
    pub commands: u64,
    /// The first fault, if something cannot be read. In an archive, entries after it are not counted.
    pub fault: Option<Error>,
}

impl Summary {
    /// Reads the keys and headers of a table. Commands of script files are not run.
    ///
    /// # Errors
    /// If the table cannot be opened. A fault in it is part of the summary.
    pub fn read(named: Named, value_type: Option<ValueType>) -> Result<Self> {
        let mut reading = Reading { keys: Keys::default(), summary: Self::empty(named.kind) };
        match named.kind {
            NamedKind::Script => reading.script(named.rxfilename.as_bstr(), value_type)?,
            _ => reading.entries(named, value_type)?,
        }
        Ok(reading.summary)
    }

    fn empty(kind: NamedKind) -> Self {
        Self {
            kind,
            value_type: None,
            candidates: Vec::new(),
            precision: None,
            binary: 0,
            text: 0,
            compressed: 0,
            entries: 0,
            bytes: 0,
            rows: None,
            columns: None,
            all_rows: 0,
            seconds: None,
            durations: None,
            sample_rates: None,
            graphs: GraphSums::default(),
            is_sorted: true,
            duplicates: 0,
            archives: Vec::new(),
            missing: Vec::new(),
            commands: 0,
            fault: None,
        }
    }

    /// Frames of all values: rows of features and posteriors. `None` for other types, and for a matrix without a key.
    pub fn frames(&self) -> Option<u64> {
        let has_frames = self.value_type?.has_frames_as_rows() && self.kind != NamedKind::Value;
        has_frames.then_some(self.all_rows)
    }
}

/// A summary that is being made.
struct Reading {
    keys: Keys,
    summary: Summary,
}

impl Reading {
    /// An archive or a value.
    fn entries(&mut self, named: Named, value_type: Option<ValueType>) -> Result<()> {
        let file = match Rxfilename::parse(named.rxfilename.as_bstr()) {
            // A list of shards is not what they take.
            _ if matches!(named.kind, NamedKind::Shards | NamedKind::Shar) => None,
            Ok(Rxfilename::File(path)) => fs::metadata(path).ok().filter(fs::Metadata::is_file),
            _ => None,
        };
        let mut entries = Entries::of(named, value_type)?;
        loop {
            match entries.next_entry() {
                Ok(Some(entry)) => self.add(&entry, entries.value_type(), entries.candidates()),
                Ok(None) => break,
                Err(error) => {
                    self.summary.fault.get_or_insert(error);
                    break;
                }
            }
        }
        // The type is known best at the end.
        if self.summary.entries > 0 {
            self.summary.value_type = Some(entries.value_type());
            self.summary.candidates = entries.candidates().to_vec();
        }
        self.summary.bytes = file.map_or(self.summary.bytes, |file| file.len());
        Ok(())
    }

    fn script(&mut self, name: &BStr, value_type: Option<ValueType>) -> Result<()> {
        let mut lines = ScriptLines::open(name)?;
        let mut loader = ValueLoader::strict(kaldi_any::Detector::new(value_type));
        let mut files = HashMap::<PathBuf, bool>::new();
        let mut guess = Evidence::default();
        while let Some(line) = lines.next_line()? {
            kaldi_table::count_delivered();
            if line.is_command() {
                self.key(line.key.as_bstr());
                self.summary.commands += 1;
                continue;
            }
            let locator = line.locator().ok();
            let is_there = match locator.as_ref().and_then(Locator::path) {
                Some(path) => *files.entry(path.to_owned()).or_insert_with_key(|path| {
                    let name = BString::from(path.as_os_str().as_encoded_bytes());
                    let name = printable_rxfilename(name.as_bstr()).into_owned();
                    let is_there = is_remote(path.as_os_str().as_encoded_bytes()) || path.exists();
                    if !is_there {
                        self.summary.missing.push(name.clone());
                    }
                    self.summary.archives.push(name);
                    is_there
                }),
                None => true,
            };
            lines.expect_values(&line, &loader);
            let loaded = is_there.then(|| loader.load_line(Some(lines.name()), lines.number(), &line));
            match loaded {
                Some(Ok(entry)) => {
                    guess.add(entry.head(), entry.is_text());
                    let candidates = loader.framing().candidates();
                    self.add(&entry, guess.choose(candidates), candidates);
                }
                Some(Err(error)) => {
                    self.key(line.key.as_bstr());
                    self.summary.fault.get_or_insert(error.into());
                }
                None => self.key(line.key.as_bstr()),
            }
        }
        Ok(())
    }

    fn key(&mut self, key: &BStr) {
        let place = self.keys.add(key);
        self.summary.entries += 1;
        self.summary.is_sorted &= !place.is_unsorted;
        self.summary.duplicates += u64::from(place.is_duplicate);
    }

    fn add(&mut self, entry: &RawEntry, value_type: ValueType, candidates: &[ValueType]) {
        self.key(entry.key());
        let summary = &mut self.summary;
        summary.value_type = Some(value_type);
        if summary.candidates.len() != candidates.len() {
            summary.candidates = candidates.to_vec();
        }
        match entry.is_text() {
            true => summary.text += 1,
            false => summary.binary += 1,
        }
        summary.bytes = match summary.kind {
            NamedKind::Archive => entry.offset() + entry.size(),
            _ => summary.bytes + entry.size(),
        };
        match read_header(entry, value_type) {
            Ok(header) => summary.header(&header),
            Err(error) => {
                summary.fault.get_or_insert(error);
            }
        }
    }
}

impl Summary {
    fn header(&mut self, header: &Header) {
        self.compressed += u64::from(header.is_compressed);
        self.all_rows += header.rows.unwrap_or(0);
        widen(&mut self.rows, header.rows);
        widen(&mut self.columns, header.columns);
        if let Some(precision) = header.precision {
            let (least, most) = self.precision.unwrap_or((precision, precision));
            self.precision = Some((least.min(precision), most.max(precision)));
        }
        if let Some(seconds) = header.seconds {
            *self.seconds.get_or_insert(0.0) += seconds;
            let (least, most) = self.durations.unwrap_or((seconds, seconds));
            self.durations = Some((least.min(seconds), most.max(seconds)));
        }
        if let Some((stored, size)) = header.graph {
            self.graphs.add(stored, &size);
        }
        if let Some(rate) = header.sample_rate {
            let (least, most) = self.sample_rates.unwrap_or((rate, rate));
            self.sample_rates = Some((least.min(rate), most.max(rate)));
        }
    }
}

/// Extends a range to include a number.
pub(crate) fn widen(range: &mut Option<RangeInclusive<u64>>, number: Option<u64>) {
    let Some(number) = number else { return };
    let (least, most) = range.as_ref().map_or((number, number), |range| (*range.start(), *range.end()));
    *range = Some(least.min(number)..=most.max(number));
}
