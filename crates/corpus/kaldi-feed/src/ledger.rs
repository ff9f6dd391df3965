//! What happened to samples, and what to do with bad ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use bstr::BStr;
use kaldi_io::AdviceGiven;
use kaldi_io::log::{vlog, warning};
use kaldi_io::sync::Mutex;

use crate::{Error, Refusal, Result, Sample};

/// So many bad samples are named before a feed that cannot become good ends early.
const EARLY: u64 = 100;

/// What a source delivers: a sample, or what is wrong with one or several.
pub(crate) type Found = Result<Sample, BadSamples>;

/// Samples that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadSamples {
    message: String,
    count: u64,
}

impl BadSamples {
    /// So many of them, one at least, for one reason.
    pub(crate) fn lost(message: &impl std::fmt::Display, count: u64) -> Self {
        match count {
            0 | 1 => message.to_string().into(),
            _ => Self { message: format!("{message}: {count} samples are lost with it"), count },
        }
    }
}

impl From<String> for BadSamples {
    fn from(message: String) -> Self {
        Self { message, count: 1 }
    }
}

/// What to do with a bad sample: one that cannot be read, decoded or processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ErrorPolicy {
    /// The first one is an error.
    pub fail: bool,
    /// More than this many are an error.
    pub max_bad: Option<u64>,
    /// If more than a tenth of all samples are bad, that is an error: at the end, or after a hundred of them, if it is
    /// certain then. (Nobody has counted the samples of shards.)
    pub max_tenth: bool,
}

/// What happened to samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeedCounts {
    /// Samples that were found.
    pub samples: u64,
    /// Samples that were dropped, by reason.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Bad samples.
    pub bad: u64,
    /// Batches that were skipped, or are those of other workers.
    pub left: u64,
    /// Batches of which no sample could be read.
    pub failed: u64,
    /// Batches that were delivered.
    pub batches: u64,
    /// Samples in these.
    pub delivered: u64,
    /// Frames of these.
    pub frames: u64,
    /// Frames of these with padding.
    pub padded_frames: u64,
    /// Seconds of these, as they were read.
    pub seconds: f64,
}

impl FeedCounts {
    /// What a batch adds.
    pub(crate) fn of(samples: &[Sample]) -> Self {
        if samples.is_empty() {
            return Self::default();
        }
        let longest = samples.iter().map(Sample::num_frames).max().unwrap_or(0) as u64;
        Self {
            batches: 1,
            delivered: samples.len() as u64,
            frames: samples.iter().map(|sample| sample.num_frames() as u64).sum(),
            padded_frames: longest * samples.len() as u64,
            seconds: samples.iter().map(Sample::seconds).sum(),
            ..Self::default()
        }
    }

    /// Adds what was found in another pass.
    pub(crate) fn add_found(&mut self, found: &Self) {
        self.samples += found.samples;
        self.bad += found.bad;
        for (reason, count) in &found.dropped {
            *self.dropped.entry(reason).or_default() += count;
        }
    }

    /// Adds what was delivered.
    pub(crate) fn add(&mut self, delivered: &Self) {
        self.batches += delivered.batches;
        self.delivered += delivered.delivered;
        self.frames += delivered.frames;
        self.padded_frames += delivered.padded_frames;
        self.seconds += delivered.seconds;
    }

    /// Whether there was nothing to deliver, since all batches were skipped or are those of other workers.
    pub fn are_left_only(&self) -> bool {
        self.batches == 0 && self.failed == 0 && self.left > 0
    }

    /// The share of padding in percent.
    pub fn padding_percent(&self) -> f64 {
        100.0 * (self.padded_frames - self.frames) as f64 / (self.padded_frames.max(1)) as f64
    }
}

/// On one line, for a log.
impl std::fmt::Display for FeedCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Read {} samples", self.samples)?;
        let mut dropped: Vec<String> = self.dropped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        dropped.push(format!("{} bad", self.bad));
        write!(f, "; dropped: {}; delivered {} in {} batches, ", dropped.join(", "), self.delivered, self.batches)?;
        write!(f, "{:.2} percent padding, {:.3} hours", self.padding_percent(), self.seconds / 3600.0)
    }
}

/// The counts of what happens before batches are delivered, and the policy.
#[derive(Clone, Default)]
pub(crate) struct Ledger {
    policy: ErrorPolicy,
    /// The number of all samples, if it is known.
    most: Option<u64>,
    counts: Arc<Mutex<FeedCounts>>,
    advice: Arc<Mutex<AdviceGiven>>,
}

impl Ledger {
    /// The ledger of a feed of at most so many samples, if that is known.
    pub(crate) fn new(policy: ErrorPolicy, most: Option<u64>) -> Self {
        Self { policy, most, ..Self::default() }
    }

    /// The counts as they are now.
    pub(crate) fn counts(&self) -> FeedCounts {
        self.counts.lock().clone()
    }

    pub(crate) fn clear(&self) {
        *self.counts.lock() = FeedCounts::default();
        *self.advice.lock() = AdviceGiven::default();
    }

    /// Counts a sample or a fault of a source.
    pub(crate) fn found(&self, found: Found) -> Result<Option<Sample>> {
        self.counts.lock().samples += found.as_ref().map_or_else(|bad| bad.count, |_| 1);
        match found {
            Ok(sample) => Ok(Some(sample)),
            Err(bad) => self.bad(bad).map(|()| None),
        }
    }

    /// Counts a sample that a stage does not pass on.
    pub(crate) fn refuse(&self, key: &BStr, refusal: Refusal) -> Result<()> {
        match refusal {
            Refusal::Dropped(reason) => {
                vlog!(1, "{key}: dropped, {reason}");
                *self.counts.lock().dropped.entry(reason).or_default() += 1;
                Ok(())
            }
            Refusal::Bad(message) => self.bad(format!("{key}: {message}").into()),
        }
    }

    fn bad(&self, bad: BadSamples) -> Result<()> {
        let BadSamples { message, count } = bad;
        let mut counts = self.counts.lock();
        counts.bad += count;
        let mut advice = self.advice.lock();
        judge(self.policy, self.most, &mut advice, counts.bad, message)
    }
}

/// Warns of a bad sample, or makes it an error. There are at most `most` samples, if that is known.
pub(crate) fn judge(
    policy: ErrorPolicy,
    most: Option<u64>,
    advice: &mut AdviceGiven,
    num_bad: u64,
    message: String,
) -> Result<()> {
    let message = advice.once(message);
    match policy {
        _ if kaldi_io::was_interrupted() => Err(Error::Bad { message }),
        ErrorPolicy { fail: true, .. } => Err(Error::Bad { message }),
        ErrorPolicy { max_bad: Some(max), .. } if num_bad > max => Err(Error::TooManyBad { max, message }),
        _ => {
            warning!("{message}; left out");
            match most.filter(|most| policy.max_tenth && num_bad >= EARLY && num_bad > most / 10) {
                Some(samples) => Err(Error::TenthBad { bad: num_bad, samples }),
                None => Ok(()),
            }
        }
    }
}
