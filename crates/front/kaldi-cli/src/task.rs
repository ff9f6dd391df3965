//! Lists of tools: what a task has, and what is known of each of its tools.

use std::ffi::OsString;
use std::process::ExitCode;

use kaldi_io::Session;

use crate::Tool;

/// A tool in the list of its task.
pub struct ListedTool {
    /// The name on the command line, and of the link.
    pub name: &'static str,
    /// What it does, in a few words that complete "it ...".
    pub summary: &'static str,
    /// Who has a tool of this name.
    pub origin: Origin,
    /// Its usage text, its options and its work, if it is in this build.
    pub tool: Result<Tool, MissingFeature>,
}

impl ListedTool {
    /// Runs the tool on the command line of the process, as [`Tool::run`] does; or says that it is not in this build.
    pub fn run(&self, session: &Session) -> ExitCode {
        match &self.tool {
            Ok(tool) => self.of_origin(*tool).run(session),
            Err(missing) => crate::refuse(self.name, *missing),
        }
    }

    /// Runs the tool with these words, as [`Tool::run_as`] does; or says that it is not in this build.
    pub fn run_as(&self, words: Vec<OsString>, session: &Session) -> ExitCode {
        match &self.tool {
            Ok(tool) => self.of_origin(*tool).run_as(self.name.into(), words, session),
            Err(missing) => crate::refuse(self.name, *missing),
        }
    }

    fn of_origin(&self, tool: Tool) -> Tool {
        if self.origin == Origin::Own { tool.own() } else { tool }
    }
}

/// The feature of the package that this build lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingFeature(pub &'static str);

impl MissingFeature {
    /// How a build gets the feature.
    #[must_use]
    pub fn advice(self) -> String {
        format!("cargo build --release --features={} makes one with it", self.0)
    }

    /// The message for what is missing: a tool, a format.
    #[must_use]
    pub fn message(self, what: &str) -> String {
        format!("{what} is not in this build, which lacks the feature {}; {}", self.0, self.advice())
    }
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
/// the constant `TOOL`. A tool with a `cfg` before it needs a feature; without it, it is listed and says so.
///
/// ```ignore
/// kaldi_cli::tools! {
///     tables "Tables"
///     copy_matrix "copy-matrix.rs" Kaldi "copies matrices; scales them, applies functions";
///     #[cfg(feature = "stores")]
///     kaldi_store "kaldi-store.rs" Own "lists, shows, copies and removes objects in stores and on the web";
/// }
/// ```
#[macro_export]
macro_rules! tools {
    (@tool $module:ident) => {
        Ok($module::TOOL)
    };
    (@tool $module:ident $feature:literal) => {{
        #[cfg(feature = $feature)]
        const TOOL: Result<$crate::Tool, $crate::MissingFeature> = Ok($module::TOOL);
        #[cfg(not(feature = $feature))]
        const TOOL: Result<$crate::Tool, $crate::MissingFeature> = Err($crate::MissingFeature($feature));
        TOOL
    }};
    ($task:ident $title:literal $(
        $(#[cfg(feature = $feature:literal)])? $module:ident $file:literal $origin:ident $summary:literal;
    )*) => {
        $(
            $(#[cfg(feature = $feature)])?
            #[path = $file]
            #[doc(hidden)]
            pub mod $module;
        )*

        /// The tools of this crate.
        pub static TASK: $crate::Task = $crate::Task {
            name: stringify!($task),
            title: $title,
            tools: &[$($crate::ListedTool {
                name: $crate::tool_of_file($file),
                summary: $summary,
                origin: $crate::Origin::$origin,
                tool: $crate::tools!(@tool $module $($feature)?),
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
