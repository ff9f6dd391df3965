//! The header of a file of tensors, before the numbers of its table are read.

use std::fs;
use std::path::{Path, PathBuf};

use array_files::{DType, safetensors::HeaderWriter};
use bstr::ByteSlice;
use kaldi_any::{Detector, Header, ValueType};
use kaldi_inspect::{Named, NamedKind};
use kaldi_io::Locator;
use kaldi_table::{RawEntries, RawEntry, Reader, ScriptLines};

use crate::export::ExportOptions;

/// The header for a table of binary matrices and vectors in files: an archive, or the values of a script file. `None` for any other
/// table: its sizes are known when its values have been read.
pub(crate) fn header_of(source: &Named, options: &ExportOptions) -> Option<Vec<u8>> {
    let locator = Locator::parse(source.rxfilename.as_ref()).ok()?;
    if options.table_type.is_some() || !is_file(&locator) {
        return None;
    }
    let detector = Detector::new(None);
    let mut entries = match source.kind {
        NamedKind::Archive => RawEntries::archive(&source.rxfilename, detector),
        NamedKind::Script if names_files(source) => RawEntries::script(&source.rxfilename, detector),
        _ => return None,
    }
    .ok()?;
    let mut header = HeaderWriter::new();
    while let Some(entry) = entries.next().ok()? {
        let (dtype, shape) = tensor(&entry)?;
        let dtype = options.dtype.map_or(dtype, DType::from);
        header.put(entry.key().to_str().ok()?, dtype, &shape).ok()?;
    }
    Some(header.finish())
}

/// Whether every line of a script file names a regular file: a second look at it finds the same bytes.
fn names_files(script: &Named) -> bool {
    let Ok(mut lines) = ScriptLines::open(script.rxfilename.as_ref()) else { return false };
    let mut last = PathBuf::new();
    loop {
        match lines.next_line() {
            Ok(None) => return true,
            Ok(Some(line)) => match line.locator() {
                Ok(locator) if locator.path() == Some(&last) => {}
                Ok(locator) if is_file(&locator) => last = locator.path().map(Path::to_owned).unwrap_or_default(),
                _ => return false,
            },
            Err(_) => return false,
        }
    }
}

fn is_file(locator: &Locator) -> bool {
    locator.path().and_then(|path| fs::metadata(path).ok()).is_some_and(|metadata| metadata.is_file())
}

/// The type and the sizes of a binary matrix or vector in a file.
fn tensor(entry: &RawEntry) -> Option<(DType, Vec<usize>)> {
    if entry.range().is_some() || entry.is_open() || entry.blob().file().is_none() {
        return None;
    }
    let (value_type, dtype) = match entry.head() {
        [0, b'B', b'F' | b'C', b'M', ..] => (ValueType::Matrix, DType::Float32),
        [0, b'B', b'D', b'M', ..] => (ValueType::Matrix, DType::Float64),
        [0, b'B', b'F', b'V', ..] => (ValueType::Vector, DType::Float32),
        [0, b'B', b'D', b'V', ..] => (ValueType::Vector, DType::Float64),
        _ => return None,
    };
    let beyond = entry.size().saturating_sub(entry.head().len() as u64);
    let header = Header::in_head(value_type, entry.head(), beyond, None).ok()??;
    let counts = [header.rows, header.columns];
    // The header of a matrix without rows may have columns.
    if header.rows == Some(0) && value_type == ValueType::Matrix {
        return None;
    }
    Some((dtype, counts.into_iter().flatten().map(usize::try_from).collect::<Result<_, _>>().ok()?))
}
