//! Values in files that are no tables.

use bstr::BStr;
use kaldi_io::Locator;
use kaldi_reader::Reader;
use kaldi_value::Value;

use crate::batch::{Batch, Batches};
use crate::framing::Typed;
use crate::raw::RawEntry;
use crate::read::loader::ValueLoader;
use crate::{Error, Result};

/// The one value of a file, as a table of one entry without a key.
pub(crate) struct SingleFile {
    locator: Locator,
    loader: ValueLoader<Typed>,
    entry: Option<RawEntry>,
}

impl SingleFile {
    /// Frames the value. A range at the end of the name is removed if `has_ranges`.
    pub(crate) fn open(rxfilename: &BStr, framing: Typed, has_ranges: bool) -> Result<Self> {
        let (locator, mut loader) = (locate(rxfilename, has_ranges)?, ValueLoader::new(framing));
        let entry = Some(load(&mut loader, &locator)?);
        Ok(Self { locator, loader, entry })
    }
}

fn locate(rxfilename: &BStr, has_ranges: bool) -> Result<Locator> {
    match has_ranges {
        true => Ok(Locator::parse(rxfilename).map_err(|error| error.into_error(rxfilename))?),
        false => Ok(Locator::whole(rxfilename)?),
    }
}

fn load(loader: &mut ValueLoader<Typed>, locator: &Locator) -> Result<RawEntry> {
    Ok(loader.load(locator)?.into_entry(BStr::new(""), locator.range(), None))
}

impl Reader for SingleFile {
    type Item = Batch;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Batch>> {
        Ok(self.entry.take().map(|entry| vec![Some(entry).into()]))
    }

    fn restart(&mut self) -> Result<()> {
        if self.entry.is_none() {
            self.loader.restart()?;
            self.entry = Some(load(&mut self.loader, &self.locator)?);
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.entry = None;
        Ok(())
    }
}

impl Batches for SingleFile {}

/// Reads one value from an rxfilename that is no table. The name may end with a range if the type has ranges.
///
/// # Errors
/// If the name is invalid, or the stream cannot be read or does not start with such a value.
pub fn read_file<T: Value>(rxfilename: impl AsRef<[u8]>) -> Result<T> {
    read_entry(BStr::new(rxfilename.as_ref()), Typed::of::<T>(), T::HAS_FILE_RANGES)?.parse()
}

fn read_entry(rxfilename: &BStr, framing: Typed, has_ranges: bool) -> Result<RawEntry> {
    load(&mut ValueLoader::new(framing), &locate(rxfilename, has_ranges)?)
}
