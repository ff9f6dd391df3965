//! The columns of a file, members of structs among them.

use std::fmt;

use array_files::DType;

/// What the values of a leaf are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeafType {
    /// Bytes.
    Bytes,
    /// Text in UTF-8.
    Text,
    /// Integers.
    Integer,
    /// Numbers of half, single or double precision.
    Real,
    /// Truth values.
    Truth,
    /// Something else, which is not read.
    Other(&'static str),
}

impl fmt::Display for LeafType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bytes => "bytes",
            Self::Text => "string",
            Self::Integer => "integer",
            Self::Real => "floating-point number",
            Self::Truth => "bool",
            Self::Other(name) => name,
        })
    }
}

/// A column, or a member of one that is a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Its name, with dots between the names of structs and members.
    pub name: String,
    /// The type of its values, or of those in its lists; a list of lists is something else.
    pub leaf_type: LeafType,
    /// Nesting depth of lists (Parquet: maximum repetition level); 0 for scalars.
    pub num_lists: usize,
    /// The type of the values in the innermost lists.
    pub element: LeafType,
    /// Whether it is a member of a struct.
    pub is_member: bool,
    /// The numbers as they are stored, if the values are such.
    pub dtype: Option<DType>,
    /// The column of Parquet.
    pub(crate) column: usize,
    /// Parquet definition levels from which on each list is not null, outermost first.
    pub(crate) list_levels: Vec<i16>,
    /// Parquet definition level of a value that is not null.
    pub(crate) value_level: i16,
    pub(crate) is_unsigned: bool,
    pub(crate) is_half: bool,
}

impl Leaf {
    /// Leaf column of `num_lists` nested lists (0 for scalars) of `element`.
    pub(crate) fn new(
        name: String,
        element: LeafType,
        num_lists: usize,
        is_member: bool,
        dtype: Option<DType>,
    ) -> Self {
        let leaf_type = if num_lists > 1 { LeafType::Other("lists") } else { element.clone() };
        // A logical type such as a date has no plain numeric element type.
        let dtype = dtype.filter(|_| !matches!(element, LeafType::Other(_)));
        Self {
            name,
            leaf_type,
            num_lists,
            element,
            is_member,
            dtype,
            column: 0,
            list_levels: Vec::new(),
            value_level: 0,
            is_unsigned: false,
            is_half: false,
        }
    }

    /// Whether a value is a list.
    pub fn is_list(&self) -> bool {
        self.num_lists > 0
    }

    /// What is stored, such as `list of float32`.
    pub fn stored(&self) -> String {
        let lists = "list of ".repeat(self.num_lists);
        match self.dtype {
            Some(dtype) => format!("{lists}{dtype:?}").to_lowercase(),
            None => format!("{lists}{}", self.element),
        }
    }

    /// The type of the numbers or truth values; `None` for others.
    pub fn numbers(&self) -> Option<DType> {
        self.dtype.or((self.element == LeafType::Truth).then_some(DType::Bool))
    }

    /// Refuses a leaf whose values are not read.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.element {
            LeafType::Other(name) => {
                Err(format!("a column of the type {}{name} is not read", "list of ".repeat(self.num_lists)))
            }
            _ => Ok(()),
        }
    }

    /// The names of leaves, for messages.
    pub fn names(leaves: &[Self]) -> String {
        let mut names: Vec<&str> = leaves.iter().map(|leaf| leaf.name.as_str()).collect();
        names.dedup();
        names.join(", ")
    }

    /// The index of the leaf with a name: `audio.bytes` is a column that is called so, or else a member of a struct.
    pub fn find(leaves: &[Self], name: &str) -> Option<usize> {
        let found = || (0..leaves.len()).filter(|&index| leaves[index].name == name);
        found().find(|&index| !leaves[index].is_member).or_else(|| found().next())
    }
}

impl fmt::Display for Leaf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = if self.is_list() { "list of " } else { "" };
        write!(f, "{list}{}", self.leaf_type)
    }
}
