//! The samples of many shards.

use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::ReadAt;
use kaldi_reader::Reader;

use crate::source::{Wanted, comes_once};
use crate::{Error, Grouping, Member, Payload, Result, ShardName, TarSample, TarSamples};

/// The samples of shards, one shard after the other. It can start again.
///
/// `names` are [`ShardNames`](crate::ShardNames), or a share of them, or in another order.
pub struct SampleStream<R> {
    names: R,
    grouping: Grouping,
    current: Option<Open>,
    ended: bool,
    /// A shard that was read and cannot be read again.
    read_once: Option<BString>,
    on_damage: Option<OnDamage>,
}

type OnDamage = Box<dyn FnMut(Error) + Send>;

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

impl<R: Reader<Item = ShardName, Error = Error>> SampleStream<R> {
    /// Reads the shards of these names.
    pub fn new(names: R, grouping: Grouping) -> Self {
        Self { names, grouping, current: None, ended: false, read_once: None, on_damage: None }
    }

    /// Continues with the next shard if one cannot be opened or is damaged. `tell` is called with the error. Samples
    /// before the damage were delivered. A list of shards that cannot be read still ends the reading.
    pub fn leave_out_damaged(&mut self, tell: impl FnMut(Error) + Send + 'static) {
        self.on_damage = Some(Box::new(tell));
    }

    /// The shards that will be read.
    pub fn names(&mut self) -> &mut R {
        &mut self.names
    }

    /// The shard that is being read.
    pub fn shard(&self) -> Option<&Shard> {
        self.current.as_ref().map(|open| &open.shard)
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
        if self.ended {
            return Ok(None);
        }
        let next = self.read(&mut look);
        self.ended = !matches!(next, Ok(Some(_)));
        next
    }

    fn read<T>(
        &mut self,
        look: &mut impl FnMut(&Shard, &BStr, &Member, &mut Payload<'_>) -> Result<T>,
    ) -> Result<Option<TarSample<T>>> {
        loop {
            if self.current.is_none() {
                let Some(name) = self.names.next()? else { return Ok(None) };
                if comes_once(name.name()) {
                    self.read_once = Some(name.name().to_owned());
                }
                match Open::new(name, self.grouping) {
                    Ok(open) => self.current = Some(open),
                    Err(error) => self.leave_out(error)?,
                }
            }
            let Some(Open { samples, shard }) = &mut self.current else { continue };
            let next = samples.next_sample(|field, member, payload| look(shard, field, member, payload));
            if let Ok(Some(_)) = next {
                return next;
            }
            let closed = self.current.take().map_or(Ok(()), |open| open.samples.finish());
            if let Err(error) = next.and(closed) {
                self.leave_out(error)?;
            }
        }
    }

    /// Reports what is wrong with a shard, if others should follow it.
    fn leave_out(&mut self, error: Error) -> Result<()> {
        match &mut self.on_damage {
            Some(tell) => {
                tell(error);
                Ok(())
            }
            None => Err(error),
        }
    }

    /// Goes back to the first sample.
    ///
    /// # Errors
    /// If something was read that comes only once, such as standard input.
    pub fn restart(&mut self) -> Result<()> {
        self.current = None;
        self.ended = true;
        if let Some(name) = &self.read_once {
            return Err(kaldi_io::Error::ReadOnce { name: name.to_string() }.into());
        }
        self.names.restart()?;
        self.ended = false;
        Ok(())
    }

    /// Ends the reading and closes everything.
    ///
    /// # Errors
    /// If a command failed and its output was read to the end.
    pub fn finish(&mut self) -> Result<()> {
        self.ended = true;
        let closed = self.current.take().map_or(Ok(()), |open| open.samples.finish());
        closed.and(self.names.finish())
    }
}
