//! Prints the number of pdfs of a tree, and its window of phones.
//!
//! Matches Kaldi's `tree-info`.

use kaldi_cli::{InputName, Tally};
use kaldi_hmm::ContextDependency;
use kaldi_table::read_file;

const USAGE: &str = "\
Prints the number of pdfs of a tree, the number of phones in its window, and the position of the phone itself in it.

Usage: tree-info [options] <tree-rxfilename>
 e.g.: tree-info exp/tri1/tree
See also: copy-tree, draw-tree, am-info
";

#[derive(clap::Args)]
struct Options {
    tree: InputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(tree_info));

fn tree_info(opts: Options) -> anyhow::Result<Tally> {
    let tree: ContextDependency = read_file(&opts.tree)?;
    let (pdfs, width, position) = (tree.num_pdfs(), tree.context_width(), tree.central_position());
    let text = format!("num-pdfs {pdfs}\ncontext-width {width}\ncentral-position {position}\n");
    kaldi_io::print(text)?;
    Ok(Tally::new(1, 0))
}
