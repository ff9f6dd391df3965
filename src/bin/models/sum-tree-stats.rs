//! Sums statistics for trees.
//!
//! Matches Kaldi's `sum-tree-stats`.

use kaldi_cli::{SumOptions, Tally, add_files};
use kaldi_hmm::{TreeStats, TreeStatsSum};
use kaldi_io::log::log;
use kaldi_table::write_file;
use kaldi_value::Format;

const USAGE: &str = "\
Sums statistics of acc-tree-stats: those of the same state in the same window of phones.

Usage: sum-tree-stats [options] <stats-wxfilename> <stats-rxfilename1> [<stats-rxfilename2> ...]
 e.g.: sum-tree-stats treeacc 1.treeacc 2.treeacc 3.treeacc
See also: acc-tree-stats, build-tree
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(sum_tree_stats));

fn sum_tree_stats(opts: SumOptions) -> anyhow::Result<Tally> {
    let mut sum = TreeStatsSum::default();
    add_files::<TreeStats, _>(&opts.sources, |source| sum.add(source))?;
    let stats = sum.into_stats();
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    log!("Wrote summed accs ( {} individual stats)", stats.len());
    Ok(Tally::new(stats.len() as u64, 0))
}
