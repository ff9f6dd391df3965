//! Sparse matrices as examples have them: what a file holds is kept, whatever it is.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, SparseMatrix};
use kaldi_value::{Cursor, Format, write_basic, write_token};

use crate::walk::Walk;
use crate::{Error, Result};

/// The most rows that a sparse matrix may have, as in Kaldi.
const MAX_ROWS: i32 = 10_000_000;

/// Rows of a sparse matrix, such as labels with weights.
///
/// Other than [`SparseMatrix`], the rows may have different dimensions, and in binary form elements in any order: so Kaldi
/// reads and copies them. The functions that need more check it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseRows {
    elements: Vec<(i32, f32)>,
    /// The dimension of each row, and where it ends in `elements`.
    rows: Vec<(i32, usize)>,
}

impl SparseRows {
    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.rows.len()
    }

    /// The number of columns: the dimension of the first row, 0 without rows.
    pub fn num_cols(&self) -> usize {
        self.rows.first().map_or(0, |&(dim, _)| dim as usize)
    }

    /// The dimension and the elements of each row.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (i32, &[(i32, f32)])> {
        (0..self.rows.len()).map(|row| {
            let begin = if row == 0 { 0 } else { self.rows[row - 1].1 };
            let (dim, end) = self.rows[row];
            (dim, &self.elements[begin..end])
        })
    }

    /// Adds a row as it is.
    fn push(&mut self, dim: i32, elements: &[(i32, f32)]) {
        self.elements.extend_from_slice(elements);
        self.rows.push((dim, self.elements.len()));
    }

    /// Adds a row of labels with weights, in any order: those of one label are added up, and left out if the sum is 0.
    ///
    /// # Errors
    /// If a label that is not left out is not from 0 to below `dim`.
    pub fn push_labels(&mut self, dim: i32, labels: &[(i32, f32)]) -> Result<()> {
        let mut sorted = labels.to_vec();
        sorted.sort_by_key(|&(label, _)| label);
        sorted.dedup_by(|(next, weight), (label, sum)| {
            let same = next == label;
            if same {
                *sum += *weight;
            }
            same
        });
        sorted.retain(|&(_, weight)| weight != 0.0);
        if let Some(&(got, _)) = sorted.iter().find(|&&(label, _)| label < 0 || label >= dim) {
            return Err(Error::Label { dim, got });
        }
        self.push(dim, &sorted);
        Ok(())
    }

    /// Adds a row of elements, which keeps those that are 0.
    ///
    /// # Errors
    /// If an index is not from 0 to below `dim`, or not above the one before.
    pub fn push_row(&mut self, dim: i32, elements: &[(i32, f32)]) -> Result<()> {
        let mut least = 0;
        for &(got, _) in elements {
            if got < 0 || got >= dim {
                return Err(Error::Label { dim, got });
            }
            if got < least {
                return Err(Error::Order { least, got });
            }
            least = got + 1;
        }
        self.push(dim, elements);
        Ok(())
    }

    /// Multiplies all elements by a number; those that become 0 stay.
    pub fn scale(&mut self, factor: f32) {
        for (_, value) in &mut self.elements {
            *value *= factor;
        }
    }

    /// Copies rows that may be named more than once.
    ///
    /// # Panics
    /// If there is no such row.
    #[must_use]
    pub fn selected(&self, rows: impl IntoIterator<Item = usize>) -> Self {
        let all: Vec<_> = self.rows().collect();
        let mut selected = Self::default();
        for (dim, elements) in rows.into_iter().map(|row| all[row]) {
            selected.push(dim, elements);
        }
        selected
    }

    /// Adds the rows of another matrix.
    pub fn append(&mut self, other: &Self) {
        for (dim, elements) in other.rows() {
            self.push(dim, elements);
        }
    }

    /// The dimension of a row that is not that of the first, if there is one.
    pub fn odd_dim(&self) -> Option<i32> {
        self.rows.iter().map(|&(dim, _)| dim).find(|&dim| dim as usize != self.num_cols())
    }

    /// Converts to a matrix with all zeros.
    ///
    /// # Errors
    /// If an index is not below the dimension, or the rows have different dimensions, or there are too many zeros.
    pub fn to_matrix(&self) -> Result<Matrix<f32>> {
        let dim = self.num_cols() as i32;
        if let Some(got) = self.odd_dim() {
            return Err(Error::Columns { name: "sparse rows".into(), expected: dim.into(), got: got.into() });
        }
        if let Some(&(got, _)) = self.elements.iter().find(|&&(index, _)| index < 0 || index >= dim) {
            return Err(Error::Label { dim, got });
        }
        if dim == 0 {
            return Ok(Matrix::default());
        }
        let got = (self.num_rows(), self.num_cols());
        let mut matrix = Matrix::with_zeros(got)?;
        for (to, (_, elements)) in matrix.rows_mut().zip(self.rows()) {
            for &(index, value) in elements {
                to[index as usize] = value;
            }
        }
        Ok(matrix)
    }

    /// Reads a sparse matrix after the marker, in the form that the cursor has found.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let mut rows = Self::default();
        if cursor.is_binary() {
            for _ in 0..read_num_rows(cursor)? {
                let (dim, count) = read_row_head(cursor)?;
                for _ in 0..count {
                    rows.elements.push((cursor.read_basic()?, cursor.read_basic()?));
                }
                rows.rows.push((dim, rows.elements.len()));
            }
        } else {
            for _ in 0..read_label(cursor, "rows=")? {
                rows.read_text_row(cursor)?;
            }
        }
        Ok(rows)
    }

    fn read_text_row(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        let dim = read_label(cursor, "dim=")?;
        let mut ahead = cursor.clone();
        if ahead.read_word()? != b"[" {
            return Err(cursor.expected("\"[\""));
        }
        *cursor = ahead;
        let mut least = 0;
        loop {
            cursor.skip_space();
            if cursor.peek() == Some(b']') {
                cursor.advance(1);
                self.rows.push((dim, self.elements.len()));
                return Ok(());
            }
            let at = cursor.offset();
            let (index, value): (i32, f32) = (cursor.read_basic()?, cursor.read_basic()?);
            if index < least || index >= dim {
                let message = format!("expected an index from {least} to {}, got {index}", i64::from(dim) - 1);
                return Err(ParseError::new(at, message));
            }
            self.elements.push((index, value));
            least = index + 1;
        }
    }

    /// Walks over a binary one; returns the number of rows.
    pub(crate) fn walk(walk: &mut Walk<'_>) -> Result<usize, ParseError> {
        let starts_well = walk.cursor.rest().starts_with(b"SM ");
        walk.expect_canonical(starts_well);
        let num_rows = read_num_rows(&mut walk.cursor)?;
        walk.expect_canonical(num_rows > 0);
        for _ in 0..num_rows {
            let starts_well = walk.cursor.rest().starts_with(b"SV ");
            walk.expect_canonical(starts_well);
            let (_, count) = read_row_head(&mut walk.cursor)?;
            // As elements are written: a size byte and four others, twice.
            let written = walk.cursor.rest().as_chunks::<10>().0.iter().take(count as usize);
            let num_written = written.take_while(|element| element[0] == 4 && element[5] == 4).count();
            walk.cursor.advance(10 * num_written);
            for _ in num_written..count as usize {
                let _: i32 = walk.cursor.read_basic()?;
                walk.float()?;
            }
        }
        Ok(num_rows as usize)
    }

    /// Appends the matrix after the marker.
    pub(crate) fn write(&self, out: &mut Vec<u8>, format: Format) {
        let num_rows = self.num_rows() as i32;
        match format {
            Format::Binary => write_token(out, b"SM"),
            Format::Text => out.extend_from_slice(b"rows="),
        }
        write_basic(out, format, num_rows);
        for (dim, elements) in self.rows() {
            match format {
                Format::Binary => {
                    write_token(out, b"SV");
                    write_basic(out, format, dim);
                    write_basic(out, format, elements.len() as i32);
                }
                Format::Text => {
                    out.extend_from_slice(b"dim=");
                    write_basic(out, format, dim);
                    out.extend_from_slice(b"[ ");
                }
            }
            for &(index, value) in elements {
                write_basic(out, format, index);
                write_basic(out, format, value);
            }
            if format == Format::Text {
                out.extend_from_slice(b"] ");
            }
        }
        format.end_line(out);
    }
}

impl From<&SparseMatrix<f32>> for SparseRows {
    fn from(matrix: &SparseMatrix<f32>) -> Self {
        let mut rows = Self::default();
        for elements in matrix.rows() {
            rows.push(matrix.num_cols() as i32, elements);
        }
        rows
    }
}

fn read_num_rows(cursor: &mut Cursor<'_>) -> Result<i32, ParseError> {
    cursor.expect_token("SM")?;
    let at = cursor.offset();
    let num_rows: i32 = cursor.read_basic()?;
    if !(0..MAX_ROWS).contains(&num_rows) {
        return Err(ParseError::new(at, format!("expected a number of rows below {MAX_ROWS}, got {num_rows}")));
    }
    Ok(num_rows)
}

/// Reads the dimension of a row and the number of its elements.
fn read_row_head(cursor: &mut Cursor<'_>) -> Result<(i32, i32), ParseError> {
    cursor.expect_token("SV")?;
    let at = cursor.offset();
    let dim: i32 = cursor.read_basic()?;
    if dim < 0 {
        return Err(ParseError::new(at, format!("expected the dimension of a row, got {dim}")));
    }
    let at = cursor.offset();
    let count: i32 = cursor.read_basic()?;
    if !(0..=dim).contains(&count) {
        return Err(ParseError::new(at, format!("expected at most {dim} elements, got {count}")));
    }
    Ok((dim, count))
}

/// Reads a word such as `dim=5` and returns its number.
fn read_label(cursor: &mut Cursor<'_>, label: &str) -> Result<i32, ParseError> {
    cursor.skip_space();
    let mut ahead = cursor.clone();
    let word = ahead.read_word()?;
    let digits = word.strip_prefix(label.as_bytes()).filter(|digits| digits.iter().all(u8::is_ascii_digit));
    let number = digits.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    let number = number.ok_or_else(|| cursor.expected(&format!("\"{label}\" and a number")))?;
    *cursor = ahead;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sparse(rows: &[(i32, &[(i32, f32)])]) -> SparseRows {
        let mut sparse = SparseRows::default();
        rows.iter().for_each(|(dim, elements)| sparse.push(*dim, elements));
        sparse
    }

    #[test]
    fn labels_are_sorted_added_up_and_checked() {
        let mut rows = SparseRows::default();
        rows.push_labels(4, &[(3, 0.5), (0, 1.0), (3, 0.25), (9, 0.0)]).unwrap();
        rows.push_labels(4, &[]).unwrap();
        assert_eq!(rows, sparse(&[(4, &[(0, 1.0), (3, 0.75)]), (4, &[])]));
        for label in [-1, 4] {
            let error = rows.push_labels(4, &[(label, 1.0)]).unwrap_err();
            assert_eq!(error.to_string(), format!("expected an index below 4, got {label}"));
        }
        assert_eq!(rows.num_rows(), 2);
    }

    #[test]
    fn elements_of_a_row_ascend_below_its_dimension() {
        let mut rows = SparseRows::default();
        rows.push_row(4, &[(0, 0.0), (3, 0.5)]).unwrap();
        rows.push_row(0, &[]).unwrap();
        assert_eq!(rows, sparse(&[(4, &[(0, 0.0), (3, 0.5)]), (0, &[])]));
        for (elements, expected) in [
            (&[(4, 1.0)][..], "expected an index below 4, got 4"),
            (&[(-1, 1.0)], "expected an index below 4, got -1"),
            (&[(2, 1.0), (2, 1.0)], "expected an index from 3 on, since indexes ascend, got 2"),
            (&[(2, 1.0), (1, 1.0)], "expected an index from 3 on, since indexes ascend, got 1"),
        ] {
            assert_eq!(rows.push_row(4, elements).unwrap_err().to_string(), expected);
        }
        assert_eq!(rows.num_rows(), 2);
    }

    #[test]
    fn text_is_that_of_kaldi() {
        let mut out = Vec::new();
        sparse(&[(4, &[]), (4, &[(1, 0.5), (2, 0.5)])]).write(&mut out, Format::Text);
        assert_eq!(out, b"rows=2 dim=4 [ ] dim=4 [ 1 0.5 2 0.5 ] \n");
    }

    #[test]
    fn rows_that_cannot_be_a_matrix_are_refused() {
        assert!(sparse(&[(4, &[]), (5, &[])]).to_matrix().is_err());
        assert!(sparse(&[(4, &[(4, 1.0)])]).to_matrix().is_err());
        assert_eq!(sparse(&[(2, &[(1, 3.0)]), (2, &[])]).to_matrix().unwrap().as_slice(), [0.0, 3.0, 0.0, 0.0]);
    }

    #[test]
    fn rows_are_selected_scaled_and_appended() {
        let mut rows = sparse(&[(3, &[(0, 2.0)]), (3, &[]), (3, &[(2, 4.0)])]).selected([2, 2, 0]);
        rows.scale(0.5);
        assert_eq!(rows, sparse(&[(3, &[(2, 2.0)]), (3, &[(2, 2.0)]), (3, &[(0, 1.0)])]));
        rows.append(&sparse(&[(1, &[])]));
        assert_eq!((rows.num_rows(), rows.odd_dim()), (4, Some(1)));
    }
}
