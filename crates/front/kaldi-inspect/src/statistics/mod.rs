//! Statistics of the numbers in tables.

use std::collections::BTreeMap;
use std::sync::Arc;

use bstr::{BStr, BString};
use corpus_quality::{MomentSums, Moments};
use kaldi_io::sync::Mutex;
use kaldi_table::{Entry, Erased, WorkError};
use kaldi_value::Value;

use crate::group::{By, Group, LengthGroup};
use crate::numbers::{Elements, Layout, Numbers, large_sparse};
use crate::sketch::{Bucket, Sketch, quantiles_of, sorted_buckets};

mod sparse;

/// At most this many columns are distinguished. Longer vectors are sequences.
const MOST_COLUMNS: usize = 4096;

/// Up to this many numbers of an entry, sorting their buckets is faster than a walk through all buckets.
const MOST_SORTED: usize = 1 << 13;

/// The worker's part: processes one entry after the other, on any thread.
#[derive(Clone, Debug)]
pub struct Examiner {
    by: By,
    with_columns: bool,
    /// Unused sketches and buffers. Their counts do not depend on which worker adds them.
    pool: Arc<Mutex<Vec<Scratch>>>,
}

#[derive(Debug, Default)]
struct Scratch {
    sketch: Sketch,
    columns: Vec<Sketch>,
    values: Vec<f32>,
    column: Vec<f32>,
    doubles: Vec<f64>,
}

/// Numbers of an entry, in the precision that it has.
#[derive(Clone, Copy)]
enum Values<'a> {
    Single(&'a [f32]),
    Double(&'a [f64]),
}

/// Statistics of one entry.
#[derive(Debug, Default)]
pub struct EntryStatistics {
    moments: Moments,
    length: u64,
    are_integers: bool,
    columns: Vec<Moments>,
    /// Of a speaker's entry.
    buckets: Vec<(Bucket, u64)>,
    /// The group, if entries are groups.
    group: Option<Group>,
    /// The first row, and which columns are constant so far.
    first: Vec<f64>,
    constant: Vec<bool>,
}

impl Examiner {
    /// Processes the numbers of an entry.
    ///
    /// # Errors
    /// If it cannot be read, or has too many columns to distinguish them.
    pub fn examine(&self, entry: &Entry<'_, Erased>) -> Result<EntryStatistics, WorkError> {
        self.with_scratch(|scratch| self.examine_entry(entry, scratch))
    }

    /// Processes the numbers of an entry of another type.
    ///
    /// # Errors
    /// As [`Examiner::examine`].
    pub fn examine_as<T: Value + Into<Numbers>>(
        &self,
        entry: &Entry<'_, Erased>,
    ) -> Result<EntryStatistics, WorkError> {
        let numbers = entry.read_as::<T>()?.into();
        self.with_scratch(|scratch| self.examine_numbers(entry.key(), numbers, scratch))
    }

    fn with_scratch<T>(&self, work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = self.pool.lock().pop().unwrap_or_default();
        let result = work(&mut scratch);
        self.pool.lock().push(scratch);
        result
    }

    fn examine_entry(&self, entry: &Entry<'_, Erased>, scratch: &mut Scratch) -> Result<EntryStatistics, WorkError> {
        let lies_there = entry.bytes().and_then(|bytes| Some((Layout::find(bytes)?, bytes)));
        if let Some((Layout { dims, is_double: false, header }, bytes)) = lies_there
            && self.by != By::Column
            && !self.with_columns
            && !self.sorts(dims.iter().product())
        {
            return Ok(self.examine_bytes(entry.key(), &dims, bytes[header..].as_chunks().0, scratch));
        }
        if self.by != By::Column
            && let Some(sparse) = entry.bytes().and_then(large_sparse)
        {
            return Ok(self.examine_sparse(entry.key(), &sparse, scratch));
        }
        self.examine_numbers(entry.key(), entry.read_as()?, scratch)
    }

    fn examine_numbers(&self, key: &BStr, found: Numbers, scratch: &mut Scratch) -> Result<EntryStatistics, WorkError> {
        let Numbers { dims, elements } = found;
        let mut are_integers = false;
        let doubles = match elements {
            Elements::Single(values) => {
                scratch.values = values;
                None
            }
            Elements::Double(values) => Some(values),
            Elements::Integer(values) => {
                are_integers = true;
                Some(values.into_iter().map(f64::from).collect::<Vec<_>>())
            }
        };
        let moments = match &doubles {
            None => Moments::of(&scratch.values),
            Some(doubles) => Moments::of_doubles(doubles.iter().copied()),
        };
        let (length, num_columns) = length_and_columns(&dims);
        let mut part = EntryStatistics { moments, length: length as u64, are_integers, ..EntryStatistics::default() };
        if self.by == By::Column && num_columns > MOST_COLUMNS {
            return Err(format!("expected at most {MOST_COLUMNS} columns, got {num_columns}").into());
        }
        if (self.by == By::Column || self.with_columns) && num_columns <= MOST_COLUMNS {
            self.examine_columns(num_columns, doubles.as_deref(), scratch, &mut part);
        } else {
            match &doubles {
                None => part.find_constant(&scratch.values, num_columns, f64::from),
                Some(doubles) => part.find_constant(doubles, num_columns, |value| value),
            }
        }
        if self.by != By::Column {
            let values = match &doubles {
                None => Values::Single(&scratch.values),
                Some(doubles) => Values::Double(doubles),
            };
            self.count(key, values, &mut scratch.sketch, &mut part);
        }
        Ok(part)
    }

    /// Processes numbers of single precision without a copy.
    fn examine_bytes(&self, key: &BStr, dims: &[usize], numbers: &[[u8; 4]], scratch: &mut Scratch) -> EntryStatistics {
        let mut sums = MomentSums::default();
        let sketch = &mut scratch.sketch;
        sums.add_with(numbers, f32::from_le_bytes, |bytes, are_normal| sketch.add_chunk(bytes, are_normal));
        let (length, num_columns) = length_and_columns(dims);
        let mut part = EntryStatistics { moments: sums.moments(), length: length as u64, ..EntryStatistics::default() };
        part.find_constant(numbers, num_columns, |bytes| f32::from_le_bytes(bytes).into());
        self.take_sketch(key, &mut scratch.sketch, &mut part);
        part
    }

    /// Whether the numbers of an entry are a group, or a part of one, and so few that their buckets should be sorted.
    fn sorts(&self, count: usize) -> bool {
        matches!(self.by, By::Key | By::Speaker) && count <= MOST_SORTED
    }

    /// Takes the counts of the entry from the sketch, unless the sketch is for the whole table.
    fn take_sketch(&self, key: &BStr, sketch: &mut Sketch, part: &mut EntryStatistics) {
        match self.by {
            By::Table | By::Column => {}
            By::Key => {
                let quantiles = sketch.quantiles(Group::FRACTIONS);
                part.group = Some(Group::new(key, part.moments, quantiles, part.are_integers));
                sketch.take_buckets();
            }
            By::Speaker => part.buckets = sketch.take_buckets(),
        }
    }

    /// Counts the numbers of an entry.
    fn count(&self, key: &BStr, values: Values<'_>, sketch: &mut Sketch, part: &mut EntryStatistics) {
        if !self.sorts(values.len()) {
            values.add_to(sketch);
            return self.take_sketch(key, sketch, part);
        }
        let buckets = match values {
            Values::Single(values) => sorted_buckets(values.iter().map(|&value| value.into())),
            Values::Double(values) => sorted_buckets(values.iter().copied()),
        };
        match self.by {
            By::Key => {
                let quantiles = quantiles_of(&buckets, Group::FRACTIONS);
                part.group = Some(Group::new(key, part.moments, quantiles, part.are_integers));
            }
            _ => part.buckets = buckets,
        }
    }

    fn examine_columns(
        &self,
        num_columns: usize,
        doubles: Option<&[f64]>,
        scratch: &mut Scratch,
        part: &mut EntryStatistics,
    ) {
        let Scratch { columns, values, column, doubles: double_column, .. } = scratch;
        if self.by == By::Column && columns.len() < num_columns {
            columns.resize_with(num_columns, Sketch::default);
        }
        for number in 0..num_columns {
            let (moments, values) = match doubles {
                None => {
                    column.clear();
                    column.extend(values.iter().skip(number).step_by(num_columns));
                    (Moments::of(column), Values::Single(column))
                }
                Some(doubles) => {
                    double_column.clear();
                    double_column.extend(doubles.iter().skip(number).step_by(num_columns));
                    (Moments::of_doubles(double_column.iter().copied()), Values::Double(double_column))
                }
            };
            part.columns.push(moments);
            if let (By::Column, Some(sketch)) = (self.by, columns.get_mut(number)) {
                values.add_to(sketch);
            }
        }
    }
}

impl Values<'_> {
    fn len(self) -> usize {
        match self {
            Self::Single(values) => values.len(),
            Self::Double(values) => values.len(),
        }
    }

    fn add_to(self, sketch: &mut Sketch) {
        match self {
            Self::Single(values) => sketch.add(values),
            Self::Double(values) => sketch.add_doubles(values),
        }
    }
}

impl EntryStatistics {
    fn find_constant<V: Copy>(&mut self, values: &[V], num_columns: usize, read: impl Fn(V) -> f64) {
        if num_columns == 0 || num_columns > MOST_COLUMNS || values.is_empty() {
            return;
        }
        let mut rows = values.chunks_exact(num_columns);
        self.first = rows.next().unwrap_or_default().iter().map(|&value| read(value)).collect();
        self.constant = self.first.iter().map(|value| value.is_finite()).collect();
        for row in rows {
            if !self.constant.contains(&true) {
                break;
            }
            for (number, &value) in row.iter().enumerate() {
                self.constant[number] &= read(value) == self.first[number];
            }
        }
    }
}

/// The length of an entry and the numbers of a row: a vector is one row.
fn length_and_columns(dims: &[usize]) -> (usize, usize) {
    match *dims {
        [rows, columns] => (rows, columns),
        _ => (dims.iter().product(), dims.iter().product()),
    }
}

/// The statistics of a table. Parts are added in the order of the entries.
#[derive(Debug)]
pub struct Statistics {
    examiner: Examiner,
    num_entries: u64,
    lengths: BTreeMap<u64, u64>,
    table: Moments,
    columns: Vec<Moments>,
    /// Only buckets that are not empty are kept: there may be many speakers.
    speakers: BTreeMap<BString, (Moments, BTreeMap<Bucket, u64>)>,
    first: Option<Vec<f64>>,
    constant: Vec<bool>,
    are_integers: bool,
}

impl Statistics {
    /// Empty statistics. With `with_columns`, there are moments of columns besides those of the groups.
    pub fn new(by: By, with_columns: bool) -> Self {
        Self {
            examiner: Examiner { by, with_columns, pool: Arc::default() },
            num_entries: 0,
            lengths: BTreeMap::new(),
            table: Moments::default(),
            columns: Vec::new(),
            speakers: BTreeMap::new(),
            first: None,
            constant: Vec::new(),
            are_integers: true,
        }
    }

    /// The worker's part.
    pub fn examiner(&self) -> Examiner {
        self.examiner.clone()
    }

    /// Adds the statistics of an entry. Returns its group if entries are the groups. `speaker` is that of the entry.
    pub fn add(&mut self, speaker: Option<&BStr>, part: EntryStatistics) -> Option<Group> {
        self.num_entries += 1;
        self.are_integers &= part.are_integers;
        *self.lengths.entry(part.length).or_default() += 1;
        self.table.merge(&part.moments);
        Moments::merge_columns(&mut self.columns, &part.columns);
        if let Some(speaker) = speaker {
            let (moments, counts) = self.speakers.entry(speaker.to_owned()).or_default();
            moments.merge(&part.moments);
            part.buckets.iter().for_each(|&(bucket, count)| *counts.entry(bucket).or_default() += count);
        }
        self.merge_constant(part.first, part.constant);
        part.group
    }

    fn merge_constant(&mut self, first: Vec<f64>, constant: Vec<bool>) {
        if first.is_empty() {
            return;
        }
        let Some(before) = &self.first else {
            self.first = Some(first);
            self.constant = constant;
            return;
        };
        if before.len() != first.len() {
            self.constant.clear();
        }
        for (number, is_constant) in self.constant.iter_mut().enumerate() {
            *is_constant &= constant[number] && before[number] == first[number];
        }
    }

    /// The number of entries.
    pub fn num_entries(&self) -> u64 {
        self.num_entries
    }

    /// How many entries have each length: rows of a matrix, numbers of a vector.
    pub fn lengths(&self) -> &BTreeMap<u64, u64> {
        &self.lengths
    }

    /// The lengths in at most this many ranges of equal width, including empty ones. The width is 1, 2 or 5 times a
    /// power of ten, and ranges start at its multiples.
    pub fn length_histogram(&self, num_ranges: u64) -> Vec<LengthGroup> {
        let (Some((&first, _)), Some((&last, _))) = (self.lengths.first_key_value(), self.lengths.last_key_value())
        else {
            return Vec::new();
        };
        let widths = (0..19).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u64.pow(power)));
        let width = widths.into_iter().find(|width| last / width - first / width < num_ranges).unwrap_or(u64::MAX);
        let range = |number: u64| {
            let (first, last) = (number * width, (number * width).saturating_add(width - 1));
            LengthGroup { first, last, entries: self.lengths.range(first..=last).map(|(_, entries)| entries).sum() }
        };
        (first / width..=last / width).map(range).collect()
    }

    /// The numbers of a table in this many ranges of equal width, or fewer if they are integers: where each starts and
    /// ends, and how many numbers it has. One in a thousand at each end is left out, unless that is all.
    pub fn value_histogram(&self, num_ranges: u32) -> Vec<(f64, f64, f64)> {
        if self.table.count == 0 {
            return Vec::new();
        }
        let sketch = self.sketch();
        let [low, high] = sketch.quantiles([0.001, 0.999]).map(|value| value.clamp(self.table.min, self.table.max));
        let (low, width) = match self.are_integers {
            true => (low.round() - 0.5, ((high.round() - low.round() + 1.0) / f64::from(num_ranges)).ceil()),
            false if high > low => (low, high / f64::from(num_ranges) - low / f64::from(num_ranges)),
            false => (low - 0.5, 1.0),
        };
        let num_ranges = if self.are_integers { ((high.round() - low) / width).ceil() as u32 } else { num_ranges };
        let mut ranges: Vec<_> =
            (0..num_ranges).map(|at| (low + f64::from(at) * width, low + f64::from(at + 1) * width, 0.0)).collect();
        for (begin, end, count) in sketch.buckets() {
            let (begin, end) = if self.are_integers { (begin.round(), begin.round()) } else { (begin, end) };
            let first = ((begin - low) / width).floor().max(0.0);
            for range in ranges.iter_mut().skip(first as usize).take_while(|range| range.0 <= end) {
                // Numbers count as evenly spread over their bucket.
                let share = if end > begin {
                    (range.1.min(end) - range.0.max(begin)) / (end - begin)
                } else {
                    f64::from(begin < range.1)
                };
                range.2 += share.max(0.0) * count as f64;
            }
        }
        ranges
    }

    /// Moments of the columns, if they were wanted.
    pub fn columns(&self) -> &[Moments] {
        &self.columns
    }

    /// The columns that have the same number in all rows, counted from 0.
    pub fn constant_columns(&self) -> Vec<usize> {
        let is_constant: Vec<bool> = match self.columns.is_empty() {
            true => self.constant.clone(),
            false => self.columns.iter().map(Moments::is_constant).collect(),
        };
        (0..is_constant.len()).filter(|&number| is_constant[number]).collect()
    }

    /// The sketch of all numbers, if the table is the group.
    pub fn sketch(&self) -> Sketch {
        let mut sum = Sketch::default();
        self.examiner.pool.lock().iter().for_each(|scratch| sum.merge(&scratch.sketch));
        sum
    }

    /// The groups, except for entries: their groups were returned one by one.
    pub fn groups(&self) -> Vec<Group> {
        match self.examiner.by {
            By::Table => {
                let quantiles = self.sketch().quantiles(Group::FRACTIONS);
                vec![Group::new("", self.table, quantiles, self.are_integers)]
            }
            By::Key => Vec::new(),
            By::Speaker => {
                let group = |(speaker, (moments, counts)): (&BString, &(Moments, BTreeMap<Bucket, u64>))| {
                    let buckets: Vec<(Bucket, u64)> = counts.iter().map(|(&bucket, &count)| (bucket, count)).collect();
                    let quantiles = quantiles_of(&buckets, Group::FRACTIONS);
                    Group::new(speaker.clone(), *moments, quantiles, self.are_integers)
                };
                self.speakers.iter().map(group).collect()
            }
            By::Column => {
                let scratches = self.examiner.pool.lock();
                let column = |(number, moments): (usize, &Moments)| {
                    let mut sum = Sketch::default();
                    scratches.iter().filter_map(|scratch| scratch.columns.get(number)).for_each(|it| sum.merge(it));
                    Group::new(number.to_string(), *moments, sum.quantiles(Group::FRACTIONS), self.are_integers)
                };
                self.columns.iter().enumerate().map(column).collect()
            }
        }
    }
}
