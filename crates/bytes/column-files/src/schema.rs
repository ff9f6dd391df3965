//! The leaves of a schema of Parquet.

use array_files::DType;
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as PhysicalType};
use parquet::schema::types::{SchemaDescriptor, Type};

use crate::{Leaf, LeafType};

impl Leaf {
    /// The leaves of a schema. The members of structs in lists, and keys and values of maps, are one that is not read.
    pub(crate) fn all(schema: &SchemaDescriptor) -> Vec<Self> {
        let mut leaves: Vec<Self> = Vec::new();
        for leaf in (0..schema.num_columns()).map(|index| Self::of(schema, index)) {
            let is_apart = |before: &Self| before.name != leaf.name || !before.is_whole() || !leaf.is_whole();
            if leaves.last().is_none_or(is_apart) {
                leaves.push(leaf);
            }
        }
        leaves
    }

    /// Whether it stands for all that is below a node.
    fn is_whole(&self) -> bool {
        matches!(self.element, LeafType::Other("structs" | "map"))
    }

    fn of(schema: &SchemaDescriptor, index: usize) -> Self {
        let column = schema.column(index);
        let place = LeafPlace::find(schema.root_schema(), column.path().parts());
        let is_half = matches!(column.logical_type_ref(), Some(LogicalType::Float16));
        let element = match place.other {
            Some(name) => LeafType::Other(name),
            None if is_half => LeafType::Real,
            None => leaf_type(column.physical_type(), column.converted_type(), column.logical_type_ref()),
        };
        let dtype = dtype(column.physical_type(), column.converted_type(), is_half);
        let leaf = Self::new(place.name.join("."), element, place.list_levels.len(), place.name.len() > 1, dtype);
        let is_unsigned = matches!(
            column.converted_type(),
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
        );
        let value_level = column.max_def_level();
        Self { column: index, list_levels: place.list_levels, value_level, is_unsigned, is_half, ..leaf }
    }
}

/// Where a leaf is in a schema.
#[derive(Default)]
struct LeafPlace<'a> {
    /// The names of the column, and of members of structs.
    name: Vec<&'a str>,
    list_levels: Vec<i16>,
    /// What is on the way that is neither a struct nor a list.
    other: Option<&'static str>,
}

/// What a node of a schema is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A column, or a member of a struct.
    Named,
    /// The node of a list that is repeated.
    Repeated,
    /// What is in a list.
    Element,
}

/// The most lists that are inside of each other.
const DEEPEST: usize = 32;

impl<'a> LeafPlace<'a> {
    fn find(root: &Type, path: &'a [String]) -> Self {
        let (mut place, mut node, mut role, mut level) = (Self::default(), root, Role::Named, 0);
        for part in path {
            let Some(next) = node.is_group().then(|| node.get_fields().iter().find(|it| it.name() == part)).flatten()
            else {
                break;
            };
            let info = next.get_basic_info();
            let repetition = if info.has_repetition() { info.repetition() } else { Repetition::REQUIRED };
            if role == Role::Named {
                place.name.push(part);
            }
            if repetition == Repetition::REPEATED {
                place.list_levels.push(level);
            }
            level += i16::from(repetition != Repetition::REQUIRED);
            role = match (role, info.converted_type()) {
                (Role::Repeated, _) if !is_element(next, node.name()) => Role::Element,
                (_, ConvertedType::LIST) if is_list(next) => Role::Repeated,
                (_, ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE) if next.is_group() => {
                    place.other = Some("map");
                    break;
                }
                _ if next.is_group() && !place.list_levels.is_empty() => {
                    place.other = Some("structs");
                    break;
                }
                _ => Role::Named,
            };
            node = next;
        }
        if place.list_levels.len() > DEEPEST {
            place.other = Some("lists, too many inside of each other");
        }
        place
    }
}

/// Whether a node that is called a list has one node, which is repeated.
fn is_list(node: &Type) -> bool {
    let is_repeated = |field: &Type| {
        let info = field.get_basic_info();
        info.has_repetition() && info.repetition() == Repetition::REPEATED
    };
    node.is_group() && matches!(node.get_fields(), [field] if is_repeated(field))
}

/// Whether the repeated node of a list is what the list has: if it is no group of one node, or is called as older programs did.
fn is_element(repeated: &Type, list: &str) -> bool {
    if !repeated.is_group() {
        return true;
    }
    let [_] = repeated.get_fields() else { return true };
    repeated.name() == "array" || repeated.name().strip_suffix("_tuple") == Some(list) || is_list(repeated)
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
    // Older programs say it in another way.
    match converted {
        ConvertedType::DECIMAL => return LeafType::Other("decimal number"),
        ConvertedType::DATE => return LeafType::Other("date"),
        ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS => return LeafType::Other("time"),
        ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS => return LeafType::Other("timestamp"),
        ConvertedType::INTERVAL => return LeafType::Other("interval"),
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
        let found: Vec<_> = leaves.iter().map(|leaf| format!("{} {leaf} {:?}", leaf.name, leaf.list_levels)).collect();
        assert_eq!(
            found,
            [
                "audio.bytes bytes []",
                "audio.path string []",
                "tokens list of integer [1]",
                "old list of floating-point number [0]",
                "words list of structs [1]",
                "rows list of lists [1, 3]",
                "s.l list of floating-point number [2]",
                "when timestamp []",
                "b bool []",
            ]
        );
    }

    #[test]
    fn what_is_no_number_and_no_list_is_told_once() {
        let schema = parse_message_type(
            "message m {
                optional group facts (MAP) { repeated group key_value { required binary key (UTF8); optional int32 value; } }
                optional group pairs (LIST) { repeated group array { required int32 a; required int32 b; } }
                optional group tuples (LIST) { repeated group tuples_tuple { required int32 a; } }
                repeated group points { required float x; required float y; }
                optional group two (LIST) { repeated int32 element; }
                optional group nested (LIST) { repeated group array (LIST) { repeated int32 array; } }
                required int32 day (DATE);
                required int32 price (DECIMAL(9,2));
                required int64 moment (TIME(MICROS,true));
                optional group days (LIST) { repeated group list { optional int32 element (DATE); } }
                required int32 last;
            }",
        )
        .unwrap();
        let leaves = Leaf::all(&SchemaDescriptor::new(Arc::new(schema)));
        let found: Vec<_> = leaves.iter().map(|leaf| format!("{} {}", leaf.name, leaf.stored())).collect();
        assert_eq!(
            found,
            [
                "facts map",
                "pairs list of structs",
                "tuples list of structs",
                "points list of structs",
                "two list of int32",
                "nested list of list of int32",
                "day date",
                "price decimal number",
                "moment time",
                "days list of date",
                "last int32",
            ]
        );
        let columns: Vec<_> = leaves.iter().map(|leaf| leaf.column).collect();
        assert_eq!(columns, [0, 2, 4, 5, 7, 8, 9, 10, 11, 12, 13]);
        assert_eq!(leaves[6].check().unwrap_err(), "a column of the type date is not read");
        assert!(leaves.iter().all(|leaf| leaf.check().is_ok() == leaf.dtype.is_some()));
    }
}
