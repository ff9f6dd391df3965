//! Converts a mixture with full covariances to one with diagonal covariances.
//!
//! Matches Kaldi's `fgmm-global-to-gmm`.

use kaldi_cli::{CopyOptions, Tally};
use kaldi_gmm::FullGmm;
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Converts a mixture of Gaussians with full covariances to one with diagonal covariances: the variances alone.

Usage: fgmm-global-to-gmm [options] <fgmm-in> <gmm-out>
 e.g.: fgmm-global-to-gmm final.ubm final.dubm
See also: gmm-global-to-fgmm, gmm-gselect
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fgmm_global_to_gmm));

fn fgmm_global_to_gmm(opts: CopyOptions) -> anyhow::Result<Tally> {
    let gmm: FullGmm = read_file(&opts.source)?;
    write_file(&opts.target, &gmm.to_diag()?, Format::from_binary(opts.binary))?;
    log!("Written diagonal GMM to {}", opts.target);
    Ok(Tally::new(1, 0))
}
