//! The columns of a file, members of structs among them.

use std::fmt;

use array_files::DType;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as PhysicalType};
use parquet::schema::types::{SchemaDescriptor, Type};

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
    /// The type of its values, or of those in its lists.
    pub leaf_type: LeafType,
    /// How many lists are inside of each other: a value is a list if there is one.
    pub num_lists: usize,
    /// Whether it is a member of a struct.
    pub is_member: bool,
    /// The numbers as they are stored, if the values are such.
    pub dtype: Option<DType>,
    /// The level of definition from which on a list is there.
    pub(crate) list_level: i16,
    /// That of a value that is there.
    pub(crate) value_level: i16,
    pub(crate) is_unsigned: bool,
    pub(crate) is_half: bool,
}

impl Leaf {
    /// A leaf of Arrow.
    pub(crate) fn new(
        name: String,
        leaf_type: LeafType,
        num_lists: usize,
        is_member: bool,
        dtype: Option<DType>,
    ) -> Self {
        Self {
            name,
            leaf_type,
            num_lists,
            is_member,
            dtype,
            list_level: 0,
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
            None if self.num_lists > 1 => format!("{lists}values"),
            None => format!("{lists}{}", self.leaf_type),
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

impl Leaf {
    /// The leaves of a schema, by the indices of its columns.
    pub fn all(schema: &SchemaDescriptor) -> Vec<Self> {
        (0..schema.num_columns()).map(|index| Self::of(schema, index)).collect()
    }

    fn of(schema: &SchemaDescriptor, index: usize) -> Self {
        let column = schema.column(index);
        let (mut node, mut name, mut level) = (schema.root_schema(), Vec::new(), 0);
        let (mut list_level, mut after_list) = (0, 0);
        for part in column.path().parts() {
            let Some(next) = node.is_group().then(|| node.get_fields().iter().find(|it| it.name() == part)).flatten()
            else {
                break;
            };
            node = next;
            let info = node.get_basic_info();
            let repetition = if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED };
            if repetition == Repetition::REPEATED && after_list == 0 {
                list_level = level;
            }
            // The group of a list, its repeated group, its element: only the first has a name of its own.
            after_list += usize::from(after_list > 0 || repetition == Repetition::REPEATED);
            if after_list == 0 || (after_list == 1 && !is_list(schema, &name)) {
                name.push(part.as_str());
            }
            level += i16::from(repetition != Repetition::REQUIRED);
        }
        let unsigned = matches!(
            column.converted_type(),
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
        );
        let is_half = matches!(column.logical_type_ref(), Some(LogicalType::Float16));
        let leaf_type = match column.max_rep_level() {
            2.. => LeafType::Other("lists"),
            1 if after_list > 2 && is_in_struct(column.path().parts(), after_list) => LeafType::Other("structs"),
            _ if is_half => LeafType::Real,
            _ => leaf_type(column.physical_type(), column.converted_type(), column.logical_type_ref()),
        };
        Self {
            name: name.join("."),
            leaf_type,
            num_lists: usize::try_from(column.max_rep_level()).unwrap_or_default(),
            is_member: name.len() > 1,
            dtype: dtype(column.physical_type(), column.converted_type(), is_half),
            list_level,
            value_level: column.max_def_level(),
            is_unsigned: unsigned,
            is_half,
        }
    }
}

/// Whether the node with this path is the group of a list, whose repeated member has no name of its own.
fn is_list(schema: &SchemaDescriptor, path: &[&str]) -> bool {
    let mut node: &Type = schema.root_schema();
    for part in path {
        let Some(next) = node.is_group().then(|| node.get_fields().iter().find(|it| it.name() == *part)).flatten()
        else {
            return false;
        };
        node = next;
    }
    let info = node.get_basic_info();
    matches!(info.converted_type(), ConvertedType::LIST | ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE)
}

/// Whether the last of `count` names from the repeated group on is a member of a struct: an element of a list has one of a few names, or
/// is the only one below the repeated group.
fn is_in_struct(parts: &[String], count: usize) -> bool {
    count > 3
        || parts.last().is_none_or(|last| !matches!(last.as_str(), "element" | "item" | "array" | "array_element"))
}

/// The numbers that are stored.
fn dtype(physical: PhysicalType, converted: ConvertedType, is_half: bool) -> Option<DType> {
    match (physical, converted) {
        (PhysicalType::INT32, ConvertedType::UINT_32) => Some(DType::Uint32),
        (PhysicalType::INT64, ConvertedType::UINT_64) => Some(DType::Uint64),
        (PhysicalType::INT32, _) => Some(DType::Int32),
        (PhysicalType::INT64, _) => Some(DType::Int64),
        (PhysicalType::FLOAT, _) => Some(DType::Float32),
        (PhysicalType::DOUBLE, _) => Some(DType::Float64),
        _ => is_half.then_some(DType::Float16),
    }
}

fn leaf_type(physical: PhysicalType, converted: ConvertedType, logical: Option<&LogicalType>) -> LeafType {
    match logical {
        Some(LogicalType::Decimal { .. }) => return LeafType::Other("decimal number"),
        Some(LogicalType::Date) => return LeafType::Other("date"),
        Some(LogicalType::Time { .. }) => return LeafType::Other("time"),
        Some(LogicalType::Timestamp { .. }) => return LeafType::Other("timestamp"),
        Some(LogicalType::Uuid) => return LeafType::Other("UUID"),
        _ => {}
    }
    let is_text = matches!(converted, ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON)
        || matches!(logical, Some(LogicalType::String | LogicalType::Enum | LogicalType::Json));
    match physical {
        PhysicalType::BYTE_ARRAY if is_text => LeafType::Text,
        PhysicalType::BYTE_ARRAY | PhysicalType::FIXED_LEN_BYTE_ARRAY => LeafType::Bytes,
        PhysicalType::INT32 | PhysicalType::INT64 => LeafType::Integer,
        PhysicalType::FLOAT | PhysicalType::DOUBLE => LeafType::Real,
        PhysicalType::BOOLEAN => LeafType::Truth,
        PhysicalType::INT96 => LeafType::Other("timestamp"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::schema::parser::parse_message_type;

    use super::*;

    #[test]
    fn names_lead_into_structs_and_not_into_lists() {
        let schema = parse_message_type(
            "message m {
                optional group audio { optional binary bytes; optional binary path (UTF8); }
                optional group tokens (LIST) { repeated group list { optional int64 element; } }
                repeated float old;
                optional group words (LIST) { repeated group list { optional group element { optional binary w (UTF8); } } }
                optional group rows (LIST) { repeated group list { optional group element (LIST) { repeated group list { optional float element; } } } }
                optional group s { optional group l (LIST) { repeated group list { optional double element; } } }
                optional int64 when (TIMESTAMP(MILLIS,true));
                required boolean b;
            }",
        )
        .unwrap();
        let leaves = Leaf::all(&SchemaDescriptor::new(Arc::new(schema)));
        let found: Vec<_> = leaves.iter().map(|leaf| format!("{} {leaf} {}", leaf.name, leaf.list_level)).collect();
        assert_eq!(
            found,
            [
                "audio.bytes bytes 0",
                "audio.path string 0",
                "tokens list of integer 1",
                "old list of floating-point number 0",
                "words list of structs 1",
                "rows list of lists 1",
                "s.l list of floating-point number 2",
                "when timestamp 0",
                "b bool 0",
            ]
        );
    }
}
