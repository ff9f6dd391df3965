//! The parts of a chain.

use kaldi_reader::BoxReader;

use crate::{Error, Padding, Refusal, Sample};

/// Samples between stages.
pub type Samples = BoxReader<Sample, Error>;

/// Samples that belong together.
pub type Batches = BoxReader<Vec<Sample>, Error>;

/// A stage of a chain.
///
/// ```
/// use kaldi_feed::{Refusal, Stage};
///
/// // Drops utterances without a text.
/// let stage = Stage::sample(|sample| match &sample.text {
///     Some(text) if !text.is_empty() => Ok(()),
///     _ => Err(Refusal::Dropped("without text")),
/// });
/// assert!(matches!(stage, Stage::Sample(_)));
/// ```
pub enum Stage {
    /// Changes the list from which samples are read.
    List(Box<dyn Fn(&mut ListOrder) + Send + Sync>),
    /// Changes a sample, or does not pass it on. The result depends only on the sample.
    Sample(std::sync::Arc<SampleWork>),
    /// Makes labels of texts.
    Labels(Box<crate::Labels>),
    /// Puts samples into another order.
    Order(Box<dyn Fn(Samples, Pass) -> Samples + Send + Sync>),
    /// Makes batches. There is at most one such stage.
    Batch(Box<dyn Fn(Samples, Pass) -> Batches + Send + Sync>),
    /// Says how batches are padded.
    Padding(Padding),
}

/// The work of a stage on one sample.
pub type SampleWork = dyn Fn(&mut Sample) -> Result<(), Refusal> + Send + Sync;

impl Stage {
    /// A stage that changes samples or does not pass them on.
    pub fn sample(work: impl Fn(&mut Sample) -> Result<(), Refusal> + Send + Sync + 'static) -> Self {
        Self::Sample(std::sync::Arc::new(work))
    }

    /// A stage that puts samples into another order.
    pub fn order(order: impl Fn(Samples, Pass) -> Samples + Send + Sync + 'static) -> Self {
        Self::Order(Box::new(order))
    }

    /// A stage that makes batches.
    pub fn batch(batch: impl Fn(Samples, Pass) -> Batches + Send + Sync + 'static) -> Self {
        Self::Batch(Box::new(batch))
    }
}

/// The source of random choices that do not belong to one sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pass {
    /// The seed.
    pub seed: u64,
    /// The pass over the data, from 0 on.
    pub epoch: u64,
}

impl Pass {
    /// The seed of a stage.
    pub fn seed_of(&self, stage: &str) -> u64 {
        kaldi_reader::Draws::named(&[self.seed, self.epoch], stage.as_bytes()).bits()
    }
}

/// The order in which the lines of a list are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListOrder {
    /// The window within which lines are shuffled: `usize::MAX` for all, 1 for not at all.
    pub window: usize,
    /// How often the list is read, each time in another order.
    pub passes: u64,
}

impl Default for ListOrder {
    fn default() -> Self {
        Self { window: 1, passes: 1 }
    }
}
