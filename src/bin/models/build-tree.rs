//! Builds a tree from statistics.
//!
//! Matches Kaldi's `build-tree`, except that unknown words in the roots file are errors, and that nothing is written if
//! a phone of the statistics has no root.

use kaldi_cli::Tally;
use kaldi_hmm::{EventMap, TreeLimits, TreeStats};
use kaldi_io::log::{log, vlog};
use kaldi_value::number::general;

use crate::tree_options::TreeOptions;

const USAGE: &str = "\
Builds a tree: the states of phones, in windows of phones, share pdfs if they sound alike. Questions split the roots as
long as a split gains enough; then leaves are merged that differ little.

The roots file has lines such as `not-shared split 1 2`: phones 1 and 2 have the same roots, one for each pdf class
(shared: one for all classes), which may be split (not-split: which stay one leaf).

Usage: build-tree [options] <stats-rxfilename> <roots-rxfilename> <questions-rxfilename> <topology-rxfilename> \
<tree-wxfilename>
 e.g.: build-tree treeacc roots.txt questions.qst topo tree
       build-tree --max-leaves=2000 --cluster-thresh=0 treeacc roots.txt questions.qst topo tree
See also: acc-tree-stats, compile-questions, build-tree-two-level, tree-info
";

#[derive(clap::Args)]
struct Options {
    /// The largest number of leaves; 0 for no limit
    #[arg(long, default_value_t = 0)]
    max_leaves: i32,
    /// What a split must gain, in log-likelihood
    #[arg(long, default_value_t = 300.0)]
    thresh: f32,
    /// What merging two leaves may lose, in log-likelihood: 0 for no merges, -1 for what the last split gained
    #[arg(long, default_value_t = -1.0)]
    cluster_thresh: f32,
    /// Merge leaves until their number is a multiple of 8
    #[arg(long, default_value_t = true)]
    round_num_leaves: bool,
    #[command(flatten)]
    tree: TreeOptions,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(build_tree));

fn build_tree(opts: Options) -> anyhow::Result<Tally> {
    let limits = TreeLimits {
        threshold: opts.thresh,
        max_leaves: opts.max_leaves,
        cluster_threshold: opts.cluster_thresh,
        round_num_leaves: opts.round_num_leaves,
    };
    opts.tree.build(|builder| {
        let map = builder.build(limits)?;
        tell_low_counts(builder.stats, &map);
        Ok((map, ()))
    })?;
    log!("Wrote tree");
    Ok(Tally::new(1, 0))
}

/// Tells of pdfs with few frames.
fn tell_low_counts(stats: &TreeStats, map: &EventMap) {
    if kaldi_io::log::verbose() < 1 {
        return;
    }
    let mut counts = vec![0.0; map.largest_answer().map_or(0, |largest| largest as usize + 1)];
    for (event, stats) in stats.iter() {
        let answer = map.answer(event).and_then(|answer| counts.get_mut(answer as usize));
        if let (Some(count), Some(stats)) = (answer, stats) {
            *count += stats.count();
        }
    }
    for (pdf, &count) in counts.iter().enumerate().filter(|(_, count)| **count < 100.0) {
        vlog!(1, "For pdf-id {pdf}, low count {}", general(count));
    }
}
