//! Values by key, or by the speaker of an utterance.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Value;
use kaldi_values::Token;

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

/// A table that is looked up by utterance or, through an utt2spk map, by speaker (Kaldi's
/// `RandomAccessTableReaderMapped`).
#[must_use]
pub struct MappedReader<T> {
    table: RandomAccessReader<T>,
    utt2spk: Option<(RandomAccessReader<Token>, BString)>,
}

impl<T: Value> MappedReader<T> {
    /// Opens a table and, where `utt2spk` is not empty, the map from utterances to its keys.
    ///
    /// # Errors
    /// Where one of them cannot be opened.
    pub fn open(rspecifier: impl AsRef<[u8]>, utt2spk: impl AsRef<[u8]>) -> Result<Self> {
        let utt2spk = BStr::new(utt2spk.as_ref());
        let table = RandomAccessReader::open(rspecifier)?;
        let utt2spk = match utt2spk.is_empty() {
            true => None,
            false => Some((RandomAccessReader::open(utt2spk)?, utt2spk.to_owned())),
        };
        Ok(Self { table, utt2spk })
    }

    /// The value for an utterance, nothing where the table has none.
    ///
    /// # Errors
    /// Where reading fails, or the map does not have the utterance.
    pub fn get(&mut self, utt: impl AsRef<[u8]>) -> Result<Option<Arc<T>>> {
        let utt = BStr::new(utt.as_ref());
        let Some((map, name)) = &mut self.utt2spk else { return self.table.get(utt) };
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
        self.table.finish()?;
        self.utt2spk.as_mut().map_or(Ok(()), |(map, _)| map.finish())
    }

    fn restart(&mut self) -> Result<()> {
        self.table.restart()?;
        self.utt2spk.as_mut().map_or(Ok(()), |(map, _)| map.restart())
    }
}
