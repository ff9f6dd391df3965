//! Batches as files: safetensors, and NumPy's npz.
//!
//! A safetensors file has the length of its header (8 bytes, little-endian), a header in JSON, and the arrays behind it. An
//! npz file is an uncompressed zip file with a `.npy` file for each array.

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
    /// What names of files end in.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Safetensors => "safetensors",
            Self::Npz => "npz",
        }
    }

    /// The bytes of a file with the arrays `feats`, `feats_lengths`, `target`, `target_lengths` and `speaker`, and with the keys.
    ///
    /// # Errors
    /// Where keys are not UTF-8, or the arrays are too large for the form.
    pub fn encode(self, batch: &PaddedBatch) -> Result<Vec<u8>> {
        let keys = batch.keys.iter().map(|key| {
            std::str::from_utf8(key)
                .map_err(|_| Error::Bad { message: format!("{key}: expected a key in UTF-8 for {}", self.suffix()) })
        });
        let keys: Vec<&str> = keys.collect::<Result<_>>()?;
        let arrays = arrays(batch);
        match self {
            Self::Safetensors => Ok(safetensors(&arrays, &keys)),
            Self::Npz => npz(&arrays, &keys),
        }
    }
}

/// An array in memory, in little-endian order.
struct Array {
    name: &'static str,
    /// In safetensors' words and in NumPy's.
    types: [&'static str; 2],
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

fn arrays(batch: &PaddedBatch) -> Vec<Array> {
    let number = batch.keys.len();
    let array = |name, types, shape: &[usize], bytes| Array { name, types, shape: shape.to_vec(), bytes };
    let mut arrays = vec![
        array("feats", ["F32", "<f4"], &batch.feats_shape, bytes(&batch.feats, |it: &f32| it.to_le_bytes())),
        array("feats_lengths", ["I32", "<i4"], &[number], bytes(&batch.feats_lengths, |it| it.to_le_bytes())),
    ];
    if let Some(target) = &batch.target {
        let labels = bytes(&target.labels, |it| it.to_le_bytes());
        arrays.push(array("target", ["I64", "<i8"], &[number, target.longest], labels));
        let lengths = bytes(&target.lengths, |it| it.to_le_bytes());
        arrays.push(array("target_lengths", ["I32", "<i4"], &[number], lengths));
    }
    if let Some(speaker) = &batch.speaker {
        arrays.push(array("speaker", ["I32", "<i4"], &[number], bytes(speaker, |it| it.to_le_bytes())));
    }
    arrays
}

fn bytes<T, const N: usize>(numbers: &[T], encode: impl Fn(&T) -> [u8; N]) -> Vec<u8> {
    numbers.iter().flat_map(encode).collect()
}

fn safetensors(arrays: &[Array], keys: &[&str]) -> Vec<u8> {
    let json = |text: &str| serde_json::Value::from(text).to_string();
    let keys = serde_json::Value::from(keys.to_vec()).to_string();
    let mut header = format!("{{\"__metadata__\":{{\"keys\":{}}}", json(&keys));
    // The widest numbers first, so that all stand at multiples of their widths.
    let mut order: Vec<&Array> = arrays.iter().collect();
    order.sort_by_key(|array| std::cmp::Reverse(array.types[1].as_bytes()[2]));
    let mut offset = 0;
    for Array { name, types, shape, bytes } in &order {
        let end = offset + bytes.len();
        header.push_str(&format!(
            ",{}:{{\"dtype\":\"{}\",\"shape\":{},\"data_offsets\":[{offset},{end}]}}",
            json(name),
            types[0],
            serde_json::Value::from(shape.clone())
        ));
        offset = end;
    }
    header.push('}');
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    let mut out = Vec::with_capacity(8 + header.len() + offset);
    out.extend_from_slice(&(header.len() as u64).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    order.iter().for_each(|array| out.extend_from_slice(&array.bytes));
    out
}

fn npz(arrays: &[Array], keys: &[&str]) -> Result<Vec<u8>> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for Array { name, types, shape, bytes } in arrays {
        let mut file = npy_header(types[1], shape);
        file.extend_from_slice(bytes);
        files.push((format!("{name}.npy"), file));
    }
    // Strings of NumPy have 4 bytes a character and one length.
    let longest = keys.iter().map(|key| key.chars().count()).max().unwrap_or(0).max(1);
    let mut file = npy_header(&format!("<U{longest}"), &[keys.len()]);
    for key in keys {
        let filled = key.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
        file.extend(filled.flat_map(u32::to_le_bytes));
    }
    files.push(("keys.npy".to_owned(), file));
    zip(&files)
}

/// What stands before the numbers of a .npy file: a multiple of 64 bytes.
fn npy_header(descr: &str, shape: &[usize]) -> Vec<u8> {
    let shape = match shape {
        [one] => format!("({one},)"),
        many => format!("({})", many.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.push_str(&" ".repeat(length - header.len() - 1));
    header.push('\n');
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&(header.len() as u16).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    out
}

/// A zip file of files that are stored as they are.
fn zip(files: &[(String, Vec<u8>)]) -> Result<Vec<u8>> {
    let too_large =
        || Error::Bad { message: "expected a batch below 4 GB for npz: safetensors has larger ones".to_owned() };
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in files {
        let size = u32::try_from(content.len()).map_err(|_| too_large())?;
        let offset = u32::try_from(out.len()).map_err(|_| too_large())?;
        // Version 2.0, no flags, stored, 1 January 1980, checksum, both sizes, length of the name, nothing else.
        let mut entry = b"\x14\0\0\0\0\0\0\0\x21\0".to_vec();
        entry.extend_from_slice(&crc32(content).to_le_bytes());
        entry.extend_from_slice(&size.to_le_bytes());
        entry.extend_from_slice(&size.to_le_bytes());
        entry.extend_from_slice(&(name.len() as u16).to_le_bytes());
        entry.extend_from_slice(&[0, 0]);
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&entry);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(content);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&entry);
        // No comment, one disk, no attributes.
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let offset = u32::try_from(out.len()).map_err(|_| too_large())?;
    out.extend_from_slice(&directory);
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    out.extend_from_slice(&(files.len() as u16).to_le_bytes());
    out.extend_from_slice(&(files.len() as u16).to_le_bytes());
    out.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    out.extend_from_slice(&offset.to_le_bytes());
    out.extend_from_slice(&[0, 0]);
    Ok(out)
}

/// The checksum of zip files.
fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = flate2::Crc::new();
    sum.update(bytes);
    sum.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PaddedLabels;

    fn batch() -> PaddedBatch {
        PaddedBatch {
            keys: vec!["utt1".into(), "é\"".into()],
            feats: vec![1.0, 2.0, 3.0, 0.0],
            feats_shape: [2, 2, 1],
            feats_lengths: vec![2, 1],
            target: Some(PaddedLabels { labels: vec![5, -1], longest: 1, lengths: vec![1, 0] }),
            speaker: None,
        }
    }

    #[test]
    fn a_safetensors_file_tells_where_its_arrays_are() {
        let file = TensorFormat::Safetensors.encode(&batch()).unwrap();
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
        let file = TensorFormat::Npz.encode(&batch()).unwrap();
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
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }
}
