//! Copies a tree.
//!
//! Matches Kaldi's `copy-tree`.

use kaldi_cli::{CopyOptions, Tally};
use kaldi_hmm::ContextDependency;
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Copies a tree, and converts it between binary and text.

Usage: copy-tree [options] <tree-rxfilename> <tree-wxfilename>
 e.g.: copy-tree --binary=false exp/tri1/tree -
See also: tree-info, draw-tree
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_tree));

fn copy_tree(opts: CopyOptions) -> anyhow::Result<Tally> {
    let tree: ContextDependency = read_file(&opts.source)?;
    write_file(&opts.target, &tree, Format::from_binary(opts.binary))?;
    log!("Copied tree");
    Ok(Tally::new(1, 0))
}
