//! The files of safetensors, from and to the streams of tables.
//!
//! The header is first, and says everything. If it is not known before the numbers are read, they wait in a spool file.

use array_files::{read_at_most, safetensors};
use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Output;

use crate::array::Array;
use crate::import::NamedArrays;
use crate::spool::Spool;
use crate::stream::Stream;
use crate::{Error, Result};

/// Writes tensors into a file.
pub(crate) struct SafetensorsWriter {
    output: Output,
    place: Place,
    header: safetensors::HeaderWriter,
}

/// Where numbers are written.
enum Place {
    /// A file beside the output.
    Spool(Spool),
    /// The output, after this header.
    Output(Vec<u8>),
}

impl SafetensorsWriter {
    pub(crate) fn new(output: Output, spool: Spool) -> Self {
        Self { output, place: Place::Spool(spool), header: safetensors::HeaderWriter::new() }
    }

    /// Tensors that have this header.
    pub(crate) fn with_header(mut output: Output, header: Vec<u8>) -> Result<Self> {
        output.write_all(&header)?;
        Ok(Self { output, place: Place::Output(header), header: safetensors::HeaderWriter::new() })
    }

    /// Appends a tensor.
    pub(crate) fn put(&mut self, key: &BStr, array: &Array) -> Result<()> {
        let name =
            key.to_str().map_err(|_| Error::value(key, "expected a key in UTF-8, which names of tensors are"))?;
        self.header.put(name, array.dtype, &array.dims).map_err(|error| Error::value(key, error))?;
        match &mut self.place {
            Place::Spool(spool) => spool.write(&array.data),
            Place::Output(_) => Ok(self.output.write_encoded(&array.data)?),
        }
    }

    /// Writes the header and the numbers, and gives the output back.
    pub(crate) fn finish(mut self) -> Result<Output> {
        let header = self.header.finish();
        match self.place {
            Place::Spool(spool) => {
                self.output.write_all(&header)?;
                spool.into_output(&mut self.output)?;
            }
            Place::Output(written) if written == header => {}
            Place::Output(_) => {
                return Err(Error::content(self.output.name(), "the table was changed while it was exported"));
            }
        }
        Ok(self.output)
    }
}

/// The tensors of a file, in the order of their numbers in the file.
pub(crate) struct Tensors {
    stream: Stream,
    place: String,
    left: std::vec::IntoIter<safetensors::Tensor>,
}

impl Tensors {
    pub(crate) fn open(name: &BStr) -> Result<Self> {
        let mut stream = Stream::open(name)?;
        let place = stream.input.name().to_owned();
        let tensors = safetensors::read_header(&mut stream).map_err(|error| Error::content(&place, error))?;
        Ok(Self { stream, place, left: tensors.into_iter() })
    }
}

impl NamedArrays for Tensors {
    fn names(&mut self) -> Result<Vec<BString>> {
        Ok(self.left.as_slice().iter().map(|tensor| tensor.name.as_str().into()).collect())
    }

    fn next_array(&mut self) -> Result<Option<(BString, Array)>> {
        let fault = |message: String| Error::content(&self.place, message);
        let failed = |error: std::io::Error| fault(error.to_string());
        let Some(safetensors::Tensor { name: key, dtype, shape, num_bytes }) = self.left.next() else {
            if !read_at_most(&mut self.stream, 1).map_err(failed)?.is_empty() {
                return Err(fault("expected the end after the last tensor, got more bytes".into()));
            }
            self.stream.input.finish()?;
            return Ok(None);
        };
        if shape.len() > 2 {
            return Err(fault(format!("{key}: expected 1 or 2 dimensions, got {}", shape.len())));
        }
        let bytes = read_at_most(&mut self.stream, num_bytes).map_err(failed)?;
        if bytes.len() as u64 != num_bytes {
            return Err(fault(format!("{key}: expected {num_bytes} bytes, got {}: the file is cut", bytes.len())));
        }
        let dims: Vec<usize> = shape.iter().map(|&dim| usize::try_from(dim).unwrap_or(0)).collect();
        Ok(Some((key.into(), Array::new(dtype, &dims, bytes))))
    }
}

#[cfg(test)]
mod tests {
    use array_files::DType;

    use super::*;

    #[test]
    fn a_table_that_changed_gives_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.safetensors");
        let array = Array::new(DType::Float32, &[1, 2], vec![7; 8]);
        let mut header = safetensors::HeaderWriter::new();
        header.put("a", DType::Float32, &[1, 2]).unwrap();
        let header = header.finish();
        for (key, is_same) in [("b", false), ("a", true)] {
            let output = Output::create(path.to_str().unwrap().into(), false).unwrap();
            let mut writer = SafetensorsWriter::with_header(output, header.clone()).unwrap();
            writer.put(key.into(), &array).unwrap();
            let finished = writer.finish().and_then(|output| Ok(output.finish()?));
            assert_eq!((finished.is_ok(), path.exists()), (is_same, is_same));
        }
        assert_eq!(std::fs::read(path).unwrap(), [header.as_slice(), &[7; 8]].concat());
    }
}
