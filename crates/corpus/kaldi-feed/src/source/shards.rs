//! Samples of shards.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_corpus::shard::{
    CutEntry, FaultKind, FieldPath, Grouping, SharFolder, ShardName, ShardNames, StoredSample, Wanted, count_cuts,
    count_lost_samples, shar_samples, shard_samples,
};
use kaldi_io::Rspecifier;
use kaldi_reader::{BoxReader, Reader, ReaderExt, Step, from_fn};

use super::picks::{Pick, Reading, picks};
use super::raw::sample;
use crate::ledger::{BadSamples, Found};
use crate::{Error, Result};

/// Shards, or files of cuts of a Shar folder.
pub(crate) struct Shards {
    names: Arc<[BString]>,
    open: Arc<Open>,
    count_lost: CountLost,
    text_field: FieldPath,
}

/// Counts the samples that are lost with one of them after an error; so many were delivered. `None` if nobody knows.
type CountLost = fn(&BStr, &kaldi_corpus::shard::Error, u64) -> Option<u64>;

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
        let open = |name: &BString| Ok(samples(name));
        Ok(Self { names: all.into(), open: Arc::new(open), count_lost: lost_in_shard, text_field })
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
        Ok(Self { names, open: Arc::new(open), count_lost: lost_in_shar, text_field: FieldPath::new("txt") })
    }

    pub(super) fn read(&self, reading: Reading) -> BoxReader<Found, Error> {
        let picks = picks(self.names.len(), reading).boxed();
        let (names, open, text_field) = (Arc::clone(&self.names), Arc::clone(&self.open), self.text_field.clone());
        let count_lost = self.count_lost;
        ShardReader { names, open, count_lost, text_field, picks, current: None, most: 0 }.boxed()
    }
}

/// Reads one shard after the other.
struct ShardReader {
    names: Arc<[BString]>,
    open: Arc<Open>,
    count_lost: CountLost,
    text_field: FieldPath,
    picks: BoxReader<Pick, Error>,
    current: Option<Current>,
    /// Samples of the largest shard that was read to its end: the estimate for shards of unknown length.
    most: u64,
}

/// The one that is being read.
struct Current {
    number: usize,
    samples: Samples,
    seeds: [u64; 2],
    delivered: u64,
}

/// Samples lost in a tar shard: those from the damaged header on. `None` for a truncated file, which does not show how many followed.
fn lost_in_shard(name: &BStr, error: &kaldi_corpus::shard::Error, _: u64) -> Option<u64> {
    let kaldi_corpus::shard::Error::Fault(fault) = error else { return None };
    // Where a file is cut, what followed is gone.
    let is_cut = fault.kind == FaultKind::Truncated;
    count_lost_samples(name, fault, Grouping::Wenet).filter(|_| !is_cut)
}

/// Samples lost in a shard of a Shar folder: its number of cuts less those that were delivered.
fn lost_in_shar(name: &BStr, _: &kaldi_corpus::shard::Error, delivered: u64) -> Option<u64> {
    count_cuts(name).ok().map(|cuts| cuts.saturating_sub(delivered))
}

impl ShardReader {
    /// The error of a shard with the number of samples that are lost, estimated by [`ShardReader::most`] if it is unknown.
    fn lost(&self, number: usize, delivered: u64, error: &kaldi_corpus::shard::Error) -> BadSamples {
        let known = (self.count_lost)(self.names[number].as_ref(), error, delivered);
        BadSamples::lost(error, known.unwrap_or_else(|| self.most.saturating_sub(delivered)))
    }
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
            let Some(current) = &mut self.current else {
                let Some((number, seeds)) = self.picks.next()? else { return Ok(None) };
                match (self.open)(&self.names[number]) {
                    Ok(samples) => self.current = Some(Current { number, samples, seeds, delivered: 0 }),
                    Err(error) => return Ok(Some(Err(self.lost(number, 0, &error)))),
                }
                continue;
            };
            let Current { number, delivered, .. } = *current;
            match current.samples.next() {
                Ok(Some(stored)) => {
                    current.delivered += 1;
                    return Ok(Some(sample(stored, &self.text_field, current.seeds).map_err(BadSamples::from)));
                }
                Ok(None) => {
                    self.most = self.most.max(delivered);
                    self.current = None;
                }
                // A fault in a shard costs the broken sample and those after it in the shard.
                Err(error) => {
                    self.current = None;
                    return Ok(Some(Err(self.lost(number, delivered, &error))));
                }
            }
        }
    }

    fn restart(&mut self) -> Result<()> {
        self.current = None;
        self.picks.restart()
    }

    fn finish(&mut self) -> Result<()> {
        self.current = None;
        self.picks.finish()
    }
}
