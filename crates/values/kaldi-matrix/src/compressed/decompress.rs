//! Decompression: from integers to numbers.

use std::marker::PhantomData;
use std::ops::Range;

use byteorder::{ByteOrder, LittleEndian};
use kaldi_simd::{Kernel, dispatch};

use super::columns;
use super::stored::{Layout, Stored};
use crate::{Matrix, Real};

/// The columns that are decompressed together: as many as fill a cache line of a row.
const BLOCK: usize = 16;
/// From this number of rows on, it pays to make a table of the values of all bytes for each column.
const MANY: usize = 24;
/// The rows that are filled together: they stay in the fastest cache.
const TILE: usize = 64;

/// The columns of a matrix on their way from bytes to numbers.
struct Columns<'a, T> {
    matrix: &'a Stored<'a>,
    rows: Range<usize>,
    cols: Range<usize>,
    precision: PhantomData<T>,
}

impl<T: Real> Kernel for Columns<'_, T> {
    type Output = Vec<T>;

    #[inline(always)]
    fn compute(self) -> Vec<T> {
        self.matrix.decode_columns(self.rows, self.cols)
    }
}

impl Stored<'_> {
    /// Decompresses all of the matrix.
    pub fn to_matrix<T: Real>(&self) -> Matrix<T> {
        self.range(0..self.header.rows, 0..self.header.cols)
    }

    /// Decompresses only a rectangle.
    ///
    /// # Panics
    /// If it does not lie within the matrix.
    pub fn range<T: Real>(&self, rows: Range<usize>, cols: Range<usize>) -> Matrix<T> {
        let (num_rows, num_cols) = (rows.len(), cols.len());
        let stride = self.header.cols;
        assert!(rows.end <= self.header.rows && cols.end <= stride, "rows {rows:?}, columns {cols:?} of a matrix");
        if num_rows == 0 || num_cols == 0 {
            return Matrix::default();
        }
        let data = match self.header.layout {
            Layout::Columns => self.columns(rows, cols),
            Layout::TwoByte => {
                let integers = &self.payload.as_chunks().0[rows.start * stride..rows.end * stride];
                self.even(integers, cols, 65535.0, |bytes: &[u8; 2]| f32::from(LittleEndian::read_u16(bytes)))
            }
            Layout::OneByte => {
                let integers = &self.payload[rows.start * stride..rows.end * stride];
                self.even(integers, cols, 255.0, |&byte| f32::from(byte))
            }
        };
        Matrix::from_vec(num_rows, num_cols, data)
    }

    /// Decompresses integers that are stored row after row and evenly spaced over the range.
    fn even<T: Real, I>(&self, integers: &[I], cols: Range<usize>, steps: f64, value: impl Fn(&I) -> f32) -> Vec<T> {
        let min = self.header.min;
        let increment = (f64::from(self.header.range) * (1.0 / steps)) as f32;
        let number = |integer: &I| T::from_f64(f64::from(min + value(integer) * increment));
        if cols.len() == self.header.cols {
            return integers.iter().map(number).collect();
        }
        let rows = integers.chunks_exact(self.header.cols);
        let mut data = Vec::with_capacity(rows.len() * cols.len());
        for row in rows {
            data.extend(row[cols.clone()].iter().map(number));
        }
        data
    }

    /// Decompresses bytes that are stored column after column, with the instructions that the processor has.
    fn columns<T: Real>(&self, rows: Range<usize>, cols: Range<usize>) -> Vec<T> {
        dispatch(Columns { matrix: self, rows, cols, precision: PhantomData })
    }

    #[inline(always)]
    fn decode_columns<T: Real>(&self, rows: Range<usize>, cols: Range<usize>) -> Vec<T> {
        let (levels, bytes) = self.payload.split_at(8 * self.header.cols);
        let levels = &levels.as_chunks::<2>().0.as_chunks::<4>().0[cols.clone()];
        let bytes = &bytes[cols.start * self.header.rows..cols.end * self.header.rows];
        let columns = levels
            .iter()
            .map(|levels| levels.map(|level| self.header.level(LittleEndian::read_u16(&level))))
            .zip(bytes.chunks_exact(self.header.rows).map(|column| &column[rows.clone()]));
        let mut data = vec![T::default(); rows.len() * cols.len()];
        if rows.len() < MANY {
            let mut values = [0.0; MANY];
            for (col, (levels, bytes)) in columns.enumerate() {
                columns::decode_few(levels, bytes, &mut values);
                for (to, &value) in data[col..].iter_mut().step_by(cols.len()).zip(&values) {
                    *to = T::from_f64(f64::from(value));
                }
            }
            return data;
        }
        let columns: Vec<_> = columns.collect();
        let mut tables = [[0.0; 256]; BLOCK];
        for (block, columns) in columns.chunks(BLOCK).enumerate() {
            for (table, (levels, _)) in tables.iter_mut().zip(columns) {
                columns::decode(*levels, table);
            }
            for (tile, first) in data.chunks_mut(TILE * cols.len()).zip((0..).step_by(TILE)) {
                for (col, ((_, bytes), table)) in columns.iter().zip(&tables).enumerate() {
                    for (row, &byte) in tile.chunks_exact_mut(cols.len()).zip(&bytes[first..]) {
                        row[block * BLOCK + col] = T::from_f64(f64::from(table[usize::from(byte)]));
                    }
                }
            }
        }
        data
    }
}
