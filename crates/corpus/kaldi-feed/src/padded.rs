//! Batches as arrays.

use bstr::BString;
use kaldi_matrix::Matrix;

use crate::pool::Pool;
use crate::{Data, Error, FeedCounts, PooledVec, Result, Sample};

/// How batches are padded.
#[derive(Clone, Debug, PartialEq)]
pub struct Padding {
    /// Fills shorter features.
    pub feats: f32,
    /// Fills shorter labels.
    pub target: i64,
    /// Whether the longest sample comes first.
    pub sort: bool,
}

impl Default for Padding {
    fn default() -> Self {
        Self { feats: 0.0, target: -1, sort: true }
    }
}

/// The samples of a batch as arrays, `n` samples each.
#[derive(Clone, Debug, PartialEq)]
pub struct PaddedBatch {
    /// The keys.
    pub keys: Vec<BString>,
    /// `n × longest × dim`.
    pub feats: PooledVec,
    /// The sizes of `feats`.
    pub feats_shape: [usize; 3],
    /// The number of frames of each sample.
    pub feats_lengths: Vec<i32>,
    /// Labels, if samples have any.
    pub target: Option<PaddedLabels>,
    /// The number of each speaker, if samples have one.
    pub speaker: Option<Vec<i32>>,
}

/// The labels of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct PaddedLabels {
    /// `n × longest`.
    pub labels: Vec<i64>,
    /// The most labels of a sample.
    pub longest: usize,
    /// The number of labels of each sample.
    pub lengths: Vec<i32>,
}

impl PaddedBatch {
    /// Joins loaded samples to arrays.
    ///
    /// # Errors
    /// If a sample has no features, they differ in their number of columns, or some have labels and others do not.
    pub fn new(samples: Vec<Sample>, padding: &Padding) -> Result<Self> {
        Self::join(samples, padding, &Pool::default())
    }

    /// As [`PaddedBatch::new`], with memory of a pool.
    pub(crate) fn join(mut samples: Vec<Sample>, padding: &Padding, pool: &Pool) -> Result<Self> {
        if padding.sort {
            samples.sort_by_key(|sample| std::cmp::Reverse(sample.num_frames()));
        }
        let longest = samples.iter().filter_map(Sample::feats).map(Matrix::num_rows).max().unwrap_or(0);
        let mut joined = Joined::new(samples.len(), longest);
        samples.into_iter().try_for_each(|sample| joined.push(sample, padding, pool))?;
        joined.finish(padding)
    }

    /// Loads samples and joins them. The longest one comes first, so that each can be put into its place at once, and its memory
    /// is used again for the next one. Returns the batch, unless it is empty, what the samples count, and what is wrong with
    /// those that are left out.
    pub(crate) fn load(
        samples: Vec<Sample>,
        padding: &Padding,
        pool: &Pool,
    ) -> Result<(Option<Self>, FeedCounts, Vec<String>)> {
        let number = samples.len();
        let mut samples: Vec<(usize, Sample)> = samples.into_iter().enumerate().collect();
        samples.sort_by_key(|(_, sample)| std::cmp::Reverse(sample.num_frames()));
        let (mut joined, mut bad) = (Joined::new(number, 0), Vec::new());
        for (at, mut sample) in samples {
            match sample.load_or_tell()? {
                Some(message) => bad.push((at, message)),
                None => {
                    if joined.samples.is_empty() {
                        joined.longest = sample.feats().map_or(0, Matrix::num_rows);
                    }
                    joined.push(sample, padding, pool)?;
                }
            }
        }
        bad.sort_by_key(|(at, _)| *at);
        let counts = FeedCounts::of(&joined.samples);
        let batch = if joined.samples.is_empty() { None } else { Some(joined.finish(padding)?) };
        Ok((batch, counts, bad.into_iter().map(|(_, message)| message).collect()))
    }
}

/// Samples whose features are in the array of the batch.
struct Joined {
    /// Without their data.
    samples: Vec<Sample>,
    feats: PooledVec,
    lengths: Vec<i32>,
    /// How many samples there are at most.
    number: usize,
    /// The frames of the longest one.
    longest: usize,
    /// The columns, which are those of the first one.
    dim: usize,
}

impl Joined {
    fn new(number: usize, longest: usize) -> Self {
        let (samples, lengths) = (Vec::with_capacity(number), Vec::with_capacity(number));
        Self { samples, feats: PooledVec::default(), lengths, number, longest, dim: 0 }
    }

    fn push(&mut self, mut sample: Sample, padding: &Padding, pool: &Pool) -> Result<()> {
        let error = |sample: &Sample, message: String| Error::Bad { message: format!("{}: {message}", sample.key) };
        let Data::Feats(matrix) = sample.take_data() else {
            return Err(error(&sample, "expected features: the chain needs a stage such as fbank".to_owned()));
        };
        if self.samples.is_empty() {
            self.dim = matrix.num_cols();
            self.feats = pool.take(self.number * self.longest * self.dim);
        }
        if matrix.num_cols() != self.dim {
            let message =
                format!("expected features of {} dimensions as in its batch, got {}", self.dim, matrix.num_cols());
            return Err(error(&sample, message));
        }
        let feats = self.feats.as_mut_vec();
        feats.extend_from_slice(matrix.as_slice());
        let missing = (self.longest - matrix.num_rows()) * self.dim;
        feats.resize(feats.len() + missing, padding.feats);
        self.lengths.push(matrix.num_rows() as i32);
        self.samples.push(sample);
        Ok(())
    }

    fn finish(self, padding: &Padding) -> Result<PaddedBatch> {
        let Self { samples, feats, lengths, longest, dim, .. } = self;
        Ok(PaddedBatch {
            feats_shape: [samples.len(), longest, dim],
            feats,
            feats_lengths: lengths,
            target: labels(&samples, padding)?,
            speaker: samples.iter().map(|sample| sample.speaker).collect(),
            keys: samples.into_iter().map(|sample| sample.key).collect(),
        })
    }
}

fn labels(samples: &[Sample], padding: &Padding) -> Result<Option<PaddedLabels>> {
    let given: Vec<&Vec<i32>> = samples.iter().filter_map(|sample| sample.labels.as_ref()).collect();
    if given.is_empty() {
        return Ok(None);
    }
    if let Some(sample) = samples.iter().find(|sample| sample.labels.is_none()) {
        return Err(Error::Bad { message: format!("{}: expected labels as in its batch, got none", sample.key) });
    }
    let longest = given.iter().map(|labels| labels.len()).max().unwrap_or(0);
    let mut labels = Vec::with_capacity(given.len() * longest);
    for sample in &given {
        labels.extend(sample.iter().map(|&label| i64::from(label)));
        labels.resize(labels.len() + longest - sample.len(), padding.target);
    }
    let lengths = given.iter().map(|labels| labels.len() as i32).collect();
    Ok(Some(PaddedLabels { labels, longest, lengths }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SampleShape;

    fn sample(key: &str, num_frames: usize, dim: usize, labels: Option<&[i32]>) -> Sample {
        let shape = SampleShape::Feats { num_frames, dim };
        let feats = Matrix::from_vec(num_frames, dim, vec![num_frames as f32; num_frames * dim]);
        let mut sample = Sample::new(key, [0; 2], shape, move || Ok(Data::Feats(feats)));
        sample.labels = labels.map(<[i32]>::to_vec);
        sample.load().unwrap();
        sample
    }

    #[test]
    fn the_longest_comes_first_and_equals_keep_their_order() {
        let samples =
            vec![sample("a", 1, 2, Some(&[7])), sample("b", 2, 2, Some(&[])), sample("c", 2, 2, Some(&[8, 9]))];
        let batch = PaddedBatch::new(samples, &Padding::default()).unwrap();
        assert_eq!(batch.keys, ["b", "c", "a"]);
        assert_eq!((batch.feats_shape, batch.feats_lengths), ([3, 2, 2], vec![2, 2, 1]));
        assert_eq!(*batch.feats, [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0]);
        let target = batch.target.unwrap();
        assert_eq!((target.labels, target.lengths), (vec![-1, -1, 8, 9, 7, -1], vec![0, 2, 1]));
    }

    #[test]
    fn samples_that_are_loaded_one_by_one_make_the_batch_of_loaded_ones() {
        let broken = |key: &str, num_frames| {
            let shape = SampleShape::Feats { num_frames, dim: 2 };
            Sample::new(key, [0; 2], shape, || Err("broken".to_owned()))
        };
        let good =
            || vec![sample("a", 1, 2, Some(&[7])), sample("b", 3, 2, Some(&[])), sample("c", 3, 2, Some(&[8, 9]))];
        let mut samples = good();
        samples.insert(0, broken("short", 1));
        samples.insert(2, broken("longest", 9));
        let (batch, counts, bad) = PaddedBatch::load(samples, &Padding::default(), &Pool::default()).unwrap();
        assert_eq!(batch.unwrap(), PaddedBatch::new(good(), &Padding::default()).unwrap());
        assert_eq!(bad, ["short: broken", "longest: broken"]);
        assert_eq!((counts.batches, counts.delivered, counts.frames, counts.padded_frames), (1, 3, 7, 9));
        let (batch, counts, bad) =
            PaddedBatch::load(vec![broken("a", 4)], &Padding::default(), &Pool::default()).unwrap();
        assert_eq!((batch, counts, bad.len()), (None, FeedCounts::default(), 1));
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let refused = |samples| PaddedBatch::new(samples, &Padding::default()).unwrap_err().to_string();
        let error = refused(vec![sample("a", 2, 2, None), sample("b", 1, 3, None)]);
        assert_eq!(error, "b: expected features of 2 dimensions as in its batch, got 3");
        let error = refused(vec![sample("a", 2, 2, Some(&[1])), sample("b", 1, 2, None)]);
        assert_eq!(error, "b: expected labels as in its batch, got none");
    }
}
