//! Parquet with sound inside, as of Hugging Face and CosyVoice.

mod fields;
mod rows;
mod sources;

use std::sync::Arc;

use bstr::BStr;
use column_files::{ColumnFile, ColumnValue, ColumnValues};
use kaldi_reader::{BoxReader, ReaderExt, Step, from_fn};

use super::SoundPlaces;
use crate::{CorpusPlace, Error, Result, SoundStore, Utterances};
pub(super) use sources::is_columns;

/// Reads a file, a folder of them, or a list of their names.
pub(super) fn read(name: &BStr, places: &SoundPlaces, all: &mut Utterances) -> Result<()> {
    let mut first = None;
    for file in sources::files(name, places.options.split.as_deref())? {
        let opened = ColumnFile::open(file.as_ref())?;
        let fields = fields::Fields::find(&opened, &places.options.fields)?;
        if let Some(missing) = first.get_or_insert_with(|| fields.clone()).missing(&fields) {
            let place = CorpusPlace { name: opened.name().into(), line: None };
            return Err(
                place.error(format!("expected a column {missing}, as the file before it has, got {}", opened.names()))
            );
        }
        rows::read(&opened, &fields, &places.of_file(file.as_ref()), all)?;
    }
    Ok(())
}

/// The sound in a column.
#[derive(Clone, Debug)]
struct ColumnSounds {
    file: Arc<ColumnFile>,
    leaf: usize,
}

impl SoundStore for ColumnSounds {
    fn read(&self, wanted: Vec<u64>) -> Result<BoxReader<(u64, Vec<u8>), Error>> {
        let mut values: ColumnValues = self.file.values(self.leaf);
        let (mut wanted, mut row) = (wanted.into_iter(), 0);
        let next = move |step| -> Result<Option<(u64, Vec<u8>)>> {
            let Some(index) = wanted.next().filter(|_| step == Step::Next) else { return Ok(None) };
            values.skip(index.saturating_sub(row))?;
            row = index + 1;
            let bytes = match values.next_value()? {
                Some(ColumnValue::Bytes(bytes)) => bytes.into(),
                _ => Vec::new(),
            };
            Ok(Some((index, bytes)))
        };
        Ok(from_fn(next).boxed())
    }
}
