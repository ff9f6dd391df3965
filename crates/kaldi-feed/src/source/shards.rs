//! Samples of shards.

use std::sync::Arc;

use bstr::BString;
use kaldi_corpus::shard::{FieldPath, Grouping, ShardName, ShardNames, ShardSamples, Wanted, shard_samples};
use kaldi_reader::{BoxReader, Reader, ReaderExt, Step, from_fn};

use super::picks::{Picking, Reading};
use super::raw::sample;
use crate::ledger::Found;
use crate::{Error, Result};

/// A list of shards, or a shard.
pub(crate) struct Shards {
    names: Arc<[BString]>,
    text_field: FieldPath,
}

impl Shards {
    pub(super) fn open(name: &BString, text_field: FieldPath) -> Result<Self> {
        let mut names = ShardNames::new([name.clone()], Wanted::Headers);
        let mut all = Vec::new();
        while let Some(shard) = names.next()? {
            all.push(shard.name().to_owned());
        }
        Ok(Self { names: all.into(), text_field })
    }

    pub(super) fn read(&self, reading: Reading) -> BoxReader<Found, Error> {
        let picking = Picking::new(self.names.len(), reading);
        let (names, text_field) = (Arc::clone(&self.names), self.text_field.clone());
        ShardReader { names, text_field, picking, current: None }.boxed()
    }
}

type OneName = BoxReader<ShardName, kaldi_corpus::shard::Error>;

/// Reads one shard after the other.
struct ShardReader {
    names: Arc<[BString]>,
    text_field: FieldPath,
    picking: Picking,
    current: Option<(ShardSamples<OneName>, [u64; 2])>,
}

/// The samples of one shard. What is in a file stays there.
fn open(name: &BString) -> ShardSamples<OneName> {
    let mut name = Some(name.clone());
    let once = from_fn(move |step| match step {
        Step::Next => Ok(name.take().map(|name| ShardName::new(name, Wanted::Headers))),
        Step::Restart => Ok(None),
    });
    shard_samples(once.boxed(), Grouping::Wenet)
}

impl Reader for ShardReader {
    type Item = Found;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Found>> {
        loop {
            let Some((shard, seeds)) = &mut self.current else {
                let Some((number, seeds)) = self.picking.next()? else { return Ok(None) };
                self.current = Some((open(&self.names[number]), seeds));
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
