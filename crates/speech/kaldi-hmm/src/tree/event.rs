//! What is known about a state in its context, and what is asked about it.

use std::fmt;

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, write_basic, write_token};

/// The key of the pdf class in an [`Event`]; the phones of the context have the keys 0, 1, ...
pub const PDF_CLASS: i32 = -1;

/// What is known about a state in its context: pairs of a key and a value, each key once, in ascending order.
///
/// Key −1 ([`PDF_CLASS`]) is the pdf class of the state, key 0 the first phone of the context, key 1 the second, and so
/// on. A key may be missing: then its value is not known. Events compare as lists of pairs (Kaldi's `EventType`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Event {
    pairs: Vec<(i32, i32)>,
}

impl Event {
    /// Takes pairs of a key and a value in any order. Of pairs with the same key, the first one counts.
    pub fn new(mut pairs: Vec<(i32, i32)>) -> Self {
        pairs.sort_by_key(|&(key, _)| key);
        pairs.dedup_by_key(|&mut (key, _)| key);
        Self { pairs }
    }

    /// A state of pdf class `pdf_class` in the context `phones`; all is known.
    pub fn of_state(phones: &[i32], pdf_class: i32) -> Self {
        let mut pairs = Vec::with_capacity(phones.len() + 1);
        pairs.push((PDF_CLASS, pdf_class));
        pairs.extend((0..).zip(phones.iter().copied()));
        Self { pairs }
    }

    /// The value of a key, `None` if it is not known.
    pub fn get(&self, key: i32) -> Option<i32> {
        let at = self.pairs.binary_search_by_key(&key, |&(key, _)| key).ok()?;
        Some(self.pairs[at].1)
    }

    /// The pairs of a key and a value, by key.
    pub fn pairs(&self) -> &[(i32, i32)] {
        &self.pairs
    }

    /// Reads `EV`, the number of pairs and the pairs.
    ///
    /// # Errors
    /// If the bytes are no event, or its keys do not ascend.
    pub(crate) fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("EV")?;
        let count: u32 = cursor.read_basic()?;
        let mut pairs: Vec<(i32, i32)> = Vec::new();
        for _ in 0..count {
            if !cursor.is_binary() {
                cursor.skip_space();
            }
            let offset = cursor.offset();
            let pair: (i32, i32) = (cursor.read_basic()?, cursor.read_basic()?);
            if let Some(&(last, _)) = pairs.last()
                && last >= pair.0
            {
                let message = format!("expected a key over {last}, got {}", pair.0);
                return Err(ParseError::new(offset, message));
            }
            pairs.push(pair);
        }
        Ok(Self { pairs })
    }

    /// Appends what [`Event::read_part`] reads.
    pub(crate) fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"EV");
        write_basic(out, format, self.pairs.len() as u32);
        for &(key, value) in &self.pairs {
            write_basic(out, format, key);
            write_basic(out, format, value);
        }
        format.end_line(out);
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (key, value)) in self.pairs.iter().enumerate() {
            let space = if number == 0 { "" } else { " " };
            write!(f, "{space}{key}:{value}")?;
        }
        Ok(())
    }
}

/// The set of values that a question asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventSet {
    /// In the order of the file, which writers keep ascending.
    values: Vec<i32>,
    ascends: bool,
}

impl EventSet {
    pub(super) fn new(values: Vec<i32>) -> Self {
        let ascends = values.is_sorted();
        Self { values, ascends }
    }

    /// Whether a value is in the set.
    pub fn contains(&self, value: i32) -> bool {
        match self.ascends {
            true => self.values.binary_search(&value).is_ok(),
            false => self.values.contains(&value),
        }
    }

    /// The values.
    pub fn values(&self) -> &[i32] {
        &self.values
    }
}
