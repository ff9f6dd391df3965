//! The cuts of a Shar folder of lhotse as samples.

use std::sync::Arc;

use bstr::BStr;
use kaldi_io::Blob;
use kaldi_reader::Reader;
use shards::{Cut, CutEntry, SharFolder, SharPart, SharStream, Wanted};

use crate::shard::{Error, Result, Stored, StoredField, StoredSample, is_sound};

/// Reads the cuts of a Shar folder, or of one of its files of cuts. A sample has the sound, and as `txt` the words of an entry of the
/// cut, if it has them. Sound in uncompressed tar files stays there until [`Stored::load`].
///
/// # Errors
/// If it is none.
pub fn shar_samples(name: &BStr, text: CutEntry) -> Result<SharSamples> {
    let cuts = SharStream::new(SharFolder::find(name)?, &["recording"], Wanted::Headers);
    Ok(SharSamples { cuts, text })
}

/// The reader that [`shar_samples`] returns.
pub struct SharSamples {
    cuts: SharStream,
    text: CutEntry,
}

impl Reader for SharSamples {
    type Item = StoredSample;
    type Error = Error;

    fn next(&mut self) -> Result<Option<StoredSample>> {
        let sample = self.cuts.next_with(|_, shard, _, member, payload| {
            let name = Arc::clone(&shard.name);
            Ok(match shard.bytes.as_ref().filter(|bytes| bytes.as_file().is_some()) {
                Some(bytes) => Blob::stored(name, Arc::clone(bytes), member.offset, member.size),
                None => Blob::in_memory(name, member.offset, payload.read()?),
            })
        })?;
        let Some(mut sample) = sample else { return Ok(None) };
        let fault = |message| Error::Line { list: sample.list.to_string(), line: sample.number, message };
        let text = Cut::parse(&sample.line).and_then(|cut| self.text.words(&cut)).map_err(fault)?;
        let mut fields = Vec::new();
        if let Some(SharPart::Member { suffix, value, .. }) = sample.parts.pop() {
            // lhotse calls a file that it copied `.original`.
            let name = if is_sound(suffix.as_ref()) { suffix } else { "wav".into() };
            fields.push(StoredField { name, content: Stored::Blob(value) });
        }
        if let Some(text) = text {
            fields.push(StoredField { name: "txt".into(), content: Stored::Blob(text.into_bytes().into()) });
        }
        Ok(Some(StoredSample { key: sample.id, source: sample.list, fields, segment: None }))
    }

    fn restart(&mut self) -> Result<()> {
        self.cuts.restart();
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.cuts.finish()
    }
}
