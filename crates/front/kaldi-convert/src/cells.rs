//! What a row has in a column.

use array_files::DType;
use bstr::BString;
use column_files::{ColumnNumbers, ColumnValues, Leaf};

use crate::Result;
use crate::array::Array;
use crate::item::Item;

/// What a row has in a column.
pub(crate) enum Cell {
    Numbers(ColumnNumbers),
    Words(Vec<BString>),
}

impl Cell {
    /// What the next row has. `None` at the end.
    pub(crate) fn next(values: &mut ColumnValues, leaf: &Leaf) -> Result<Option<Self>> {
        if leaf.numbers().is_some() {
            return Ok(values.next_numbers()?.map(Self::Numbers));
        }
        let words = values.next_words()?;
        Ok(words.map(|words| Self::Words(words.into_iter().map(|word| BString::from(word.to_vec())).collect())))
    }
}

/// The value that a list is. Without sizes, a list is a vector, and a list of lists a matrix.
pub(crate) fn array_of(numbers: ColumnNumbers, size: Option<(usize, usize)>) -> Result<Item, String> {
    let ColumnNumbers { dtype, dims, bytes } = numbers;
    let dims = match (dims.as_slice(), size) {
        (&[count], Some((rows, columns))) if rows.checked_mul(columns) == Some(count) => vec![rows, columns],
        (&[rows, columns], Some(size)) if size == (rows, columns) => dims,
        (&[_] | &[_, _], None) => dims,
        (found, Some((rows, columns))) => {
            let found = found.iter().map(usize::to_string).collect::<Vec<_>>().join(" times ");
            return Err(format!("expected {rows} times {columns} values, got {found}"));
        }
        (found, None) => return Err(format!("expected a list, or a list of lists, got {} lists", found.len())),
    };
    Ok(Item::Array(Array::new(dtype, &dims, bytes)))
}

/// The key that an integer is.
pub(crate) fn key_of(numbers: &ColumnNumbers) -> Result<BString, String> {
    let ColumnNumbers { dtype, dims, bytes } = numbers;
    let is_signed = matches!(dtype, DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64);
    let is_unsigned = matches!(dtype, DType::Uint8 | DType::Uint16 | DType::Uint32 | DType::Uint64);
    if !dims.is_empty() || !(is_signed || is_unsigned) {
        return Err("expected key to be a string or an integer".into());
    }
    let is_negative = is_signed && bytes.last().is_some_and(|byte| *byte >= 0x80);
    let mut wide = [if is_negative { 0xff } else { 0 }; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    Ok(if is_signed { i64::from_le_bytes(wide).to_string() } else { u64::from_le_bytes(wide).to_string() }.into())
}

/// The value that a number is.
pub(crate) fn number_of(numbers: ColumnNumbers) -> Result<Item, String> {
    match numbers.dims.len() {
        0 => Ok(Item::Array(Array::new(numbers.dtype, &[], numbers.bytes))),
        _ => Err("expected one number, got a list".into()),
    }
}
