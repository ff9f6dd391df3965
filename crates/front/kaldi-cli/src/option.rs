//! What is known of an option or argument: its names, its type, its default.

use std::any::TypeId;
use std::fmt;

use clap::builder::PossibleValue;
use clap::{Arg as ClapArg, ArgAction};
use kaldi_io::{InputName, MapName, OutputName};
use kaldi_value::number::general;

use crate::{Arg, standard};

/// The type of a value, as the usage text names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int,
    /// An integer that is not negative and may be too large for `i32`.
    Uint,
    Float,
    Double,
    /// Any text, or one of a few words.
    Text,
}

/// What a value names, if it is the name of a stream or a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Input,
    Output,
}

impl Kind {
    /// The type of an option: that of its field, or `int` if its `value_name` says so.
    pub(crate) fn of(arg: &ClapArg) -> Self {
        if is_shown_as_int(arg) {
            return Self::Int;
        }
        let kinds = [
            (Self::Bool, &[TypeId::of::<bool>()][..]),
            (
                Self::Int,
                &[
                    TypeId::of::<i32>(),
                    TypeId::of::<i64>(),
                    TypeId::of::<isize>(),
                    TypeId::of::<u8>(),
                    TypeId::of::<u16>(),
                ],
            ),
            (Self::Uint, &[TypeId::of::<u32>(), TypeId::of::<usize>(), TypeId::of::<u64>()]),
            (Self::Float, &[TypeId::of::<f32>()]),
            (Self::Double, &[TypeId::of::<f64>()]),
        ];
        kinds.into_iter().find(|(_, types)| is_one_of(arg, types)).map_or(Self::Text, |(kind, _)| kind)
    }
}

/// Whether the field has another type and a parser of its own, and its values are integers: `value_name = "int"`.
pub(crate) fn is_shown_as_int(arg: &ClapArg) -> bool {
    arg.get_value_names().is_some_and(|names| names == ["int"])
}

/// Whether the values have one of these types.
fn is_one_of(arg: &ClapArg, types: &[TypeId]) -> bool {
    let found = arg.get_value_parser().type_id();
    types.iter().any(|known| found == *known)
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Float => "float",
            Self::Double => "double",
            Self::Text => "string",
        })
    }
}

impl Role {
    pub(crate) fn of(arg: &ClapArg) -> Option<Self> {
        if is_one_of(arg, &[TypeId::of::<InputName>(), TypeId::of::<MapName>()]) {
            Some(Self::Input)
        } else if is_one_of(arg, &[TypeId::of::<OutputName>()]) {
            Some(Self::Output)
        } else {
            None
        }
    }

    /// As a word.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

/// Whether a value need not be UTF-8.
pub(crate) fn is_bytes(arg: &ClapArg) -> bool {
    Role::of(arg).is_some() || is_one_of(arg, &[TypeId::of::<Arg>()])
}

/// The name of an argument for clap, to which arguments are options, too: their places are those of Kaldi. No command line can
/// name it, since the dialect hands on names in lower case.
pub(crate) fn place_name(field: &str) -> String {
    format!("<{}>", field.to_ascii_uppercase())
}

/// Whether it has a place instead of a name.
pub(crate) fn is_argument(arg: &ClapArg) -> bool {
    name(arg).starts_with('<')
}

/// Whether it is one of the options that all tools have.
pub(crate) fn is_standard(arg: &ClapArg) -> bool {
    arg.get_help_heading() == Some(standard::HEADING)
}

/// The name, without dashes before it.
pub(crate) fn name(arg: &ClapArg) -> &str {
    arg.get_long().unwrap_or_default()
}

/// All names that the command line may use.
pub(crate) fn names(arg: &ClapArg) -> impl Iterator<Item = &str> {
    std::iter::once(name(arg)).chain(arg.get_all_aliases().unwrap_or_default())
}

/// Whether it may be given several times.
pub(crate) fn repeats(arg: &ClapArg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

/// The only words that a value may be; empty if it may be anything of its type.
pub(crate) fn choices(arg: &ClapArg) -> Vec<PossibleValue> {
    if Kind::of(arg) == Kind::Text { arg.get_possible_values() } else { Vec::new() }
}

/// Whether an empty value means that the option is not given.
pub(crate) fn empty_is_none(arg: &ClapArg) -> bool {
    Kind::of(arg) == Kind::Text && arg.get_default_values().is_empty()
}

/// The text of the default; `None` if there is none.
pub(crate) fn default_text(arg: &ClapArg) -> Option<String> {
    arg.get_default_values().first().map(|value| value.to_string_lossy().into_owned())
}

/// The default as the usage text shows it; `None` if the usage text should not show a default.
pub(crate) fn shown_default(arg: &ClapArg) -> Option<String> {
    if let Some(shown) = standard::shown_default(arg) {
        return Some(shown.to_owned());
    }
    match (default_text(arg), Kind::of(arg)) {
        (Some(default), kind) => Some(show(kind, &default)),
        (None, Kind::Bool) => Some("false".into()),
        (None, Kind::Text) => Some("\"\"".into()),
        (None, _) => None,
    }
}

/// Shows a default value as Kaldi's usage text does.
fn show(kind: Kind, default: &str) -> String {
    match kind {
        Kind::Float | Kind::Double => default.parse().map_or_else(|_| default.to_owned(), general),
        Kind::Bool | Kind::Int | Kind::Uint => default.to_owned(),
        Kind::Text => format!("\"{default}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_look_as_cpp_streams_print_them() {
        assert_eq!(show(Kind::Float, "0.970"), "0.97");
        assert_eq!(show(Kind::Double, "0.00002"), "2e-05");
        assert_eq!(show(Kind::Float, "inf"), "inf");
        assert_eq!(show(Kind::Text, "povey"), "\"povey\"");
        assert_eq!(show(Kind::Float, "0.0000000001"), "1e-10");
    }
}
