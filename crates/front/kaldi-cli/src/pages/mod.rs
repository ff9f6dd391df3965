//! Manual pages, and completions of shells, of tools.

mod completions;
mod help;
mod manual;
mod markdown;

pub use completions::{Shell, completions};
pub use help::{Help, HelpArgument, HelpOption};
