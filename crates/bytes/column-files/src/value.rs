//! Values of columns.

use array_files::DType;
use bytes::Bytes;

/// What a row has in a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValue {
    /// Nothing.
    Null,
    /// Bytes, or the bytes of text.
    Bytes(Bytes),
    /// An integer.
    Integer(i64),
    /// An integer that is never negative.
    Unsigned(u64),
    /// A number of single precision.
    Single(f32),
    /// A number of double precision.
    Double(f64),
    /// A truth value.
    Truth(bool),
    /// The values of a list.
    List(Vec<ColumnValue>),
}

/// The numbers of a row: one, those of a list, or those of lists of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnNumbers {
    /// The type of the numbers.
    pub dtype: DType,
    /// The lengths of the lists, the outermost first; none for a single number.
    pub dims: Vec<usize>,
    /// Little-endian, as many as the lengths say.
    pub bytes: Vec<u8>,
}

/// What is wrong where there is nothing.
pub(crate) const NOTHING: &str = "expected a value everywhere, got nothing (null)";

/// What is wrong with lists that are no rows.
pub(crate) const UNEQUAL: &str = "expected lists of one length, got others";

impl ColumnNumbers {
    /// The numbers of a value of a leaf with `num_lists` lists inside of each other. Those of half precision are in single.
    pub(crate) fn of(value: ColumnValue, num_lists: usize, dtype: DType) -> Result<Self, String> {
        let dtype = if dtype == DType::Float16 { DType::Float32 } else { dtype };
        let (mut values, mut dims) = (vec![value], Vec::new());
        for _ in 0..num_lists {
            let list = |value| if let ColumnValue::List(list) = value { Ok(list) } else { Err(NOTHING) };
            let lists = values.into_iter().map(list).collect::<Result<Vec<_>, _>>()?;
            if lists.windows(2).any(|pair| pair[0].len() != pair[1].len()) {
                return Err(UNEQUAL.to_owned());
            }
            dims.push(lists.first().map_or(0, Vec::len));
            values = lists.into_iter().flatten().collect();
        }
        let mut bytes = Vec::with_capacity(values.len() * dtype.width());
        for value in &values {
            match value {
                ColumnValue::Integer(number) => bytes.extend(&number.to_le_bytes()[..dtype.width()]),
                ColumnValue::Unsigned(number) => bytes.extend(&number.to_le_bytes()[..dtype.width()]),
                ColumnValue::Single(number) => bytes.extend(number.to_le_bytes()),
                ColumnValue::Double(number) => bytes.extend(number.to_le_bytes()),
                ColumnValue::Truth(truth) => bytes.push(u8::from(*truth)),
                _ => return Err(NOTHING.to_owned()),
            }
        }
        Ok(Self { dtype, dims, bytes })
    }
}

impl ColumnValue {
    /// The bytes, if it has some.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Whether it, or anything in its lists, is nothing.
    pub(crate) fn has_null(&self) -> bool {
        match self {
            Self::Null => true,
            Self::List(values) => values.iter().any(Self::has_null),
            _ => false,
        }
    }

    /// The value as words: text as it is, the digits of a number, the values of a list with blanks between them. `None` if there
    /// is nothing, or if the text is not UTF-8.
    pub fn to_words(&self) -> Option<String> {
        Some(match self {
            Self::Null => return None,
            Self::Bytes(bytes) => std::str::from_utf8(bytes).ok()?.to_owned(),
            Self::Integer(number) => number.to_string(),
            Self::Unsigned(number) => number.to_string(),
            Self::Single(number) => number.to_string(),
            Self::Double(number) => number.to_string(),
            Self::Truth(truth) => truth.to_string(),
            Self::List(values) => {
                values.iter().map(Self::to_words).collect::<Option<Vec<_>>>().map(|words| words.join(" "))?
            }
        })
    }
}
