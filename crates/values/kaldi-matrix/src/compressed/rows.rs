//! Rows of compressed matrices as they are stored, and their scale.

use super::stored::{Header, Layout};
use super::{CompressedMatrix, CompressionMethod};
use crate::{Matrix, Result};

/// A matrix of fewer rows does not stay in the layout by columns, as in Kaldi.
const LEAST_BY_COLUMNS: usize = 8;

impl CompressedMatrix {
    /// Multiplies all elements by a number. The stored integers stay as they are.
    pub fn scale(&mut self, factor: f32) {
        self.header.min *= factor;
        self.header.range *= factor;
    }

    /// Copies `num_rows` rows from `first` on; a row before the first or after the last is a copy of that one.
    ///
    /// The integers are copied as they are. But fewer than 8 rows of a matrix with levels for each column are compressed
    /// anew, two bytes for an element. Follows Kaldi's `ExtractRowRangeWithPadding`.
    ///
    /// # Errors
    /// If rows that have to be compressed anew are infinite or too far apart.
    pub fn rows_padded(&self, first: i64, num_rows: usize) -> Result<Self> {
        if self.is_empty() || num_rows == 0 {
            return Ok(Self::default());
        }
        let Header { layout, rows, cols, .. } = self.header;
        let place = |row: usize| first.saturating_add(row as i64).clamp(0, rows as i64 - 1) as usize;
        let header = Header { rows: num_rows, ..self.header };
        let mut payload = Vec::with_capacity(header.payload() as usize);
        match layout {
            Layout::Columns => {
                let (levels, bytes) = self.payload.split_at(8 * cols);
                payload.extend_from_slice(levels);
                for column in bytes.chunks_exact(rows) {
                    payload.extend((0..num_rows).map(|row| column[place(row)]));
                }
            }
            Layout::TwoByte | Layout::OneByte => {
                let width = if layout == Layout::TwoByte { 2 * cols } else { cols };
                for row in (0..num_rows).map(place) {
                    payload.extend_from_slice(&self.payload[row * width..][..width]);
                }
            }
        }
        let cut = Self { header, payload };
        if layout == Layout::Columns && num_rows < LEAST_BY_COLUMNS {
            return Self::compress(&cut.to_matrix::<f32>(), CompressionMethod::TwoByteAuto);
        }
        Ok(cut)
    }

    /// Copies the rows for which `keep` is true, decompressed.
    ///
    /// # Panics
    /// If `keep` does not have as many values as there are rows.
    pub fn kept_rows(&self, keep: &[bool]) -> Matrix<f32> {
        assert_eq!(keep.len(), self.num_rows(), "a value for each row");
        let matrix = self.to_matrix::<f32>();
        let rows = matrix.rows().zip(keep).filter(|&(_, &keep)| keep).flat_map(|(row, _)| row);
        let data: Vec<f32> = rows.copied().collect();
        match data.len() {
            0 => Matrix::default(),
            length => Matrix::from_vec(length / self.num_cols(), self.num_cols(), data),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Matrix<f32> {
        Matrix::from_vec(12, 2, (0..24).map(|number| (number * number) as f32).collect())
    }

    fn rows(matrix: &CompressedMatrix) -> Vec<Vec<f32>> {
        matrix.to_matrix::<f32>().rows().map(<[f32]>::to_vec).collect()
    }

    #[test]
    fn rows_are_copied_as_they_are_and_repeated_at_the_ends() {
        for method in [CompressionMethod::SpeechFeature, CompressionMethod::TwoByteAuto, CompressionMethod::OneByteAuto]
        {
            let whole = CompressedMatrix::compress(&matrix(), method).unwrap();
            let all = rows(&whole);
            let cut = rows(&whole.rows_padded(-2, 9).unwrap());
            let expected: Vec<_> = [0, 0, 0, 1, 2, 3, 4, 5, 6].iter().map(|&row| all[row].clone()).collect();
            assert_eq!(cut, expected, "{method:?}");
            let cut = rows(&whole.rows_padded(8, 8).unwrap());
            let expected: Vec<_> = [8, 9, 10, 11, 11, 11, 11, 11].iter().map(|&row| all[row].clone()).collect();
            assert_eq!(cut, expected, "{method:?}");
            assert_eq!(whole.rows_padded(0, 12).unwrap(), whole);
            assert!(whole.rows_padded(3, 0).unwrap().is_empty());
        }
    }

    #[test]
    fn few_rows_with_levels_are_compressed_anew() {
        let whole = CompressedMatrix::compress(&matrix(), CompressionMethod::SpeechFeature).unwrap();
        assert_eq!(whole.rows_padded(0, 8).unwrap().header.layout, Layout::Columns);
        let few = whole.rows_padded(3, 7).unwrap();
        assert_eq!(few.header.layout, Layout::TwoByte);
        let expected = whole.range::<f32>(3..10, 0..2);
        assert_eq!(few, CompressedMatrix::compress(&expected, CompressionMethod::TwoByteAuto).unwrap());
    }

    #[test]
    fn a_scale_changes_the_header_only() {
        let whole = CompressedMatrix::compress(&matrix(), CompressionMethod::Automatic).unwrap();
        let mut scaled = whole.clone();
        scaled.scale(0.5);
        assert_eq!(scaled.payload, whole.payload);
        assert_eq!((scaled.header.min, scaled.header.range), (whole.header.min * 0.5, whole.header.range * 0.5));
    }

    #[test]
    fn kept_rows_are_decompressed() {
        let whole = CompressedMatrix::compress(&matrix(), CompressionMethod::TwoByteAuto).unwrap();
        let keep: Vec<bool> = (0..12).map(|row| row % 5 == 1).collect();
        let kept = whole.kept_rows(&keep);
        assert_eq!(kept.size(), (3, 2));
        assert_eq!(kept.row(1), whole.range::<f32>(6..7, 0..2).row(0));
        assert!(whole.kept_rows(&[false; 12]).is_empty());
    }
}
