//! The files of safetensors.
//!
//! ```text
//! 50 00 00 00 00 00 00 00  {"utt1":{"dtype":"F32","shape":[3,40],"data_offsets":[0,480]}}   numbers of all tensors
//! length of the header     JSON, padded with spaces to a multiple of 8                     one after the other
//! ```
//!
//! The crate `safetensors` wants the whole file in memory, to write it and to read its header, so that this is done here.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io::Read;

use serde::de::{self, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::{DType, Error, Result, read_at_most};

/// Bytes of the longest header that the crate `safetensors` reads.
const LONGEST_HEADER: u64 = 100_000_000;

/// The name that no tensor can have.
const METADATA: &str = "__metadata__";

/// The header of a file, made while the numbers of its tensors are written to where they follow it.
#[derive(Debug, Default)]
pub struct HeaderWriter {
    text: String,
    names: HashSet<String>,
    length: u64,
}

impl HeaderWriter {
    /// A header without tensors.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what is known besides the tensors: texts with names, which come first.
    pub fn put_metadata(&mut self, texts: &BTreeMap<&str, String>) {
        let texts: serde_json::Map<_, _> =
            texts.iter().map(|(&name, text)| (name.to_owned(), text.as_str().into())).collect();
        self.put_entry(METADATA, &serde_json::Value::from(texts).to_string());
    }

    /// Adds a tensor, whose numbers follow those before it.
    ///
    /// # Errors
    /// If a tensor cannot have the name or has it already, or the header becomes too long.
    pub fn put(&mut self, name: &str, dtype: DType, shape: &[usize]) -> Result<()> {
        if name == METADATA {
            return Err(Error::content("a tensor cannot have this name, which safetensors keeps for itself"));
        }
        if !self.names.insert(name.to_owned()) {
            return Err(Error::content("this key comes twice, which tensors cannot"));
        }
        let start = self.length;
        self.length += shape.iter().product::<usize>() as u64 * dtype.width() as u64;
        let entry = serde_json::json!({
            "dtype": dtype.tensor_name(),
            "shape": shape,
            "data_offsets": [start, self.length],
        });
        self.put_entry(name, &entry.to_string());
        if self.text.len() as u64 + 8 > LONGEST_HEADER {
            return Err(Error::Content(format!(
                "expected keys for a header of at most {LONGEST_HEADER} bytes, which is what safetensors reads, got more: \
                 split the table"
            )));
        }
        Ok(())
    }

    fn put_entry(&mut self, name: &str, entry: &str) {
        self.text.push(if self.text.is_empty() { '{' } else { ',' });
        self.text.push_str(&format!("{}:{entry}", serde_json::Value::from(name)));
    }

    /// The bytes before the numbers.
    pub fn finish(self) -> Vec<u8> {
        let mut text = if self.text.is_empty() { "{".to_owned() } else { self.text };
        text.push('}');
        text.push_str(&" ".repeat(text.len().next_multiple_of(8) - text.len()));
        [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat()
    }
}

/// What a header says about a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// Its name.
    pub name: String,
    /// The type of its numbers.
    pub dtype: DType,
    /// Its sizes.
    pub shape: Vec<u64>,
    /// The bytes of its numbers, as many as the shape says.
    pub num_bytes: u64,
}

/// Reads a header: the tensors in the order of their numbers, which follow each other.
///
/// # Errors
/// If the input cannot be read, has no header or is cut, or the header contradicts itself.
pub fn read_header(input: &mut impl Read) -> Result<Vec<Tensor>> {
    let start = read_at_most(input, 8)?;
    let Ok(length) = <[u8; 8]>::try_from(start.as_slice()).map(u64::from_le_bytes) else {
        return Err(Error::content("expected the length of a header, got the end"));
    };
    if length > LONGEST_HEADER {
        return Err(Error::Content(format!(
            "expected a header of at most {LONGEST_HEADER} bytes, got one of {length}; is this safetensors?"
        )));
    }
    let header = read_at_most(input, length)?;
    if header.len() as u64 != length {
        let message = format!("expected a header of {length} bytes, got {}: the file is cut", header.len());
        return Err(Error::Content(message));
    }
    parse_header(&header)
}

#[derive(Debug, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// The tensors of a header in their order there.
struct Entries(Vec<(String, Entry)>);

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with an entry for each tensor")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Entries, A::Error> {
        let (mut entries, mut names) = (Vec::new(), HashSet::new());
        while let Some(name) = map.next_key::<String>()? {
            if name == METADATA {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let entry = map.next_value().map_err(|error| de::Error::custom(format_args!("{name}: {error}")))?;
            if !names.insert(name.clone()) {
                return Err(de::Error::custom(format_args!("{name}: this tensor comes twice")));
            }
            entries.push((name, entry));
        }
        Ok(Entries(entries))
    }
}

fn parse_header(header: &[u8]) -> Result<Vec<Tensor>> {
    let Entries(mut entries) = serde_json::from_slice(header)
        .map_err(|error| Error::Content(format!("expected a header in JSON: {error}")))?;
    // Those without numbers, which have equal offsets, keep their order.
    entries.sort_by_key(|(_, entry)| entry.data_offsets);
    let mut end = 0;
    let tensors = entries.into_iter().map(|(name, Entry { dtype: type_name, shape, data_offsets })| {
        let dtype = DType::of_tensor_name(&type_name).map_err(|error| Error::Content(format!("{name}: {error}")))?;
        let length = shape.iter().try_fold(dtype.width() as u64, |product, &dim| product.checked_mul(dim));
        let num_bytes = length
            .filter(|length| (data_offsets.0, data_offsets.0.checked_add(*length)) == (end, Some(data_offsets.1)));
        let Some(num_bytes) = num_bytes else {
            return Err(Error::Content(format!(
                "{name}: expected {shape:?} of {type_name} from {end} on, got the offsets {data_offsets:?}"
            )));
        };
        end = data_offsets.1;
        Ok(Tensor { name, dtype, shape, num_bytes })
    });
    tensors.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut writer = HeaderWriter::new();
        writer.put_metadata(&BTreeMap::from([("keys", "[\"a\"]".to_owned())]));
        writer.put("b\"", DType::Float32, &[2, 3]).unwrap();
        writer.put("a", DType::Bool, &[5]).unwrap();
        assert!(writer.put("a", DType::Bool, &[5]).unwrap_err().to_string().contains("comes twice"));
        assert!(writer.put(METADATA, DType::Bool, &[]).is_err());
        let bytes = writer.finish();
        assert_eq!(bytes.len() % 8, 0);
        assert!(bytes[8..].starts_with(br#"{"__metadata__":{"keys":"[\"a\"]"},"b\"":{"#));
        let tensors = read_header(&mut &bytes[..]).unwrap();
        let found: Vec<_> = tensors.iter().map(|it| (&it.name[..], it.dtype, &it.shape[..], it.num_bytes)).collect();
        assert_eq!(found, [("b\"", DType::Float32, &[2, 3][..], 24), ("a", DType::Bool, &[5], 5)]);
        for cut in 0..bytes.len() {
            assert!(read_header(&mut &bytes[..cut]).is_err(), "{cut}");
        }
        assert_eq!(HeaderWriter::new().finish()[8..], *b"{}      ");
    }

    #[test]
    fn tensors_without_numbers_keep_their_order() {
        let mut writer = HeaderWriter::new();
        for (name, shape) in [("z", [0, 2]), ("y", [1, 1]), ("x", [0, 0]), ("b", [0, 5]), ("c", [1, 1]), ("a", [0, 1])]
        {
            writer.put(name, DType::Float32, &shape).unwrap();
        }
        let tensors = read_header(&mut &writer.finish()[..]).unwrap();
        assert_eq!(tensors.iter().map(|it| &it.name[..]).collect::<String>(), "zyxbca");
        let twice = r#"{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}"#;
        assert!(parse_header(twice.as_bytes()).unwrap_err().to_string().contains("comes twice"));
    }

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
