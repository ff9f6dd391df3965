//! Types of numbers.

use crate::{Error, Result};

/// A type of numbers, by the names that NumPy has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DType {
    Bool,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Float16,
    Bfloat16,
    Float32,
    Float64,
}

/// Every type, with NumPy's short name (empty if it has none) and that of safetensors.
const NAMES: [(DType, &str, &str); 13] = [
    (DType::Bool, "b1", "BOOL"),
    (DType::Int8, "i1", "I8"),
    (DType::Uint8, "u1", "U8"),
    (DType::Int16, "i2", "I16"),
    (DType::Uint16, "u2", "U16"),
    (DType::Int32, "i4", "I32"),
    (DType::Uint32, "u4", "U32"),
    (DType::Int64, "i8", "I64"),
    (DType::Uint64, "u8", "U64"),
    (DType::Float16, "f2", "F16"),
    (DType::Bfloat16, "", "BF16"),
    (DType::Float32, "f4", "F32"),
    (DType::Float64, "f8", "F64"),
];

impl DType {
    /// The bytes of a number.
    pub fn width(self) -> usize {
        match self {
            Self::Bool | Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 | Self::Float16 | Self::Bfloat16 => 2,
            Self::Int32 | Self::Uint32 | Self::Float32 => 4,
            Self::Int64 | Self::Uint64 | Self::Float64 => 8,
        }
    }

    /// Whether its numbers have fractions.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float16 | Self::Bfloat16 | Self::Float32 | Self::Float64)
    }

    /// NumPy's name for little-endian numbers: `<f4`. The 16 bits of a `Bfloat16`, which NumPy does not know, are `<u2`.
    pub fn descr(self) -> String {
        let name = match self {
            Self::Bfloat16 => "u2",
            _ => self.names().1,
        };
        format!("{}{name}", if self.width() == 1 { '|' } else { '<' })
    }

    /// The type that one of NumPy's names means, such as `<f4`, and whether the numbers are big-endian.
    pub(crate) fn of_descr(descr: &str) -> Result<(Self, bool)> {
        let (order, name) = match descr.as_bytes() {
            [order @ (b'<' | b'>' | b'|' | b'='), ..] => (*order, &descr[1..]),
            _ => (b'=', descr),
        };
        let found =
            NAMES.iter().find(|names| names.1 == name && !name.is_empty() || names.0 == Self::Bool && name == "?");
        if let Some((dtype, ..)) = found {
            return Ok((*dtype, order == b'>'));
        }
        Err(Error::Content(match name.starts_with('O') {
            true => "expected an array of numbers, got one of Python objects (pickled), which is not read".to_owned(),
            false => format!("expected an array of integers or floating-point numbers, got the type {descr:?}"),
        }))
    }

    /// The name that safetensors has: `F32`.
    pub fn tensor_name(self) -> &'static str {
        self.names().2
    }

    /// The type of a tensor.
    #[cfg(feature = "safetensors")]
    pub(crate) fn of_tensor_name(name: &str) -> Result<Self> {
        match NAMES.iter().find(|names| names.2 == name) {
            Some((dtype, ..)) => Ok(*dtype),
            None => Err(Error::Content(format!("expected integers or floating-point numbers, got the type {name:?}"))),
        }
    }

    fn names(self) -> &'static (Self, &'static str, &'static str) {
        NAMES.iter().find(|names| names.0 == self).unwrap_or(&NAMES[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_type_and_its_width() {
        for (dtype, name, tensor) in NAMES {
            assert_eq!(dtype.tensor_name(), tensor);
            if dtype != DType::Bfloat16 {
                assert_eq!(DType::of_descr(&dtype.descr()).unwrap(), (dtype, false));
                assert_eq!(name[1..].parse(), Ok(dtype.width()));
                assert_eq!(DType::of_descr(&format!(">{name}")).unwrap(), (dtype, true));
            }
        }
        assert_eq!([DType::Bool, DType::Float32].map(DType::descr), ["|b1", "<f4"]);
        assert_eq!(DType::of_descr("?").unwrap().0, DType::Bool);
        assert!(DType::of_descr("").is_err());
    }
}
