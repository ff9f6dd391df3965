//! The numbers of an array, and exact conversions of them.

use array_files::DType;
use byteorder::{ByteOrder, LittleEndian};
use half::{bf16, f16};

use crate::array::Array;

/// Exact in one of three types, to which all others are widened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Exact {
    Single(Vec<f32>),
    Double(Vec<f64>),
    /// Those of 64 bits without a sign among them.
    Integer(Vec<i128>),
}

impl Exact {
    pub(crate) fn of(array: &Array) -> Self {
        let bytes = array.bytes();
        let integers =
            |read: fn(&[u8]) -> i128| Self::Integer(bytes.chunks_exact(array.dtype.width()).map(read).collect());
        match array.dtype {
            DType::Float32 => Self::Single(bytes.chunks_exact(4).map(LittleEndian::read_f32).collect()),
            DType::Float64 => Self::Double(bytes.chunks_exact(8).map(LittleEndian::read_f64).collect()),
            DType::Float16 => {
                let half = |bytes| f16::from_bits(LittleEndian::read_u16(bytes)).to_f32();
                Self::Single(bytes.chunks_exact(2).map(half).collect())
            }
            DType::Bfloat16 => {
                let half = |bytes| bf16::from_bits(LittleEndian::read_u16(bytes)).to_f32();
                Self::Single(bytes.chunks_exact(2).map(half).collect())
            }
            DType::Bool | DType::Uint8 => integers(|bytes| bytes[0].into()),
            DType::Int8 => integers(|bytes| (bytes[0] as i8).into()),
            DType::Int16 => integers(|bytes| LittleEndian::read_i16(bytes).into()),
            DType::Uint16 => integers(|bytes| LittleEndian::read_u16(bytes).into()),
            DType::Int32 => integers(|bytes| LittleEndian::read_i32(bytes).into()),
            DType::Uint32 => integers(|bytes| LittleEndian::read_u32(bytes).into()),
            DType::Int64 => integers(|bytes| LittleEndian::read_i64(bytes).into()),
            DType::Uint64 => integers(|bytes| LittleEndian::read_u64(bytes).into()),
        }
    }

    /// The numbers as 32-bit integers.
    ///
    /// # Errors
    /// What is expected and found, if one of them is none.
    pub(crate) fn to_i32(&self) -> Result<Vec<i32>, String> {
        let whole = |value: f64| (value.fract() == 0.0).then_some(value as i128);
        let exact = |value: Option<i128>, shown: &dyn std::fmt::Display| {
            let value = value.and_then(|value| i32::try_from(value).ok());
            value.ok_or_else(|| format!("expected 32-bit integers, got {shown}"))
        };
        match self {
            Self::Single(values) => values.iter().map(|value| exact(whole((*value).into()), value)).collect(),
            Self::Double(values) => values.iter().map(|value| exact(whole(*value), value)).collect(),
            Self::Integer(values) => values.iter().map(|value| exact(Some(*value), value)).collect(),
        }
    }

    /// The numbers in double precision, the nearest.
    pub(crate) fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::Single(values) => values.iter().map(|&value| value.into()).collect(),
            Self::Double(values) => values.clone(),
            Self::Integer(values) => values.iter().map(|&value| value as f64).collect(),
        }
    }

    /// The numbers in single or double precision: integers in single.
    ///
    /// # Errors
    /// If an integer is not exactly a number of single precision.
    pub(crate) fn into_real(self) -> Result<Self, String> {
        let Self::Integer(values) = self else { return Ok(self) };
        let exact = |value: i128| {
            let single = value as f32;
            if single as i128 == value {
                return Ok(single);
            }
            Err(format!("{value} is not exactly a number of single precision: save these integers as float64"))
        };
        values.into_iter().map(exact).collect::<Result<_, _>>().map(Self::Single)
    }
}

/// Integers as numbers of single precision.
///
/// # Errors
/// If one is not exactly such a number.
pub(crate) fn to_single(array: &Array) -> Result<Array, String> {
    match Exact::of(array).into_real()? {
        Exact::Single(values) => Ok(Array::from_f32(&array.dims, &values)),
        _ => Ok(array.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_exact_or_refused() {
        assert_eq!(Exact::Single(vec![1.0, -2.0]).to_i32(), Ok(vec![1, -2]));
        for numbers in [
            Exact::Single(vec![0.5]),
            Exact::Double(vec![f64::NAN]),
            Exact::Double(vec![f64::INFINITY]),
            Exact::Double(vec![2147483648.0]),
            Exact::Integer(vec![i128::from(i32::MAX) + 1]),
        ] {
            assert!(numbers.to_i32().is_err(), "{numbers:?}");
        }
        assert_eq!(Exact::Integer(vec![1 << 24, -3]).into_real(), Ok(Exact::Single(vec![16777216.0, -3.0])));
        assert!(Exact::Integer(vec![(1 << 24) + 1]).into_real().unwrap_err().contains("float64"));
    }

    #[test]
    fn integers_of_all_widths_are_widened() {
        for (dtype, bytes, expected) in [
            (DType::Bool, vec![1], 1),
            (DType::Int8, vec![0xff], -1),
            (DType::Uint8, vec![0xff], 255),
            (DType::Int16, vec![0xff; 2], -1),
            (DType::Uint16, vec![0xff; 2], 65535),
            (DType::Int32, vec![0xff; 4], -1),
            (DType::Uint32, vec![0xff; 4], 4294967295),
            (DType::Int64, vec![0xff; 8], -1),
            (DType::Uint64, vec![0xff; 8], i128::from(u64::MAX)),
        ] {
            assert_eq!(Exact::of(&Array::new(dtype, &[1], bytes)), Exact::Integer(vec![expected]), "{dtype:?}");
        }
    }
}
