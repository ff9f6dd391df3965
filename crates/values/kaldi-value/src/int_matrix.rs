//! Matrices of integers, such as the codes of speech codecs: a row for each frame, a column for each codebook.
//!
//! They have the form of vectors of vectors of integers (`Vec<Vec<i32>>`), so Kaldi's programs read them, too. But all
//! rows have the same length.

use crate::framing::{frame_either, frame_ended_line};
use crate::int_vectors::reach;
use crate::unit::{UNIT, are_units, write_count, write_header, write_units};
use crate::{Cursor, Format, Frame, Value};
use kaldi_io::ParseError;

/// A matrix of integers, row after row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntMatrix {
    num_rows: usize,
    num_cols: usize,
    values: Vec<i32>,
}

impl IntMatrix {
    /// Takes the numbers of all rows, one row after the other.
    ///
    /// # Panics
    /// If `values` are not as many as `num_rows` rows of `num_cols` numbers have.
    pub fn from_vec(num_rows: usize, num_cols: usize, values: Vec<i32>) -> Self {
        assert_eq!(Some(values.len()), num_rows.checked_mul(num_cols), "{num_rows} rows of {num_cols} numbers");
        Self { num_rows, num_cols, values }
    }

    /// Joins rows.
    ///
    /// # Errors
    /// The first row that has another length than row 0, and its length.
    pub fn from_rows<R: AsRef<[i32]>>(rows: &[R]) -> Result<Self, UnequalRow> {
        let num_cols = rows.first().map_or(0, |row| row.as_ref().len());
        let mut values = Vec::with_capacity(rows.len() * num_cols);
        for (row, numbers) in rows.iter().map(AsRef::as_ref).enumerate() {
            if numbers.len() != num_cols {
                return Err(UnequalRow { row, length: numbers.len(), wanted: num_cols });
            }
            values.extend_from_slice(numbers);
        }
        Ok(Self { num_rows: rows.len(), num_cols, values })
    }

    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// The number of columns; 0 if there are no rows.
    pub fn num_cols(&self) -> usize {
        self.num_cols
    }

    /// The numbers of a row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[i32] {
        assert!(row < self.num_rows, "row {row} of {}", self.num_rows);
        &self.values[row * self.num_cols..][..self.num_cols]
    }

    /// The rows, from the first to the last.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[i32]> {
        (0..self.num_rows).map(|row| self.row(row))
    }

    /// The numbers, row after row.
    pub fn as_slice(&self) -> &[i32] {
        &self.values
    }

    /// Gives the numbers away, row after row.
    pub fn into_vec(self) -> Vec<i32> {
        self.values
    }
}

/// A row that has another length than the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {wanted} numbers in row {row} as in row 0, got {length}")]
pub struct UnequalRow {
    /// The number of the row, from 0.
    pub row: usize,
    /// Its length.
    pub length: usize,
    /// The length of the first row.
    pub wanted: usize,
}

/// A line in text form, which must end with a newline; every row ends with a semicolon.
impl Value for IntMatrix {
    const NAME: &'static str = "int32 matrix";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame_either(window, at_end, frame_ended_line, reach_of_rows)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let start = cursor.clone();
        let rows = Vec::<Vec<i32>>::read(cursor)?;
        Self::from_rows(&rows).map_err(|error| start.error(error.to_string()))
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        match format {
            Format::Binary => {
                write_header(out, self.num_rows);
                for row in self.rows() {
                    write_count(out, row.len());
                    write_units(out, row);
                }
            }
            Format::Text => {
                for row in self.rows() {
                    crate::number::write_i32_row(out, row);
                    out.extend_from_slice(b"; ");
                }
                out.push(b'\n');
            }
        }
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        bytes.starts_with(b"\0B")
            && are_units(&bytes[2..])
            && reach_of_rows(bytes).is_ok_and(|reach| reach == bytes.len() as u64)
    }
}

fn reach_of_rows(window: &[u8]) -> Result<u64, ParseError> {
    let mut first = None;
    let mut row = 0;
    reach(window, |at, length| {
        let wanted = *first.get_or_insert(length);
        if length != wanted {
            let message = format!("expected {wanted} numbers in row {row} as in row 0, got {length}");
            return Err(ParseError::new(at - UNIT, message));
        }
        row += 1;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{keeps_the_contract, reads_before, refuses};

    fn matrix(rows: &[&[i32]]) -> IntMatrix {
        IntMatrix::from_rows(rows).unwrap()
    }

    #[test]
    fn int_matrices_keep_the_contract() {
        keeps_the_contract(|random| {
            let columns = random.many(4, |_| ()).len();
            let rows = random.many(6, |random| (0..columns).map(|_| random.integer()).collect::<Vec<_>>());
            IntMatrix::from_rows(&rows).unwrap()
        });
    }

    #[test]
    fn int_matrices_have_the_form_of_vectors_of_vectors() {
        for rows in [vec![vec![1, 11], vec![2, 12], vec![-3, i32::MIN]], vec![], vec![vec![], vec![]], vec![vec![7]]] {
            for format in [Format::Text, Format::Binary] {
                let bytes = IntMatrix::from_rows(&rows).unwrap().to_bytes(format);
                assert_eq!(bytes, rows.to_bytes(format));
                assert_eq!(Vec::<Vec<i32>>::is_canonical_binary(&bytes), IntMatrix::is_canonical_binary(&bytes));
            }
        }
        assert_eq!(matrix(&[&[1, 11], &[2, 12]]).to_bytes(Format::Text), b"1 11 ; 2 12 ; \n");
        reads_before(b" 1\t11;2 12 ;\n", b"b 1 ;\n", matrix(&[&[1, 11], &[2, 12]]));
        reads_before(b"\n", b"b 1 ;\n", IntMatrix::default());
    }

    #[test]
    fn rows_of_other_lengths_are_named() {
        refuses::<IntMatrix>(b"1 2 ; 3 ;\n", 0, "expected 2 numbers in row 1 as in row 0, got 1");
        refuses::<IntMatrix>(b";;1;\n", 0, "expected 0 numbers in row 2 as in row 0, got 1");
        let bytes = vec![vec![1], vec![2], vec![3, 4]].to_bytes(Format::Binary);
        refuses::<IntMatrix>(&bytes, 0, "expected 1 numbers in row 2 as in row 0, got 2");
        assert!(!IntMatrix::is_canonical_binary(&bytes));
        let error = IntMatrix::frame(&bytes, false).unwrap_err();
        assert_eq!((error.offset, error.at_end), (27, false));
        let error = IntMatrix::from_rows(&[vec![1], vec![]]).unwrap_err();
        assert_eq!(error, UnequalRow { row: 1, length: 0, wanted: 1 });
    }
}
