//! Arrays of one or two dimensions in NumPy's files.

use std::io::Read;

use array_files::npy::{self, ArrayLayout};
use array_files::read_at_most;
use kaldi_io::Encoded;

use crate::array::Array;
use crate::{Error, Result};

/// Header and numbers of an array.
pub(crate) fn encode(array: &Array) -> (Vec<u8>, &Encoded) {
    let dims: Vec<u64> = array.dims.iter().map(|&dim| dim as u64).collect();
    (npy::header(array.dtype, &dims), &array.data)
}

/// Reads an array up to the end of `input`.
///
/// # Errors
/// If it is none, is cut, is followed by anything, or holds what no table can hold.
pub(crate) fn read(place: &str, mut input: impl Read) -> Result<Array> {
    let failed = |error: std::io::Error| Error::content(place, error);
    let layout = ArrayLayout::read(&mut input).map_err(|error| Error::content(place, error))?;
    let array = read_numbers(place, &mut input, layout)?;
    match input.read(&mut [0]).map_err(failed)? {
        0 => Ok(array),
        _ => Err(Error::content(place, "expected the end after the array, got more bytes; is there a second array?")),
    }
}

fn read_numbers(place: &str, input: &mut impl Read, layout: ArrayLayout) -> Result<Array> {
    let fault = |message: String| Error::content(place, message);
    let width = layout.dtype.width();
    let length = layout.num_bytes().ok_or_else(|| fault(format!("an array of {:?} is too large", layout.dims)))?;
    if layout.dims.len() > 2 {
        return Err(fault(format!("expected an array of 1 or 2 dimensions, got {}", layout.dims.len())));
    }
    let mut bytes = read_at_most(input, length).map_err(|error| fault(error.to_string()))?;
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

#[cfg(test)]
mod tests {
    use array_files::DType;

    use super::*;

    fn file(array: &Array) -> Vec<u8> {
        let (mut bytes, data) = encode(array);
        data.slices().for_each(|slice| bytes.extend_from_slice(slice));
        bytes
    }

    fn foreign(header: &str, numbers: &[u8]) -> Vec<u8> {
        [
            array_files::npy::MAGIC,
            &b"\x01\x00"[..],
            &(header.len() as u16).to_le_bytes()[..],
            header.as_bytes(),
            numbers,
        ]
        .concat()
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
