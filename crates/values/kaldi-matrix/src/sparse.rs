//! Sparse matrices.
//!
//! Every row is stored separately, with its length and the elements that are not zero, each after its index:
//!
//! ```text
//! 00 42 53 4d 20 04 01 00 00 00                                          .BSM 1
//!       53 56 20 04 05 00 00 00 04 01 00 00 00                           SV 5 1
//!                04 03 00 00 00 04 00 00 00 3f                           3 0.5
//!
//! rows=1 dim=5 [ 3 0.5 ]
//! ```
//!
//! All numbers are basic types, after their size; so either precision is read as the other.

use std::ops::Range;

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame, Value, frame_by_parsing, write_basic, write_token};

use crate::zeros::has_few_elements;
use crate::{Error, Matrix, Real, Result, binary};

/// A matrix that keeps only the elements that are not zero, row after row.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMatrix<T> {
    dim: usize,
    elements: Vec<(i32, T)>,
    /// Where each row ends in `elements`.
    ends: Vec<usize>,
}

impl<T: Real> SparseMatrix<T> {
    /// Makes a matrix without rows.
    ///
    /// # Panics
    /// If the number of columns does not fit an `i32`, as the formats require.
    pub fn new(num_cols: usize) -> Self {
        assert!(i32::try_from(num_cols).is_ok(), "a sparse matrix of {num_cols} columns");
        Self { dim: num_cols, elements: Vec::new(), ends: Vec::new() }
    }

    /// Adds a row of the elements with these indices, which may come in any order.
    ///
    /// Elements of one index are added up in the order given, and left out if the sum is zero, as in Kaldi's
    /// `SparseVector`.
    ///
    /// # Errors
    /// If the index of an element that is not zero is no column; then the row is not added.
    pub fn push_row(&mut self, elements: &[(i32, T)]) -> Result<()> {
        let mut sorted = elements.to_vec();
        sorted.sort_by_key(|&(index, _)| index);
        sorted.dedup_by(|(next, value), (index, sum)| {
            let same = next == index;
            if same {
                *sum += *value;
            }
            same
        });
        sorted.retain(|&(_, value)| value != T::default());
        let outside = |&&(index, _): &&(i32, T)| usize::try_from(index).map_or(true, |index| index >= self.dim);
        if let Some(&(got, _)) = sorted.iter().find(outside) {
            return Err(Error::Index { dim: self.dim, got });
        }
        self.elements.append(&mut sorted);
        self.ends.push(self.elements.len());
        Ok(())
    }

    /// The number of rows.
    #[doc(alias = "nrows")]
    pub fn num_rows(&self) -> usize {
        self.ends.len()
    }

    /// The number of columns; 0 if there are no rows.
    #[doc(alias = "ncols")]
    pub fn num_cols(&self) -> usize {
        if self.ends.is_empty() { 0 } else { self.dim }
    }

    /// The numbers of rows and columns.
    pub fn size(&self) -> (usize, usize) {
        (self.num_rows(), self.num_cols())
    }

    /// The kept elements of one row after their indices, which ascend.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[(i32, T)] {
        let begin = if row == 0 { 0 } else { self.ends[row - 1] };
        &self.elements[begin..self.ends[row]]
    }

    /// The rows in order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[(i32, T)]> {
        (0..self.num_rows()).map(|row| self.row(row))
    }

    /// Whether a copy with all of its zeros is not too large.
    pub fn has_few_elements(&self) -> bool {
        has_few_elements(self.size())
    }

    /// Copies to a matrix with all of its zeros.
    ///
    /// # Errors
    /// If that has too many elements.
    pub fn to_matrix(&self) -> Result<Matrix<T>> {
        self.range(0..self.num_rows(), 0..self.num_cols())
    }

    /// Copies a rectangle with all of its zeros.
    ///
    /// # Errors
    /// If that has too many elements.
    ///
    /// # Panics
    /// If it does not lie within the matrix.
    pub fn range(&self, rows: Range<usize>, cols: Range<usize>) -> Result<Matrix<T>> {
        assert!(rows.end <= self.num_rows() && cols.end <= self.num_cols(), "rows {rows:?}, columns {cols:?}");
        let mut matrix = Matrix::with_zeros((rows.len(), cols.len()))?;
        for (to, row) in matrix.rows_mut().zip(rows) {
            for &(index, value) in self.row(row) {
                let index = index as usize;
                if cols.contains(&index) {
                    to[index - cols.start] = value;
                }
            }
        }
        Ok(matrix)
    }

    /// Adds an element to the row that is being read, `at` being the offset of its index.
    fn read_element(&mut self, at: usize, begin: usize, dim: i32, index: i32, value: T) -> Result<(), ParseError> {
        let least = self.elements.get(begin..).and_then(<[_]>::last).map_or(0, |&(last, _)| last + 1);
        if index < least || index >= dim {
            return Err(ParseError::new(at, format!("expected an index from {least} to {}, got {index}", dim - 1)));
        }
        self.elements.push((index, value));
        Ok(())
    }

    /// Checks the length of the row that is being read; the first row gives that of all.
    fn read_dim(&mut self, at: usize, dim: i32) -> Result<(), ParseError> {
        match usize::try_from(dim) {
            Ok(dim) if self.ends.is_empty() => self.dim = dim,
            Ok(dim) if dim == self.dim => {}
            Ok(_) => return Err(ParseError::new(at, format!("expected a row of length {}, got {dim}", self.dim))),
            Err(_) => return Err(ParseError::new(at, format!("expected the length of a row, got {dim}"))),
        }
        Ok(())
    }

    fn read_binary(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        binary::expect_token(cursor, b"SM ")?;
        let at = cursor.offset();
        let num_rows: i32 = cursor.read_basic()?;
        if num_rows < 0 {
            return Err(ParseError::new(at, format!("expected a number of rows, got {num_rows}")));
        }
        for _ in 0..num_rows {
            binary::expect_token(cursor, b"SV ")?;
            let at = cursor.offset();
            let dim = cursor.read_basic()?;
            self.read_dim(at, dim)?;
            let at = cursor.offset();
            let count: i32 = cursor.read_basic()?;
            if count < 0 || count > dim {
                return Err(ParseError::new(at, format!("expected at most {dim} elements, got {count}")));
            }
            let begin = self.elements.len();
            for _ in 0..count {
                let at = cursor.offset();
                let (index, value) = (cursor.read_basic()?, cursor.read_basic()?);
                self.read_element(at, begin, dim, index, value)?;
            }
            self.ends.push(self.elements.len());
        }
        Ok(())
    }

    fn read_text(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        for _ in 0..read_label(cursor, "rows=")? {
            cursor.skip_space();
            let at = cursor.offset();
            let dim = read_label(cursor, "dim=")?;
            self.read_dim(at, dim)?;
            cursor.skip_space();
            let mut ahead = cursor.clone();
            if ahead.read_word()? != b"[" {
                return Err(cursor.expected("\"[\""));
            }
            *cursor = ahead;
            let begin = self.elements.len();
            loop {
                cursor.skip_space();
                if cursor.peek() == Some(b']') {
                    cursor.advance(1);
                    break;
                }
                let at = cursor.offset();
                let (index, value) = (cursor.read_basic()?, cursor.read_basic()?);
                self.read_element(at, begin, dim, index, value)?;
            }
            self.ends.push(self.elements.len());
        }
        let blanks = blanks(cursor.rest());
        if cursor.rest().get(blanks) == Some(&b'\n') {
            cursor.advance(blanks + 1);
        }
        Ok(())
    }
}

/// Consumes a word such as `dim=5` and returns its number.
fn read_label(cursor: &mut Cursor<'_>, label: &str) -> Result<i32, ParseError> {
    cursor.skip_space();
    let mut ahead = cursor.clone();
    let word = ahead.read_word()?;
    let number = word.strip_prefix(label.as_bytes()).filter(|digits| digits.iter().all(u8::is_ascii_digit));
    let number = number.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    match number {
        Some(number) => {
            *cursor = ahead;
            Ok(number)
        }
        None => Err(cursor.expected(&format!("\"{label}\" and a number"))),
    }
}

/// How many spaces and tabs there are at the start.
fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count()
}

/// A sparse matrix, binary (`SM`) or text (`rows=`); the precision is converted.
///
/// Follows Kaldi's `SparseMatrix::Read` and `SparseMatrix::Write`. In addition, indices have to ascend within the row
/// in binary form too, all rows have to be of one length, and the line end after the text belongs to it.
impl<T: Real> Value for SparseMatrix<T> {
    const NAME: &'static str = "sparse matrix";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        let frame = frame_by_parsing::<Self>(window, at_end)?;
        if let Frame::Whole(length) = frame
            && !at_end
            && window[0] != 0
            && window[length - 1] != b'\n'
            && length + blanks(&window[length..]) == window.len()
        {
            return Ok(Frame::Partial(window.len() as u64 + 1));
        }
        Ok(frame)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let mut matrix = Self::new(0);
        if cursor.read_marker()? {
            matrix.read_binary(cursor)?
        } else {
            matrix.read_text(cursor)?
        }
        Ok(matrix)
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        // The type limits the number of columns, and memory the number of rows.
        let (num_rows, dim) = (self.num_rows() as i32, self.dim as i32);
        match format {
            Format::Binary => {
                format.write_marker(out);
                write_token(out, b"SM");
                write_basic(out, format, num_rows);
                for row in self.rows() {
                    write_token(out, b"SV");
                    write_basic(out, format, dim);
                    write_basic(out, format, row.len() as i32);
                    for &(index, value) in row {
                        write_basic(out, format, index);
                        write_basic(out, format, value);
                    }
                }
            }
            Format::Text => {
                out.extend_from_slice(b"rows=");
                write_basic(out, format, num_rows);
                for row in self.rows() {
                    out.extend_from_slice(b"dim=");
                    write_basic(out, format, dim);
                    out.extend_from_slice(b"[ ");
                    for &(index, value) in row {
                        write_basic(out, format, index);
                        write_basic(out, format, value);
                    }
                    out.extend_from_slice(b"] ");
                }
                out.push(b'\n');
            }
        }
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        let mut again = Vec::with_capacity(bytes.len());
        if let Ok(matrix) = Self::read(&mut Cursor::new(bytes)) {
            matrix.write(&mut again, Format::Binary);
        }
        again == bytes && !bytes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::keeps_the_contract;

    fn sparse(dim: usize, rows: &[&[(i32, f32)]]) -> SparseMatrix<f32> {
        let mut matrix = SparseMatrix::new(dim);
        rows.iter().for_each(|row| matrix.push_row(row).unwrap());
        matrix
    }

    fn read(bytes: &[u8]) -> Result<(SparseMatrix<f32>, &[u8]), ParseError> {
        let mut cursor = Cursor::new(bytes);
        let matrix = SparseMatrix::read(&mut cursor)?;
        Ok((matrix, cursor.rest()))
    }

    #[test]
    fn it_is_written_as_kaldi_writes_it() {
        let matrix = sparse(6, &[&[(2, 0.25), (5, 1.0)], &[], &[(1, -1.0)]]);
        assert_eq!(matrix.to_bytes(Format::Text), b"rows=3 dim=6 [ 2 0.25 5 1 ] dim=6 [ ] dim=6 [ 1 -1 ] \n");
        assert_eq!(SparseMatrix::<f32>::new(6).to_bytes(Format::Text), b"rows=0 \n");
        assert_eq!(SparseMatrix::<f32>::new(6).to_bytes(Format::Binary), b"\0BSM \x04\0\0\0\0");
        assert_eq!(
            sparse(5, &[&[(3, 0.5)]]).to_bytes(Format::Binary),
            b"\0BSM \x04\x01\0\0\0SV \x04\x05\0\0\0\x04\x01\0\0\0\x04\x03\0\0\0\x04\0\0\0\x3f"
        );
    }

    #[test]
    fn rows_are_sorted_and_equal_indices_added_up() {
        let matrix = sparse(6, &[&[(5, 0.5), (2, 0.25), (5, 0.5), (0, 0.0), (1, 1.0), (1, -1.0)]]);
        assert_eq!(matrix.row(0), [(2, 0.25), (5, 1.0)]);
        assert_eq!(matrix.size(), (1, 6));
    }

    #[test]
    fn an_index_that_is_no_column_is_refused_unless_its_element_is_zero() {
        let mut matrix = sparse(5, &[&[(5, 0.0), (-1, 0.0)]]);
        assert_eq!(matrix.push_row(&[(0, 1.0), (5, 1.0)]), Err(Error::Index { dim: 5, got: 5 }));
        assert_eq!(matrix.push_row(&[(-1, 1.0)]).unwrap_err().to_string(), "expected an index below 5, got -1");
        assert_eq!((matrix.num_rows(), matrix.row(0)), (1, &[][..]));
    }

    #[test]
    fn dense_copies_have_the_zeros() {
        let matrix = sparse(3, &[&[(1, 0.5)], &[(0, 2.0), (2, 3.0)]]);
        assert_eq!(matrix.to_matrix().unwrap().as_slice(), [0.0, 0.5, 0.0, 2.0, 0.0, 3.0]);
        assert_eq!(matrix.range(1..2, 1..3).unwrap().as_slice(), [0.0, 3.0]);
        assert!(SparseMatrix::<f64>::new(3).to_matrix().unwrap().is_empty());
    }

    #[test]
    fn a_few_bytes_do_not_become_gigabytes_of_zeros() {
        let matrix = sparse(i32::MAX as usize, &[&[(7, 0.5)], &[]]);
        let message = matrix.to_matrix().unwrap_err().to_string();
        assert!(message.contains("at most 67108864 elements") && message.ends_with("got 2 by 2147483647"), "{message}");
        assert!(!matrix.has_few_elements());
        assert_eq!(matrix.range(0..1, 6..9).unwrap().as_slice(), [0.0, 0.5, 0.0]);
    }

    #[test]
    fn it_keeps_the_contract_of_values() {
        keeps_the_contract([
            sparse(6, &[&[(2, 0.25), (5, 1.0)], &[], &[(1, -1.0)]]),
            sparse(100_000, &[&[(99_999, 1e-20)]]),
            sparse(1, &[&[], &[]]),
            SparseMatrix::new(0),
        ]);
    }

    #[test]
    fn text_is_laid_out_freely() {
        let matrix = sparse(5, &[&[(0, 0.5), (3, 2.0)], &[]]);
        for text in [
            "rows=2 dim=5 [ 0 0.5 3 2 ] dim=5 [ ]",
            " rows=2\ndim=5\t[ 0 0.5\n3 2] dim=5 [ ]\n",
            "\nrows=2 dim=5 [0 0.5 3 2 ]dim=5 [ ] \n",
        ] {
            let expected = if text.contains("[0") { None } else { Some((matrix.clone(), b"".as_slice())) };
            assert_eq!(read(text.as_bytes()).ok(), expected, "{text:?}");
        }
        // A line end belongs to the value; nothing else does.
        assert_eq!(read(b"rows=0 \nb"), Ok((SparseMatrix::new(0), b"b".as_slice())));
        assert_eq!(read(b"rows=0 b"), Ok((SparseMatrix::new(0), b" b".as_slice())));
        assert_eq!(read(b"rows=1 dim=1 [ ]b"), Ok((sparse(1, &[&[]]), b"b".as_slice())));
    }

    #[test]
    fn either_precision_is_read_as_the_other() {
        let mut double = SparseMatrix::new(2);
        double.push_row(&[(1, 0.1_f64)]).unwrap();
        let bytes = double.to_bytes(Format::Binary);
        assert_eq!(read(&bytes).unwrap().0, sparse(2, &[&[(1, 0.1)]]));
        assert!(!SparseMatrix::<f32>::is_canonical_binary(&bytes));
        assert!(SparseMatrix::<f64>::is_canonical_binary(&bytes));
    }

    #[test]
    fn messages_tell_what_is_wrong() {
        let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        for (text, expected) in [
            ("dim=5 [ ]", "expected \"rows=\" and a number, got \"dim=5\""),
            ("rows=-1 ", "expected \"rows=\" and a number, got \"rows=-1\""),
            ("rows=1 dim=x [ ]", "expected \"dim=\" and a number, got \"dim=x\""),
            ("rows=1 dim=5 [] ", "expected \"[\", got \"[]\""),
            ("rows=1 dim=5 [ 5 1 ]", "expected an index from 0 to 4, got 5"),
            ("rows=1 dim=5 [ 1 1 1 1 ]", "expected an index from 2 to 4, got 1"),
            ("rows=1 dim=5 [ 1 ]", "expected a number, got \"]\""),
            ("rows=2 dim=5 [ ] dim=6 [ ]", "expected a row of length 5, got 6"),
            ("rows=2 dim=5 [ ] ", "expected a word, got the end of the input"),
        ] {
            assert_eq!(message(text.as_bytes()), expected, "{text}");
        }
        for (bytes, expected) in [
            (b"\0BFM \x04".as_slice(), "expected token \"SM\", got \"FM\""),
            (b"\0BSM \x04\xff\xff\xff\xff", "expected a number of rows, got -1"),
            (b"\0BSM \x04\x01\0\0\0SM ", "expected token \"SV\", got \"SM\""),
            (b"\0BSM \x04\x01\0\0\0SV \x04\xff\xff\xff\xff", "expected the length of a row, got -1"),
            (b"\0BSM \x04\x01\0\0\0SV \x04\x02\0\0\0\x04\x03\0\0\0", "expected at most 2 elements, got 3"),
        ] {
            assert_eq!(message(bytes), expected, "{}", bytes.escape_ascii());
        }
    }
}
