//! What is measured of the features of an utterance.

use crate::Moments;
use crate::distribution::{SPREAD, median_and_mad};

/// What is measured of the features of an utterance.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FrameMeasures {
    /// The number of frames.
    pub frames: usize,
    /// The number of columns.
    pub columns: usize,
    /// How many numbers are not finite.
    pub not_finite: usize,
    /// The length of the longest run of frames that are the same, bit by bit.
    pub frozen: usize,
    /// How far the means are from those of other utterances, if [`TypicalMeans`] were asked.
    pub distance: Option<f64>,
    /// The mean of each column, over the frames that are finite; empty if there is none.
    pub means: Box<[f32]>,
}

impl FrameMeasures {
    /// Measures a matrix of frames, row after row. `moments` are those of its columns, as of [`Moments::of_columns`].
    ///
    /// # Panics
    /// If `values` are no whole number of rows.
    pub fn of(values: &[f32], moments: &[Moments]) -> Self {
        let columns = moments.len();
        if columns == 0 {
            return Self::default();
        }
        assert!(values.len().is_multiple_of(columns), "whole rows");
        let not_finite = moments.iter().map(|column| column.nan + column.inf).sum::<u64>() as usize;
        Self {
            frames: values.len() / columns,
            columns,
            not_finite,
            frozen: longest_run(values, columns),
            distance: None,
            means: match not_finite {
                0 if values.is_empty() => Box::default(),
                0 => moments.iter().map(|column| column.mean as f32).collect(),
                _ => means_of_finite_rows(values, columns),
            },
        }
    }
}

/// The means of columns over the rows that are finite; none if there is no such row.
fn means_of_finite_rows(values: &[f32], columns: usize) -> Box<[f32]> {
    let (mut sums, mut count) = (vec![0.0_f64; columns], 0_usize);
    for row in values.chunks_exact(columns).filter(|row| row.iter().all(|value| value.is_finite())) {
        count += 1;
        sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value));
    }
    sums.iter().map(|sum| (sum / count as f64) as f32).filter(|_| count > 0).collect()
}

/// The number of equal rows side by side, at most.
fn longest_run(values: &[f32], columns: usize) -> usize {
    let same =
        |left: &[f32], right: &[f32]| left.iter().zip(right).all(|(left, right)| left.to_bits() == right.to_bits());
    let (mut longest, mut run) = (0, 0);
    let mut last: &[f32] = &[];
    for row in values.chunks_exact(columns) {
        run = if !last.is_empty() && same(last, row) { run + 1 } else { 1 };
        longest = longest.max(run);
        last = row;
    }
    longest
}

/// Which means the utterances of a table have: the median over utterances and the spread, for each column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TypicalMeans(Vec<(f64, f64)>);

impl TypicalMeans {
    /// Of the features of all utterances. Those that have another number of columns than most are left out.
    pub fn of<'a>(utterances: impl Iterator<Item = &'a FrameMeasures> + Clone) -> Self {
        let mut widths: Vec<usize> =
            utterances.clone().map(|frames| frames.means.len()).filter(|&width| width > 0).collect();
        widths.sort_unstable();
        let width = widths.chunk_by(PartialEq::eq).max_by_key(|run| run.len()).map_or(0, |run| run[0]);
        let column = |index: usize| {
            let same = utterances.clone().filter(|frames| frames.means.len() == width);
            let mut means: Vec<f64> = same.map(|frames| f64::from(frames.means[index])).collect();
            let (middle, mad) = median_and_mad(&mut means);
            (middle, SPREAD * mad)
        };
        Self((0..width).map(column).collect())
    }

    /// How far the means of an utterance are from the typical ones: the root mean square over columns, in units of the spread.
    /// Columns without any spread are left out. `None` if the utterance has other columns, or no finite frame.
    pub fn distance(&self, frames: &FrameMeasures) -> Option<f64> {
        if frames.means.len() != self.0.len() {
            return None;
        }
        let columns = self.0.iter().zip(&frames.means).filter(|((_, spread), _)| *spread > 0.0);
        let (count, squares) = columns.fold((0.0, 0.0), |(count, sum), ((middle, spread), &mean)| {
            (count + 1.0, sum + ((f64::from(mean) - middle) / spread).powi(2))
        });
        (count > 0.0).then(|| (squares / count).sqrt())
    }
}
