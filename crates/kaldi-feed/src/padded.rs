//! Batches as arrays.

use bstr::BString;

use crate::{Error, Result, Sample};

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
    pub feats: Vec<f32>,
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
    pub fn new(mut samples: Vec<Sample>, padding: &Padding) -> Result<Self> {
        if padding.sort {
            samples.sort_by_key(|sample| std::cmp::Reverse(sample.num_frames()));
        }
        let error = |sample: &Sample, message: String| Error::Bad { message: format!("{}: {message}", sample.key) };
        let mut matrices = Vec::with_capacity(samples.len());
        for sample in &samples {
            let feats = sample
                .feats()
                .ok_or_else(|| error(sample, "expected features: the chain needs a stage such as fbank".to_owned()))?;
            matrices.push(feats);
        }
        let dim = matrices.first().map_or(0, |feats| feats.num_cols());
        let longest = matrices.iter().map(|feats| feats.num_rows()).max().unwrap_or(0);
        let mut feats = Vec::with_capacity(samples.len() * longest * dim);
        for (sample, matrix) in samples.iter().zip(&matrices) {
            if matrix.num_cols() != dim {
                let message =
                    format!("expected features of {dim} dimensions as in its batch, got {}", matrix.num_cols());
                return Err(error(sample, message));
            }
            feats.extend_from_slice(matrix.as_slice());
            feats.resize(feats.len() + (longest - matrix.num_rows()) * dim, padding.feats);
        }
        Ok(Self {
            feats_shape: [samples.len(), longest, dim],
            feats,
            feats_lengths: matrices.iter().map(|matrix| matrix.num_rows() as i32).collect(),
            target: labels(&samples, padding)?,
            speaker: samples.iter().map(|sample| sample.speaker).collect(),
            keys: samples.iter().map(|sample| sample.key.clone()).collect(),
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
    use kaldi_matrix::Matrix;

    use super::*;
    use crate::{Data, SampleShape};

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
        assert_eq!(batch.feats, [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 0.0, 0.0]);
        let target = batch.target.unwrap();
        assert_eq!((target.labels, target.lengths), (vec![-1, -1, 8, 9, 7, -1], vec![0, 2, 1]));
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
