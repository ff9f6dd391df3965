//! Parquet and Arrow with sound inside, as of Hugging Face and CosyVoice.

mod fields;
mod rows;
mod saved;
mod sources;

use std::sync::Arc;

use bstr::BString;
use column_files::{ColumnFile, ColumnValue, ColumnValues};
use kaldi_reader::{BoxReader, ReaderExt, Step, from_fn};

use super::SoundPlaces;
use crate::{CorpusPlace, Error, Manifest, ManifestOptions, Result, SoundStore, Utterances};
pub use saved::{saved_files, saved_splits};
pub(super) use sources::is_columns;

/// Reads files, folders of them, or lists of their names, which all have the columns of the first file.
pub(crate) fn read(names: &[BString], options: &ManifestOptions, all: &mut Utterances) -> Result<()> {
    let (mut first, mut files) = (None, Vec::new());
    for name in names {
        files.extend(sources::files(name.as_ref(), options.split.as_deref())?);
    }
    super::note_missing_parts(&files, all)?;
    for file in files {
        let opened = ColumnFile::open(file.as_ref())?;
        let fields = fields::Fields::find(&opened, &options.fields)?;
        if let Some(missing) = first.get_or_insert_with(|| fields.clone()).missing(&fields) {
            let place = CorpusPlace { name: opened.name().into(), line: None };
            return Err(
                place.error(format!("expected a column {missing}, as the first file has, got {}", opened.names()))
            );
        }
        let places = SoundPlaces::new(file.as_ref(), Manifest::Columns, options);
        rows::read(&opened, &fields, &places, all)?;
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
