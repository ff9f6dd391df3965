//! Prints how large a model of Gaussian mixtures is.
//!
//! Matches Kaldi's `gmm-info`.

use kaldi_cli::{InputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_table::read_file;

const USAGE: &str = "\
Prints the numbers of phones, pdfs, transition-ids, transition-states, dimensions and Gaussians of a model.

Usage: gmm-info [options] <model-rxfilename>
 e.g.: gmm-info final.mdl
See also: am-info, tree-info, gmm-copy
";

#[derive(clap::Args)]
struct Options {
    model: InputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_info));

fn gmm_info(opts: Options) -> anyhow::Result<Tally> {
    let AcousticModel { transitions, pdfs } = read_file(&opts.model)?;
    let summary = transitions.summary();
    let (dim, num_gauss) = (pdfs.dim(), pdfs.num_gauss());
    kaldi_io::print(format!("{summary}feature dimension {dim}\nnumber of gaussians {num_gauss}\n"))?;
    Ok(Tally::default().always_ok())
}
