//! The same key in several tables.

use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_value::Value;

use crate::Result;
use crate::lookup::find::Lookup;
use crate::read::random_access::RandomAccessReader;

/// Several tables of one type that are read by the keys of another table.
///
/// ```
/// use kaldi_table::{SequentialReader, TableWriter, Tables};
///
/// // Adds up what three tables have for a key, and leaves out keys that are not in all of them.
/// let source = SequentialReader::<i32>::open("ark:printf 'a 1\\nb 2\\n' |")?;
/// let others = Tables::<i32>::open(["ark:printf 'b 20\\na 10\\n' |", "ark:printf 'a 100\\n' |"])?;
/// let target = TableWriter::<i32>::create("ark,t:/dev/null")?;
/// let written = source.par_map_with_into(others, target, |entry, found| match found.all() {
///     Ok(others) => Ok(Some(entry.record(&(entry.read()? + others.into_iter().sum::<i32>())))),
///     Err(_rspecifier) => Ok(None),
/// })?;
/// let counts = written.finish()?;
/// assert_eq!((counts.done, counts.skipped), (1, 1));
/// # Ok::<(), kaldi_table::Error>(())
/// ```
pub struct Tables<T> {
    readers: Vec<RandomAccessReader<T>>,
    names: Arc<[BString]>,
}

impl<T: Value> Tables<T> {
    /// Opens the tables that the rspecifiers name, in their order.
    ///
    /// # Errors
    /// If one of them cannot be opened.
    pub fn open<N: AsRef<[u8]>>(rspecifiers: impl IntoIterator<Item = N>) -> Result<Self> {
        let names: Arc<[BString]> = rspecifiers.into_iter().map(|name| BString::from(name.as_ref())).collect();
        let readers = names.iter().map(RandomAccessReader::open).collect::<Result<_>>()?;
        Ok(Self { readers, names })
    }
}

impl<T: Value + Sync> Lookup for Tables<T> {
    type Found = SameKey<T>;

    fn find(&mut self, key: &BStr) -> Result<SameKey<T>> {
        Ok(SameKey { values: self.readers.find(key)?, names: Arc::clone(&self.names) })
    }

    fn finish(&mut self) -> Result<()> {
        self.readers.finish()
    }

    fn restart(&mut self) -> Result<()> {
        self.readers.restart()
    }
}

/// The values of one key in [several tables](Tables).
pub struct SameKey<T> {
    values: Vec<Option<Arc<T>>>,
    names: Arc<[BString]>,
}

impl<T> SameKey<T> {
    /// The rspecifier of each table, and its value if it has the key; in the order of the tables.
    pub fn iter(&self) -> impl Iterator<Item = (&BStr, Option<&T>)> {
        self.names.iter().map(BStr::new).zip(self.values.iter().map(Option::as_deref))
    }

    /// The values of all tables, in their order.
    ///
    /// # Errors
    /// With the rspecifier of the first table that does not have the key.
    pub fn all(&self) -> std::result::Result<Vec<&T>, &BStr> {
        self.iter().map(|(name, value)| value.ok_or(name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_the_key_or_not() {
        let (first, second) = ("ark:printf 'a 1\\nb 2\\n' |", "ark:printf 'b 20\\n' |");
        let mut tables = Tables::<i32>::open([first, second]).unwrap();
        let found = tables.find(BStr::new("a")).unwrap();
        let values: Vec<_> = found.iter().collect();
        assert_eq!(values, [(BStr::new(first), Some(&1)), (BStr::new(second), None)]);
        assert_eq!(found.all(), Err(BStr::new(second)));
        let found = tables.find(BStr::new("b")).unwrap();
        assert_eq!(found.all(), Ok(vec![&2, &20]));
        assert_eq!(tables.find(BStr::new("c")).unwrap().all(), Err(BStr::new(first)));
        tables.finish().unwrap();
    }

    #[test]
    fn the_key_is_in_all_of_no_tables() {
        let mut tables = Tables::<i32>::open([""; 0]).unwrap();
        assert_eq!(tables.find(BStr::new("a")).unwrap().all(), Ok(vec![]));
    }

    #[test]
    fn a_table_that_cannot_be_opened_is_an_error() {
        assert!(Tables::<i32>::open(["ark:/dev/null", "nothing"]).is_err());
    }

    #[test]
    fn a_command_that_fails_is_an_error_at_the_end() {
        let mut tables = Tables::<i32>::open(["ark:/dev/null", "ark:printf 'a 1\\n'; exit 3 |"]).unwrap();
        assert!(tables.find(BStr::new("a")).unwrap().all().is_err());
        assert!(tables.finish().unwrap_err().to_string().contains("exit 3"));
    }
}
