//! The types of tables that can be made.

use std::fmt;
use std::str::FromStr;

/// A type of tables that can be made of files, by the names that `ark-to-scp --type` has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum TableType {
    Matrix,
    Vector,
    Wave,
    Int32,
    Float,
    Double,
    Bool,
    Int32Vector,
    Int32VectorVector,
    Int32Pairs,
    FloatPairs,
    Posterior,
    GaussPost,
    Token,
    TokenVector,
}

impl TableType {
    const ALL: [(Self, &'static str); 15] = [
        (Self::Matrix, "matrix"),
        (Self::Vector, "vector"),
        (Self::Wave, "wave"),
        (Self::Int32, "int32"),
        (Self::Float, "float"),
        (Self::Double, "double"),
        (Self::Bool, "bool"),
        (Self::Int32Vector, "int32-vector"),
        (Self::Int32VectorVector, "int32-vector-vector"),
        (Self::Int32Pairs, "int32-pairs"),
        (Self::FloatPairs, "float-pairs"),
        (Self::Posterior, "posterior"),
        (Self::GaussPost, "gauss-post"),
        (Self::Token, "token"),
        (Self::TokenVector, "token-vector"),
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(table_type, _)| *table_type == self).map_or("", |(_, name)| name)
    }

    /// The dimensions of an array that is a value; nothing where none is.
    pub(crate) fn num_dims(self) -> Option<usize> {
        match self {
            Self::Matrix | Self::Int32Pairs | Self::FloatPairs => Some(2),
            Self::Vector | Self::Int32Vector => Some(1),
            Self::Int32 | Self::Float | Self::Double | Self::Bool => Some(0),
            _ => None,
        }
    }

    /// The names of the arrays that a value becomes, where it takes several.
    pub(crate) fn part_names(self) -> &'static [&'static str] {
        match self {
            Self::Int32VectorVector => &["lengths", "values"],
            Self::Posterior => &["lengths", "index", "weight"],
            Self::GaussPost => &["lengths", "index", "sizes", "weight"],
            Self::Wave => &["rate", "channels", "samples"],
            _ => &[],
        }
    }
}

impl FromStr for TableType {
    type Err = UnknownType;

    fn from_str(name: &str) -> Result<Self, UnknownType> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(table_type, _)| *table_type).ok_or(UnknownType)
    }
}

impl fmt::Display for TableType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of no such type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownType;

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = TableType::ALL.iter().map(|(_, name)| *name).collect();
        let (last, first) = names.split_last().unwrap_or((&"", &[]));
        write!(f, "expected {} or {last}", first.join(", "))
    }
}

impl std::error::Error for UnknownType {}
