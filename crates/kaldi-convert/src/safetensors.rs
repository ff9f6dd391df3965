//! The files of safetensors, from and to the streams of tables.
//!
//! The header is first, and says everything. If it is not known before the numbers are read, they wait in a spool file.

use array_files::{read_at_most, safetensors};
use bstr::{BStr, ByteSlice};
use kaldi_io::Output;

use crate::array::Array;
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

/// Reads every tensor of a file, in the order of their numbers in the file.
pub(crate) fn read(name: &BStr, mut each: impl FnMut(&[u8], Array) -> Result<()>) -> Result<()> {
    let mut stream = Stream::open(name)?;
    let place = stream.input.name().to_owned();
    let fault = |message: String| Error::content(&place, message);
    let failed = |error: std::io::Error| fault(error.to_string());
    for tensor in safetensors::read_header(&mut stream).map_err(|error| Error::content(&place, error))? {
        let safetensors::Tensor { name: key, dtype, shape, num_bytes } = tensor;
        if shape.len() > 2 {
            return Err(fault(format!("{key}: expected 1 or 2 dimensions, got {}", shape.len())));
        }
        let bytes = read_at_most(&mut stream, num_bytes).map_err(failed)?;
        if bytes.len() as u64 != num_bytes {
            return Err(fault(format!("{key}: expected {num_bytes} bytes, got {}: the file is cut", bytes.len())));
        }
        let dims: Vec<usize> = shape.iter().map(|&dim| usize::try_from(dim).unwrap_or(0)).collect();
        each(key.as_bytes(), Array::new(dtype, &dims, bytes))?;
    }
    if !read_at_most(&mut stream, 1).map_err(failed)?.is_empty() {
        return Err(fault("expected the end after the last tensor, got more bytes".into()));
    }
    stream.finish()
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
