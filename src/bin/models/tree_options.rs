//! What the tools have in common that build trees.

use kaldi_cli::{InputName, OutputName, read_text};
use kaldi_hmm::{ContextDependency, EventMap, HmmTopology, Questions, TreeBuilder, TreeRoot, TreeStats};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

#[derive(clap::Args)]
pub(crate) struct TreeOptions {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The number of phones in the window, as for acc-tree-stats
    #[arg(long, default_value_t = 3)]
    context_width: i32,
    /// The position of the phone itself in the window, as for acc-tree-stats
    #[arg(long, default_value_t = 1)]
    central_position: i32,
    stats: InputName,
    roots: InputName,
    questions: InputName,
    topology: InputName,
    target: OutputName,
}

impl TreeOptions {
    /// Builds a tree of what the options name, and writes it if it knows all phones; returns what `build` returns besides.
    pub(crate) fn build<T>(
        &self,
        build: impl FnOnce(&TreeBuilder) -> anyhow::Result<(EventMap, T)>,
    ) -> anyhow::Result<T> {
        let roots = read_text(&self.roots, TreeRoot::read_all)?;
        let topology: HmmTopology = read_file(&self.topology)?;
        let stats: TreeStats = read_file(&self.stats)?;
        log!("Number of separate statistics is {}", stats.len());
        let questions: Questions = read_file(&self.questions)?;
        let builder = TreeBuilder {
            stats: &stats,
            roots: &roots,
            questions: &questions,
            central_position: self.central_position,
            num_classes: &|phone| topology.num_pdf_classes(phone),
        };
        let (map, more) = build(&builder)?;
        builder.check_phones(topology.phones())?;
        let tree = ContextDependency::new(self.context_width, self.central_position, map);
        write_file(&self.target, &tree, self.format())?;
        Ok(more)
    }

    pub(crate) fn format(&self) -> Format {
        Format::from_binary(self.binary)
    }
}
