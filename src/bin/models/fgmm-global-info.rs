//! Prints the numbers of Gaussians and dimensions of a mixture with full covariances.
//!
//! Matches Kaldi's `fgmm-global-info`.

use std::io::Write as _;

use kaldi_cli::{InputName, Tally};
use kaldi_gmm::{FullGmm, Mixture};
use kaldi_table::read_file;

const USAGE: &str = "\
Prints how many Gaussians and dimensions a mixture with full covariances has.

Usage: fgmm-global-info [options] <model-in>
 e.g.: fgmm-global-info 1.ubm
See also: fgmm-global-copy, gmm-global-info, table-info
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fgmm_global_info));

fn fgmm_global_info(opts: Options) -> anyhow::Result<Tally> {
    let gmm: FullGmm = read_file(&opts.source)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "number of gaussians {}\nfeature dimension {}", gmm.num_gauss(), gmm.dim())?;
    Ok(Tally::new(1, 0))
}
