//! Files of columns of either kind, and the values of one.

use std::sync::Arc;

use bstr::BStr;
use bytes::Bytes;
use kaldi_io::printable_rxfilename;

use crate::arrow::{ArrowFile, ArrowValues};
use crate::file::{ParquetFile, ParquetValues};
use crate::value::{ColumnNumbers, NOTHING};
use crate::{ColumnValue, Error, FilePlaces, Leaf, LeafType, Result, is_arrow};

/// Bytes of a file that tell what it is.
const HEAD: usize = 1 << 12;

/// A file of Parquet or Arrow.
#[derive(Clone, Debug)]
pub struct ColumnFile(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Parquet(ParquetFile),
    Arrow(Arc<ArrowFile>),
}

impl ColumnFile {
    /// Opens a file, and reads what it says of its columns. Its first bytes tell which kind it is.
    ///
    /// # Errors
    /// If it cannot be read, or is no such file.
    pub fn open(name: &BStr) -> Result<Self> {
        let places = FilePlaces::open(name)?;
        let name: Arc<str> = printable_rxfilename(name).into();
        let head = usize::try_from(places.length()).map_or(HEAD, |length| length.min(HEAD));
        let head = places.piece(0, head).map_err(|error| Error::content(&name, error))?;
        Ok(Self(match is_arrow(&head) {
            true => Kind::Arrow(Arc::new(ArrowFile::open(name, places)?)),
            false => Kind::Parquet(ParquetFile::open(name, places)?),
        }))
    }

    /// What messages call the file.
    pub fn name(&self) -> &str {
        match &self.0 {
            Kind::Parquet(file) => file.name(),
            Kind::Arrow(file) => file.name(),
        }
    }

    /// Whether it is one of Arrow.
    pub fn is_arrow(&self) -> bool {
        matches!(self.0, Kind::Arrow(_))
    }

    /// Its columns, members of structs among them.
    pub fn leaves(&self) -> &[Leaf] {
        match &self.0 {
            Kind::Parquet(file) => file.leaves(),
            Kind::Arrow(file) => file.leaves(),
        }
    }

    /// The number of its rows, as it says.
    pub fn num_rows(&self) -> u64 {
        match &self.0 {
            Kind::Parquet(file) => file.num_rows(),
            Kind::Arrow(file) => file.num_rows(),
        }
    }

    /// The rows that have nothing in the leaf with this index, if the file says how many.
    pub fn num_nulls(&self, leaf: usize) -> Option<u64> {
        match &self.0 {
            Kind::Parquet(file) => file.num_nulls(leaf),
            Kind::Arrow(file) => file.num_nulls(leaf),
        }
    }

    /// The index of a leaf with a name: `audio.bytes` is a column that is called so, or else a member of a struct.
    pub fn find(&self, name: &str) -> Option<usize> {
        Leaf::find(self.leaves(), name)
    }

    /// The names of all leaves, for messages.
    pub fn names(&self) -> String {
        Leaf::names(self.leaves())
    }

    /// What the file says of itself under a key.
    pub fn note(&self, key: &str) -> Option<&str> {
        match &self.0 {
            Kind::Parquet(file) => file.note(key),
            Kind::Arrow(file) => file.note(key),
        }
    }

    /// The values of the leaf with this index.
    pub fn values(&self, leaf: usize) -> ColumnValues {
        let values = match &self.0 {
            Kind::Parquet(file) => Values::Parquet(Box::new(file.values(leaf))),
            Kind::Arrow(file) => Values::Arrow(Box::new(ArrowValues::new(Arc::clone(file), leaf))),
        };
        ColumnValues { file: self.clone(), leaf, row: 0, values }
    }

    /// Reads all values whose types are read.
    ///
    /// # Errors
    /// If one is damaged.
    pub fn check(&self) -> Result<()> {
        let is_read = |&leaf: &usize| !matches!(self.leaves()[leaf].element, LeafType::Other(_));
        for leaf in (0..self.leaves().len()).filter(is_read) {
            let (mut values, mut rows) = (self.values(leaf), 0);
            while values.next_with_nulls()?.is_some() {
                rows += 1;
            }
            if rows != self.num_rows() {
                return Err(values.fault(&format!("expected {} rows, got {rows}", self.num_rows())));
            }
        }
        Ok(())
    }
}

/// The values of a leaf, one for each row.
pub struct ColumnValues {
    file: ColumnFile,
    leaf: usize,
    /// The next row.
    row: u64,
    values: Values,
}

enum Values {
    Parquet(Box<ParquetValues>),
    Arrow(Box<ArrowValues>),
}

impl std::fmt::Debug for ColumnValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ColumnValues").field("leaf", &self.leaf).field("row", &self.row).finish_non_exhaustive()
    }
}

impl ColumnValues {
    /// The value of the next row; `None` at the end.
    ///
    /// # Errors
    /// If it cannot be read, or is of a type that is not read, or is a list with nothing in some places.
    pub fn next_value(&mut self) -> Result<Option<ColumnValue>> {
        match self.next_with_nulls()? {
            Some(ColumnValue::List(values)) if values.iter().any(ColumnValue::has_null) => {
                self.row -= 1;
                Err(self.fault("expected a value everywhere in a list, got nothing (null)"))
            }
            value => Ok(value),
        }
    }

    /// The numbers or truth values of the next row as they are stored; `None` at the end.
    ///
    /// # Errors
    /// If they cannot be read, or are others, or there is nothing in some place, or lists in a list differ in length.
    pub fn next_numbers(&mut self) -> Result<Option<ColumnNumbers>> {
        let leaf = &self.file.leaves()[self.leaf];
        let Some(dtype) = leaf.numbers() else {
            leaf.check().map_err(|message| self.fault(&message))?;
            return Err(self.fault(&format!("expected numbers, got a {leaf}")));
        };
        let numbers = match &mut self.values {
            Values::Parquet(values) => values.next_numbers()?,
            Values::Arrow(values) => {
                let numbers = values.next_value()?.map(|value| ColumnNumbers::of(value, leaf.num_lists, dtype));
                numbers.transpose().map_err(|message| self.fault(&message))?
            }
        };
        self.row += u64::from(numbers.is_some());
        Ok(numbers)
    }

    /// The text or the bytes of the next row: one, or those of a list; `None` at the end.
    ///
    /// # Errors
    /// If they cannot be read, or are something else, or there is nothing in some place.
    pub fn next_words(&mut self) -> Result<Option<Vec<Bytes>>> {
        let words = match self.next_with_nulls()? {
            None => return Ok(None),
            Some(ColumnValue::List(list)) => list,
            Some(value) => vec![value],
        };
        let found = words.into_iter().map(|word| match word {
            ColumnValue::Bytes(bytes) => Ok(bytes),
            ColumnValue::Null => Err(NOTHING.to_owned()),
            _ => Err(format!("expected text or a list of it, got a {}", self.file.leaves()[self.leaf])),
        });
        let found = found.collect::<Result<_, _>>();
        found.map(Some).map_err(|message| {
            self.row -= 1;
            self.fault(&message)
        })
    }

    /// The value of the next row, in whose lists there may be nothing; `None` at the end.
    fn next_with_nulls(&mut self) -> Result<Option<ColumnValue>> {
        let value = match &mut self.values {
            Values::Parquet(values) => values.next_value(),
            Values::Arrow(values) => values.next_value(),
        }?;
        self.row += u64::from(value.is_some());
        Ok(value)
    }

    fn fault(&self, message: &str) -> Error {
        let leaf = &self.file.leaves()[self.leaf].name;
        Error::content(format!("{}: row {}: {leaf}", self.file.name(), self.row), message)
    }

    /// Passes over rows.
    ///
    /// # Errors
    /// If they cannot be read, or there are fewer.
    pub fn skip(&mut self, count: u64) -> Result<()> {
        match &mut self.values {
            Values::Parquet(values) => values.skip(count),
            Values::Arrow(values) => values.skip(count),
        }?;
        self.row += count;
        Ok(())
    }
}
