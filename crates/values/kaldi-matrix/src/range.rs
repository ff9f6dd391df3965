//! Ranges of rows and columns, as script lines name them: `utt1 feats.ark:1204[0:51,89:100]`.
//!
//! The text between the brackets is `begin:end`, both counted from zero and included, or `:` for everything. For
//! matrices rows come first, and columns may follow after a comma. Rows may be empty if columns follow, as Kaldi's
//! documentation says (its programs refuse that and want `:`).

use std::ops::Range;

use kaldi_io::ParseError;
use kaldi_value::Cursor;

/// The end of rows, or of a vector, may be this far after the last one; it is then cut. The number of frames depends on
/// the frame length, and times are rounded.
const TOLERANCE: i64 = 3;

/// A part of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixRange {
    /// The rows, within the matrix; never empty.
    pub rows: Range<usize>,
    /// The columns, within the matrix; never empty.
    pub cols: Range<usize>,
    /// Whether the rows were to end after the last one.
    pub cut: bool,
}

impl MatrixRange {
    /// Reads the range `text` of a matrix of the given size.
    ///
    /// Follows Kaldi's ParseMatrixRangeSpecifier, except that rows may be left empty.
    ///
    /// # Errors
    /// If `text` is no range, or the matrix does not have it; with offset zero.
    pub fn parse(text: &[u8], num_rows: usize, num_cols: usize) -> Result<Self, ParseError> {
        let mut parts = text.split(|&byte| byte == b',');
        let (rows, cols, rest) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        let rows = match (rows, cols) {
            (b"", Some(_)) => Some(None),
            _ => bounds(rows),
        };
        let cols = cols.map_or(Some(None), bounds);
        let (Some(rows), Some(cols), None) = (rows, cols, rest) else {
            return Err(malformed("0:51 or 0:51,89:100", text));
        };
        let fit_rows = fit(rows, num_rows, TOLERANCE).filter(|(rows, _)| !rows.is_empty());
        let (Some((rows, cut)), Some((cols, _))) = (fit_rows, fit(cols, num_cols, 0)) else {
            return Err(misfit(text, format_args!("matrix of {num_rows} by {num_cols}")));
        };
        Ok(Self { rows, cols, cut })
    }

    /// Like [`MatrixRange::parse`] for a matrix that was read with `cursor` from `start` on: errors have that place,
    /// and the cursor gets a warning if rows are cut.
    pub(crate) fn place(
        cursor: &mut Cursor<'_>,
        start: usize,
        text: &[u8],
        (num_rows, num_cols): (usize, usize),
    ) -> Result<Self, ParseError> {
        let range = Self::parse(text, num_rows, num_cols).map_err(|error| ParseError { offset: start, ..error })?;
        if range.cut {
            let rows = text.split(|&byte| byte == b',').next().unwrap_or_default().escape_ascii();
            cursor.warn(format!("Row range {rows} goes beyond the number of rows of the matrix {num_rows}"));
        }
        Ok(range)
    }
}

/// A part of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorRange {
    /// The elements, within the vector; empty if the range starts right after the last one.
    pub elements: Range<usize>,
    /// Whether the elements were to end after the last one.
    pub cut: bool,
}

impl VectorRange {
    /// Reads the range `text` of a vector of `dim` elements.
    ///
    /// Follows Kaldi's ExtractObjectRange.
    ///
    /// # Errors
    /// If `text` is no range, or the vector does not have it; with offset zero.
    pub fn parse(text: &[u8], dim: usize) -> Result<Self, ParseError> {
        let Some(bounds) = bounds(text) else { return Err(malformed("0:51", text)) };
        match fit(bounds, dim, TOLERANCE) {
            Some((elements, cut)) => Ok(Self { elements, cut }),
            None => Err(misfit(text, format_args!("vector of {dim}"))),
        }
    }

    /// Like [`VectorRange::parse`] for a vector that was read with `cursor` from `start` on: errors have that place,
    /// and the cursor gets a warning if elements are cut.
    pub(crate) fn place(cursor: &mut Cursor<'_>, start: usize, text: &[u8], dim: usize) -> Result<Self, ParseError> {
        let range = Self::parse(text, dim).map_err(|error| ParseError { offset: start, ..error })?;
        if range.cut {
            cursor.warn(format!("Range {} goes beyond the vector dimension {dim}", text.escape_ascii()));
        }
        Ok(range)
    }
}

/// Reads `begin:end`; `Some(None)` is `:`, everything.
#[allow(clippy::option_option)]
fn bounds(text: &[u8]) -> Option<Option<(i64, i64)>> {
    if text == b":" {
        return Some(None);
    }
    let colon = text.iter().position(|&byte| byte == b':')?;
    Some(Some((integer(&text[..colon])?, integer(&text[colon + 1..])?)))
}

/// Reads all of `text` as C's `strtoll` does, white space and sign before the digits included; it has to fit an `i32`.
fn integer(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    let digits = text.trim_start_matches(|character: char| character.is_ascii() && kaldi_io::is_space(character as u8));
    digits.parse::<i32>().ok().map(i64::from)
}

/// Fits bounds into `size` elements; the flag is whether the end was cut.
fn fit(bounds: Option<(i64, i64)>, size: usize, tolerance: i64) -> Option<(Range<usize>, bool)> {
    let size = size as i64;
    let (begin, end) = bounds.unwrap_or((0, size - 1));
    if begin < 0 || begin > end || end >= size + tolerance || begin > size {
        return None;
    }
    Some((begin as usize..size.min(end + 1) as usize, end >= size))
}

fn malformed(example: &str, text: &[u8]) -> ParseError {
    ParseError::new(0, format!("expected a range such as [{example}], got [{}]", text.escape_ascii()))
}

fn misfit(text: &[u8], what: std::fmt::Arguments<'_>) -> ParseError {
    ParseError::new(0, format!("range [{}] is not within a {what}", text.escape_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(text: &str) -> Option<(Range<usize>, Range<usize>, bool)> {
        MatrixRange::parse(text.as_bytes(), 11, 7).ok().map(|range| (range.rows, range.cols, range.cut))
    }

    #[test]
    fn ends_are_included() {
        assert_eq!(matrix("0:3"), Some((0..4, 0..7, false)));
        assert_eq!(matrix("2:2,6:6"), Some((2..3, 6..7, false)));
    }

    #[test]
    fn a_colon_is_everything() {
        assert_eq!(matrix(":"), Some((0..11, 0..7, false)));
        assert_eq!(matrix(":,:"), Some((0..11, 0..7, false)));
        assert_eq!(matrix(":,1:2"), Some((0..11, 1..3, false)));
    }

    #[test]
    fn rows_may_be_left_empty_before_columns() {
        assert_eq!(matrix(",1:2"), Some((0..11, 1..3, false)));
    }

    #[test]
    fn rows_may_end_three_behind_the_last() {
        assert_eq!(matrix("2:13"), Some((2..11, 0..7, true)));
        assert_eq!(matrix("2:14"), None);
        assert_eq!(matrix("10:13,0:0"), Some((10..11, 0..1, true)));
        assert_eq!(matrix("11:12"), None);
        assert_eq!(matrix("0:3,0:7"), None);
    }

    #[test]
    fn integers_are_those_of_strtoll() {
        assert_eq!(matrix(" 0:3, 1: +2"), Some((0..4, 1..3, false)));
        assert_eq!(matrix("0:03"), Some((0..4, 0..7, false)));
        for text in ["0 :3", "0:3 ", "0.0:3", "a:b", "0:99999999999", "0x0:3", "+-1:3", "1_0:10"] {
            assert_eq!(matrix(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "0", "0-3", "0:", ":3", "0:1:2", "::", "0:3,", "0:3,1:2,0:1", ",", "3:2", "-1:2", ":,7:7"] {
            assert_eq!(matrix(text), None, "{text}");
        }
    }

    #[test]
    fn nothing_lies_within_an_empty_matrix() {
        assert!(MatrixRange::parse(b":", 0, 0).is_err());
        assert!(MatrixRange::parse(b"0:0", 0, 0).is_err());
        assert!(VectorRange::parse(b":", 0).is_err());
    }

    #[test]
    fn messages_tell_the_range_and_the_size() {
        let message = |text: &[u8]| MatrixRange::parse(text, 11, 7).unwrap_err().to_string();
        assert_eq!(message(b"0:14"), "range [0:14] is not within a matrix of 11 by 7");
        assert_eq!(message(b"0-3"), "expected a range such as [0:51 or 0:51,89:100], got [0-3]");
        let error = VectorRange::parse(b"0:1,0:1", 5).unwrap_err();
        assert_eq!(error.to_string(), "expected a range such as [0:51], got [0:1,0:1]");
        assert_eq!(VectorRange::parse(b"6:9", 5).unwrap_err().to_string(), "range [6:9] is not within a vector of 5");
    }

    #[test]
    fn a_vector_may_be_cut_down_to_nothing() {
        let vector = |text: &[u8]| VectorRange::parse(text, 7).ok().map(|range| (range.elements, range.cut));
        assert_eq!(vector(b"1:9"), Some((1..7, true)));
        assert_eq!(vector(b"3:3"), Some((3..4, false)));
        assert_eq!(vector(b":"), Some((0..7, false)));
        // Kaldi's vectors may be empty, its matrices may not: [7:8] of a matrix of 7 rows is refused above.
        assert_eq!(vector(b"7:8"), Some((7..7, true)));
        assert_eq!(vector(b"8:9"), None);
        assert_eq!(vector(b"0:10"), None);
    }
}
