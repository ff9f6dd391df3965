#![doc = include_str!("../README.md")]
//! A table has the names, the help and the defaults of all fields:
//!
//! ```
//! use option_table::{Options, TableRow};
//!
//! /// Scales and cuts.
//! #[derive(Options)]
//! struct Cut {
//!     /// Multiply by this
//!     #[option(default = 1.0)]
//!     scale: f32,
//!     /// Take logarithms
//!     #[option]
//!     apply_log: bool,
//!     /// Cut here
//!     #[option(name = "cut_at")]
//!     cut: Option<u32>,
//!     source: String,
//! }
//!
//! let [TableRow::Option(scale), _, TableRow::Option(cut), TableRow::Argument(source)] = Cut::TABLE else { panic!() };
//! assert_eq!((scale.name, scale.help, (scale.default)()), ("scale", "Multiply by this", Some("1".to_owned())));
//! assert_eq!((cut.name, cut.kind().to_string(), source.required), ("cut_at", "uint".to_owned(), true));
//! ```
//!
//! # Fields
//!
//! - `#[option]` makes a field an option. Its doc comment is the help: the first paragraph, without the full stop at its end. The
//!   type may be `bool` (false if there is no default), `Option` (the option may be left out), `Vec` (it may be repeated), or any
//!   other type with a default. Values have types that implement [`FieldValue`]; all with `FromStr` do.
//! - `#[flatten]` puts the rows of another struct in the place of the field.
//! - All other fields are arguments, which have places instead of names: one, `Option` for at most one, `Vec` for any number,
//!   `#[argument(required)]` with `Vec` for at least one.
//!
//! | in `#[option(...)]` | |
//! | --- | --- |
//! | `default = 3` | the value if the option is left out; a literal string is parsed like a value of the command line |
//! | `name = "x"` | the name; if there is none, it is that of the field, with dashes |
//! | `also = "x"` | another name |
//! | `old_name = "x"` | a name that the option had before |
//! | `heading = "x"` | the title of the part of the usage text that has the option |
//! | `one_of = &WORDS` | the only words that the value may be, each with its meaning: `&'static [(&'static str, T)]` |
//! | `renamed = &WORDS` | spellings that these words had before, each with the word of today |
//! | `parse = f` | a function that parses the value: `fn(&str) -> Result<T, E>` |
//! | `min = 1`, `max = 9` | an integer of this range; one of them is that of `i32` |
//! | `kind = i32` | the type as the usage text names it, if the field has another one |
//! | `none = "-1"` | a value that means that there is none: `None` of a field with an `Option` |
//! | `skip` | no option; the field has the default of the struct |
//!
//! A struct of a library that implements `Default` has `#[options(default)]`: all its fields are options, and have its defaults. Code that its
//! doc comments have between backticks is spelled for the command line: `num_ceps` becomes `--num-ceps` in the help, and
//! `dither = 0` becomes `--dither=0`.
//!
//! A program reads the words of a command line by the table in whatever form it likes, gives the values to [`Values`], and
//! [`Options::take`] makes the struct of them.

#![cfg_attr(test, allow(clippy::unwrap_used))]

extern crate self as option_table;

mod error;
mod field;
mod kind;
mod numbers;
mod row;
pub mod testing;
#[cfg(test)]
mod tests;
mod values;

pub use error::{Cause, Error, Result};
pub use field::{FieldValue, negative_is_zero, none_or, one_of, parse_with, word_of, words};
pub use kind::{ExpectedValue, OptionKind};
pub use numbers::{NamedNumber, NamedNumbers};
pub use option_table_derive::Options;
pub use row::{ArgumentRow, OptionRow, Role, TableRow};
pub use values::Values;

/// A struct whose fields are options and arguments; the derive macro of the same name implements it.
pub trait Options: Sized {
    /// The rows of the fields, in their order.
    const TABLE: &'static [TableRow];

    /// Makes the struct of the values of its fields, which are the next ones of `values`.
    ///
    /// # Errors
    /// If a value is refused by its type, or an argument is missing.
    fn take(values: &mut Values) -> Result<Self>;
}
