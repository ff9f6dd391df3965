pub mod convert_codes;
pub mod indexed_blend;
pub mod indexed_build_samples;
pub mod indexed_check;
pub mod indexed_get;
pub mod indexed_info;
pub mod indexed_merge;
pub mod indexed_samples_to_int_vector;
pub mod indexed_split;
pub mod indexed_to_int_vector;
pub mod int_vector_to_indexed;

use crate::support::Scratch;

/// A scratch folder with the dataset `data` of three documents in uint16.
fn with_dataset() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("tokens", "a 1 2 3 \nb 4 5 6 7 \nc 8 9 \n");
    scratch.sh("int-vector-to-indexed --dtype=uint16 ark:tokens data").succeeds();
    scratch
}

/// An index made by hand, without documents if there are no bounds.
fn index(code: u8, sizes: &[i32], token_size: i64, bounds: Option<&[i64]>) -> Vec<u8> {
    let mut bytes = b"MMIDIDX\0\0\x01\0\0\0\0\0\0\0".to_vec();
    bytes.push(code);
    bytes.extend((sizes.len() as u64).to_le_bytes());
    bytes.extend(bounds.iter().flat_map(|bounds| (bounds.len() as u64).to_le_bytes()));
    bytes.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
    let mut pointer = 0_i64;
    for size in sizes {
        bytes.extend(pointer.to_le_bytes());
        pointer += i64::from(*size) * token_size;
    }
    bytes.extend(bounds.unwrap_or_default().iter().flat_map(|bound| bound.to_le_bytes()));
    bytes
}
