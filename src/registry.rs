//! The list of all tools. Everything that has to know them reads it here: the program, its help, manuals, completions,
//! installation, and the tests of documents.

pub use kaldi_cli::{ListedTool, MissingFeature, Origin, Task};

/// All tools, task by task.
pub fn tools() -> impl Iterator<Item = &'static ListedTool> {
    TASKS.iter().flat_map(|task| task.tools)
}

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static ListedTool> {
    tools().find(|entry| entry.name == name)
}

/// All tasks, in the order in which lists show them.
pub static TASKS: [&Task; 17] = [
    &kaldi_tools_tables::TASK,
    &kaldi_tools_audio::TASK,
    &kaldi_tools_features::TASK,
    &kaldi_tools_inspect::TASK,
    &kaldi_tools_transforms::TASK,
    &kaldi_tools_cmvn::TASK,
    &kaldi_tools_posteriors::TASK,
    &kaldi_tools_vectors::TASK,
    &kaldi_tools_models::TASK,
    &kaldi_tools_egs::TASK,
    &kaldi_tools_lattices::TASK,
    &kaldi_tools_graphs::TASK,
    &kaldi_tools_scoring::TASK,
    &kaldi_tools_jobs::TASK,
    &kaldi_tools_feed::TASK,
    &kaldi_tools_shards::TASK,
    &kaldi_tools_tokens::TASK,
];
