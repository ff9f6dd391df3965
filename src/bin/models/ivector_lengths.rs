//! What the tools log in common that extract i-vectors while frames come in.

use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_value::number::general;

/// Totals of utterances, each weighted by its frames.
#[derive(Default)]
pub(crate) struct IvectorLengths {
    count: f64,
    improvement: f64,
    length: f64,
    last_length: f64,
}

impl IvectorLengths {
    /// Those of an utterance of `count` frames, or of frames with this sum of weights.
    pub(crate) fn of(ivectors: &Matrix<f32>, count: f64, improvement: f64) -> Self {
        let norm = |row: &[f32]| row.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>().sqrt();
        let norms: Vec<f64> = ivectors.rows().map(norm).collect();
        Self {
            count,
            improvement: improvement * count,
            length: norms.iter().sum::<f64>() / norms.len() as f64 * count,
            last_length: norms.last().copied().unwrap_or(0.0) * count,
        }
    }

    /// The length at the end of an utterance.
    pub(crate) fn last(&self) -> f64 {
        self.last_length / self.count
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.improvement += other.improvement;
        self.length += other.length;
        self.last_length += other.last_length;
    }

    pub(crate) fn log(&self, dim: usize) {
        let count = general(self.count);
        let improvement = general(self.improvement / self.count);
        log!("Average objective-function improvement was {improvement} per frame, over {count} frames (weighted).");
        log!(
            "Average iVector length was {} and at utterance-end was {}, over {count} frames (weighted);  expected length \
             is {}",
            general(self.length / self.count),
            general(self.last()),
            general((dim as f64).sqrt())
        );
    }
}
