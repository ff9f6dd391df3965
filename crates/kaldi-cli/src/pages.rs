//! Manual pages, and completions of shells, of the installed tools.
//!
//! The text of `--help` is the one place where the options of a tool are listed. [`Help::parse`] takes it apart, so that
//! manuals and completions are those of whatever tools are installed.

mod completions;
mod help;
mod manual;

pub use completions::{Shell, completions};
pub use help::{Help, HelpOption};
