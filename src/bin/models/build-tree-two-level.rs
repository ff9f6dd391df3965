//! Builds a large tree that refines a small one.
//!
//! Matches Kaldi's `build-tree-two-level`, except that unknown words in the roots file are errors, and that nothing is
//! written if a phone of the statistics has no root.

use kaldi_cli::{OutputName, Tally};
use kaldi_io::log::log;
use kaldi_table::write_file;
use kaldi_value::IntVectorFile;

use crate::tree_options::TreeOptions;

const USAGE: &str = "\
Builds a large tree that refines a small one, and writes for each leaf of the large tree that of the small one. Systems
use this in which the pdfs of a small tree's leaf share Gaussians.

Usage: build-tree-two-level [options] <stats-rxfilename> <roots-rxfilename> <questions-rxfilename> \
<topology-rxfilename> <tree-wxfilename> <map-wxfilename>
 e.g.: build-tree-two-level treeacc roots.txt questions.qst topo tree tree.map
See also: build-tree, acc-tree-stats, compile-questions
";

#[derive(clap::Args)]
struct Options {
    /// The largest number of leaves of the small tree
    #[arg(long, default_value_t = 1000)]
    max_leaves_first: i32,
    /// The largest number of leaves of the large tree
    #[arg(long, default_value_t = 5000)]
    max_leaves_second: i32,
    /// Merge leaves of the large tree that differ little
    #[arg(long, default_value_t = true)]
    cluster_leaves: bool,
    #[command(flatten)]
    tree: TreeOptions,
    map: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(build_tree_two_level));

fn build_tree_two_level(opts: Options) -> anyhow::Result<Tally> {
    let (first, second) = (opts.max_leaves_first, opts.max_leaves_second);
    let leaves = opts.tree.build(|builder| {
        let tree = builder.build_two_level(first, second, opts.cluster_leaves)?;
        Ok((tree.map, tree.leaves))
    })?;
    write_file(&opts.map, &IntVectorFile(leaves), opts.tree.format())?;
    log!("Wrote tree and mapping");
    Ok(Tally::new(1, 0))
}
