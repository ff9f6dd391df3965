//! What the list of tools has of each.

use std::process::ExitCode;

use kaldi_cli::Tool;

/// A tool of the program.
pub struct Entry {
    /// The name on the command line, and of the link.
    pub name: &'static str,
    /// What it does, in a few words that complete "it ...".
    pub summary: &'static str,
    /// Who has a tool of this name.
    pub origin: Origin,
    /// Its usage text and its options.
    pub tool: Tool,
    /// Runs it on the command line of the process.
    pub main: fn() -> ExitCode,
}

/// Who has a tool of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Kaldi has it too, with the same options and outputs.
    Kaldi,
    /// Kaldi has no such tool.
    Own,
}

/// The tools of one folder of `src/bin`.
pub struct Task {
    /// The name of the folder.
    pub name: &'static str,
    /// The title in lists.
    pub title: &'static str,
    /// The tools by name.
    pub tools: &'static [Entry],
}
