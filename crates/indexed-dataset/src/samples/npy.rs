//! NumPy's files of one array (`.npy`, version 1.0), as far as these indices need them.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use whole_file::Sealed;

use crate::builder::Spool;
use crate::index_file::open_file;
use crate::{Error, Fault, Result};

/// The start of a file of version 1.0.
const START: &[u8] = b"\x93NUMPY\x01\0";

/// The length of the header is a multiple of this.
const ALIGNED: usize = 64;

/// The type of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum NpyKind {
    I16,
    I32,
    U32,
    I64,
}

impl NpyKind {
    fn descr(self) -> &'static str {
        match self {
            Self::I16 => "<i2",
            Self::I32 => "<i4",
            Self::U32 => "<u4",
            Self::I64 => "<i8",
        }
    }

    /// Bytes of a number.
    fn size(self) -> u64 {
        match self {
            Self::I16 => 2,
            Self::I32 | Self::U32 => 4,
            Self::I64 => 8,
        }
    }
}

/// An array that is being written to a file.
#[derive(Debug)]
pub(super) struct NpyWriter {
    spool: Spool,
}

impl NpyWriter {
    /// Writes the header, with the same bytes as NumPy.
    pub(super) fn create(path: PathBuf, kind: NpyKind, shape: &[u64]) -> Result<Self> {
        let mut spool = Spool::create(path, 0)?;
        spool.put(&header(kind, shape))?;
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

    pub(super) fn seal(self) -> Result<(PathBuf, Sealed)> {
        self.spool.seal()
    }
}

fn header(kind: NpyKind, shape: &[u64]) -> Vec<u8> {
    let shape = match shape {
        [one] => format!("({one},)"),
        several => format!("({})", several.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut text = format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", kind.descr());
    // A line end is the last byte.
    let length = (START.len() + 2 + text.len() + 1).next_multiple_of(ALIGNED);
    let padded = length - START.len() - 2 - 1;
    text.extend(std::iter::repeat_n(' ', padded - text.len()));
    text.push('\n');
    [START, &(text.len() as u16).to_le_bytes(), text.as_bytes()].concat()
}

/// An array in a file.
#[derive(Debug)]
pub struct NpyReader {
    file: File,
    path: PathBuf,
    kind: NpyKind,
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
        let (file, length) = open_file(path)?;
        let mut head = vec![0; 10.min(length) as usize];
        file.read_exact_at(&mut head, 0).map_err(Error::read(path, 0))?;
        let wrong = |field, expected: &str, found: String| Error::from(Fault::new(path, field, None, expected, found));
        if head.len() < 10 || !head.starts_with(START) {
            return Err(wrong("magic", "that of a NumPy array", head.escape_ascii().to_string()));
        }
        let start = 10 + u64::from(u16::from_le_bytes([head[8], head[9]]));
        let mut text = vec![0; (start.min(length) - 10) as usize];
        file.read_exact_at(&mut text, 10).map_err(Error::read(path, 10))?;
        let text = String::from_utf8_lossy(&text);
        let parsed = parse(&text);
        let Some((kind, rows, columns)) = parsed else {
            return Err(wrong("header", "one or two dimensions of integers", text.trim().escape_debug().to_string()));
        };
        let bytes = rows.checked_mul(columns).and_then(|count| count.checked_mul(kind.size()));
        if bytes.and_then(|bytes| bytes.checked_add(start)) != Some(length) {
            return Err(wrong(
                "length",
                &format!("what an array of {rows} by {columns} takes"),
                format!("{length} bytes"),
            ));
        }
        Ok(Self { file, path: path.to_owned(), kind, columns, rows, start })
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
        let width = self.columns * self.kind.size();
        let mut bytes = vec![0; ((rows.end - rows.start) * width) as usize];
        let offset = self.start + rows.start * width;
        self.file.read_exact_at(&mut bytes, offset).map_err(Error::read(&self.path, offset))?;
        Ok(match self.kind {
            NpyKind::I16 => bytes.as_chunks().0.iter().map(|number| i16::from_le_bytes(*number).into()).collect(),
            NpyKind::I32 => bytes.as_chunks().0.iter().map(|number| i32::from_le_bytes(*number).into()).collect(),
            NpyKind::U32 => bytes.as_chunks().0.iter().map(|number| u32::from_le_bytes(*number).into()).collect(),
            NpyKind::I64 => bytes.as_chunks().0.iter().map(|number| i64::from_le_bytes(*number)).collect(),
        })
    }
}

/// The type, the rows and the columns in the text of a header.
fn parse(text: &str) -> Option<(NpyKind, u64, u64)> {
    let value = |key: &str| Some(text.split_once(&format!("'{key}':"))?.1.trim_start());
    let descr = value("descr")?.strip_prefix('\'')?.split('\'').next()?;
    let kind =
        [NpyKind::I16, NpyKind::I32, NpyKind::U32, NpyKind::I64].into_iter().find(|kind| kind.descr() == descr)?;
    if !value("fortran_order")?.starts_with("False") {
        return None;
    }
    let shape = value("shape")?.strip_prefix('(')?.split(')').next()?;
    let shape: Option<Vec<u64>> =
        shape.split(',').map(str::trim).filter(|word| !word.is_empty()).map(|word| word.parse().ok()).collect();
    match shape?[..] {
        [rows] => Some((kind, rows, 1)),
        [rows, columns] if columns > 0 => Some((kind, rows, columns)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_numpys() {
        let header = header(NpyKind::I32, &[157, 2]);
        assert_eq!(header.len(), 128);
        let start = b"\x93NUMPY\x01\0v\0{'descr': '<i4', 'fortran_order': False, 'shape': (157, 2), }  ";
        assert!(header.starts_with(start));
        assert!(header.ends_with(b" \n"));
        assert!(
            super::header(NpyKind::U32, &[6])
                .starts_with(b"\x93NUMPY\x01\0v\0{'descr': '<u4', 'fortran_order': False, 'shape': (6,), }  ")
        );
    }

    #[test]
    fn arrays_come_back_and_cut_ones_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let mut writer = NpyWriter::create(path.clone(), NpyKind::I64, &[3, 2]).unwrap();
        writer.put_all(&[1_i64, -2, 3, 4, 5, i64::MAX], i64::to_le_bytes).unwrap();
        writer.seal().unwrap().1.publish().unwrap();
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
