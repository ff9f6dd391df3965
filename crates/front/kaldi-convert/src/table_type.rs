//! The types of tables that can be made.

use std::sync::LazyLock;

use kaldi_any::ValueType;

use crate::graph_parts::graph_part_names;

/// The table types that `table-import` can create, by name. `ark-to-scp --type` has the same names.
pub fn table_types() -> &'static [(&'static str, ValueType)] {
    static MADE: LazyLock<Vec<(&str, ValueType)>> =
        LazyLock::new(|| ValueType::NAMES.iter().filter(|(_, table_type)| can_be_made(*table_type)).copied().collect());
    &MADE
}

/// Whether tables of the type can be made: features of HTK and Sphinx are those of other programs themselves.
fn can_be_made(table_type: ValueType) -> bool {
    let has_items = table_type.has_content() || table_type.is_example() || table_type.graph_form().is_some();
    has_items && !matches!(table_type, ValueType::Htk | ValueType::Sphinx)
}

/// The dimensions of an array that is a value; `None` if no single array is one.
pub(crate) fn num_dims(table_type: ValueType) -> Option<usize> {
    match table_type {
        ValueType::Matrix | ValueType::Int32Matrix | ValueType::Int32Pairs | ValueType::FloatPairs => Some(2),
        ValueType::Vector | ValueType::Int32Vector => Some(1),
        ValueType::Int32 | ValueType::Float | ValueType::Double | ValueType::Bool => Some(0),
        _ => None,
    }
}

/// The names of the arrays that a value becomes, if it takes several.
pub(crate) fn part_names(table_type: ValueType) -> &'static [&'static str] {
    if let Some(form) = table_type.graph_form() {
        return graph_part_names(form);
    }
    match table_type {
        ValueType::Int32VectorVector => &["lengths", "values"],
        ValueType::Posterior => &["lengths", "index", "weight"],
        ValueType::GaussPost => &["lengths", "index", "sizes", "weight"],
        ValueType::Wave => &["rate", "channels", "samples"],
        _ => &[],
    }
}
