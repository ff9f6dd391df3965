//! Lists of tools: what a task has, and what is known of each of its tools.

use crate::Tool;

/// A tool in the list of its task.
pub struct ListedTool {
    /// The name on the command line, and of the link.
    pub name: &'static str,
    /// What it does, in a few words that complete "it ...".
    pub summary: &'static str,
    /// Who has a tool of this name.
    pub origin: Origin,
    /// Its usage text, its options and its work.
    pub tool: Tool,
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
    pub tools: &'static [ListedTool],
}

/// Lists the tools of a task, in the `lib.rs` of its crate: declares their modules, and the static `TASK`. First the name of the
/// task and its title; then a row a tool: its module, its file (named as the tool), who has it, what it does. A module has
/// the constant `TOOL`.
///
/// ```ignore
/// kaldi_cli::tools! {
///     tables "Tables"
///     copy_matrix "copy-matrix.rs" Kaldi "copies matrices; scales them, applies functions";
/// }
/// ```
#[macro_export]
macro_rules! tools {
    ($task:ident $title:literal $(
        $(#[$condition:meta])? $module:ident $file:literal $origin:ident $summary:literal;
    )*) => {
        $(
            $(#[$condition])?
            #[path = $file]
            #[doc(hidden)]
            pub mod $module;
        )*

        /// The tools of this crate.
        pub static TASK: $crate::Task = $crate::Task {
            name: stringify!($task),
            title: $title,
            tools: &[$($(#[$condition])? $crate::ListedTool {
                name: $crate::tool_of_file($file),
                summary: $summary,
                origin: $crate::Origin::$origin,
                tool: $module::TOOL,
            },)*],
        };
    };
}

/// The name of the tool that is in a file: `copy-matrix` for `copy-matrix.rs`.
#[doc(hidden)]
#[must_use]
pub const fn tool_of_file(file: &'static str) -> &'static str {
    file.split_at(file.len() - ".rs".len()).0
}
