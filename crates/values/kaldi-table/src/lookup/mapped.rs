//! Values by key, or by the speaker of an utterance.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::log::warning;
use kaldi_io::printable_rxfilename;
use kaldi_value::Token;
use kaldi_value::Value;

use crate::lookup::find::Lookup;
use crate::read::random_access::RandomAccessReader;
use crate::{Error, Result};

impl<T: Value + Sync> Lookup for RandomAccessReader<T> {
    type Found = Option<Arc<T>>;

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        self.get(key)
    }

    fn finish(&mut self) -> Result<()> {
        Self::finish(self)
    }

    fn restart(&mut self) -> Result<()> {
        Self::restart(self)
    }
}

/// Utterances that a table without a map does not have. If the first ones are all missing, the keys of the table may be
/// speakers.
#[derive(Debug, Default)]
struct Misses {
    /// The rspecifier of the table. `None` if there is nothing to warn of (any more).
    table: Option<BString>,
    count: u32,
    first: BString,
}

impl Misses {
    /// This many misses in a row at the start make a warning.
    const ENOUGH: u32 = 3;

    /// Counts the result of looking for `utt`. Once something is found, no warning follows.
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

    /// Warns, once, if nothing was found at all.
    fn warn(&mut self) {
        if let Some(table) = self.table.take_if(|_| self.count > 0) {
            let (table, first) = (printable_rxfilename(table.as_ref()), &self.first);
            warning!(
                "{table} has no entry for the first utterances, such as {first}; if its keys are speakers, give the speaker \
                 of each utterance: `utt2spk = ark:utt2spk`"
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
    /// Opens a table and, if `utt2spk` is not empty, the map from utterances to its keys.
    ///
    /// # Errors
    /// If one of them cannot be opened.
    pub fn open(rspecifier: impl AsRef<[u8]>, utt2spk: impl AsRef<[u8]>) -> Result<Self> {
        let utt2spk = BStr::new(utt2spk.as_ref());
        let rspecifier = BStr::new(rspecifier.as_ref());
        let table = RandomAccessReader::open(rspecifier)?;
        let utt2spk = match utt2spk.is_empty() {
            true => None,
            false => Some((RandomAccessReader::open(utt2spk)?, utt2spk.to_owned())),
        };
        let doubtful = utt2spk.is_none().then(|| rspecifier.to_owned());
        Ok(Self { table, utt2spk, misses: Misses { table: doubtful, ..Misses::default() } })
    }

    /// Gives no advice about maps, for a tool that takes none.
    pub(crate) fn without_map(self) -> Self {
        Self { misses: Misses::default(), ..self }
    }

    /// The value for an utterance, `None` if the table has none.
    ///
    /// # Errors
    /// If reading fails, or the map does not have the utterance.
    pub fn get(&mut self, utt: impl AsRef<[u8]>) -> Result<Option<Arc<T>>> {
        let utt = BStr::new(utt.as_ref());
        let Some((map, name)) = &mut self.utt2spk else {
            let found = self.table.get(utt)?;
            self.misses.count(utt, found.is_some());
            return Ok(found);
        };
        match map.get(utt)? {
            Some(spk) => self.table.get(&*spk),
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

    fn restart(&mut self) -> Result<()> {
        self.table.restart()?;
        self.utt2spk.as_mut().map_or(Ok(()), |(map, _)| map.restart())
    }
}
