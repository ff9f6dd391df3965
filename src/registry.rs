//! The list of all tools. Everything that has to know them reads it here: the program, its help, manuals, completions,
//! installation, and the tests of documents.

/// Declares the module of each tool of a task, and the task. A row: the module, the name, the file, the origin, the summary.
macro_rules! task {
    ($task:ident $title:literal { $(
        $(#[$condition:meta])? $module:ident $name:literal $path:literal $origin:ident $summary:literal;
    )* }) => {
        use super::{Entry, Origin, Task};

        $(
            $(#[$condition])?
            #[path = $path]
            mod $module;
        )*

        /// The task of this name.
        pub static TASK: Task = Task {
            name: stringify!($task),
            title: $title,
            tools: &[$($(#[$condition])? Entry {
                name: $name,
                summary: $summary,
                origin: Origin::$origin,
                tool: $module::TOOL,
                main: $module::main,
            },)*],
        };
    };
}

mod audio;
mod cmvn;
mod features;
mod feed;
mod inspect;
mod jobs;
mod models;
mod posteriors;
mod scoring;
mod shards;
mod tables;
mod tokens;
mod transforms;
mod vectors;

pub use crate::entry::{Entry, Origin, Task};

/// All tools, task by task.
pub fn tools() -> impl Iterator<Item = &'static Entry> {
    TASKS.iter().flat_map(|task| task.tools)
}

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    tools().find(|entry| entry.name == name)
}

/// All tasks, in the order in which lists show them.
pub static TASKS: [&Task; 14] = [
    &tables::TASK,
    &audio::TASK,
    &features::TASK,
    &inspect::TASK,
    &transforms::TASK,
    &cmvn::TASK,
    &posteriors::TASK,
    &vectors::TASK,
    &models::TASK,
    &scoring::TASK,
    &jobs::TASK,
    &feed::TASK,
    &shards::TASK,
    &tokens::TASK,
];
