//! Batches that are planned: what is in them, from the headers of their samples.

use std::num::NonZeroU64;

use kaldi_io::log::{Logged, capture};
use kaldi_reader::{Reader, Share};

use crate::ledger::Ledger;
use crate::source::{Opened, Reading};
use crate::stage::Batches;
use crate::{Chain, Error, FeedCounts, FeedOptions, Pass, Result, Sample};

/// A planned batch: its samples are measured but not loaded.
pub(crate) struct Planned {
    /// Its number among those of the rank.
    pub(crate) number: u64,
    /// The pass, from 0 on, if a rank starts again to have as many batches as others.
    pub(crate) pass: u64,
    pub(crate) samples: Vec<Sample>,
    /// Whether this worker does not produce the batch: it has no samples then.
    pub(crate) is_left: bool,
    /// Counts up to this batch, of all passes.
    pub(crate) counts: FeedCounts,
}

/// The planned batches of a rank.
pub(crate) struct Plan {
    batches: Batches,
    ledger: Ledger,
    number: u64,
    /// Whether the last counts, or an error, still have to be delivered.
    end: Option<Result<()>>,
    ended: bool,
}

impl Plan {
    /// Plans for a rank.
    pub(crate) fn open(list: &Opened, chain: &Chain, options: &FeedOptions, rank: u64) -> Result<Self> {
        let [worker, num_workers] = if options.is_python { options.worker } else { [0, 1] };
        let world_size = NonZeroU64::new(options.rank[1]).map_or(1, NonZeroU64::get);
        let share = Share::new(rank, world_size, worker, num_workers).map_err(|_| Error::Share {
            among: "workers",
            index: worker,
            count: num_workers,
        })?;
        let reading = Reading {
            order: chain.list_order(),
            share,
            seed: options.seed,
            epoch: options.epoch,
            is_python: options.is_python,
        };
        let ledger = Ledger::new(options.policy, most_samples(list, chain, options));
        let pass = Pass { seed: options.seed, epoch: options.epoch };
        let batches = chain.attach(list.read(reading), pass, &ledger);
        Ok(Self { batches, ledger, number: 0, end: None, ended: false })
    }

    fn planned(&mut self, samples: Vec<Sample>) -> Planned {
        let number = self.number;
        self.number += u64::from(!samples.is_empty());
        Planned { number, pass: 0, samples, is_left: false, counts: self.ledger.counts() }
    }
}

impl Reader for Plan {
    type Item = Logged<Planned>;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Logged<Planned>>> {
        if self.ended {
            return self.end.take().map_or(Ok(None), |end| end.map(|()| None));
        }
        let next = Logged::of(|| self.batches.next());
        self.ended = !matches!(next.value, Ok(Some(_)));
        // The lines before an error come first.
        Ok(Some(next.then(|next| {
            let samples = next.unwrap_or_else(|error| {
                self.end = Some(Err(error));
                None
            });
            self.planned(samples.unwrap_or_default())
        })))
    }

    fn restart(&mut self) -> Result<()> {
        self.ledger.clear();
        (self.number, self.end, self.ended) = (0, None, true);
        self.batches.restart()?;
        self.ended = false;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        (self.end, self.ended) = (None, true);
        self.batches.finish()
    }
}

/// How many samples a rank reads at most, if that is known.
pub(crate) fn most_samples(list: &Opened, chain: &Chain, options: &FeedOptions) -> Option<u64> {
    let of_pass = list.num_samples()?.div_ceil(options.rank[1].max(1));
    Some(of_pass.saturating_mul(chain.list_order().passes))
}

/// Counts the batches of a plan. Others report its warnings.
pub(crate) fn count(mut plan: Plan) -> Result<u64> {
    let (counted, _) = capture(|| {
        while plan.next()?.is_some() {}
        plan.finish()
    });
    counted.map(|()| plan.number)
}

/// A plan several times, with the counts of all passes.
pub(crate) struct Passes {
    plan: Plan,
    num_passes: u64,
    pass: u64,
    /// The counts of the passes before.
    earlier: FeedCounts,
    /// The counts of this pass.
    counts: FeedCounts,
}

impl Passes {
    pub(crate) fn new(plan: Plan, num_passes: u64) -> Self {
        Self { plan, num_passes, pass: 0, earlier: FeedCounts::default(), counts: FeedCounts::default() }
    }
}

impl Reader for Passes {
    type Item = Logged<Planned>;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Logged<Planned>>> {
        while self.pass < self.num_passes {
            if let Some(mut planned) = self.plan.next()? {
                self.counts = planned.value.counts;
                planned.value.counts = self.earlier.clone();
                planned.value.counts.add_found(&self.counts);
                planned.value.pass = self.pass;
                return Ok(Some(planned));
            }
            self.pass += 1;
            self.earlier.add_found(&std::mem::take(&mut self.counts));
            if self.pass < self.num_passes {
                self.plan.restart()?;
            }
        }
        Ok(None)
    }

    fn restart(&mut self) -> Result<()> {
        (self.earlier, self.counts, self.pass) = (FeedCounts::default(), FeedCounts::default(), self.num_passes);
        self.plan.restart()?;
        self.pass = 0;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.pass = self.num_passes;
        self.plan.finish()
    }
}

/// As many batches as other ranks have, numbered across all passes.
pub(crate) struct Limited<R> {
    reader: R,
    limit: u64,
    number: u64,
}

impl<R> Limited<R> {
    pub(crate) fn new(reader: R, limit: u64) -> Self {
        Self { reader, limit, number: 0 }
    }
}

impl<R: Reader<Item = Logged<Planned>, Error = Error>> Reader for Limited<R> {
    type Item = Logged<Planned>;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Logged<Planned>>> {
        if self.number < self.limit {
            let Some(mut planned) = self.reader.next()? else { return Ok(None) };
            planned.value.number = self.number;
            self.number += u64::from(!planned.value.samples.is_empty());
            return Ok(Some(planned));
        }
        Ok(None)
    }

    fn restart(&mut self) -> Result<()> {
        self.number = 0;
        self.reader.restart()
    }

    fn finish(&mut self) -> Result<()> {
        self.number = self.limit;
        self.reader.finish()
    }
}
