//! What is measured of the features of an utterance.

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
    /// Measures a matrix of frames, row after row, and adds its finite numbers to `moments`.
    ///
    /// # Panics
    /// If `values` are no whole number of rows.
    pub fn of(values: &[f32], columns: usize, moments: &mut ColumnMoments) -> Self {
        if columns == 0 {
            return Self::default();
        }
        assert!(values.len().is_multiple_of(columns), "whole rows");
        let (mut sums, mut num_finite, mut not_finite) = (vec![0.0_f64; columns], 0_usize, 0);
        moments.widen(columns);
        for row in values.chunks_exact(columns) {
            let bad = row.iter().filter(|value| !value.is_finite()).count();
            not_finite += bad;
            moments.add(row);
            if bad == 0 {
                num_finite += 1;
                sums.iter_mut().zip(row).for_each(|(sum, &value)| *sum += f64::from(value));
            }
        }
        let means = sums.iter().map(|sum| (sum / num_finite as f64) as f32).filter(|_| num_finite > 0).collect();
        Self {
            frames: values.len() / columns,
            columns,
            not_finite,
            frozen: longest_run(values, columns),
            distance: None,
            means,
        }
    }
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

/// The mean and the standard deviation of each column of a table, over its finite numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnMoments(Vec<Moment>);

/// Numbers of one column, with the sums of their differences from the first one: so a large mean costs no digits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Moment {
    count: f64,
    mean: f64,
    squares: f64,
}

impl ColumnMoments {
    fn widen(&mut self, columns: usize) {
        let columns = columns.max(self.0.len());
        self.0.resize(columns, Moment::default());
    }

    fn add(&mut self, row: &[f32]) {
        for (moment, &value) in self.0.iter_mut().zip(row).filter(|(_, value)| value.is_finite()) {
            moment.count += 1.0;
            let difference = f64::from(value) - moment.mean;
            moment.mean += difference / moment.count;
            moment.squares += difference * (f64::from(value) - moment.mean);
        }
    }

    /// Adds those of other utterances of the table.
    pub fn merge(&mut self, others: &Self) {
        self.widen(others.0.len());
        for (moment, other) in self.0.iter_mut().zip(&others.0).filter(|(_, other)| other.count > 0.0) {
            let (count, difference) = (moment.count + other.count, other.mean - moment.mean);
            moment.mean += difference * other.count / count;
            moment.squares += other.squares + difference * difference * moment.count * other.count / count;
            moment.count = count;
        }
    }

    /// The mean and the standard deviation of each column; `None` for a column without finite numbers.
    pub fn columns(&self) -> impl Iterator<Item = Option<(f64, f64)>> + '_ {
        self.0.iter().map(|moment| (moment.count > 0.0).then(|| (moment.mean, (moment.squares / moment.count).sqrt())))
    }
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
