//! The rows of a list: those that fulfil a filter, in some order.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::KeyedLine;
use kaldi_io::sync::Mutex;

use crate::server::Viewer;
use crate::server::catalog::Says;
use crate::server::columns::{ColumnType, DURATION, FINDINGS};
use crate::server::failure::{Answer, Failure};
use crate::server::filter::{Condition, no_column, parse};
use crate::server::query::Query;
use crate::server::search::{RowSet, rows_with};

/// Selections that are kept.
const KEPT: usize = 4;

/// Bytes of a text by which rows are ordered, at most; of a key, all count.
const SORTED: usize = 24;

/// Words that are looked for at a time: each has a bit for each row.
const AT_A_TIME: usize = 16;

/// Rows in some order; `None` if they are all rows in theirs.
pub(crate) type Rows = Option<Arc<Vec<u32>>>;

/// Selections that were made.
#[derive(Debug, Default)]
pub(crate) struct Selections(Mutex<Vec<(SelectionName, Rows)>>);

/// The order, the filter, and the versions of the measures and durations that were there.
type SelectionName = (BString, BString, (u64, u64));

/// What a request asks for.
pub(crate) struct Selected {
    pub rows: Rows,
    /// Whether it asks for numbers or findings that nobody has measured.
    pub is_unmeasured: bool,
}

impl Viewer {
    /// The rows that a request asks for.
    ///
    /// # Errors
    /// If it asks for what there is not, or a list cannot be read.
    pub fn selected(&self, query: &Query) -> Answer<Selected> {
        let text = |name| query.get(name).cloned().unwrap_or_default();
        let (sort, filter) = (text("sort"), text("filter"));
        let (measures, measured) = self.measures();
        let conditions = parse(filter.as_bstr(), &self.known_columns()).map_err(Failure::Misnamed)?;
        let has = |name: &str| measures.as_ref().is_some_and(|measures| measures.has(name));
        let is_unmeasured = conditions.iter().any(|(_, condition)| match condition {
            Condition::Rule(_) => measures.is_none(),
            Condition::Compare(name, ..) if name == FINDINGS => measures.is_none(),
            Condition::Compare(name, ..) => !has(name) && !self.columns().iter().any(|column| column.name == name),
            Condition::Word(_) => false,
        });
        let names_duration = [&sort, &filter].iter().any(|text| text.contains_str(DURATION));
        let durations = if names_duration { self.headers.version() } else { 0 };
        let name = (sort, filter, (measured, durations));
        let lock = || self.selections.0.lock();
        {
            let mut kept = lock();
            if let Some(at) = kept.iter().position(|(other, _)| *other == name) {
                let used = kept.remove(at);
                kept.push(used);
                return Ok(Selected { rows: kept[kept.len() - 1].1.clone(), is_unmeasured });
            }
        }
        let rows = self.select(name.0.as_bstr(), &conditions)?.map(Arc::new);
        let mut kept = lock();
        // Older ones are not asked for again.
        kept.retain(|((sort, filter, versions), _)| versions.0 == name.2.0 && (sort, filter) != (&name.0, &name.1));
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((name, rows.clone()));
        Ok(Selected { rows, is_unmeasured })
    }

    fn select(&self, sort: &BStr, conditions: &[(bool, Condition)]) -> Answer<Option<Vec<u32>>> {
        let (name, is_reverse) = match sort.strip_prefix(b"-") {
            Some(name) => (name, true),
            None => (sort.as_bytes(), false),
        };
        let (sort, known) = (name.to_str_lossy(), self.known_columns());
        let kind = known.iter().find(|column| column.name == sort).map(|column| column.kind);
        if kind.is_none() && !sort.is_empty() {
            return Err(Failure::Misnamed(no_column(&sort, &known)));
        }
        let rows = self.filtered(conditions)?;
        match kind {
            None => Ok(rows),
            Some(ColumnType::Number | ColumnType::Rules) => {
                let numbers = self.numbers(&sort)?;
                let rows = rows.unwrap_or_else(|| (0..self.catalog.len()).collect());
                Ok(Some(by_number(rows, &numbers, is_reverse)))
            }
            Some(ColumnType::Text) if sort == "key" && !is_reverse && self.catalog.is_sorted() => Ok(rows),
            Some(ColumnType::Text) => {
                let texts = Texts::of(self, &sort)?;
                let mut rows = rows.unwrap_or_else(|| (0..self.catalog.len()).collect());
                rows.sort_by(|&left, &right| {
                    let (left, right) = (texts.get(left), texts.get(right));
                    let order = if is_reverse { right.cmp(left) } else { left.cmp(right) };
                    left.is_empty().cmp(&right.is_empty()).then(order)
                });
                Ok(Some(rows))
            }
        }
    }

    /// The rows that fulfil all conditions; `None` if there are none.
    fn filtered(&self, conditions: &[(bool, Condition)]) -> Answer<Option<Vec<u32>>> {
        if conditions.is_empty() {
            return Ok(None);
        }
        let len = self.catalog.len();
        let mut kept: Option<RowSet> = None;
        for conditions in conditions.chunks(AT_A_TIME) {
            kept = Some(self.filtered_by(conditions, kept)?);
        }
        Ok(kept.map(|kept| (0..len).filter(|&row| kept.has(row)).collect()))
    }

    /// The rows among `kept` that fulfil some conditions, of which all words are looked for at once.
    fn filtered_by(&self, conditions: &[(bool, Condition)], mut kept: Option<RowSet>) -> Answer<RowSet> {
        let words: Vec<BString> = conditions
            .iter()
            .filter_map(|(_, condition)| if let Condition::Word(word) = condition { Some(word.clone()) } else { None })
            .collect();
        let mut with_words = rows_with(&self.catalog, &words)?.into_iter();
        let len = self.catalog.len();
        for (is_not, condition) in conditions {
            let holding = match condition {
                Condition::Word(_) => with_words.next().unwrap_or_else(|| RowSet::new(len)),
                Condition::Rule(rule) => self.rows_with_rule(*rule),
                Condition::Compare(name, comparison, wanted) => {
                    let mut rows = RowSet::new(len);
                    let numbers = self.numbers(name)?;
                    for (row, &number) in (0..len).zip(numbers.iter()) {
                        if comparison.holds(number, *wanted) {
                            rows.insert(row);
                        }
                    }
                    rows
                }
            };
            let mut both = RowSet::new(len);
            for row in 0..len {
                if holding.has(row) != *is_not && kept.as_ref().is_none_or(|kept| kept.has(row)) {
                    both.insert(row);
                }
            }
            kept = Some(both);
        }
        Ok(kept.unwrap_or_else(|| RowSet::new(len)))
    }
}

/// Rows by a number of each; those without one are last in both orders, and equal ones in the order of their rows.
fn by_number(rows: Vec<u32>, numbers: &[f32], is_reverse: bool) -> Vec<u32> {
    let place = |row: u32| {
        let number = numbers[row as usize];
        // Both zeros are one.
        let bits = (number + 0.0).to_bits();
        let ascending = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
        match number.is_nan() {
            true => u32::MAX,
            false if is_reverse => !ascending,
            false => ascending,
        }
    };
    let mut placed: Vec<u64> = rows.iter().map(|&row| u64::from(place(row)) << 32 | u64::from(row)).collect();
    drop(rows);
    placed.sort_unstable();
    placed.into_iter().map(|placed| placed as u32).collect()
}

/// A text of each row, by which rows are ordered.
struct Texts {
    bytes: Vec<u8>,
    /// Where the text of each row is.
    places: Vec<(u32, u32)>,
}

impl Texts {
    fn of(viewer: &Viewer, column: &str) -> Answer<Self> {
        let catalog = &viewer.catalog;
        let mut texts = Self { bytes: Vec::new(), places: vec![(0, 0); catalog.len() as usize] };
        if column == "key" {
            for list in catalog.lists_of_rows() {
                texts.add(viewer, list, |line| line.len().min(1 << 12), |key, _| key)?;
            }
            return Ok(texts);
        }
        let says = if column == "speaker" { Says::Speaker } else { Says::Text };
        for list in catalog.lists_that(|other| other == says) {
            texts.add(viewer, list, |rest| rest.len().min(SORTED), |_, rest| rest)?;
        }
        Ok(texts)
    }

    fn add(
        &mut self,
        viewer: &Viewer,
        list: usize,
        length: impl Fn(&[u8]) -> usize,
        part: for<'a> fn(&'a [u8], &'a [u8]) -> &'a [u8],
    ) -> Answer<()> {
        let mut number = 0;
        viewer.catalog.lists[list].lines.scan(|_, line| {
            let KeyedLine { key, rest } = KeyedLine::split(line);
            let text = part(key, rest);
            if let Some(row) = viewer.catalog.row_of_line(list, number) {
                let place = &mut self.places[row as usize];
                if place.1 == 0 {
                    let start = u32::try_from(self.bytes.len());
                    let start = start.map_err(|_| Failure::Unreadable("there is too much text to sort".into()))?;
                    *place = (start, length(text) as u32);
                    self.bytes.extend_from_slice(&text[..length(text)]);
                }
            }
            number += 1;
            Ok(())
        })
    }

    fn get(&self, row: u32) -> &[u8] {
        let (start, length) = self.places[row as usize];
        &self.bytes[start as usize..][..length as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_numbers_are_last_in_both_orders() {
        let numbers = [2.0, f32::NAN, -1.0, 0.0, -0.0, -3.5, f32::NAN, 2.0, 1e30];
        let all: Vec<u32> = (0..9).collect();
        assert_eq!(by_number(all.clone(), &numbers, false), [5, 2, 3, 4, 0, 7, 8, 1, 6]);
        assert_eq!(by_number(all, &numbers, true), [8, 0, 7, 3, 4, 2, 5, 1, 6]);
        assert_eq!(by_number(vec![0, 1, 5], &numbers, false), [5, 0, 1]);
    }
}
