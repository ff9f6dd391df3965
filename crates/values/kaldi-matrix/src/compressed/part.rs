//! The bytes of a rectangle of a compressed matrix.

use std::ops::Range;

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Part};

use super::stored::{Header, Layout, Stored};
use crate::MatrixRange;

/// The most columns that are read one by one; a wider matrix is read as a whole.
const MAX_COLUMNS: usize = 1 << 16;

/// Returns which bytes a range needs of the matrix whose marker is at `start`; the cursor is after the marker.
pub(crate) fn part(cursor: &mut Cursor<'_>, start: usize, range: &[u8]) -> Result<Option<Part>, ParseError> {
    let header = Header::read(cursor)?;
    let payload = cursor.offset() - start;
    let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, (header.rows, header.cols))?;
    // The number of columns is only a claim, so no memory is allocated for it.
    if header.layout == Layout::Columns && rows.len() < header.rows && cols.len() > MAX_COLUMNS {
        return Ok(None);
    }
    // In the layout by columns, columns are selected; otherwise whole rows are read, and cut when they are
    // decompressed.
    let (pieces, num_cols, range) = match header.layout {
        Layout::Columns => (column_pieces(header, &rows, &cols), cols.len(), ":".to_owned()),
        Layout::TwoByte => (row_pieces(header, &rows, 2), header.cols, format!(":,{}:{}", cols.start, cols.end - 1)),
        Layout::OneByte => (row_pieces(header, &rows, 1), header.cols, format!(":,{}:{}", cols.start, cols.end - 1)),
    };
    let mut head = Vec::new();
    Stored { header: Header { rows: rows.len(), cols: num_cols, ..header }, payload: &[] }.write(&mut head);
    let place = |piece: Range<usize>| (payload + piece.start) as u64..(payload + piece.end) as u64;
    Ok(Some(Part { head, pieces: pieces.into_iter().map(place).collect(), range: Some(range.into()) }))
}

/// The levels of the columns, and the rows of each of them.
fn column_pieces(header: Header, rows: &Range<usize>, cols: &Range<usize>) -> Vec<Range<usize>> {
    let bytes = 8 * header.cols;
    let column = |col: usize| bytes + col * header.rows;
    let levels = 8 * cols.start..8 * cols.end;
    let mut pieces = vec![levels];
    if rows.len() == header.rows {
        pieces.push(column(cols.start)..column(cols.end));
    } else {
        pieces.extend(cols.clone().map(|col| column(col) + rows.start..column(col) + rows.end));
    }
    pieces
}

/// The rows.
fn row_pieces(header: Header, rows: &Range<usize>, width: usize) -> Vec<Range<usize>> {
    let stride = width * header.cols;
    let piece = rows.start * stride..rows.end * stride;
    vec![piece]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_of_many_columns_takes_no_memory() {
        let header = |cols: i32| {
            let fields = [1_f32.to_le_bytes(), 2_f32.to_le_bytes(), 9_i32.to_le_bytes(), cols.to_le_bytes()];
            [b"CM ".as_slice(), &fields.concat()].concat()
        };
        let pieces = |cols: i32, range: &str| {
            let part = part(&mut Cursor::new(&header(cols)), 0, range.as_bytes()).unwrap();
            part.map(|part| part.pieces.len())
        };
        assert_eq!(pieces(100, "2:3"), Some(101));
        assert_eq!(pieces(i32::MAX, ":,5:2000000000"), Some(2));
        assert_eq!(pieces(i32::MAX, "2:3,5:6"), Some(3));
        assert_eq!(pieces(i32::MAX, "2:3"), None);
    }
}
