//! The samples of many shards.

use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::ReadAt;
use kaldi_reader::Reader;

use crate::concat_reader::{InTurn, OpenFile};
use crate::source::{Wanted, comes_once};
use crate::{Error, Grouping, Member, Payload, Result, ShardName, TarSample, TarSamples};

/// The samples of shards, one shard after the other. It can start again.
///
/// `names` are [`ShardNames`](crate::ShardNames), or a share of them, or in another order.
pub struct SampleStream<R> {
    names: R,
    grouping: Grouping,
    shards: InTurn<Open>,
    /// A shard that was read and cannot be read again.
    read_once: Option<BString>,
}

/// A shard that is being read.
#[derive(Clone, Debug)]
pub struct Shard {
    /// What messages call it.
    pub name: Arc<str>,
    /// Its bytes for reading contents at their offsets, if that is possible: it is not compressed and not a pipe.
    pub bytes: Option<Arc<dyn ReadAt>>,
    /// What is wanted of its members.
    pub wanted: Wanted,
}

struct Open {
    samples: TarSamples,
    shard: Shard,
}

impl Open {
    fn new(name: ShardName, grouping: Grouping) -> Result<Self> {
        let wanted = name.wanted();
        let members = name.open()?;
        let shard = Shard { name: members.name().into(), bytes: members.positioned(), wanted };
        Ok(Self { samples: TarSamples::new(members, grouping), shard })
    }
}

impl OpenFile for Open {
    fn finish(self) -> Result<()> {
        self.samples.finish()
    }
}

impl<R: Reader<Item = ShardName, Error = Error>> SampleStream<R> {
    /// Reads the shards of these names.
    pub fn new(names: R, grouping: Grouping) -> Self {
        Self { names, grouping, shards: InTurn::new(), read_once: None }
    }

    /// Continues with the next shard if one cannot be opened or is damaged. `tell` is called with the error. Samples
    /// before the damage were delivered. A list of shards that cannot be read still ends the reading.
    pub fn leave_out_damaged(&mut self, tell: impl FnMut(Error) + Send + 'static) {
        self.shards.on_damage = Some(Box::new(tell));
    }

    /// The shards that will be read.
    pub fn names(&mut self) -> &mut R {
        &mut self.names
    }

    /// The shard that is being read.
    pub fn shard(&self) -> Option<&Shard> {
        self.shards.current.as_ref().map(|open| &open.shard)
    }

    /// The next sample; `None` at the end. `look` is called for each of its fields, by name, while the content can be
    /// read.
    ///
    /// # Errors
    /// As [`TarSamples::next_sample`], and if a list or a shard cannot be read. After an error, the next call returns
    /// `None`.
    pub fn next_with<T>(
        &mut self,
        mut look: impl FnMut(&Shard, &BStr, &Member, &mut Payload<'_>) -> Result<T>,
    ) -> Result<Option<TarSample<T>>> {
        let (names, grouping, read_once) = (&mut self.names, self.grouping, &mut self.read_once);
        let open = || {
            let Some(name) = names.next()? else { return Ok(None) };
            if comes_once(name.name()) {
                *read_once = Some(name.name().to_owned());
            }
            Ok(Some(Open::new(name, grouping)))
        };
        self.shards.next(open, |Open { samples, shard }| {
            samples.next_sample(|field, member, payload| look(shard, field, member, payload))
        })
    }

    /// Goes back to the first sample.
    ///
    /// # Errors
    /// If something was read that comes only once, such as standard input.
    pub fn restart(&mut self) -> Result<()> {
        self.shards.restart(false);
        if let Some(name) = &self.read_once {
            return Err(kaldi_io::Error::ReadOnce { name: name.to_string() }.into());
        }
        self.names.restart()?;
        self.shards.restart(true);
        Ok(())
    }

    /// Ends the reading and closes everything.
    ///
    /// # Errors
    /// If a command failed and its output was read to the end.
    pub fn finish(&mut self) -> Result<()> {
        let closed = self.shards.finish();
        closed.and(self.names.finish())
    }
}
