//! The files of safetensors, from and to the streams of tables.
//!
//! The header is first, and says everything: numbers wait in a spool file until it is known.

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
    spool: Spool,
    header: safetensors::HeaderWriter,
}

impl SafetensorsWriter {
    pub(crate) fn new(output: Output, spool: Spool) -> Self {
        Self { output, spool, header: safetensors::HeaderWriter::new() }
    }

    /// Appends a tensor.
    pub(crate) fn put(&mut self, key: &BStr, array: &Array) -> Result<()> {
        let name =
            key.to_str().map_err(|_| Error::value(key, "expected a key in UTF-8, which names of tensors are"))?;
        self.header.put(name, array.dtype, &array.dims).map_err(|error| Error::value(key, error))?;
        self.spool.write(&array.data)
    }

    /// Writes the header and the numbers, and gives the output back.
    pub(crate) fn finish(mut self) -> Result<Output> {
        self.output.write_all(&self.header.finish())?;
        self.spool.into_output(&mut self.output)?;
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
