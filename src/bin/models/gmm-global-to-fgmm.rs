//! Converts a mixture with diagonal covariances to one with full covariances.
//!
//! Matches Kaldi's `gmm-global-to-fgmm`.

use kaldi_cli::{CopyOptions, Tally};
use kaldi_gmm::{DiagGmm, FullGmm};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Converts a mixture of Gaussians with diagonal covariances to one with full covariances, which are zero outside of the
diagonal.

Usage: gmm-global-to-fgmm [options] <gmm-in> <fgmm-out>
 e.g.: gmm-global-to-fgmm final.dubm 0.ubm
See also: fgmm-global-to-gmm, fgmm-global-acc-stats
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_global_to_fgmm));

fn gmm_global_to_fgmm(opts: CopyOptions) -> anyhow::Result<Tally> {
    let gmm: DiagGmm = read_file(&opts.source)?;
    write_file(&opts.target, &FullGmm::from(&gmm), Format::from_binary(opts.binary))?;
    log!("Written full GMM to {}", opts.target);
    Ok(Tally::new(1, 0))
}
