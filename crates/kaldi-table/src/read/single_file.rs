//! Values in files that are no tables.

use bstr::{BStr, BString};
use kaldi_io::Value;
use kaldi_reader::Reader;

use crate::batch::{Batch, Batches};
use crate::raw::RawEntry;
use crate::read::loader::ValueLoader;
use crate::script::split_range;
use crate::{Error, Result};

/// The one value of a file as a table of one entry without a key.
pub(crate) struct SingleFile {
    rxfilename: BString,
    has_ranges: bool,
    loader: ValueLoader,
    entry: Option<RawEntry>,
}

impl SingleFile {
    /// Frames the value; a range at the end of the name is taken off where the type has ranges.
    pub(crate) fn open<T: Value>(rxfilename: &BStr) -> Result<Self> {
        let mut loader = ValueLoader::new(T::frame);
        let entry = Some(load(&mut loader, rxfilename, T::HAS_FILE_RANGES)?);
        Ok(Self { rxfilename: rxfilename.to_owned(), has_ranges: T::HAS_FILE_RANGES, loader, entry })
    }
}

fn load(loader: &mut ValueLoader, rxfilename: &BStr, has_ranges: bool) -> Result<RawEntry> {
    let (name, range) = match split_range(rxfilename) {
        Ok(split) if has_ranges => split,
        Err(message) if has_ranges => {
            let name = rxfilename.to_owned();
            return Err(Error::Io(kaldi_io::Error::Name { role: "input", name, advice: message.into() }));
        }
        _ => (rxfilename, None),
    };
    Ok(loader.load(name, range.is_some())?.into_entry(BStr::new(""), range, None))
}

impl Reader for SingleFile {
    type Item = Batch;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Batch>> {
        Ok(self.entry.take().map(|entry| Batch { entries: vec![entry], log: Vec::new() }))
    }

    fn restart(&mut self) -> Result<()> {
        if self.entry.is_none() {
            self.loader.restart()?;
            self.entry = Some(load(&mut self.loader, self.rxfilename.as_ref(), self.has_ranges)?);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.entry = None;
        Ok(())
    }
}

impl Batches for SingleFile {}

/// Reads one value from an rxfilename that is no table, with a range at its end where the type has ranges.
///
/// # Errors
/// Where the name is invalid, the stream cannot be read or does not begin with such a value.
pub fn read_file<T: Value>(rxfilename: impl AsRef<[u8]>) -> Result<T> {
    load(&mut ValueLoader::new(T::frame), BStr::new(rxfilename.as_ref()), T::HAS_FILE_RANGES)?.parse()
}
