//! The files of safetensors.
//!
//! ```text
//! 50 00 00 00 00 00 00 00  {"utt1":{"dtype":"F32","shape":[3,40],"data_offsets":[0,480]}}   numbers of all tensors
//! length of the header     JSON, padded with spaces to a multiple of 8                     one after the other
//! ```
//!
//! The header stands first, and tells of all: numbers wait in a spool file until it is known. The crate `safetensors` wants
//! the whole file in memory, to write it and to read its header, so that this is done here.

use std::collections::{BTreeMap, HashSet};

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Output;
use serde::Deserialize;

use crate::array::{Array, DType};
use crate::npy::read_exactly;
use crate::spool::Spool;
use crate::stream::Stream;
use crate::{Error, Result};

/// Bytes of the longest header that the crate `safetensors` reads.
const LONGEST_HEADER: u64 = 100_000_000;

/// Writes tensors into a file.
pub(crate) struct SafetensorsWriter {
    output: Output,
    spool: Spool,
    header: Vec<u8>,
    keys: HashSet<BString>,
}

impl SafetensorsWriter {
    pub(crate) fn new(output: Output, spool: Spool) -> Self {
        Self { output, spool, header: b"{".to_vec(), keys: HashSet::new() }
    }

    /// Appends a tensor.
    pub(crate) fn put(&mut self, key: &BStr, array: &Array) -> Result<()> {
        let refuse = |message: String| Err(Error::value(key, message));
        let Ok(name) = key.to_str() else {
            return refuse("expected a key in UTF-8, which names of tensors are".into());
        };
        if name == "__metadata__" {
            return refuse("a tensor cannot have this name, which safetensors keeps for itself".into());
        }
        if !self.keys.insert(key.to_owned()) {
            return refuse("this key comes twice, which tensors cannot".into());
        }
        let dtype = match array.dtype {
            DType::Float16 => "F16",
            DType::Float64 => "F64",
            DType::Int32 => "I32",
            DType::Int16 => "I16",
            DType::Bool => "BOOL",
            _ => "F32",
        };
        if self.header.len() > 1 {
            self.header.push(b',');
        }
        let start = self.spool.length();
        self.spool.write(&array.data)?;
        let entry =
            serde_json::json!({ "dtype": dtype, "shape": array.dims, "data_offsets": [start, self.spool.length()] });
        self.header.extend(format!("{}:{entry}", serde_json::Value::from(name)).into_bytes());
        if self.header.len() as u64 + 8 > LONGEST_HEADER {
            return refuse(format!(
                "expected keys for a header of at most {LONGEST_HEADER} bytes, which is what safetensors reads, got more: \
                 split the table"
            ));
        }
        Ok(())
    }

    /// Writes the header and the numbers, and gives the output back.
    pub(crate) fn finish(mut self) -> Result<Output> {
        self.header.push(b'}');
        self.header.resize(self.header.len().next_multiple_of(8), b' ');
        self.output.write_all(&(self.header.len() as u64).to_le_bytes())?;
        self.output.write_all(&self.header)?;
        self.spool.into_output(&mut self.output)?;
        Ok(self.output)
    }
}

/// What a header tells of a tensor.
#[derive(Debug, Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// Reads every tensor of a file, in the order in which their numbers stand.
pub(crate) fn read(name: &BStr, mut each: impl FnMut(&[u8], Array) -> Result<()>) -> Result<()> {
    let mut stream = Stream::open(name)?;
    let place = stream.input.name().to_owned();
    let fault = |message: String| Error::content(&place, message);
    let failed = |error: std::io::Error| fault(error.to_string());
    let start = read_exactly(&mut stream, 8).map_err(failed)?;
    let Ok(length) = <[u8; 8]>::try_from(start.as_slice()).map(u64::from_le_bytes) else {
        return Err(fault("expected the length of a header, got the end".into()));
    };
    if length > LONGEST_HEADER {
        return Err(fault(format!(
            "expected a header of at most {LONGEST_HEADER} bytes, got one of {length}; is this safetensors?"
        )));
    }
    let header = read_exactly(&mut stream, length).map_err(failed)?;
    if header.len() as u64 != length {
        return Err(fault(format!("expected a header of {length} bytes, got {}: the file is cut", header.len())));
    }
    let tensors = parse_header(&header).map_err(fault)?;
    for (key, Tensor { dtype, shape, .. }) in tensors {
        let dtype = parse_dtype(&dtype).map_err(|message| fault(format!("{key}: {message}")))?;
        if shape.len() > 2 {
            return Err(fault(format!("{key}: expected 1 or 2 dimensions, got {}", shape.len())));
        }
        // The header has been held against the offsets, so that the product is no more than a length.
        let length = shape.iter().product::<u64>() * dtype.width() as u64;
        let bytes = read_exactly(&mut stream, length).map_err(failed)?;
        if bytes.len() as u64 != length {
            return Err(fault(format!("{key}: expected {length} bytes, got {}: the file is cut", bytes.len())));
        }
        let dims: Vec<usize> = shape.iter().map(|&dim| usize::try_from(dim).unwrap_or(0)).collect();
        each(key.as_bytes(), Array::new(dtype, &dims, bytes))?;
    }
    if !read_exactly(&mut stream, 1).map_err(failed)?.is_empty() {
        return Err(fault("expected the end behind the last tensor, got more bytes".into()));
    }
    stream.finish()
}

/// The tensors in the order of their numbers, which must follow each other and be as many as the shapes say.
fn parse_header(header: &[u8]) -> Result<Vec<(String, Tensor)>, String> {
    let mut entries: BTreeMap<String, serde_json::Value> =
        serde_json::from_slice(header).map_err(|error| format!("expected a header in JSON: {error}"))?;
    entries.remove("__metadata__");
    let mut tensors = Vec::with_capacity(entries.len());
    for (key, entry) in entries {
        let tensor: Tensor = serde_json::from_value(entry).map_err(|error| format!("{key}: {error}"))?;
        tensors.push((key, tensor));
    }
    tensors.sort_by_key(|(_, tensor)| tensor.data_offsets);
    let mut end = 0;
    for (key, Tensor { dtype, shape, data_offsets }) in &tensors {
        let width = parse_dtype(dtype).map_err(|message| format!("{key}: {message}"))?.width();
        let length = shape.iter().try_fold(width as u64, |product, &dim| product.checked_mul(dim));
        if data_offsets.0 != end
            || length.is_none_or(|length| data_offsets.0.checked_add(length) != Some(data_offsets.1))
        {
            return Err(format!(
                "{key}: expected {shape:?} of {dtype} from {end} on, got the offsets {data_offsets:?}"
            ));
        }
        end = data_offsets.1;
    }
    Ok(tensors)
}

fn parse_dtype(name: &str) -> Result<DType, String> {
    Ok(match name {
        "BOOL" => DType::Bool,
        "I8" => DType::Int8,
        "U8" => DType::Uint8,
        "I16" => DType::Int16,
        "U16" => DType::Uint16,
        "I32" => DType::Int32,
        "U32" => DType::Uint32,
        "I64" => DType::Int64,
        "U64" => DType::Uint64,
        "F16" => DType::Float16,
        "BF16" => DType::Bfloat16,
        "F32" => DType::Float32,
        "F64" => DType::Float64,
        other => return Err(format!("expected integers or floating-point numbers, got the type {other:?}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_have_to_fit_the_shapes() {
        let header =
            |start: u64, end: u64| format!(r#"{{"a":{{"dtype":"F32","shape":[2,3],"data_offsets":[{start},{end}]}}}}"#);
        assert_eq!(parse_header(header(0, 24).as_bytes()).unwrap().len(), 1);
        for (start, end) in [(0, 23), (0, 28), (4, 28), (24, 0), (u64::MAX, 23)] {
            assert!(parse_header(header(start, end).as_bytes()).is_err(), "{start} {end}");
        }
        let huge = r#"{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}"#;
        assert!(parse_header(huge.as_bytes()).is_err());
        assert_eq!(parse_header(br#"{"__metadata__":{"a":"b"}}"#).unwrap().len(), 0);
    }
}
