//! Prints the numbers of Gaussians and dimensions of a mixture with diagonal covariances.
//!
//! Matches Kaldi's `gmm-global-info`.

use std::io::Write as _;

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
struct Options {
    source: InputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_global_info));

fn gmm_global_info(opts: Options) -> anyhow::Result<Tally> {
    let gmm: DiagGmm = read_file(&opts.source)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "number of gaussians {}\nfeature dimension {}", gmm.num_gauss(), gmm.dim())?;
    Ok(Tally::new(1, 0))
}
