//! Tiles: values of tables over time, reduced to the columns of a picture.

use std::ops::Range;

use kaldi_any::Frames;

use crate::server::failure::{Answer, Failure};

/// Indices of a posterior below this have a row each; otherwise only those that occur.
const FEW: usize = 2048;

/// Numbers of a tile, at most.
const MOST: usize = 16 << 20;

/// Values over time as rows of numbers.
#[derive(Debug)]
pub(crate) struct TileRows<'a> {
    frames: &'a Frames,
    /// The index of each row of a posterior, if these are not all from 0 on.
    indices: Option<Vec<i32>>,
    rows: usize,
}

/// Which frames a tile has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileGrid {
    /// The first frame.
    pub from: usize,
    /// Columns, at most.
    pub count: usize,
    /// Frames of a column.
    pub pool: usize,
}

impl TileGrid {
    /// The number of columns that have a frame, out of `len` frames.
    pub fn num_columns(&self, len: usize) -> usize {
        len.saturating_sub(self.from).div_ceil(self.pool).min(self.count)
    }

    fn frames(&self, column: usize, len: usize) -> Range<usize> {
        let start = self.from + column * self.pool;
        start..start.saturating_add(self.pool).min(len)
    }
}

impl<'a> TileRows<'a> {
    pub fn new(frames: &'a Frames) -> Self {
        let (mut rows, mut indices) = (1, None);
        match frames {
            Frames::Rows(matrix) => rows = matrix.num_cols(),
            Frames::Lists(lists) => {
                let all = || lists.iter().flatten().map(|&(index, _)| index);
                let is_few = |index: i32| usize::try_from(index).is_ok_and(|index| index < FEW);
                match all().all(is_few) {
                    true => rows = all().max().map_or(0, |most| most as usize + 1),
                    false => {
                        let mut known: Vec<i32> = all().collect();
                        known.sort_unstable();
                        known.dedup();
                        rows = known.len();
                        indices = Some(known);
                    }
                }
            }
            Frames::Labels(_) | Frames::Wave(_) | Frames::Words { .. } => {}
        }
        Self { frames, indices, rows }
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.rows
    }

    /// The index of each row of a posterior, if these are not all from 0 on.
    pub fn indices(&self) -> Option<&[i32]> {
        self.indices.as_deref()
    }

    /// Writes a frame to `row`.
    fn read(&self, frame: usize, row: &mut [f32]) {
        match self.frames {
            Frames::Rows(matrix) => row.copy_from_slice(matrix.row(frame)),
            Frames::Labels(labels) => row[0] = labels[frame] as f32,
            Frames::Wave(_) | Frames::Words { .. } => row.fill(f32::NAN),
            Frames::Lists(lists) => {
                row.fill(0.0);
                for &(index, weight) in &lists[frame] {
                    let place = match &self.indices {
                        None => index as usize,
                        Some(indices) => indices.partition_point(|&other| other < index),
                    };
                    row[place] += weight;
                }
            }
        }
    }

    /// The number of columns, and the largest number of each row in each of them, column after column. A NaN stays.
    ///
    /// # Errors
    /// If there would be too many numbers.
    pub fn tile(&self, grid: TileGrid) -> Answer<(usize, Vec<f32>)> {
        let len = self.frames.len();
        let (columns, rows) = (grid.num_columns(len), self.rows);
        check(columns, rows)?;
        let (mut tile, mut row) = (Vec::with_capacity(columns * rows), vec![0.0; rows]);
        for column in 0..columns {
            let start = tile.len();
            for frame in grid.frames(column, len) {
                self.read(frame, &mut row);
                match tile.len() == start {
                    true => tile.extend_from_slice(&row),
                    false => tile[start..].iter_mut().zip(&row).for_each(|(most, &value)| {
                        *most = if value.is_nan() || value > *most { value } else { *most };
                    }),
                }
            }
        }
        Ok((columns, tile))
    }

    /// As [`TileRows::tile`], of the difference from another track: the one of largest size. Where one of them has no frame, it is
    /// NaN. The largest size of all comes along, if there is one.
    ///
    /// # Errors
    /// If the tracks have different rows.
    pub fn difference(&self, other: &Self, grid: TileGrid) -> Answer<(usize, Vec<f32>, Option<f32>)> {
        if self.rows != other.rows || self.indices != other.indices {
            let message = format!("expected tracks of as many rows, got {} and {}", self.rows, other.rows);
            return Err(Failure::Wrong(message));
        }
        let (common, len) = (self.frames.len().min(other.frames.len()), self.frames.len().max(other.frames.len()));
        let (columns, rows) = (grid.num_columns(len), self.rows);
        check(columns, rows)?;
        let mut tile = vec![0.0_f32; columns * rows];
        let (mut left, mut right) = (vec![0.0; rows], vec![0.0; rows]);
        for (column, most) in tile.chunks_exact_mut(rows.max(1)).enumerate() {
            for frame in grid.frames(column, len) {
                if frame >= common {
                    most.fill(f32::NAN);
                    continue;
                }
                self.read(frame, &mut left);
                other.read(frame, &mut right);
                for ((most, left), right) in most.iter_mut().zip(&left).zip(&right) {
                    let difference = if left == right { 0.0 } else { left - right };
                    // A NaN of `most` stays, as it is not smaller.
                    if difference.is_nan() || difference.abs() > most.abs() {
                        *most = difference;
                    }
                }
            }
        }
        Ok((columns, tile, self.largest_difference(other, common)))
    }

    /// The largest size of all differences of common frames; `None` if there are none.
    fn largest_difference(&self, other: &Self, common: usize) -> Option<f32> {
        let (mut left, mut right) = (vec![0.0; self.rows], vec![0.0; self.rows]);
        let mut largest: Option<f32> = None;
        for frame in 0..common {
            self.read(frame, &mut left);
            other.read(frame, &mut right);
            for (left, right) in left.iter().zip(&right) {
                let size = if left == right { 0.0 } else { (left - right).abs() };
                if largest.is_none_or(|largest| size > largest) {
                    largest = Some(size);
                }
            }
        }
        largest
    }
}

/// # Errors
/// If a tile would have too many numbers.
pub(crate) fn check(columns: usize, rows: usize) -> Answer<()> {
    match columns.saturating_mul(rows) > MOST {
        true => Err(Failure::Wrong(format!("{columns} columns of {rows} rows are too many: ask for fewer columns"))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use kaldi_matrix::Matrix;

    use super::*;

    fn grid(from: usize, count: usize, pool: usize) -> TileGrid {
        TileGrid { from, count, pool }
    }

    fn bits(numbers: &[f32]) -> Vec<u32> {
        numbers.iter().map(|number| number.to_bits()).collect()
    }

    #[test]
    fn columns_have_the_maximum_and_keep_nan() {
        let matrix = Matrix::from_vec(5, 2, vec![1.0, 9.0, 2.0, f32::NAN, 3.0, 1.0, f32::NEG_INFINITY, 5.0, 7.0, -1.0]);
        let frames = Frames::Rows(matrix);
        let rows = TileRows::new(&frames);
        let t = |grid: TileGrid, columns: usize, expected: &[f32]| {
            let (found, tile) = rows.tile(grid).unwrap();
            assert_eq!((found, bits(&tile)), (columns, bits(expected)), "{grid:?}");
        };
        t(grid(0, 9, 1), 5, &[1.0, 9.0, 2.0, f32::NAN, 3.0, 1.0, f32::NEG_INFINITY, 5.0, 7.0, -1.0]);
        t(grid(0, 9, 2), 3, &[2.0, f32::NAN, 3.0, 5.0, 7.0, -1.0]);
        t(grid(2, 1, 3), 1, &[7.0, 5.0]);
        t(grid(4, 2, 1000), 1, &[7.0, -1.0]);
        t(grid(5, 2, 1), 0, &[]);
        t(grid(usize::MAX, 2, usize::MAX), 0, &[]);
    }

    #[test]
    fn labels_and_posteriors_have_rows() {
        let labels = Frames::Labels(vec![3, 3, 7]);
        assert_eq!(TileRows::new(&labels).tile(grid(0, 9, 1)), Ok((3, vec![3.0, 3.0, 7.0])));
        let lists = Frames::Lists(vec![vec![(2, 0.5), (0, 0.25)], vec![], vec![(2, 0.5), (2, 0.5)]]);
        let rows = TileRows::new(&lists);
        assert_eq!((rows.num_rows(), rows.indices()), (3, None));
        assert_eq!(rows.tile(grid(0, 9, 1)), Ok((3, vec![0.25, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])));
        let sparse = Frames::Lists(vec![vec![(70_000, 0.5)], vec![(-1, 1.0)]]);
        let rows = TileRows::new(&sparse);
        assert_eq!(rows.indices(), Some([-1, 70_000].as_slice()));
        assert_eq!(rows.tile(grid(0, 9, 1)), Ok((2, vec![0.0, 0.5, 1.0, 0.0])));
    }

    #[test]
    fn differences_have_the_largest_size() {
        let of = |values: &[f32]| Frames::Rows(Matrix::from_vec(values.len(), 1, values.to_vec()));
        let (left, right) = (of(&[1.0, 2.0, f32::INFINITY, 4.0, 5.0]), of(&[1.5, 0.0, f32::INFINITY, f32::NAN]));
        let (left, right) = (TileRows::new(&left), TileRows::new(&right));
        let (columns, tile, largest) = left.difference(&right, grid(0, 9, 1)).unwrap();
        assert_eq!((columns, bits(&tile)), (5, bits(&[-0.5, 2.0, 0.0, f32::NAN, f32::NAN])));
        assert_eq!(largest, Some(2.0));
        let (_, tile, _) = left.difference(&right, grid(0, 9, 2)).unwrap();
        assert_eq!(bits(&tile), bits(&[2.0, f32::NAN, f32::NAN]));
        let wide = Frames::Rows(Matrix::from_vec(1, 2, vec![0.0, 1.0]));
        assert!(left.difference(&TileRows::new(&wide), grid(0, 9, 1)).is_err());
    }
}
