//! Prints the numbers of Gaussians and dimensions of a mixture with diagonal covariances.
//!
//! Matches Kaldi's `gmm-global-info`.

use kaldi_cli::{InputName, Tally};
use kaldi_gmm::{DiagGmm, Mixture};
use kaldi_table::read_file;

const USAGE: &str = "\
Prints how many Gaussians and dimensions a mixture with diagonal covariances has.

Usage: gmm-global-info [options] <model-in>
 e.g.: gmm-global-info 1.dubm
See also: gmm-global-copy, fgmm-global-info, table-info
";

#[derive(clap::Args)]
pub(crate) struct Options {
    source: InputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(print_sizes::<DiagGmm>));

/// Prints the sizes of a mixture of either kind.
pub(crate) fn print_sizes<M: Mixture>(opts: Options) -> anyhow::Result<Tally> {
    let gmm: M = read_file(&opts.source)?;
    kaldi_io::print(format!("number of gaussians {}\nfeature dimension {}\n", gmm.num_gauss(), gmm.dim()))?;
    Ok(Tally::new(1, 0))
}
