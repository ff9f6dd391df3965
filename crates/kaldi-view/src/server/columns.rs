//! The columns of the list of utterances.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::KeyedLine;
use kaldi_measure::UtteranceMeasure;
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
}

impl ColumnType {
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
        }
    }
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub name: &'static str,
    pub kind: ColumnType,
}

/// Numbers of lists for each row, once they were needed.
#[derive(Debug, Default)]
pub(crate) struct ListedNumbers(Mutex<HashMap<String, Arc<Vec<f32>>>>);

impl Viewer {
    /// The columns that there are.
    pub fn columns(&self) -> Vec<Column> {
        let has = |wanted: fn(Says) -> bool| self.catalog.lists_that(wanted).next().is_some();
        let text = |name| Column { name, kind: ColumnType::Text };
        let mut columns = vec![text("key")];
        columns.extend(has(|says| says == Says::Speaker).then(|| text("speaker")));
        columns.extend(has(|says| says == Says::Text).then(|| text("text")));
        let (measures, _) = self.measures();
        for &(_, name) in &UtteranceMeasure::ALL {
            let is_listed = match name {
                "duration" => has(|says| matches!(says, Says::Duration | Says::Segments(_))),
                "frames" => has(|says| says == Says::Frames),
                _ => false,
            };
            if is_listed || measures.as_ref().is_some_and(|measures| measures.has(name)) {
                columns.push(Column { name, kind: ColumnType::Number });
            }
        }
        columns
    }

    /// A column of some rows, as JSON.
    ///
    /// # Errors
    /// If a list cannot be read.
    pub fn column(&self, name: &str, rows: &[u32], keys: &[BString]) -> Answer<Vec<Value>> {
        if name == "key" {
            return Ok(keys.iter().map(|key| json!(key.to_str_lossy())).collect());
        }
        if let Some(measures) = self.measures().0.filter(|measures| measures.has(name)) {
            return Ok(rows.iter().map(|&row| measures.value(name, row)).collect());
        }
        let mut values = vec![Value::Null; rows.len()];
        for list in self.catalog.lists_that(|says| is_of(says, name)) {
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
        Ok(values)
    }

    /// The numbers of a column for all rows; NaN if one is not known.
    ///
    /// # Errors
    /// If a list cannot be read.
    pub fn numbers(&self, name: &str) -> Answer<Arc<Vec<f32>>> {
        if let Some(numbers) = self.measures().0.and_then(|measures| measures.numbers(name)) {
            return Ok(numbers);
        }
        let lock = || self.listed.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        // A negative end is that of the recording.
        Says::Segments(_) => {
            let (start, end) = (word(1)?, word(2).filter(|&end| end >= 0.0)?);
            Some(microseconds(end - start))
        }
        _ => word(0),
    }
}
