//! NumPy's files of one array.
//!
//! ```text
//! \x93NUMPY \x01\x00  76 00   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 40), }    \n  numbers
//! ^^^^^^^^^ ^^^^^^^^  ^^^^^   ^^^^^^^^^^^^^^^^^ a Python dictionary ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//! magic     version   length of the header, whose end is at a multiple of 64
//! ```

use std::io::Read;

use crate::{DType, Error, Result, read_at_most};

/// Bytes of the longest header that is read. NumPy's own limit is 10,000 characters.
const LONGEST_HEADER: u64 = 1 << 16;

/// The first bytes of a file.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Everything before the numbers of an array, with the same bytes as NumPy (version 1.0).
pub fn header(dtype: DType, dims: &[u64]) -> Vec<u8> {
    encode(&dtype.descr(), dims)
}

/// A whole file of texts, an array of one dimension. NumPy's texts have 4 bytes a character, and all the same length.
pub fn texts(texts: &[&str]) -> Vec<u8> {
    let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1);
    let mut file = encode(&format!("<U{longest}"), &[texts.len() as u64]);
    for text in texts {
        let filled = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(longest);
        file.extend(filled.flat_map(u32::to_le_bytes));
    }
    file
}

fn encode(descr: &str, dims: &[u64]) -> Vec<u8> {
    let shape = match dims {
        [one] => format!("({one},)"),
        more => format!("({})", more.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
    };
    let mut text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let length = (10 + text.len() + 1).next_multiple_of(64) - 10;
    text.extend(std::iter::repeat_n(' ', length - 1 - text.len()));
    text.push('\n');
    [&MAGIC[..], &[1, 0], &(length as u16).to_le_bytes(), text.as_bytes()].concat()
}

/// How the numbers of an array are stored in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayLayout {
    /// Their type.
    pub dtype: DType,
    /// Whether the first byte of a number counts most.
    pub is_big_endian: bool,
    /// Whether the array is stored column after column.
    pub is_fortran: bool,
    /// The sizes; none for a single number.
    pub dims: Vec<u64>,
}

impl ArrayLayout {
    /// Reads everything before the numbers.
    ///
    /// # Errors
    /// If the input cannot be read, has no array of numbers, or is cut.
    pub fn read(input: &mut impl Read) -> Result<Self> {
        let start = read_at_most(input, 8)?;
        let version = match start.strip_prefix(MAGIC) {
            Some(&[version, _]) => version,
            _ => {
                let kind = match start.first() {
                    Some(b'\x80') => ": this seems to be a pickle, which is not read",
                    _ => "",
                };
                return Err(Error::Content(format!(
                    "expected an array of NumPy, got \"{}\"{kind}",
                    start.escape_ascii()
                )));
            }
        };
        let width = match version {
            1 => 2,
            2 | 3 => 4,
            other => return Err(Error::Content(format!("expected version 1, 2 or 3 of NumPy's format, got {other}"))),
        };
        let mut length = [0; 4];
        input.read_exact(&mut length[..width]).map_err(|_| Error::content("the header is cut"))?;
        let length = u64::from(u32::from_le_bytes(length));
        if length > LONGEST_HEADER {
            let message = format!("expected a header of at most {LONGEST_HEADER} bytes, got one of {length}");
            return Err(Error::Content(message));
        }
        let text = read_at_most(input, length)?;
        if text.len() as u64 != length {
            return Err(Error::Content(format!("expected a header of {length} bytes, got {}", text.len())));
        }
        Self::parse(&text)
    }

    /// Parses the dictionary of a header: its three entries, in any order.
    ///
    /// # Errors
    /// If an entry is missing, or says something else.
    fn parse(text: &[u8]) -> Result<Self> {
        let text = str::from_utf8(text).map_err(|_| Error::content("expected a header of text"))?;
        let shown = || format!("\"{}\"", text.trim_end().escape_debug());
        let after = |name: &str| {
            let at = [format!("'{name}'"), format!("\"{name}\"")]
                .iter()
                .find_map(|quoted| Some(text.find(quoted)? + quoted.len()));
            let rest = at.and_then(|at| text[at..].trim_start().strip_prefix(':'));
            rest.map(str::trim_start)
                .ok_or_else(|| Error::Content(format!("expected {name} in the header, got {}", shown())))
        };
        let descr = after("descr")?;
        if descr.starts_with('[') {
            return Err(Error::content("expected an array of numbers, got one of records (a structured type)"));
        }
        let quote = descr.chars().next().filter(|quote| matches!(quote, '\'' | '"'));
        let descr = quote.and_then(|quote| descr[1..].split_once(quote));
        let (descr, _) = descr.ok_or_else(|| Error::Content(format!("expected a type, got {}", shown())))?;
        let (dtype, is_big_endian) = DType::of_descr(descr)?;
        let is_fortran = match after("fortran_order")? {
            rest if rest.starts_with("True") => true,
            rest if rest.starts_with("False") => false,
            _ => {
                return Err(Error::Content(format!("expected fortran_order to be True or False, got {}", shown())));
            }
        };
        let shape = after("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let (shape, _) = shape.ok_or_else(|| Error::Content(format!("expected a shape, got {}", shown())))?;
        let dims = shape.split(',').map(str::trim).filter(|dim| !dim.is_empty());
        let size = |dim: &str| {
            let number = dim.trim_end_matches('L').parse();
            number.map_err(|_| Error::Content(format!("expected a size, got {dim:?}")))
        };
        Ok(Self { dtype, is_big_endian, is_fortran, dims: dims.map(size).collect::<Result<_>>()? })
    }

    /// The bytes of all numbers; `None` if these are more than anything can hold.
    pub fn num_bytes(&self) -> Option<u64> {
        self.dims.iter().try_fold(self.dtype.width() as u64, |product, &dim| product.checked_mul(dim))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (dtype, dims) in [
            (DType::Float32, &[2, 3][..]),
            (DType::Float64, &[2]),
            (DType::Uint32, &[0, 0]),
            (DType::Int32, &[]),
            (DType::Bool, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]),
        ] {
            let bytes = header(dtype, dims);
            assert_eq!(bytes.len() % 64, 0);
            let layout = ArrayLayout { dtype, is_big_endian: false, is_fortran: false, dims: dims.to_vec() };
            assert_eq!(ArrayLayout::read(&mut &bytes[..]).unwrap(), layout);
            for cut in 0..bytes.len() {
                assert!(ArrayLayout::read(&mut &bytes[..cut]).is_err(), "{cut}");
            }
        }
    }

    #[test]
    fn headers_are_numpys() {
        let bytes = header(DType::Int32, &[157, 2]);
        assert_eq!(bytes.len(), 128);
        let start = b"\x93NUMPY\x01\0v\0{'descr': '<i4', 'fortran_order': False, 'shape': (157, 2), }  ";
        assert!(bytes.starts_with(start) && bytes.ends_with(b" \n"));
        let start = b"\x93NUMPY\x01\0v\0{'descr': '<u4', 'fortran_order': False, 'shape': (6,), }  ";
        assert!(header(DType::Uint32, &[6]).starts_with(start));
    }

    #[test]
    fn texts_have_one_length() {
        let file = texts(&["a", "\u{e9}\"!", ""]);
        let header = encode("<U3", &[3]);
        assert!(file.starts_with(&header));
        let characters: Vec<u32> =
            file[header.len()..].as_chunks().0.iter().map(|it| u32::from_le_bytes(*it)).collect();
        assert_eq!(characters, [0x61, 0, 0, 0xe9, 0x22, 0x21, 0, 0, 0]);
    }
}
