//! Values of columns.

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

impl ColumnValue {
    /// The bytes, if it has some.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
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
