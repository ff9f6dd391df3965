//! What a row has in a column.

use array_files::DType;
use bstr::BString;
use column_files::{ColumnValue, Leaf, LeafType};

use crate::array::Array;
use crate::item::Item;

/// What a row has in a column.
pub(crate) enum Cell {
    Numbers(Numbers),
    Words(Vec<BString>),
}

/// Numbers and what is known of their arrangement.
pub(crate) struct Numbers {
    pub(crate) dtype: DType,
    pub(crate) bytes: Vec<u8>,
    /// The lists that a list of lists has.
    pub(crate) num_lists: Option<usize>,
}

impl Cell {
    /// The cell that a value of Arrow is.
    pub(crate) fn of(value: ColumnValue, leaf: &Leaf) -> Result<Self, String> {
        let nothing = || "expected a value in every column, got nothing (null)".to_owned();
        let (mut values, mut num_lists) = (vec![value], None);
        for level in 0..leaf.num_lists {
            let list = |value| if let ColumnValue::List(list) = value { Ok(list) } else { Err(nothing()) };
            let lists = values.into_iter().map(list).collect::<Result<Vec<_>, _>>()?;
            if level > 0 {
                if lists.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
                    return Err("expected lists of one length in values, got others".into());
                }
                num_lists = Some(lists.len());
            }
            values = lists.into_iter().flatten().collect();
        }
        let dtype = match leaf.dtype {
            // Those of half precision were read as such.
            Some(DType::Float16) => DType::Float32,
            Some(dtype) => dtype,
            None if leaf.leaf_type == LeafType::Truth => DType::Bool,
            None => {
                let word = |value: &ColumnValue| value.as_bytes().map(BString::from).ok_or_else(nothing);
                return Ok(Self::Words(values.iter().map(word).collect::<Result<_, _>>()?));
            }
        };
        let mut bytes = Vec::with_capacity(values.len() * dtype.width());
        for value in &values {
            match value {
                ColumnValue::Integer(number) => bytes.extend(&number.to_le_bytes()[..dtype.width()]),
                ColumnValue::Unsigned(number) => bytes.extend(&number.to_le_bytes()[..dtype.width()]),
                ColumnValue::Single(number) => bytes.extend(number.to_le_bytes()),
                ColumnValue::Double(number) => bytes.extend(number.to_le_bytes()),
                ColumnValue::Truth(truth) => bytes.push(u8::from(*truth)),
                _ => return Err(nothing()),
            }
        }
        Ok(Self::Numbers(Numbers { dtype, bytes, num_lists }))
    }
}

impl Numbers {
    /// Without sizes, a list is a vector.
    pub(crate) fn into_array(self, size: Option<(usize, usize)>) -> Result<Item, String> {
        let count = self.bytes.len() / self.dtype.width();
        let dims = match (self.num_lists, size) {
            (Some(0), _) => vec![0, 0],
            (Some(rows), _) => vec![rows, count / rows],
            (None, Some((rows, columns))) => {
                if rows.checked_mul(columns) != Some(count) {
                    return Err(format!("expected {rows} times {columns} values, got {count}"));
                }
                vec![rows, columns]
            }
            (None, None) => vec![count],
        };
        Ok(Item::Array(Array::new(self.dtype, &dims, self.bytes)))
    }

    /// The key that an integer is.
    pub(crate) fn into_key(self) -> Result<BString, String> {
        let is_signed = matches!(self.dtype, DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64);
        let is_unsigned = matches!(self.dtype, DType::Uint8 | DType::Uint16 | DType::Uint32 | DType::Uint64);
        if self.bytes.len() != self.dtype.width() || !(is_signed || is_unsigned) {
            return Err("expected key to be a string or an integer".into());
        }
        let is_negative = is_signed && self.bytes.last().is_some_and(|byte| *byte >= 0x80);
        let mut wide = [if is_negative { 0xff } else { 0 }; 8];
        wide[..self.bytes.len()].copy_from_slice(&self.bytes);
        Ok(if is_signed { i64::from_le_bytes(wide).to_string() } else { u64::from_le_bytes(wide).to_string() }.into())
    }

    pub(crate) fn into_single(self) -> Result<Item, String> {
        match self.bytes.len() / self.dtype.width() {
            1 => Ok(Item::Array(Array::new(self.dtype, &[], self.bytes))),
            count => Err(format!("expected one number, got {count}")),
        }
    }
}
