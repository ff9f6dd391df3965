//! Batches as files: safetensors and NumPy's npz.

use std::collections::BTreeMap;

use array_files::npz::NpzWriter;
use array_files::safetensors::HeaderWriter;
use array_files::{DType, npy};
use kaldi_io::Encoded;
use kaldi_matrix::encode_elements;

use crate::{Error, PaddedBatch, Result};

/// A form of files of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorFormat {
    /// safetensors.
    Safetensors,
    /// NumPy's npz.
    Npz,
}

impl TensorFormat {
    /// Every form with its name.
    pub const NAMES: [(&str, Self); 2] = [("safetensors", Self::Safetensors), ("npz", Self::Npz)];

    /// The suffix of file names.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Safetensors => "safetensors",
            Self::Npz => "npz",
        }
    }

    /// The bytes of a file with the arrays `feats`, `feats_lengths`, `target`, `target_lengths` and `speaker`, and with the keys.
    /// In safetensors, `feats` is the last array, and is not copied.
    ///
    /// # Errors
    /// If keys are not UTF-8, or the arrays are too large for the form.
    pub fn encode(self, mut batch: PaddedBatch) -> Result<Encoded> {
        let keys = batch.keys.iter().map(|key| {
            std::str::from_utf8(key)
                .map_err(|_| Error::Bad { message: format!("{key}: expected a key in UTF-8 for {}", self.suffix()) })
        });
        let keys: Vec<&str> = keys.collect::<Result<_>>()?;
        let file = match self {
            Self::Safetensors => {
                let head = safetensors(arrays(&batch), &keys);
                head.map(|head| encode_elements(head, std::mem::take(&mut batch.feats)))
            }
            Self::Npz => npz(arrays(&batch), &keys).map(Encoded::from),
        };
        file.map_err(|error| Error::Bad { message: error.to_string() })
    }
}

const FEATS: &str = "feats";

/// An array of a batch.
struct BatchArray<'a> {
    name: &'static str,
    shape: Vec<usize>,
    numbers: TypedSlice<'a>,
}

#[derive(Clone, Copy)]
enum TypedSlice<'a> {
    Float32(&'a [f32]),
    Int32(&'a [i32]),
    Int64(&'a [i64]),
}

impl TypedSlice<'_> {
    fn dtype(self) -> DType {
        match self {
            Self::Float32(_) => DType::Float32,
            Self::Int32(_) => DType::Int32,
            Self::Int64(_) => DType::Int64,
        }
    }

    fn num_bytes(self) -> usize {
        match self {
            Self::Float32(numbers) => size_of_val(numbers),
            Self::Int32(numbers) => size_of_val(numbers),
            Self::Int64(numbers) => size_of_val(numbers),
        }
    }

    /// Appends the bytes in little-endian order.
    fn append_to(self, out: &mut Vec<u8>) {
        match self {
            Self::Float32(numbers) => out.extend(numbers.iter().flat_map(|it| it.to_le_bytes())),
            Self::Int32(numbers) => out.extend(numbers.iter().flat_map(|it| it.to_le_bytes())),
            Self::Int64(numbers) => out.extend(numbers.iter().flat_map(|it| it.to_le_bytes())),
        }
    }
}

fn arrays(batch: &PaddedBatch) -> Vec<BatchArray<'_>> {
    let number = batch.keys.len();
    let array = |name, shape: &[usize], numbers| BatchArray { name, shape: shape.to_vec(), numbers };
    let mut arrays = vec![
        array(FEATS, &batch.feats_shape, TypedSlice::Float32(&batch.feats)),
        array("feats_lengths", &[number], TypedSlice::Int32(&batch.feats_lengths)),
    ];
    if let Some(target) = &batch.target {
        arrays.push(array("target", &[number, target.longest], TypedSlice::Int64(&target.labels)));
        arrays.push(array("target_lengths", &[number], TypedSlice::Int32(&target.lengths)));
    }
    if let Some(speaker) = &batch.speaker {
        arrays.push(array("speaker", &[number], TypedSlice::Int32(speaker)));
    }
    arrays
}

/// All but the numbers of the features.
fn safetensors(mut arrays: Vec<BatchArray<'_>>, keys: &[&str]) -> array_files::Result<Vec<u8>> {
    let mut header = HeaderWriter::new();
    header.put_metadata(&BTreeMap::from([("keys", serde_json::Value::from(keys.to_vec()).to_string())]));
    // The widest numbers first, so that all arrays are aligned to their widths.
    arrays.sort_by_key(|array| (std::cmp::Reverse(array.numbers.dtype().width()), array.name == FEATS));
    for array in &arrays {
        header.put(array.name, array.numbers.dtype(), &array.shape)?;
    }
    let mut out = header.finish();
    arrays.iter().filter(|array| array.name != FEATS).for_each(|array| array.numbers.append_to(&mut out));
    Ok(out)
}

fn npz(arrays: Vec<BatchArray<'_>>, keys: &[&str]) -> array_files::Result<Vec<u8>> {
    let mut npz = NpzWriter::new(Vec::new());
    for BatchArray { name, shape, numbers } in &arrays {
        let shape: Vec<u64> = shape.iter().map(|&dim| dim as u64).collect();
        let mut bytes = Vec::with_capacity(numbers.num_bytes());
        numbers.append_to(&mut bytes);
        npz.put(name, [&npy::header(numbers.dtype(), &shape)[..], &bytes].into_iter())?;
    }
    npz.put("keys", [&npy::texts(keys)[..]].into_iter())?;
    npz.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PaddedLabels;

    fn batch() -> PaddedBatch {
        PaddedBatch {
            keys: vec!["utt1".into(), "é\"".into()],
            feats: vec![1.0, 2.0, 3.0, 0.0].into(),
            feats_shape: [2, 2, 1],
            feats_lengths: vec![2, 1],
            target: Some(PaddedLabels { labels: vec![5, -1], longest: 1, lengths: vec![1, 0] }),
            speaker: None,
        }
    }

    #[test]
    fn a_safetensors_file_tells_where_its_arrays_are() {
        let file = TensorFormat::Safetensors.encode(batch()).unwrap().slices().collect::<Vec<_>>().concat();
        let length = u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
        assert_eq!(length % 8, 0);
        let header: serde_json::Value = serde_json::from_slice(&file[8..8 + length]).unwrap();
        assert_eq!(header["__metadata__"]["keys"], r#"["utt1","é\""]"#);
        assert_eq!(header["feats"]["shape"], serde_json::json!([2, 2, 1]));
        let at = |name: &str| {
            let offset = |place: usize| header[name]["data_offsets"][place].as_u64().unwrap() as usize;
            file[8 + length + offset(0)..8 + length + offset(1)].to_vec()
        };
        assert_eq!(at("target"), [5_i64.to_le_bytes(), (-1_i64).to_le_bytes()].concat());
        assert_eq!(at("feats_lengths"), [2_i32.to_le_bytes(), 1_i32.to_le_bytes()].concat());
        assert_eq!(at("feats"), [1_f32, 2.0, 3.0, 0.0].map(f32::to_le_bytes).concat());
        assert_eq!(file.len(), 8 + length + 16 + 8 + 8 + 16);
    }

    #[test]
    fn an_npz_file_has_a_directory_of_its_arrays() {
        let file = TensorFormat::Npz.encode(batch()).unwrap().slices().collect::<Vec<_>>().concat();
        assert!(file.starts_with(b"PK\x03\x04"));
        let end = &file[file.len() - 22..];
        assert_eq!((&end[..4], end[10]), (&b"PK\x05\x06"[..], 5));
        let offset = u32::from_le_bytes(end[16..20].try_into().unwrap()) as usize;
        assert!(file[offset..].starts_with(b"PK\x01\x02"));
        let at = file.windows(9).position(|it| it == b"feats.npy").unwrap();
        assert!(
            file[at + 9..]
                .starts_with(b"\x93NUMPY\x01\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 1), }")
        );
    }
}
