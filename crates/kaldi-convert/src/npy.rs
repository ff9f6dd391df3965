//! NumPy's files of one array.
//!
//! ```text
//! \x93NUMPY \x01\x00  76 00   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 40), }    \n  numbers
//! ^^^^^^^^^ ^^^^^^^^  ^^^^^   ^^^^^^^^^^^^^^^^^ a Python dictionary ^^^^^^^^^^^^^^^^^^^^^^^^
//! magic     version   length of the header, whose end is at a multiple of 64
//! ```

use std::io::Read;

use kaldi_io::Encoded;

use crate::array::{Array, DType};
use crate::{Error, Result};

/// Bytes of the longest header that is read. NumPy's own limit is 10,000 characters.
const LONGEST_HEADER: u64 = 1 << 16;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Everything that stands before the numbers of an array.
///
/// Of the types that arrays of tables have.
pub(crate) fn header(dtype: DType, dims: &[u64]) -> Vec<u8> {
    let descr = match dtype {
        DType::Float16 => "<f2",
        DType::Float64 => "<f8",
        DType::Int32 => "<i4",
        DType::Int16 => "<i2",
        DType::Bool => "|b1",
        _ => "<f4",
    };
    let shape = match dims {
        [one] => format!("({one},)"),
        more => format!("({})", more.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    text.extend(std::iter::repeat_n(' ', length - 1 - text.len()));
    text.push('\n');
    let mut header = MAGIC.to_vec();
    header.extend([1, 0]);
    header.extend((length as u16).to_le_bytes());
    header.extend(text.as_bytes());
    header
}

/// Header and numbers of an array.
pub(crate) fn encode(array: &Array) -> (Vec<u8>, &Encoded) {
    let dims: Vec<u64> = array.dims.iter().map(|&dim| dim as u64).collect();
    (header(array.dtype, &dims), &array.data)
}

/// How numbers stand in a file.
#[derive(Debug, PartialEq, Eq)]
struct Layout {
    dtype: DType,
    is_big_endian: bool,
    /// Column after column.
    is_fortran: bool,
    dims: Vec<u64>,
}

/// Reads an array up to the end of `input`.
///
/// # Errors
/// Where it is none, is cut, is followed by anything, or holds what no table can hold.
pub(crate) fn read(place: &str, mut input: impl Read) -> Result<Array> {
    let fault = |message: String| Error::content(place, message);
    let failed = |error: std::io::Error| fault(error.to_string());
    let mut start = [0; 8];
    let mut count = 0;
    while count < start.len() {
        match input.read(&mut start[count..]).map_err(failed)? {
            0 => break,
            more => count += more,
        }
    }
    if count < start.len() || &start[..6] != MAGIC {
        let kind = if start.starts_with(b"\x80") { ": this seems to be a pickle, which is not read" } else { "" };
        return Err(fault(format!("expected an array of NumPy, got \"{}\"{kind}", start[..count].escape_ascii())));
    }
    let width = match start[6] {
        1 => 2,
        2 | 3 => 4,
        other => return Err(fault(format!("expected version 1, 2 or 3 of NumPy's format, got {other}"))),
    };
    let mut length = [0; 4];
    input.read_exact(&mut length[..width]).map_err(|_| fault("the header is cut".into()))?;
    let length = u64::from(u32::from_le_bytes(length));
    if length > LONGEST_HEADER {
        return Err(fault(format!("expected a header of at most {LONGEST_HEADER} bytes, got one of {length}")));
    }
    let text = read_exactly(&mut input, length).map_err(failed)?;
    if text.len() as u64 != length {
        return Err(fault(format!("expected a header of {length} bytes, got {}", text.len())));
    }
    let layout = parse_header(&text).map_err(fault)?;
    let array = read_numbers(place, &mut input, layout)?;
    match input.read(&mut [0]).map_err(failed)? {
        0 => Ok(array),
        _ => Err(fault("expected the end behind the array, got more bytes; is there a second array?".into())),
    }
}

fn read_numbers(place: &str, input: &mut impl Read, layout: Layout) -> Result<Array> {
    let fault = |message: String| Error::content(place, message);
    let width = layout.dtype.width();
    let length = layout.dims.iter().try_fold(width as u64, |product, &dim| product.checked_mul(dim));
    let length = length.ok_or_else(|| fault(format!("an array of {:?} is too large", layout.dims)))?;
    if layout.dims.len() > 2 {
        return Err(fault(format!("expected an array of 1 or 2 dimensions, got {}", layout.dims.len())));
    }
    let mut bytes = read_exactly(input, length).map_err(|error| fault(error.to_string()))?;
    if bytes.len() as u64 != length {
        return Err(fault(format!("expected {length} bytes of numbers, got {}: the file is cut", bytes.len())));
    }
    if layout.is_big_endian {
        bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
    // What is in memory has sizes that fit; empty arrays may claim any.
    let dims: Vec<usize> = layout.dims.iter().map(|&dim| usize::try_from(dim).unwrap_or(0)).collect();
    if layout.is_fortran
        && let [rows, columns] = dims[..]
    {
        let mut turned = Vec::with_capacity(bytes.len());
        for row in 0..rows {
            for column in 0..columns {
                let at = (column * rows + row) * width;
                turned.extend_from_slice(&bytes[at..at + width]);
            }
        }
        bytes = turned;
    }
    Ok(Array::new(layout.dtype, &dims, bytes))
}

/// Reads so many bytes, or fewer where the input ends; takes memory for those that are there only.
pub(crate) fn read_exactly(input: &mut impl Read, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads the three entries of the dictionary, in any order.
fn parse_header(text: &[u8]) -> Result<Layout, String> {
    let text = str::from_utf8(text).map_err(|_| "expected a header of text".to_owned())?;
    let shown = || format!("\"{}\"", text.trim_end().escape_debug());
    let behind = |name: &str| {
        let at = [format!("'{name}'"), format!("\"{name}\"")]
            .iter()
            .find_map(|quoted| Some(text.find(quoted)? + quoted.len()));
        let rest = at.and_then(|at| text[at..].trim_start().strip_prefix(':'));
        rest.map(str::trim_start).ok_or_else(|| format!("expected {name} in the header, got {}", shown()))
    };
    let descr = behind("descr")?;
    if descr.starts_with('[') {
        return Err("expected an array of numbers, got one of records (a structured type)".into());
    }
    let quote = descr.chars().next().filter(|quote| matches!(quote, '\'' | '"'));
    let descr = quote
        .and_then(|quote| descr[1..].split_once(quote))
        .ok_or_else(|| format!("expected a type, got {}", shown()))?
        .0;
    let (dtype, is_big_endian) = parse_descr(descr)?;
    let is_fortran = match behind("fortran_order")? {
        rest if rest.starts_with("True") => true,
        rest if rest.starts_with("False") => false,
        _ => return Err(format!("expected fortran_order to be True or False, got {}", shown())),
    };
    let shape = behind("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (shape, _) = shape.ok_or_else(|| format!("expected a shape, got {}", shown()))?;
    let dims = shape.split(',').map(str::trim).filter(|dim| !dim.is_empty());
    let dims = dims.map(|dim| dim.trim_end_matches('L').parse().map_err(|_| format!("expected a size, got {dim:?}")));
    Ok(Layout { dtype, is_big_endian, is_fortran, dims: dims.collect::<Result<_, _>>()? })
}

/// The type that a name such as `<f4` means, and whether the first byte of a number counts most.
fn parse_descr(descr: &str) -> Result<(DType, bool), String> {
    let (order, name) = match descr.as_bytes() {
        [order @ (b'<' | b'>' | b'|' | b'='), ..] => (*order, &descr[1..]),
        _ => (b'=', descr),
    };
    let dtype = match name {
        "b1" | "?" => DType::Bool,
        "i1" => DType::Int8,
        "u1" => DType::Uint8,
        "i2" => DType::Int16,
        "u2" => DType::Uint16,
        "i4" => DType::Int32,
        "u4" => DType::Uint32,
        "i8" => DType::Int64,
        "u8" => DType::Uint64,
        "f2" => DType::Float16,
        "f4" => DType::Float32,
        "f8" => DType::Float64,
        _ if name.starts_with('O') => {
            return Err("expected an array of numbers, got one of Python objects (pickled), which is not read".into());
        }
        _ => return Err(format!("expected an array of integers or floating-point numbers, got the type {descr:?}")),
    };
    Ok((dtype, order == b'>'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(array: &Array) -> Vec<u8> {
        let (mut bytes, data) = encode(array);
        data.slices().for_each(|slice| bytes.extend_from_slice(slice));
        bytes
    }

    fn foreign(header: &str, numbers: &[u8]) -> Vec<u8> {
        [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), numbers].concat()
    }

    #[test]
    fn what_is_written_is_read() {
        for array in [
            Array::from_f32(&[2, 3], &[1.0, 2.0, 3.0, -4.0, f32::NAN, 0.5]),
            Array::from_f64(&[2], &[0.1, 1e300]),
            Array::from_i32(&[3], &[1, -2, i32::MAX]),
            Array::from_f32(&[0, 0], &[]),
            Array::from_f32(&[2], &[0.5, 1.5]).to_float(DType::Float16).0,
            Array::from_i32(&[], &[7]),
            Array::new(DType::Bool, &[], vec![1]),
            Array::new(DType::Int16, &[2], vec![1, 2, 3, 4]),
        ] {
            let bytes = file(&array);
            assert_eq!((bytes.len() - array.data.len()) % 64, 0);
            let again = read("x", &bytes[..]).unwrap();
            assert_eq!((again.dtype, &again.dims, again.bytes()), (array.dtype, &array.dims, array.bytes()));
            for cut in 0..bytes.len() {
                assert!(read("x", &bytes[..cut]).is_err(), "{cut}");
            }
        }
    }

    #[test]
    fn orders_of_bytes_and_elements_are_turned() {
        let numbers = [1_i16, 2, 3, 4, 5, 6].map(i16::to_be_bytes).concat();
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2L, 3L), }\n";
        let array = read("x", &foreign(header, &numbers)[..]).unwrap();
        assert_eq!((array.dtype, array.dims()), (DType::Int16, &[2, 3][..]));
        assert_eq!(array.bytes(), [1_i16, 3, 5, 2, 4, 6].map(i16::to_le_bytes).concat());
    }

    #[test]
    fn what_is_no_array_of_numbers_is_refused() {
        for (bytes, expected) in [
            (b"\x80\x04\x95........".to_vec(), "this seems to be a pickle"),
            (b"PK\x03\x04....".to_vec(), "expected an array of NumPy, got \"PK"),
            (foreign("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b""), "Python objects (pickled)"),
            (foreign("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", b""), "one of records"),
            (foreign("{'descr': '<U5', 'fortran_order': False, 'shape': (1,), }", b""), "got the type \"<U5\""),
            (foreign("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", b""), "got the type \"<c8\""),
            (
                foreign("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1), }", b"1234"),
                "1 or 2 dimensions, got 3",
            ),
            (foreign("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", b"12345"), "got more bytes"),
            (
                foreign("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", b""),
                "too large",
            ),
            (
                foreign("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,), }", b"1234"),
                "got 4: the file is cut",
            ),
            (foreign("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }", b"1234"), "True or False"),
            (foreign("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", b"1234"), "expected a size"),
            (foreign("{}", b""), "expected descr"),
        ] {
            let error = read("x.npy", &bytes[..]).unwrap_err().to_string();
            assert!(error.starts_with("x.npy: ") && error.contains(expected), "{error}");
        }
    }
}
