//! NumPy's files of one array (`.npy`, version 1.0), as far as these indices need them.

use std::io::Cursor;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use array_files::DType;
use array_files::npy::{ArrayLayout, header};
use kaldi_io::ReadAt;

use crate::open::{head, open_whole};
use crate::publish::Complete;
use crate::spool::Spool;
use crate::{DatasetFault, Error, Result};

/// Headers of arrays are shorter.
const LONGEST_HEADER: usize = 1 << 16;

/// An array that is being written to a file.
#[derive(Debug)]
pub(super) struct NpyWriter {
    spool: Spool,
}

impl NpyWriter {
    /// Writes the header, with the same bytes as NumPy.
    pub(super) fn create(path: PathBuf, dtype: DType, shape: &[u64]) -> Result<Self> {
        let mut spool = Spool::create(path, 0)?;
        spool.put(&header(dtype, shape))?;
        Ok(Self { spool })
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.spool.put(bytes)
    }

    pub(super) fn put_all<const N: usize, T: Copy>(&mut self, numbers: &[T], bytes: fn(T) -> [u8; N]) -> Result<()> {
        let mut buffer = Vec::new();
        for numbers in numbers.chunks(1 << 14) {
            buffer.clear();
            buffer.extend(numbers.iter().flat_map(|number| bytes(*number)));
            self.spool.put(&buffer)?;
        }
        Ok(())
    }

    pub(super) fn seal(self) -> Result<Complete> {
        self.spool.seal()
    }
}

/// An array in a file.
#[derive(Debug)]
pub struct NpyReader {
    file: Arc<dyn ReadAt>,
    path: PathBuf,
    dtype: DType,
    columns: u64,
    rows: u64,
    start: u64,
}

impl NpyReader {
    /// Opens an array of integers with one or two dimensions.
    ///
    /// # Errors
    /// If the file cannot be read, is something else, or is shorter or longer than its header says.
    pub fn open(path: &Path) -> Result<Self> {
        let file = open_whole(path)?;
        let length = file.length();
        let wrong =
            |field, expected: &str, found: String| Error::from(DatasetFault::new(path, field, None, expected, found));
        let mut reader = Cursor::new(head(&*file, path, LONGEST_HEADER)?);
        let layout = ArrayLayout::read(&mut reader).map_err(|error| match error {
            array_files::Error::Io(error) => Error::read(path, 0)(error),
            error => wrong("header", "that of a NumPy array", error.to_string()),
        })?;
        let start = reader.position();
        let (rows, columns) = match layout.dims[..] {
            [rows] => (rows, 1),
            [rows, columns] if columns > 0 => (rows, columns),
            _ => (0, 0),
        };
        let is_integer = matches!(layout.dtype, DType::Int16 | DType::Int32 | DType::Uint32 | DType::Int64);
        if columns == 0 || !is_integer || layout.is_big_endian || layout.is_fortran {
            return Err(wrong("header", "one or two dimensions of integers", format!("{layout:?}")));
        }
        if layout.num_bytes().and_then(|bytes| bytes.checked_add(start)) != Some(length) {
            return Err(wrong(
                "length",
                &format!("what an array of {rows} by {columns} takes"),
                format!("{length} bytes"),
            ));
        }
        Ok(Self { file, path: path.to_owned(), dtype: layout.dtype, columns, rows, start })
    }

    /// The number of rows of an array with two dimensions, or of numbers if it has one.
    pub fn num_rows(&self) -> u64 {
        self.rows
    }

    /// Numbers in a row.
    pub fn num_columns(&self) -> u64 {
        self.columns
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The numbers of some rows; these must exist.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn rows(&self, rows: Range<u64>) -> Result<Vec<i64>> {
        let width = self.columns * self.dtype.width() as u64;
        let mut bytes = Vec::new();
        let offset = self.start + rows.start * width;
        let length = ((rows.end - rows.start) * width) as usize;
        self.file.read_at(offset, &mut bytes, length).map_err(Error::read(&self.path, offset))?;
        Ok(match self.dtype {
            DType::Int16 => bytes.as_chunks().0.iter().map(|number| i16::from_le_bytes(*number).into()).collect(),
            DType::Int32 => bytes.as_chunks().0.iter().map(|number| i32::from_le_bytes(*number).into()).collect(),
            DType::Uint32 => bytes.as_chunks().0.iter().map(|number| u32::from_le_bytes(*number).into()).collect(),
            _ => bytes.as_chunks().0.iter().map(|number| i64::from_le_bytes(*number)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::publish;

    #[test]
    fn arrays_come_back_and_cut_ones_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let mut writer = NpyWriter::create(path.clone(), DType::Int64, &[3, 2]).unwrap();
        writer.put_all(&[1_i64, -2, 3, 4, 5, i64::MAX], i64::to_le_bytes).unwrap();
        publish([writer.seal().unwrap()], || Ok::<_, Error>(())).unwrap();
        let reader = NpyReader::open(&path).unwrap();
        assert_eq!((reader.num_rows(), reader.num_columns()), (3, 2));
        assert_eq!(reader.rows(1..3).unwrap(), [3, 4, 5, i64::MAX]);
        let bytes = std::fs::read(&path).unwrap();
        for length in 0..bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            assert!(NpyReader::open(&path).is_err(), "{length}");
        }
    }
}
