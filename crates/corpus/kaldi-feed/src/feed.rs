//! From a list to batches.

use std::sync::Arc;

use kaldi_io::AdviceGiven;
use kaldi_io::log::{Logged, capture, warning};
use kaldi_io::sync::Mutex;
use kaldi_reader::{BoxReader, ParMap, Reader, ReaderExt, Share};
use kaldi_table::Session;

use crate::ledger::judge;
use crate::plan::{Limited, Passes, Plan, Planned, count, most_samples};
use crate::pool::Pool;
use crate::source::Opened;
use crate::{Chain, DataList, Error, ErrorPolicy, FeedCounts, PaddedBatch, Result, Sample};

/// Bytes of batches that are read but not yet delivered, if they are more than a few for each thread. Many batches would not be
/// faster than few: the system has to find and clear their memory, instead of which that of earlier batches is used again.
const IN_FLIGHT: usize = 16 << 20;

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

/// How all ranks get the same number of batches, whatever samples cannot be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Even {
    /// Not at all.
    #[default]
    None,
    /// All end when the rank with the fewest ends.
    Trim,
    /// They start again until they have as many as the rank with the most.
    Repeat,
}

/// Planned batches, each with the lines before it.
type PlannedBatches = BoxReader<Logged<Planned>, Error>;

/// The samples of a list, after a chain, in batches.
///
/// Batches are planned one after the other, from the headers of their samples. Samples are then read, decoded and
/// processed on several threads, a whole batch on each.
pub struct Feed {
    list: Arc<Opened>,
    chain: Arc<Chain>,
    options: FeedOptions,
    plan: PlannedBatches,
}

impl Feed {
    /// Puts a chain after a list.
    ///
    /// # Errors
    /// If the list cannot be read, the options make no sense, or a rank that should get as many batches as others gets
    /// none.
    pub fn open(list: &DataList, chain: &Arc<Chain>, options: &FeedOptions) -> Result<Self> {
        let mut options = options.clone();
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
        if world_size == 1 {
            options.even = Even::None;
        }
        let list = Arc::new(Opened::open(list)?);
        let plan = Plan::open(&list, chain, &options, rank)?;
        let plan: PlannedBatches = match options.even {
            Even::None => plan.boxed(),
            even => {
                let counts: Vec<u64> = (0..world_size)
                    .map(|rank| count(Plan::open(&list, chain, &options, rank)?))
                    .collect::<Result<_>>()?;
                let [least, most] = even_counts(&counts)?;
                let passes = most.div_ceil(counts[rank as usize].max(1)).max(1);
                match even {
                    Even::Repeat => Limited::new(Passes::new(plan, passes), most).boxed(),
                    _ => Limited::new(plan, least).boxed(),
                }
            }
        };
        let skip = options.skip_batches;
        // In Python's order, each worker has its own list.
        let workers = if options.is_python { Share::default() } else { workers };
        let mine = plan.filter_map(move |mut logged: Logged<Planned>| {
            let planned = &mut logged.value;
            let is_mine = planned.number.checked_sub(skip).is_some_and(|number| workers.contains(number));
            if !is_mine {
                planned.is_left = !planned.samples.is_empty();
                planned.samples.clear();
            }
            Ok(Some(logged))
        });
        Ok(Self { list, chain: Arc::clone(chain), options, plan: mine.boxed() })
    }

    /// Loads batches on the threads of the session, calls `finish` for each there, and delivers the results in order.
    /// `finish` also gets the number of the batch within its rank.
    ///
    /// Bad samples are left out of their batches, as the policy says. A batch without samples is not delivered; if all ranks
    /// should get the same number of batches, another one of the rank takes its place and its number.
    pub fn batches<U, F>(self, session: Session, finish: F) -> FeedReader<U>
    where
        U: Send + 'static,
        F: Fn(u64, Vec<Sample>) -> Result<U> + Send + Sync + 'static,
    {
        self.read(session, move |number, samples| {
            let (mut loaded, mut bad) = (Vec::with_capacity(samples.len()), Vec::new());
            for mut sample in samples {
                match sample.load_or_tell()? {
                    None => loaded.push(sample),
                    Some(message) => bad.push(message),
                }
            }
            let counts = FeedCounts::of(&loaded);
            let value = if loaded.is_empty() { None } else { Some(finish(number, loaded)?) };
            Ok((value, counts, bad))
        })
    }

    /// As [`Feed::batches`], of batches that are padded already.
    pub fn padded<U, F>(self, session: Session, finish: F) -> FeedReader<U>
    where
        U: Send + 'static,
        F: Fn(u64, PaddedBatch) -> Result<U> + Send + Sync + 'static,
    {
        let (padding, pool) = (self.chain.padding(), Pool::default());
        if !padding.sort {
            let join = move |samples| PaddedBatch::join(samples, &padding, &pool);
            return self.batches(session, move |number, samples| finish(number, join(samples)?));
        }
        self.read(session, move |number, samples| {
            let (batch, counts, bad) = PaddedBatch::load(samples, &padding, &pool)?;
            Ok((batch.map(|batch| finish(number, batch)).transpose()?, counts, bad))
        })
    }

    /// Makes something of the samples of each batch, which are not loaded yet: a value, unless there are none, what they count,
    /// and what is wrong with those that are left out.
    fn read<U, J>(self, session: Session, join: J) -> FeedReader<U>
    where
        U: Send + 'static,
        J: Fn(u64, Vec<Sample>) -> Result<(Option<U>, FeedCounts, Vec<String>)> + Send + Sync + 'static,
    {
        let Self { list, chain, options, plan } = self;
        let policy = options.policy;
        let most = most_samples(&list, &chain, &options);
        let threads = {
            let session = session.clone();
            move || session.num_threads()
        };
        let mem_size = |planned: &Logged<Planned>| {
            let samples: usize = planned.value.samples.iter().map(Sample::loaded_weight).sum();
            samples + planned.lines.len()
        };
        let work: Arc<Work<U>> = Arc::new(move |planned| load(planned, &join));
        let spare = (options.even != Even::None).then(|| Spare {
            work: Arc::clone(&work),
            open: Box::new(move || Plan::open(&list, &chain, &options, options.rank[0])),
            plan: None,
        });
        let reader = plan
            .par_map(threads, move |planned| Ok(planned.then(|planned| work(planned))))
            .in_flight(IN_FLIGHT, mem_size);
        FeedReader {
            reader,
            spare,
            session,
            policy,
            most,
            counts: Arc::default(),
            bad: 0,
            judged: [0, 0],
            advice: AdviceGiven::default(),
            ended: false,
        }
    }
}

/// The least and the most batches of the ranks, of which each gets some.
fn even_counts(counts: &[u64]) -> Result<[u64; 2]> {
    let [least, most] = [counts.iter().min(), counts.iter().max()].map(|count| count.copied().unwrap_or(0));
    match counts.iter().position(|count| *count == 0).filter(|_| most > 0) {
        Some(rank) => Err(Error::NoBatches { rank: rank as u64, world_size: counts.len() as u64 }),
        None => Ok([least, most]),
    }
}

type Work<U> = dyn Fn(Planned) -> Result<Worked<U>> + Send + Sync;

/// Loads the samples of a batch.
fn load<U>(
    planned: Planned,
    join: &impl Fn(u64, Vec<Sample>) -> Result<(Option<U>, FeedCounts, Vec<String>)>,
) -> Result<Worked<U>> {
    let Planned { number, pass, samples, is_left, counts } = planned;
    let (value, batch, bad) = join(number, samples)?;
    let failed = (value.is_none() && !bad.is_empty()).then_some(number);
    Ok(Worked { pass, counts, is_left, bad, failed, batch, value })
}

/// Batches for the places of those that cannot be read.
struct Spare<U> {
    work: Arc<Work<U>>,
    open: Box<dyn Fn() -> Result<Plan> + Send>,
    plan: Option<Plan>,
}

impl<U> Spare<U> {
    /// The next batch of the rank that can be read, with this number. After the last one, the first one follows.
    fn batch(&mut self, number: u64) -> Result<Worked<U>> {
        for _ in 0..2 {
            let plan = match &mut self.plan {
                Some(plan) => plan,
                None => self.plan.insert((self.open)()?),
            };
            // What is wrong with these samples is said elsewhere.
            while let Some(planned) = capture(|| plan.next()).0? {
                let worked = capture(|| (self.work)(Planned { number, ..planned.value })).0?;
                if worked.value.is_some() {
                    return Ok(worked);
                }
            }
            self.plan = None;
        }
        Err(Error::NoSpare { number })
    }
}

/// A batch after processing.
struct Worked<U> {
    pass: u64,
    counts: FeedCounts,
    is_left: bool,
    bad: Vec<String>,
    /// The number of the batch, if none of its samples can be read.
    failed: Option<u64>,
    batch: FeedCounts,
    value: Option<U>,
}

/// The reader that [`Feed::batches`] returns.
pub struct FeedReader<U> {
    reader: ParMap<PlannedBatches, Logged<Result<Worked<U>>>>,
    /// If all ranks should get the same number of batches.
    spare: Option<Spare<U>>,
    policy: ErrorPolicy,
    /// The number of all samples, if it is known.
    most: Option<u64>,
    counts: Arc<Mutex<FeedCounts>>,
    /// Bad samples that were found while loading.
    bad: u64,
    /// The bad samples and all samples of the first pass.
    judged: [u64; 2],
    advice: AdviceGiven,
    ended: bool,
    session: Session,
}

impl<U> FeedReader<U> {
    /// What happened to the samples up to the last delivered batch.
    pub fn counts(&self) -> FeedCounts {
        self.counts.lock().clone()
    }
}

impl<U: Send + 'static> FeedReader<U> {
    fn read(&mut self) -> Result<Option<U>> {
        while let Some(worked) = self.reader.next()? {
            let Worked { pass, counts, is_left, bad, failed, batch, value } = worked.deliver()?;
            // A rank that starts again meets the same bad samples: the first pass decides.
            let policy = match pass {
                0 => self.policy,
                _ => ErrorPolicy { max_bad: None, max_tenth: false, ..self.policy },
            };
            let mut total = self.counts.lock();
            (total.samples, total.dropped) = (counts.samples, counts.dropped);
            total.left += u64::from(is_left);
            total.failed += u64::from(failed.is_some());
            total.add(&batch);
            for message in bad {
                self.bad += 1;
                total.bad = counts.bad + self.bad;
                judge(policy, self.most, &mut self.advice, total.bad, message)?;
            }
            total.bad = counts.bad + self.bad;
            if let Some(max) = policy.max_bad.filter(|max| total.bad > *max) {
                return Err(Error::TooManyBad { max, message: "the warnings name them".to_owned() });
            }
            if pass == 0 {
                self.judged = [total.bad, total.samples];
            }
            if let (Some(number), Some(spare)) = (failed, &mut self.spare) {
                let worked = spare.batch(number)?;
                warning!("batch {number} cannot be read; another one takes its place");
                total.add(&worked.batch);
                return Ok(worked.value);
            }
            if value.is_some() {
                return Ok(value);
            }
        }
        let [bad, samples] = self.judged;
        if self.policy.max_tenth && bad > samples / 10 {
            return Err(Error::TenthBad { bad, samples });
        }
        Ok(None)
    }
}

impl<U: Send + 'static> Reader for FeedReader<U> {
    type Item = U;
    type Error = Error;

    fn next(&mut self) -> Result<Option<U>> {
        self.session.clone().enter(|| self.next_here())
    }

    fn restart(&mut self) -> Result<()> {
        self.session.clone().enter(|| self.restart_here())
    }

    fn finish(&mut self) -> Result<()> {
        self.ended = true;
        self.session.enter(|| self.reader.finish())
    }
}

impl<U: Send + 'static> FeedReader<U> {
    fn next_here(&mut self) -> Result<Option<U>> {
        if self.ended {
            return Ok(None);
        }
        let next = self.read();
        if !matches!(next, Ok(Some(_))) {
            self.ended = true;
            let finished = self.reader.finish();
            return next.and_then(|next| finished.map(|()| next));
        }
        next
    }

    fn restart_here(&mut self) -> Result<()> {
        *self.counts.lock() = FeedCounts::default();
        (self.bad, self.judged, self.advice) = (0, [0, 0], AdviceGiven::default());
        self.ended = true;
        if let Some(spare) = &mut self.spare {
            spare.plan = None;
        }
        self.reader.restart()?;
        self.ended = false;
        Ok(())
    }
}
