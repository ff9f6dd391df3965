//! The features of a picture.

use std::borrow::Cow;

/// The number of columns of a grid that holds lists. There are more than eyes can distinguish.
const MOST_COLUMNS: usize = 8192;
const MOST_ROWS: usize = 512;

/// Features to draw: a value for each frame and dimension.
#[derive(Clone, Debug)]
pub struct Features<'a> {
    /// The values, one column of the picture after the other.
    pub(crate) values: Cow<'a, [f32]>,
    /// Cells from left to right; the next number is that of cells upwards.
    pub(crate) columns: usize,
    pub(crate) rows: usize,
    /// The number of frames and dimensions that the cells represent.
    pub(crate) num_frames: usize,
    pub(crate) dim: usize,
    /// Whether the values are weights of lists, most of which are zero.
    pub(crate) are_weights: bool,
}

impl<'a> Features<'a> {
    /// Takes the values of a matrix, row by row: `num_frames × dim`.
    ///
    /// # Panics
    /// If there are more or fewer values.
    pub fn new(values: &'a [f32], num_frames: usize, dim: usize) -> Self {
        assert_eq!(Some(values.len()), num_frames.checked_mul(dim));
        Self { values: values.into(), columns: num_frames, rows: dim, num_frames, dim, are_weights: false }
    }

    /// Takes a list of indices and weights for each frame, as in posteriors; indices below 0 are left out. Weights of
    /// neighbouring indices are added up if there are more than 512, and averaged over neighbouring frames if there are
    /// more than 8192. So memory is bounded for any lists.
    pub fn of_lists<L, I>(lists: L) -> Features<'static>
    where
        L: ExactSizeIterator<Item = I> + Clone,
        I: IntoIterator<Item = (i32, f32)>,
    {
        let indices = || lists.clone().flatten().filter_map(|(index, _)| usize::try_from(index).ok());
        let (num_frames, dim) = (lists.len(), indices().max().map_or(0, |last| last + 1));
        let (columns, rows) = (num_frames.min(MOST_COLUMNS), dim.min(MOST_ROWS));
        let mut values = vec![0.0; columns * rows];
        let part = columns as f32 / num_frames.max(1) as f32;
        for (frame, list) in lists.enumerate() {
            let column = frame * columns / num_frames;
            for (index, weight) in list {
                if let Ok(index) = usize::try_from(index) {
                    values[column * rows + index * rows / dim] += part * weight;
                }
            }
        }
        Features { values: values.into(), columns, rows, num_frames, dim, are_weights: true }
    }

    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The number of frames.
    pub fn num_frames(&self) -> usize {
        self.num_frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_become_a_grid() {
        let lists = [vec![(1, 0.5), (3, 0.25)], vec![], vec![(-7, 9.0), (0, 1.0)]];
        let features = Features::of_lists(lists.iter().map(|list| list.iter().copied()));
        assert_eq!((features.num_frames(), features.dim), (3, 4));
        assert_eq!(features.values[..], [0.0, 0.5, 0.0, 0.25, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        assert!(Features::of_lists([Vec::new()].into_iter()).is_empty());
    }

    #[test]
    fn many_lists_take_little_memory() {
        let lists = (0..100_000).map(|frame| [(frame * 21_474, 0.5), (frame * 21_474 + 1, 0.5)]);
        let features = Features::of_lists(lists);
        assert_eq!((features.columns, features.rows), (MOST_COLUMNS, MOST_ROWS));
        assert_eq!((features.num_frames, features.dim), (100_000, 99_999 * 21_474 + 2));
        // Each frame has a weight of 1.
        let sums: Vec<f32> = features.values.chunks(MOST_ROWS).map(|column| column.iter().sum()).collect();
        assert!(sums.iter().all(|sum| (0.9..=1.1).contains(sum)));
        // The diagonal goes up to the right.
        assert!(features.values[0] > 0.9 && *features.values.last().unwrap() > 0.9);
    }
}
