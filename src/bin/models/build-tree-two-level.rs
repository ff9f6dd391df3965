//! Builds a large tree that refines a small one.
//!
//! Matches Kaldi's `build-tree-two-level`, except that unknown words in the roots file are errors, and that nothing is
//! written if a phone of the statistics has no root.

use kaldi_cli::{InputName, OutputName, Tally, read_text};
use kaldi_hmm::{ContextDependency, HmmTopology, Questions, TreeBuilder, TreeRoot, TreeStats};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::{Format, IntVectorFile};

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
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The number of phones in the window, as for acc-tree-stats
    #[arg(long, default_value_t = 3)]
    context_width: i32,
    /// The position of the phone itself in the window, as for acc-tree-stats
    #[arg(long, default_value_t = 1)]
    central_position: i32,
    /// The largest number of leaves of the small tree
    #[arg(long, default_value_t = 1000)]
    max_leaves_first: i32,
    /// The largest number of leaves of the large tree
    #[arg(long, default_value_t = 5000)]
    max_leaves_second: i32,
    /// Merge leaves of the large tree that differ little
    #[arg(long, default_value_t = true)]
    cluster_leaves: bool,
    stats: InputName,
    roots: InputName,
    questions: InputName,
    topology: InputName,
    target: OutputName,
    map: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(build_tree_two_level));

fn build_tree_two_level(opts: Options) -> anyhow::Result<Tally> {
    let roots = read_text(&opts.roots, TreeRoot::read_all)?;
    let topology: HmmTopology = read_file(&opts.topology)?;
    let stats: TreeStats = read_file(&opts.stats)?;
    log!("Number of separate statistics is {}", stats.len());
    let questions: Questions = read_file(&opts.questions)?;
    let builder = TreeBuilder {
        stats: &stats,
        roots: &roots,
        questions: &questions,
        central_position: opts.central_position,
        num_classes: &|phone| topology.num_pdf_classes(phone),
    };
    let (first, second) = (opts.max_leaves_first, opts.max_leaves_second);
    let tree = builder.build_two_level(first, second, opts.cluster_leaves)?;
    builder.check_phones(topology.phones())?;
    let format = Format::from_binary(opts.binary);
    let map = ContextDependency::new(opts.context_width, opts.central_position, tree.map);
    write_file(&opts.target, &map, format)?;
    write_file(&opts.map, &IntVectorFile(tree.leaves), format)?;
    log!("Wrote tree and mapping");
    Ok(Tally::new(1, 0))
}
