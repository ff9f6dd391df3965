//! Features that were found, and those of NumPy that become an archive.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use array_files::DType;
use array_files::npy::ArrayLayout;
use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Output, OutputSet};
use kaldi_matrix::Matrix;
use kaldi_value::{Format, Value};
use shards::{Members, Wanted};

use crate::{CorpusPlace, Error, Result};

/// The features of an utterance that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundFeatures {
    /// What a line of `feats.scp` says.
    Named(BString),
    /// An array of NumPy, which has to be copied.
    Array(FoundArray),
}

/// An array of NumPy: a file, or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundArray {
    /// The file.
    pub file: BString,
    /// Offset and size of the array in the file; `None` if it is the file.
    pub place: Option<(u64, u64)>,
    /// Whether the file is a tar file that is compressed, which is read from its start on.
    pub is_packed: bool,
    /// The first row that counts, and the one after the last; `None` for all.
    pub rows: Option<(u64, u64)>,
}

/// Writes features to the archive `feats.ark` of a data directory. It appears with the set that [`FeatureCopies::add_to`] adds it to.
#[derive(Debug)]
pub struct FeatureCopies {
    path: PathBuf,
    output: Output,
    /// The file that was read last.
    open: Option<(BString, Opened)>,
}

/// A file with arrays.
#[derive(Debug)]
enum Opened {
    Plain(File),
    /// A tar file that is compressed, and the array that was read last, with its offset.
    Packed {
        members: Box<Members>,
        offset: u64,
        bytes: Vec<u8>,
    },
}

impl FoundArray {
    /// Arrays are copied in the order of this: those of a tar file that is compressed in the order in which they lie there, others as
    /// they come.
    pub(crate) fn order(&self) -> Option<(&BStr, u64)> {
        self.is_packed.then(|| (self.file.as_bstr(), self.place.map_or(0, |(offset, _)| offset)))
    }
}

impl FeatureCopies {
    /// Starts the archive in the data directory `folder`, which is there.
    ///
    /// # Errors
    /// If nothing can be written there.
    pub fn create(folder: &Path) -> Result<Self> {
        let path = folder.join("feats.ark");
        let output = Output::create_file(&path, path.display().to_string(), false)?;
        Ok(Self { path, output, open: None })
    }

    /// Copies an array, and returns its place in the archive.
    ///
    /// # Errors
    /// If it cannot be read, or is no matrix of floating-point numbers; if the archive cannot be written.
    pub(crate) fn copy(&mut self, key: &BStr, array: &FoundArray, place: &CorpusPlace) -> Result<BString> {
        let name = kaldi_io::printable_rxfilename(array.file.as_ref()).into_owned();
        let matrix = matrix(&self.read(array)?, array.rows)
            .map_err(|message| place.error(format!("features of {key} in {name}: {message}")))?;
        self.output.write_all(&[key.as_bytes(), b" "].concat())?;
        let offset = self.output.position().unwrap_or_default();
        self.output.write_all(&matrix.to_bytes(Format::Binary))?;
        Ok([self.path.as_os_str().as_bytes(), format!(":{offset}").as_bytes()].concat().into())
    }

    /// Adds the archive to a set.
    ///
    /// # Errors
    /// If it cannot be written to its end.
    pub fn add_to(self, set: &mut OutputSet) -> Result<()> {
        Ok(set.add(self.output)?)
    }

    /// The bytes of an array.
    fn read(&mut self, array: &FoundArray) -> Result<Cow<'_, [u8]>> {
        let name = || array.file.to_str_lossy().into_owned();
        let (offset, size) = array.place.unwrap_or((0, u64::MAX));
        let is_open = |(open, file): &(BString, Opened)| {
            *open == array.file && !matches!(file, Opened::Packed { offset: read, .. } if *read > offset)
        };
        let (_, opened) = match self.open.take().filter(is_open) {
            Some(open) => self.open.insert(open),
            None if array.is_packed => {
                let members = Box::new(Members::open(array.file.as_ref(), Wanted::Contents)?);
                self.open.insert((array.file.clone(), Opened::Packed { members, offset: 0, bytes: Vec::new() }))
            }
            None => {
                let file = File::open(array.file.to_path_lossy());
                let file = file.map_err(|source| kaldi_io::Error::Open { name: name(), source })?;
                self.open.insert((array.file.clone(), Opened::Plain(file)))
            }
        };
        match opened {
            Opened::Plain(file) => {
                let failed = |source| Error::Io(kaldi_io::Error::Read { name: name(), offset, source });
                file.seek(SeekFrom::Start(offset)).map_err(failed)?;
                let mut bytes = Vec::new();
                file.take(size).read_to_end(&mut bytes).map_err(failed)?;
                Ok(bytes.into())
            }
            Opened::Packed { members, offset: read, bytes } => {
                while *read < offset {
                    let Some((member, mut payload)) = members.next_member()? else {
                        let name = name();
                        return Err(Error::Nothing(format!(
                            "{name}: expected a member at {offset}, got the end: it has changed"
                        )));
                    };
                    *read = member.offset;
                    if member.offset == offset {
                        *bytes = payload.read()?;
                    }
                }
                Ok(bytes.as_slice().into())
            }
        }
    }
}

/// The matrix in a file of NumPy, or some of its rows.
fn matrix(bytes: &[u8], rows: Option<(u64, u64)>) -> Result<Matrix<f32>, String> {
    let mut rest = bytes;
    let layout = ArrayLayout::read(&mut rest).map_err(|error| error.to_string())?;
    let [num_rows, num_cols] = layout.dims[..] else {
        return Err(format!("expected an array of two dimensions, got {}", layout.dims.len()));
    };
    if layout.is_big_endian || layout.is_fortran || !matches!(layout.dtype, DType::Float32 | DType::Float64) {
        let order = if layout.is_fortran { ", stored by columns" } else { "" };
        return Err(format!("expected float32 or float64, row after row, got {:?}{order}", layout.dtype));
    }
    let expected = layout.num_bytes().unwrap_or(u64::MAX);
    if (rest.len() as u64) < expected {
        return Err(format!("expected {expected} bytes of numbers, got {}", rest.len()));
    }
    let (first, end) = rows.unwrap_or((0, num_rows));
    let (first, end) = (first.min(num_rows) as usize, end.min(num_rows) as usize);
    let (width, num_cols) = (layout.dtype.width(), num_cols as usize);
    let wanted = &rest[first * num_cols * width..end.max(first) * num_cols * width];
    let numbers: Vec<f32> = match layout.dtype {
        DType::Float64 => {
            let (numbers, _) = wanted.as_chunks::<8>();
            numbers.iter().map(|number| f64::from_le_bytes(*number) as f32).collect()
        }
        _ => {
            let (numbers, _) = wanted.as_chunks::<4>();
            numbers.iter().map(|number| f32::from_le_bytes(*number)).collect()
        }
    };
    Ok(Matrix::from_vec(end.saturating_sub(first), num_cols, numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_matrices() {
        let numbers = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0];
        let file = |dtype, dims: &[u64], bytes: Vec<u8>| [array_files::npy::header(dtype, dims), bytes].concat();
        let single = file(DType::Float32, &[3, 2], numbers.iter().flat_map(|it| it.to_le_bytes()).collect());
        let double =
            file(DType::Float64, &[3, 2], numbers.iter().flat_map(|it| f64::from(*it).to_le_bytes()).collect());
        for bytes in [single.clone(), double] {
            let all = matrix(&bytes, None).unwrap();
            assert_eq!((all.num_rows(), all.row(2)), (3, &[5.0, 6.0][..]));
            let part = matrix(&bytes, Some((1, 2))).unwrap();
            assert_eq!((part.num_rows(), part.row(0)), (1, &[3.0, 4.0][..]));
        }
        let error = matrix(&single[..single.len() - 1], None).unwrap_err();
        assert_eq!(error, "expected 24 bytes of numbers, got 23");
        assert!(matrix(&file(DType::Int32, &[1, 1], vec![0; 4]), None).unwrap_err().ends_with("got Int32"));
        assert!(matrix(&file(DType::Float32, &[1], vec![0; 4]), None).unwrap_err().ends_with("two dimensions, got 1"));
        assert!(matrix(b"x", None).is_err());
    }
}
