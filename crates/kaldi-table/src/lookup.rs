//! Finding what belongs to an entry: values by key, one for all, or by the speaker of an utterance.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Value, is_specifier, printable_rxfilename};
use kaldi_log::warning;
use kaldi_values::Token;

use crate::random_access::RandomAccessReader;
use crate::sequential::read_file;
use crate::{Error, Result};

/// Finds something for each key of a table, in the table's order; see [`SequentialReader::map_with`].
///
/// [`SequentialReader::map_with`]: crate::SequentialReader::map_with
pub trait Lookup: Send + 'static {
    /// What is found; an `Option` where it may be missing.
    type Found: Send + 'static;

    /// Finds what belongs to `key`.
    ///
    /// # Errors
    /// Where the lookup itself fails; what is missing is no error.
    fn find(&mut self, key: &BStr) -> Result<Self::Found>;

    /// Called once behind the last key.
    ///
    /// # Errors
    /// Where a pipe that was read to its end failed.
    fn finish(&mut self) -> Result<()>;
}

impl Lookup for () {
    type Found = ();

    fn find(&mut self, _: &BStr) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }
}

impl<A: Lookup, B: Lookup> Lookup for (A, B) {
    type Found = (A::Found, B::Found);

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        Ok((self.0.find(key)?, self.1.find(key)?))
    }

    fn finish(&mut self) -> Result<()> {
        self.0.finish()?;
        self.1.finish()
    }
}

/// Nothing is found where there is no lookup.
impl<L: Lookup> Lookup for Option<L> {
    type Found = Option<L::Found>;

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        self.as_mut().map(|lookup| lookup.find(key)).transpose()
    }

    fn finish(&mut self) -> Result<()> {
        self.as_mut().map_or(Ok(()), Lookup::finish)
    }
}

impl<L: Lookup> Lookup for Vec<L> {
    type Found = Vec<L::Found>;

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        self.iter_mut().map(|lookup| lookup.find(key)).collect()
    }

    fn finish(&mut self) -> Result<()> {
        self.iter_mut().try_for_each(Lookup::finish)
    }
}

impl<T: Value + Sync> Lookup for RandomAccessReader<T> {
    type Found = Option<Arc<T>>;

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        self.get(key)
    }

    fn finish(&mut self) -> Result<()> {
        Self::finish(self)
    }
}

/// Utterances that a table without a map does not have: where these are the first ones, its keys may be speakers.
#[derive(Debug, Default)]
struct Misses {
    /// The rspecifier of the table; nothing where there is nothing to tell (any more).
    table: Option<BString>,
    count: u32,
    first: BString,
}

impl Misses {
    /// Misses in a row from the begin on that make a warning.
    const ENOUGH: u32 = 3;

    /// Counts what became of looking for `utt`; finding anything ends the doubt.
    fn count(&mut self, utt: &BStr, is_found: bool) {
        if is_found {
            self.table = None;
        }
        if self.table.is_none() {
            return;
        }
        if self.count == 0 {
            utt.clone_into(&mut self.first);
        }
        self.count += 1;
        if self.count == Self::ENOUGH {
            self.warn();
        }
    }

    /// Warns, once, where nothing was found at all.
    fn warn(&mut self) {
        if let Some(table) = self.table.take_if(|_| self.count > 0) {
            let (table, first) = (printable_rxfilename(table.as_ref()), &self.first);
            warning!(
                "{table} has no entry for the first utterances, such as {first}; if its keys are speakers, give the speaker \
                 of each utterance: --utt2spk=ark:utt2spk"
            );
        }
    }
}

/// A table that is looked up by utterance or, through an utt2spk map, by speaker (Kaldi's
/// `RandomAccessTableReaderMapped`).
#[must_use]
pub struct MappedReader<T> {
    table: RandomAccessReader<T>,
    utt2spk: Option<(RandomAccessReader<Token>, BString)>,
    misses: Misses,
}

impl<T: Value> MappedReader<T> {
    /// Opens a table and, where `utt2spk` is not empty, the map from utterances to its keys.
    ///
    /// # Errors
    /// Where one of them cannot be opened.
    pub fn open(rspecifier: &BStr, utt2spk: &BStr) -> Result<Self> {
        let table = RandomAccessReader::open(rspecifier)?;
        let utt2spk = match utt2spk.is_empty() {
            true => None,
            false => Some((RandomAccessReader::open(utt2spk)?, utt2spk.to_owned())),
        };
        let doubtful = utt2spk.is_none().then(|| rspecifier.to_owned());
        Ok(Self { table, utt2spk, misses: Misses { table: doubtful, ..Misses::default() } })
    }

    /// The value for an utterance, nothing where the table has none.
    ///
    /// # Errors
    /// Where reading fails, or the map does not have the utterance.
    pub fn get(&mut self, utt: &BStr) -> Result<Option<Arc<T>>> {
        let Some((map, name)) = &mut self.utt2spk else {
            let found = self.table.get(utt)?;
            self.misses.count(utt, found.is_some());
            return Ok(found);
        };
        match map.get(utt)? {
            Some(spk) => self.table.get(&spk),
            None => Err(Error::Promise {
                table: name.to_str_lossy().into_owned(),
                message: format!("the utt2spk map has no entry for utterance {utt}"),
            }),
        }
    }
}

impl<T: Value + Sync> Lookup for MappedReader<T> {
    type Found = Option<Arc<T>>;

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        self.get(key)
    }

    fn finish(&mut self) -> Result<()> {
        self.misses.warn();
        self.table.finish()?;
        self.utt2spk.as_mut().map_or(Ok(()), |(map, _)| map.finish())
    }
}

/// One value for all keys, or one per key: what a tool's argument names that may be a file or a table.
#[must_use]
pub enum FileOrTable<T> {
    /// A file: the same value for every key.
    File(Arc<T>),
    /// A table, perhaps through an utt2spk map.
    Table(MappedReader<T>),
}

impl<T: Value> FileOrTable<T> {
    /// Opens `name`, a table where it is an rspecifier and a file where it is not. `utt2spk` is what the tool's option of
    /// this name says, which may be empty; nothing for a tool without it.
    ///
    /// # Errors
    /// Where it cannot be opened or, for a file, read.
    pub fn open(name: &BStr, utt2spk: Option<&BStr>) -> Result<Self> {
        if is_specifier(name) {
            let mut table = MappedReader::open(name, utt2spk.unwrap_or_default())?;
            if utt2spk.is_none() {
                table.misses = Misses::default();
            }
            Ok(Self::Table(table))
        } else {
            Ok(Self::File(Arc::new(read_file(name)?)))
        }
    }
}

impl<T: Value + Sync> Lookup for FileOrTable<T> {
    type Found = Option<Arc<T>>;

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        match self {
            Self::File(value) => Ok(Some(Arc::clone(value))),
            Self::Table(table) => table.find(key),
        }
    }

    fn finish(&mut self) -> Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Table(table) => table.finish(),
        }
    }
}
