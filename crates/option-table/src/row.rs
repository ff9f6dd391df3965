//! Rows of the table.

use crate::kind::OptionKind;

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub enum TableRow {
    /// An option.
    Option(OptionRow),
    /// An argument.
    Argument(ArgumentRow),
    /// The rows of another struct.
    Group(&'static [TableRow]),
}

impl TableRow {
    /// Calls `visit` with each row that is no group, those of groups in their places.
    pub fn visit(rows: &'static [Self], visit: &mut dyn FnMut(&'static Self)) {
        for row in rows {
            match row {
                Self::Group(rows) => Self::visit(rows, visit),
                Self::Option(_) | Self::Argument(_) => visit(row),
            }
        }
    }
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub struct OptionRow {
    /// The name of the field.
    pub field: &'static str,
    /// The name on the command line, without dashes before it.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Names that the option had before.
    pub old_names: &'static [&'static str],
    /// What it does.
    pub help: &'static str,
    /// The title below which the usage text shows it.
    pub heading: Option<&'static str>,
    /// The type of its value.
    pub kind: fn() -> OptionKind,
    /// What the value names.
    pub role: Option<Role>,
    /// The text of the default; `None` if there is no default.
    pub default: fn() -> Option<String>,
    /// The only words that the value may be; empty if it may be anything of its type.
    pub choices: fn() -> Vec<&'static str>,
    /// Spellings that choices had before, each with the choice.
    pub old_choices: &'static [(&'static str, &'static str)],
    /// Whether it may be given several times.
    pub repeats: bool,
}

impl OptionRow {
    /// The type of its value.
    #[must_use]
    pub fn kind(&self) -> OptionKind {
        (self.kind)()
    }
}

/// An argument, which has a place instead of a name.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentRow {
    /// The name of the field.
    pub field: &'static str,
    /// What the argument names.
    pub role: Option<Role>,
    /// Whether it must be given.
    pub required: bool,
    /// Whether any number of them may be given.
    pub many: bool,
}

/// What a value names, if it is the name of a stream or a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It is read.
    Input,
    /// It is written.
    Output,
}
