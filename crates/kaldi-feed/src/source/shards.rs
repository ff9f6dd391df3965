//! Samples of shards.

use std::sync::Arc;

use bstr::{BString, ByteSlice};
use kaldi_corpus::shard::{
    CutEntry, FieldPath, Grouping, SharFolder, ShardName, ShardNames, StoredSample, Wanted, shar_samples, shard_samples,
};
use kaldi_io::Rspecifier;
use kaldi_reader::{BoxReader, Reader, ReaderExt, Step, from_fn};

use super::picks::{Picking, Reading};
use super::raw::sample;
use crate::ledger::Found;
use crate::{Error, Result};

/// Shards, or files of cuts of a Shar folder.
pub(crate) struct Shards {
    names: Arc<[BString]>,
    open: Arc<Open>,
    text_field: FieldPath,
}

/// Opens one of them.
type Open = dyn Fn(&BString) -> Result<Samples, kaldi_corpus::shard::Error> + Send + Sync;

type Samples = BoxReader<StoredSample, kaldi_corpus::shard::Error>;

impl Shards {
    /// Those of a list, or a shard.
    pub(super) fn open(name: &BString, text_field: FieldPath) -> Result<Self> {
        let mut names = ShardNames::new([name.clone()], Wanted::Headers);
        let mut all = Vec::new();
        while let Some(shard) = names.next()? {
            all.push(shard.name().to_owned());
        }
        Ok(Self { names: all.into(), open: Arc::new(|name| Ok(samples(name))), text_field })
    }

    /// Those of a Shar folder, which may have `shar:` before it, or one of its files of cuts. The text is an entry of a cut.
    pub(super) fn open_shar(name: &BString, text_field: Option<&FieldPath>) -> Result<Self> {
        let folder = Rspecifier::parse(name.as_ref()).map_or_else(|| name.clone(), |it| it.rxfilename);
        let text = text_field.map_or_else(|| "text".into(), |field| field.name().to_str_lossy());
        let Some(text) = CutEntry::named(&text) else {
            let message = format!(
                "expected one of the entries of cuts for the text: text, speaker, language, gender, custom.NAME; got {text}"
            );
            return Err(Error::Conf { place: name.to_string(), message });
        };
        let names = SharFolder::find(folder.as_ref())?.files().iter().map(|files| files.cuts.clone()).collect();
        let open = move |name: &BString| Ok(shar_samples(name.as_ref(), text.clone())?.boxed());
        Ok(Self { names, open: Arc::new(open), text_field: FieldPath::new("txt") })
    }

    pub(super) fn read(&self, reading: Reading) -> BoxReader<Found, Error> {
        let picking = Picking::new(self.names.len(), reading);
        let (names, open, text_field) = (Arc::clone(&self.names), Arc::clone(&self.open), self.text_field.clone());
        ShardReader { names, open, text_field, picking, current: None }.boxed()
    }
}

/// Reads one shard after the other.
struct ShardReader {
    names: Arc<[BString]>,
    open: Arc<Open>,
    text_field: FieldPath,
    picking: Picking,
    current: Option<(Samples, [u64; 2])>,
}

/// The samples of one shard. What is in a file stays there.
fn samples(name: &BString) -> Samples {
    let mut name = Some(name.clone());
    let once = from_fn(move |step| match step {
        Step::Next => Ok(name.take().map(|name| ShardName::new(name, Wanted::Headers))),
        Step::Restart => Ok(None),
    });
    shard_samples(once, Grouping::Wenet).boxed()
}

impl Reader for ShardReader {
    type Item = Found;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Found>> {
        loop {
            let Some((shard, seeds)) = &mut self.current else {
                let Some((number, seeds)) = self.picking.next()? else { return Ok(None) };
                match (self.open)(&self.names[number]) {
                    Ok(samples) => self.current = Some((samples, seeds)),
                    Err(error) => return Ok(Some(Err(error.to_string()))),
                }
                continue;
            };
            match shard.next() {
                Ok(Some(stored)) => return Ok(Some(sample(stored, &self.text_field, *seeds))),
                Ok(None) => self.current = None,
                // A fault in a shard costs the broken sample and those after it in the shard.
                Err(error) => {
                    self.current = None;
                    return Ok(Some(Err(error.to_string())));
                }
            }
        }
    }

    fn restart(&mut self) -> Result<()> {
        self.current = None;
        self.picking.restart()
    }

    fn finish(&mut self) -> Result<()> {
        self.current = None;
        self.picking.finish()
    }
}
