//! Arrays of numbers as in binary files.

use std::borrow::Cow;

use array_files::DType;
use byteorder::{ByteOrder, LittleEndian};
use half::f16;
use kaldi_inspect::{Elements, Numbers};
use kaldi_io::Encoded;

use crate::item::Item;

/// A type that floating-point numbers can be exported in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum FloatType {
    Float16,
    Float32,
    Float64,
}

impl FloatType {
    /// Every type with its name.
    pub const NAMES: [(&str, Self); 3] =
        [("float16", Self::Float16), ("float32", Self::Float32), ("float64", Self::Float64)];
}

impl From<FloatType> for DType {
    fn from(wanted: FloatType) -> Self {
        match wanted {
            FloatType::Float16 => Self::Float16,
            FloatType::Float32 => Self::Float32,
            FloatType::Float64 => Self::Float64,
        }
    }
}

/// Numbers of one type in one or two dimensions: a vector, or a matrix row after row.
#[derive(Clone, Debug)]
pub struct Array {
    pub(crate) dtype: DType,
    pub(crate) dims: Vec<usize>,
    /// Little-endian, as many as the dimensions say.
    pub(crate) data: Encoded,
}

impl Array {
    /// Takes the little-endian bytes of numbers.
    ///
    /// # Panics
    /// If there are more or fewer bytes than the dimensions say.
    pub fn new(dtype: DType, dims: &[usize], data: impl Into<Encoded>) -> Self {
        let data = data.into();
        assert_eq!(data.len(), dims.iter().product::<usize>() * dtype.width(), "{dims:?} of {dtype:?}");
        Self { dtype, dims: dims.to_vec(), data }
    }

    /// Makes an array of `f32`.
    ///
    /// # Panics
    /// As [`Array::new`].
    pub fn from_f32(dims: &[usize], values: &[f32]) -> Self {
        let mut bytes = vec![0; 4 * values.len()];
        LittleEndian::write_f32_into(values, &mut bytes);
        Self::new(DType::Float32, dims, bytes)
    }

    /// Makes an array of `f64`.
    ///
    /// # Panics
    /// As [`Array::new`].
    pub fn from_f64(dims: &[usize], values: &[f64]) -> Self {
        let mut bytes = vec![0; 8 * values.len()];
        LittleEndian::write_f64_into(values, &mut bytes);
        Self::new(DType::Float64, dims, bytes)
    }

    /// Makes an array of `i32`.
    ///
    /// # Panics
    /// As [`Array::new`].
    pub fn from_i32(dims: &[usize], values: &[i32]) -> Self {
        let mut bytes = vec![0; 4 * values.len()];
        LittleEndian::write_i32_into(values, &mut bytes);
        Self::new(DType::Int32, dims, bytes)
    }

    /// The type of the numbers.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The sizes: none for a single number, one for a vector, rows and columns for a matrix.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }

    /// Whether it has no numbers.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// How many numbers there are.
    pub(crate) fn num_values(&self) -> usize {
        self.data.len() / self.dtype.width()
    }

    /// The numbers of rows and columns; a vector is one row.
    pub fn size(&self) -> (usize, usize) {
        match self.dims[..] {
            [rows, columns] => (rows, columns),
            [columns] => (1, columns),
            _ => (1, 1),
        }
    }

    /// The bytes of the numbers in one piece.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.data.len());
        self.data.slices().for_each(|slice| bytes.extend_from_slice(slice));
        bytes
    }

    /// The bytes of the numbers in one piece, where they lie if they are one.
    pub(crate) fn contiguous(&self) -> Cow<'_, [u8]> {
        let mut slices = self.data.slices().filter(|slice| !slice.is_empty());
        match (slices.next(), slices.next()) {
            (Some(only), None) => only.into(),
            _ => self.bytes().into(),
        }
    }

    /// The same numbers in another floating-point type, rounded if they cannot be represented, and how many finite ones
    /// became infinite. Integers stay what they are.
    pub fn to_float(&self, dtype: DType) -> (Self, usize) {
        if dtype == self.dtype || !self.dtype.is_float() || !dtype.is_float() {
            return (self.clone(), 0);
        }
        let bytes = self.bytes();
        let values: Vec<f64> = match self.dtype {
            DType::Float64 => bytes.chunks_exact(8).map(LittleEndian::read_f64).collect(),
            DType::Float32 => bytes.chunks_exact(4).map(|bytes| LittleEndian::read_f32(bytes).into()).collect(),
            DType::Float16 => {
                bytes.chunks_exact(2).map(|bytes| f16::from_bits(LittleEndian::read_u16(bytes)).to_f64()).collect()
            }
            _ => bytes
                .chunks_exact(2)
                .map(|bytes| half::bf16::from_bits(LittleEndian::read_u16(bytes)).to_f64())
                .collect(),
        };
        let mut data = Vec::with_capacity(values.len() * dtype.width());
        let mut lost = 0;
        for value in values {
            let is_infinite = match dtype {
                DType::Float64 => {
                    data.extend(value.to_le_bytes());
                    false
                }
                DType::Float32 => {
                    data.extend((value as f32).to_le_bytes());
                    (value as f32).is_infinite()
                }
                DType::Bfloat16 => {
                    data.extend(half::bf16::from_f64(value).to_le_bytes());
                    half::bf16::from_f64(value).is_infinite()
                }
                _ => {
                    data.extend(f16::from_f64(value).to_le_bytes());
                    f16::from_f64(value).is_infinite()
                }
            };
            lost += usize::from(is_infinite && value.is_finite());
        }
        (Self { dtype, dims: self.dims.clone(), data: data.into() }, lost)
    }
}

impl From<Array> for Item {
    fn from(array: Array) -> Self {
        Self::Array(array)
    }
}

/// The numbers of an entry of a table.
impl From<Numbers> for Array {
    fn from(numbers: Numbers) -> Self {
        match numbers.elements {
            Elements::Single(values) => Self::from_f32(&numbers.dims, &values),
            Elements::Double(values) => Self::from_f64(&numbers.dims, &values),
            Elements::Integer(values) => Self::from_i32(&numbers.dims, &values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision_rounds_to_the_nearest_and_counts_what_is_too_large() {
        let array = Array::from_f32(&[5], &[1.0, 1.0 / 3.0, 65504.0, 65520.0, f32::INFINITY]);
        let (half, lost) = array.to_float(DType::Float16);
        assert_eq!(lost, 1);
        assert_eq!(half.bytes(), [0x00, 0x3c, 0x55, 0x35, 0xff, 0x7b, 0x00, 0x7c, 0x00, 0x7c]);
        assert_eq!(Array::from_i32(&[1], &[7]).to_float(DType::Float16).0.dtype(), DType::Int32);
    }

    #[test]
    fn a_wider_type_keeps_every_number() {
        let (wide, lost) = Array::from_f32(&[1, 2], &[0.1, -3.5]).to_float(DType::Float64);
        assert_eq!((wide.bytes(), lost), ([f64::from(0.1_f32).to_le_bytes(), (-3.5_f64).to_le_bytes()].concat(), 0));
        assert_eq!(wide.to_float(DType::Float32).0.bytes(), Array::from_f32(&[1, 2], &[0.1, -3.5]).bytes());
    }
}
