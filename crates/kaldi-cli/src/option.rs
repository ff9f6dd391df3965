//! The options that a command line may name.

use std::ops::Deref;

use kaldi_number::general;
use option_table::{OptionKind, OptionRow};

use crate::dialect::normalized;

/// An option that the command line may name.
#[derive(Clone, Copy)]
pub(crate) struct Opt {
    row: &'static OptionRow,
    /// It is one of those that all tools have.
    pub(crate) is_standard: bool,
}

impl Deref for Opt {
    type Target = OptionRow;

    fn deref(&self) -> &OptionRow {
        self.row
    }
}

impl Opt {
    /// An option of a tool.
    pub(crate) fn of(row: &'static OptionRow) -> Self {
        Self { row, is_standard: false }
    }

    /// An option of all tools.
    pub(crate) fn standard(row: &'static OptionRow) -> Self {
        Self { row, is_standard: true }
    }

    /// All names that the command line may use.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.row.name).chain(self.row.aliases.iter().chain(self.row.old_names).copied())
    }

    /// Whether this name, in its normalized form, is one that the option had before.
    pub(crate) fn had_name(&self, key: &[u8]) -> bool {
        self.row.old_names.iter().any(|name| normalized(name.as_bytes()) == key)
    }

    /// Whether an empty value means that the option is not given.
    pub(crate) fn empty_is_none(&self) -> bool {
        self.kind() == OptionKind::Text && (self.row.default)().is_none()
    }

    /// The default as the usage text shows it; `None` if the usage text should not show a default.
    pub(crate) fn shown_default(&self) -> Option<String> {
        match ((self.row.default)(), self.kind()) {
            (Some(default), kind) => Some(show(kind, &default)),
            (None, OptionKind::Bool) => Some("false".into()),
            (None, OptionKind::Text) => Some("\"\"".into()),
            (None, _) => None,
        }
    }
}

/// Shows a default value as Kaldi's usage text does.
fn show(kind: OptionKind, default: &str) -> String {
    match kind {
        OptionKind::Float | OptionKind::Double => default.parse().map_or_else(|_| default.to_owned(), general),
        OptionKind::Bool | OptionKind::Int { .. } => default.to_owned(),
        OptionKind::Text => format!("\"{default}\""),
    }
}

/// The words of a sentence: `a`, `a or b`, `a, b or c`.
pub(crate) fn alternatives(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_look_as_cpp_streams_print_them() {
        assert_eq!(show(OptionKind::Float, "0.970"), "0.97");
        assert_eq!(show(OptionKind::Double, "0.00002"), "2e-05");
        assert_eq!(show(OptionKind::Float, "inf"), "inf");
        assert_eq!(show(OptionKind::Text, "povey"), "\"povey\"");
        assert_eq!(show(OptionKind::Float, "0.0000000001"), "1e-10");
    }

    #[test]
    fn words_are_listed_as_in_a_sentence() {
        let words = ["a", "b", "c"];
        assert_eq!([1, 2, 3].map(|count| alternatives(&words[..count])), ["a", "a or b", "a, b or c"]);
    }
}
