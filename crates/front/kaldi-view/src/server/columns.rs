//! The columns of the list of utterances.

use std::collections::HashMap;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use corpus_quality::UtteranceMeasure;
use kaldi_corpus::Segment;
use kaldi_io::KeyedLine;
use kaldi_io::sync::Mutex;
use serde_json::{Value, json};

use crate::server::Viewer;
use crate::server::catalog::Says;
use crate::server::failure::Answer;
use crate::server::labels::microseconds;

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Text,
    Number,
    /// Names of rules. As a number, it is how many there are.
    Rules,
}

impl ColumnType {
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Rules => "rules",
        }
    }
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub name: &'static str,
    pub kind: ColumnType,
}

/// The column of findings.
pub(crate) const FINDINGS: &str = "findings";

/// The column of durations, which headers of sound know, too.
pub(crate) const DURATION: &str = "duration";

/// Numbers of lists for each row, once they were needed.
#[derive(Debug, Default)]
pub(crate) struct ListedNumbers(Mutex<HashMap<String, Arc<Vec<f32>>>>);

impl Viewer {
    /// The columns that there are.
    pub fn columns(&self) -> Vec<Column> {
        let (measures, _) = self.measures();
        let is_there = |column: &Column| match column.name {
            "key" => true,
            "speaker" => self.has_list(|says| says == Says::Speaker),
            "text" => self.has_list(|says| says == Says::Text),
            FINDINGS => measures.is_some() || self.catalog.num_measurable() > 0,
            name => {
                let is_listed = match name {
                    DURATION => self.catalog.has_sound() || self.has_list(|says| says == Says::Duration),
                    "frames" => self.has_list(|says| says == Says::Frames),
                    _ => false,
                };
                is_listed || measures.as_ref().is_some_and(|measures| measures.has(name))
            }
        };
        let mut columns = self.known_columns();
        columns.retain(is_there);
        columns
    }

    /// The columns that there can be, when everything is measured.
    pub fn known_columns(&self) -> Vec<Column> {
        let texts = ["key", "speaker", "text"].map(|name| Column { name, kind: ColumnType::Text });
        let numbers = UtteranceMeasure::ALL.iter().map(|&(_, name)| Column { name, kind: ColumnType::Number });
        let rules = Column { name: FINDINGS, kind: ColumnType::Rules };
        texts.into_iter().chain([rules]).chain(numbers).collect()
    }

    fn has_list(&self, says: fn(Says) -> bool) -> bool {
        self.catalog.lists_that(says).next().is_some()
    }

    /// A column of some rows, as JSON.
    ///
    /// # Errors
    /// If a list cannot be read.
    pub fn column(&self, name: &str, rows: &[u32], keys: &[BString]) -> Answer<Vec<Value>> {
        if name == "key" {
            return Ok(keys.iter().map(|key| json!(key.to_str_lossy())).collect());
        }
        let mut values = vec![Value::Null; rows.len()];
        if let Some(measures) = self.measures().0 {
            let value = |row: u32| if name == FINDINGS { measures.rules(row) } else { measures.value(name, row) };
            values = rows.iter().map(|&row| value(row)).collect();
        }
        for list in self.catalog.lists_that(|says| is_of(says, name)) {
            if values.iter().all(|value| !value.is_null()) {
                break;
            }
            let says = self.catalog.lists[list].says;
            for (value, rest) in values.iter_mut().zip(self.catalog.rests(list, rows, keys)?) {
                if let Some(rest) = rest.filter(|_| value.is_null()) {
                    *value = match says {
                        Says::Speaker | Says::Text => rest.to_str_lossy().into(),
                        _ => json!(number(says, rest.as_bstr())),
                    };
                }
            }
        }
        if name == DURATION {
            let unknown = values.iter_mut().zip(rows).filter(|(value, _)| value.is_null());
            unknown.for_each(|(value, &row)| *value = json!(self.headers.seconds(row).map(microseconds)));
        }
        Ok(values)
    }

    /// The numbers of a column for all rows; NaN if one is not known.
    ///
    /// # Errors
    /// If a list cannot be read.
    pub fn numbers(&self, name: &str) -> Answer<Arc<Vec<f32>>> {
        let measured = self.measures().0.and_then(|measures| measures.numbers(name));
        if let Some(numbers) = measured.as_ref().filter(|_| name != DURATION) {
            return Ok(Arc::clone(numbers));
        }
        let listed = self.listed(name)?;
        if name != DURATION || (measured.is_none() && self.headers.is_empty()) {
            return Ok(listed);
        }
        let mut numbers = measured.map_or_else(|| listed.to_vec(), |measured| measured.to_vec());
        for (row, number) in (0..).zip(&mut numbers).filter(|(_, number)| number.is_nan()) {
            let found = listed[row as usize];
            *number = if found.is_nan() { self.headers.seconds(row).map_or(f32::NAN, |it| it as f32) } else { found };
        }
        Ok(Arc::new(numbers))
    }

    /// The numbers of a column for all rows, as lists have them; NaN where none has one.
    ///
    /// # Errors
    /// If a list cannot be read.
    pub fn listed(&self, name: &str) -> Answer<Arc<Vec<f32>>> {
        let lock = || self.listed.0.lock();
        if let Some(numbers) = lock().get(name) {
            return Ok(Arc::clone(numbers));
        }
        let mut numbers = vec![f32::NAN; self.catalog.len() as usize];
        for list in self.catalog.lists_that(|says| is_of(says, name)) {
            let says = self.catalog.lists[list].says;
            let mut line_number = 0;
            self.catalog.lists[list].lines.scan(|_, line| {
                if let Some(row) = self.catalog.row_of_line(list, line_number)
                    && let place = &mut numbers[row as usize]
                    && place.is_nan()
                    && let Some(found) = number(says, KeyedLine::split(line).rest)
                {
                    *place = found as f32;
                }
                line_number += 1;
                Ok(())
            })?;
        }
        let numbers = Arc::new(numbers);
        lock().insert(name.to_owned(), Arc::clone(&numbers));
        Ok(numbers)
    }
}

/// Whether a list has this column.
fn is_of(says: Says, name: &str) -> bool {
    match says {
        Says::Speaker => name == "speaker",
        Says::Text => name == "text",
        Says::Duration | Says::Segments(_) => name == "duration",
        Says::Frames => name == "frames",
        Says::Values(_) | Says::Recordings | Says::Times | Says::Nothing => false,
    }
}

/// The number of a line of a list.
fn number(says: Says, rest: &BStr) -> Option<f64> {
    let line = KeyedLine { key: "".into(), rest };
    let word = |place| line.number_at(place).filter(|number| number.is_finite());
    match says {
        // Headers say where one without an end ends.
        Says::Segments(_) => {
            let span = Segment::after_key("".into(), rest).ok()?.span;
            let seconds = span.end.map(|end| microseconds(end - span.start));
            seconds.filter(|seconds| span.is_forward() && seconds.is_finite())
        }
        _ => word(0),
    }
}
