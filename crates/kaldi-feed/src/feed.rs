//! From a list to batches.

use std::num::NonZeroU64;
use std::sync::{Arc, Mutex, PoisonError};

use kaldi_log::{capture, replay};
use kaldi_reader::{BoxReader, ParMap, Reader, ReaderExt, Share};
use kaldi_table::Context;

use crate::ledger::{Ledger, judge};
use crate::source::{Opened, Reading};
use crate::stage::Batches;
use crate::{Chain, DataList, Error, ErrorPolicy, FeedCounts, Pass, Result, Sample};

/// Bytes of batches that are read but not yet delivered.
const IN_FLIGHT: usize = 256 << 20;

/// Which part of the data to deliver, and in which order.
#[derive(Clone, Debug)]
pub struct FeedOptions {
    /// The seed of everything random.
    pub seed: u64,
    /// The pass over the data. Each has another order and other random changes.
    pub epoch: u64,
    /// The rank, and the number of ranks. Each gets another part of the list.
    pub rank: [u64; 2],
    /// The worker of the rank, and the number of workers. They take the rank's batches in turn.
    pub worker: [u64; 2],
    /// Batches of the rank that are skipped.
    pub skip_batches: u64,
    /// How all ranks get the same number of batches.
    pub even: Even,
    /// What to do with bad samples.
    pub policy: ErrorPolicy,
    /// Whether lists are shuffled as in Python, and dealt to ranks and then to workers.
    pub is_python: bool,
}

impl Default for FeedOptions {
    fn default() -> Self {
        Self {
            seed: 0,
            epoch: 0,
            rank: [0, 1],
            worker: [0, 1],
            skip_batches: 0,
            even: Even::None,
            policy: ErrorPolicy::default(),
            is_python: false,
        }
    }
}

/// How all ranks get the same number of batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Even {
    /// Not at all.
    #[default]
    None,
    /// All end when the rank with the fewest ends.
    Trim,
    /// They start again until they have as many as the rank with the most.
    Repeat,
}

impl Even {
    /// Every way with its name.
    pub const NAMES: [(&str, Self); 3] = [("none", Self::None), ("trim", Self::Trim), ("repeat", Self::Repeat)];
}

/// A planned batch: its samples are measured but not loaded.
pub(crate) struct Planned {
    /// Its number among those of the rank.
    number: u64,
    samples: Vec<Sample>,
    /// Log lines up to this batch.
    log: Vec<u8>,
    /// Counts up to this batch.
    counts: FeedCounts,
}

/// The samples of a list, after a chain, in batches.
///
/// Batches are planned one after the other, from the headers of their samples. Samples are then read, decoded and
/// processed on several threads, a whole batch on each.
pub struct Feed {
    plan: BoxReader<Planned, Error>,
    policy: ErrorPolicy,
}

impl Feed {
    /// Puts a chain after a list.
    ///
    /// # Errors
    /// If the list cannot be read, or the options make no sense.
    pub fn open(list: &DataList, chain: &Arc<Chain>, options: &FeedOptions) -> Result<Self> {
        let [worker, num_workers] = options.worker;
        let [rank, world_size] = options.rank;
        let workers = Share::new(worker, num_workers, 0, 1).map_err(|_| Error::Share {
            among: "workers",
            index: worker,
            count: num_workers,
        })?;
        Share::new(rank, world_size, 0, 1).map_err(|_| Error::Share {
            among: "ranks",
            index: rank,
            count: world_size,
        })?;
        let list = Arc::new(Opened::open(list)?);
        let plan_of = |rank: u64| Plan::open(&list, chain, options, rank);
        let plan = plan_of(rank)?;
        let plan: BoxReader<Planned, Error> = match options.even {
            Even::None => plan.boxed(),
            even => {
                let mut counts = Vec::new();
                for rank in 0..world_size {
                    counts.push(count(plan_of(rank)?)?);
                }
                let (least, most) = (counts.iter().min().copied(), counts.iter().max().copied());
                match even {
                    Even::Repeat if counts.get(rank as usize) != Some(&0) => {
                        let passes = most.unwrap_or(0).div_ceil(counts[rank as usize].max(1)).max(1);
                        Limited { reader: plan.repeat(passes), limit: most.unwrap_or(0), number: 0 }.boxed()
                    }
                    _ => Limited { reader: plan, limit: least.unwrap_or(0), number: 0 }.boxed(),
                }
            }
        };
        let skip = options.skip_batches;
        // In Python's order, each worker has its own list.
        let workers = if options.is_python { Share::default() } else { workers };
        let mine = plan.filter_map(move |mut planned: Planned| {
            let is_mine = planned.number.checked_sub(skip).is_some_and(|number| workers.contains(number));
            if !is_mine {
                planned.samples.clear();
            }
            Ok(Some(planned))
        });
        Ok(Self { plan: mine.boxed(), policy: options.policy })
    }

    /// Loads batches on the threads of the context, calls `finish` for each there, and delivers the results in order.
    /// `finish` also gets the number of the batch within its rank.
    ///
    /// Bad samples are left out of their batches, as the policy says. A batch without samples is not delivered.
    pub fn batches<U, F>(self, context: Context, finish: F) -> FeedReader<U>
    where
        U: Send + 'static,
        F: Fn(u64, Vec<Sample>) -> Result<U> + Send + Sync + 'static,
    {
        let policy = self.policy;
        let threads = {
            let context = context.clone();
            move || context.num_threads()
        };
        let weigh = |planned: &Planned| {
            let samples: usize = planned.samples.iter().map(Sample::loaded_weight).sum();
            samples + planned.log.len()
        };
        let work = move |planned: Planned| {
            let Planned { number, samples, log, counts } = planned;
            let mut worked = Worked { log, counts, bad: Vec::new(), batch: FeedCounts::default(), value: None };
            let (result, work_log) = capture(|| -> Result<Option<U>> {
                let mut loaded = Vec::with_capacity(samples.len());
                for mut sample in samples {
                    match sample.load() {
                        Ok(()) => loaded.push(sample),
                        Err(message) => worked.bad.push(format!("{}: {message}", sample.key)),
                    }
                }
                if loaded.is_empty() {
                    return Ok(None);
                }
                worked.batch = counts_of(&loaded);
                finish(number, loaded).map(Some)
            });
            worked.log.extend_from_slice(&work_log);
            worked.value = result?;
            Ok(worked)
        };
        let reader = self.plan.par_map(threads, IN_FLIGHT, weigh, work);
        FeedReader { reader, context, policy, counts: Arc::default(), bad: 0, ended: false }
    }
}

/// A batch after processing.
struct Worked<U> {
    log: Vec<u8>,
    counts: FeedCounts,
    bad: Vec<String>,
    batch: FeedCounts,
    value: Option<U>,
}

/// What a batch adds to the counts.
fn counts_of(samples: &[Sample]) -> FeedCounts {
    let longest = samples.iter().map(Sample::num_frames).max().unwrap_or(0) as u64;
    FeedCounts {
        batches: 1,
        delivered: samples.len() as u64,
        frames: samples.iter().map(|sample| sample.num_frames() as u64).sum(),
        padded_frames: longest * samples.len() as u64,
        seconds: samples.iter().map(Sample::seconds).sum(),
        ..FeedCounts::default()
    }
}

/// The reader that [`Feed::batches`] returns.
pub struct FeedReader<U> {
    reader: ParMap<BoxReader<Planned, Error>, Worked<U>>,
    policy: ErrorPolicy,
    counts: Arc<Mutex<FeedCounts>>,
    /// Bad samples that were found while loading.
    bad: u64,
    ended: bool,
    context: Context,
}

impl<U> FeedReader<U> {
    /// What happened to the samples up to the last delivered batch.
    pub fn counts(&self) -> FeedCounts {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<U: Send + 'static> FeedReader<U> {
    fn read(&mut self) -> Result<Option<U>> {
        while let Some(worked) = self.reader.next()? {
            let Worked { log, counts, bad, batch, value } = worked;
            replay(&log);
            let mut total = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
            (total.samples, total.dropped) = (counts.samples, counts.dropped);
            total.batches += batch.batches;
            total.delivered += batch.delivered;
            total.frames += batch.frames;
            total.padded_frames += batch.padded_frames;
            total.seconds += batch.seconds;
            for message in bad {
                self.bad += 1;
                total.bad = counts.bad + self.bad;
                judge(self.policy, total.bad, message)?;
            }
            total.bad = counts.bad + self.bad;
            if let Some(max) = self.policy.max_bad.filter(|max| total.bad > *max) {
                return Err(Error::TooManyBad { max, message: "the warnings name them".to_owned() });
            }
            if value.is_some() {
                return Ok(value);
            }
        }
        Ok(None)
    }
}

impl<U: Send + 'static> Reader for FeedReader<U> {
    type Item = U;
    type Error = Error;

    fn next(&mut self) -> Result<Option<U>> {
        if self.ended {
            return Ok(None);
        }
        let context = self.context.clone();
        let next = context.logged(|| self.read());
        if !matches!(next, Ok(Some(_))) {
            self.ended = true;
            let finished = self.reader.finish();
            return next.and_then(|next| finished.map(|()| next));
        }
        next
    }

    fn restart(&mut self) -> Result<()> {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner) = FeedCounts::default();
        self.bad = 0;
        self.ended = true;
        self.reader.restart()?;
        self.ended = false;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.ended = true;
        self.reader.finish()
    }
}

/// The planned batches of a rank.
struct Plan {
    batches: Batches,
    ledger: Ledger,
    number: u64,
    /// Whether the last counts, or an error, still have to be delivered.
    end: Option<Result<()>>,
    ended: bool,
}

impl Plan {
    fn open(list: &Arc<Opened>, chain: &Arc<Chain>, options: &FeedOptions, rank: u64) -> Result<Self> {
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
        let ledger = Ledger::new(options.policy);
        let pass = Pass { seed: options.seed, epoch: options.epoch };
        let batches = chain.attach(list.read(reading), pass, &ledger);
        Ok(Self { batches, ledger, number: 0, end: None, ended: false })
    }

    fn planned(&mut self, samples: Vec<Sample>, log: Vec<u8>) -> Planned {
        let number = self.number;
        self.number += u64::from(!samples.is_empty());
        Planned { number, samples, log, counts: self.ledger.counts() }
    }
}

impl Reader for Plan {
    type Item = Planned;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Planned>> {
        if self.ended {
            return self.end.take().map_or(Ok(None), |end| end.map(|()| None));
        }
        let (next, log) = capture(|| self.batches.next());
        match next {
            Ok(Some(samples)) => Ok(Some(self.planned(samples, log))),
            Ok(None) => {
                self.ended = true;
                Ok(Some(self.planned(Vec::new(), log)))
            }
            // The log comes first.
            Err(error) => {
                self.ended = true;
                self.end = Some(Err(error));
                Ok(Some(self.planned(Vec::new(), log)))
            }
        }
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

/// Counts the batches of a plan. Others report its warnings.
fn count(mut plan: Plan) -> Result<u64> {
    let (counted, _) = capture(|| {
        while plan.next()?.is_some() {}
        plan.finish()
    });
    counted.map(|()| plan.number)
}

/// As many batches as other ranks have, numbered across all passes.
struct Limited<R> {
    reader: R,
    limit: u64,
    number: u64,
}

impl<R: Reader<Item = Planned, Error = Error>> Reader for Limited<R> {
    type Item = Planned;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Planned>> {
        if self.number < self.limit {
            let Some(mut planned) = self.reader.next()? else { return Ok(None) };
            planned.number = self.number;
            self.number += u64::from(!planned.samples.is_empty());
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
