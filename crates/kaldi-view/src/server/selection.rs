//! The rows of a list: those that fulfil a filter, in some order.

use std::sync::{Arc, Mutex, PoisonError};

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::KeyedLine;

use crate::server::Viewer;
use crate::server::catalog::Says;
use crate::server::columns::ColumnType;
use crate::server::failure::{Answer, Failure};
use crate::server::filter::{Condition, parse};
use crate::server::query::Query;
use crate::server::search::{RowSet, rows_with};

/// Selections that are kept.
const KEPT: usize = 4;

/// Bytes of a text by which rows are ordered, at most; of a key, all count.
const SORTED: usize = 24;

/// Rows in some order; `None` if they are all rows in theirs.
pub(crate) type Rows = Option<Arc<Vec<u32>>>;

/// Selections that were made.
#[derive(Debug, Default)]
pub(crate) struct Selections(Mutex<Vec<(SelectionName, Rows)>>);

/// The order, the filter, and the number of the measures that were there.
type SelectionName = (BString, BString, u64);

impl Viewer {
    /// The rows that a request asks for.
    ///
    /// # Errors
    /// If it asks for an order by something that is no column, or a list cannot be read.
    pub fn selected(&self, query: &Query) -> Answer<Rows> {
        let text = |name| query.get(name).cloned().unwrap_or_default();
        let (measures, version) = self.measures();
        drop(measures);
        let name = (text("sort"), text("filter"), version);
        let lock = || self.selections.0.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut kept = lock();
            if let Some(at) = kept.iter().position(|(other, _)| *other == name) {
                let used = kept.remove(at);
                kept.push(used);
                return Ok(kept[kept.len() - 1].1.clone());
            }
        }
        let rows = self.select(name.0.as_bstr(), name.1.as_bstr())?.map(Arc::new);
        let mut kept = lock();
        kept.retain(|((.., version), _)| *version == name.2);
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((name, rows.clone()));
        Ok(rows)
    }

    fn select(&self, sort: &BStr, filter: &BStr) -> Answer<Option<Vec<u32>>> {
        let rows = self.filtered(filter)?;
        let (sort, is_reverse) = match sort.strip_prefix(b"-") {
            Some(sort) => (sort, true),
            None => (sort.as_bytes(), false),
        };
        let sort = sort.to_str_lossy();
        let kind = self.columns().into_iter().find(|column| column.name == sort).map(|column| column.kind);
        match kind {
            None if sort.is_empty() => Ok(rows),
            None => Err(Failure::Wrong(format!("there is no column {sort}"))),
            Some(ColumnType::Number) => {
                let numbers = self.numbers(&sort)?;
                let mut rows = rows.unwrap_or_else(|| (0..self.catalog.len()).collect());
                let number = |row: &u32| numbers[*row as usize];
                rows.sort_by(|left, right| {
                    let (left, right) = (number(left), number(right));
                    let order = if is_reverse { right.total_cmp(&left) } else { left.total_cmp(&right) };
                    left.is_nan().cmp(&right.is_nan()).then(order)
                });
                Ok(Some(rows))
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

    /// The rows that fulfil a filter; `None` if that are all.
    fn filtered(&self, filter: &BStr) -> Answer<Option<Vec<u32>>> {
        let columns = self.columns();
        let is_column = |name: &str| {
            let is_measure = kaldi_measure::UtteranceMeasure::ALL.iter().any(|(_, other)| *other == name);
            is_measure || columns.iter().any(|column| column.name == name && column.kind == ColumnType::Number)
        };
        let conditions = parse(filter, is_column);
        if conditions.is_empty() {
            return Ok(None);
        }
        let words: Vec<BString> = conditions
            .iter()
            .filter_map(|(_, condition)| if let Condition::Word(word) = condition { Some(word.clone()) } else { None })
            .collect();
        let mut with_words = rows_with(&self.catalog, &words)?.into_iter();
        let len = self.catalog.len();
        let mut kept: Option<RowSet> = None;
        for (is_not, condition) in &conditions {
            let holding = match condition {
                Condition::Word(_) => with_words.next().unwrap_or_else(|| RowSet::new(len)),
                Condition::Rule(rule) => self.rows_with_rule(rule),
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
        Ok(kept.map(|kept| (0..len).filter(|&row| kept.has(row)).collect()))
    }
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
