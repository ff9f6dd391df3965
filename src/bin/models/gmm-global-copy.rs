//! Copies a mixture of Gaussians with diagonal covariances.
//!
//! Matches Kaldi's `gmm-global-copy`.

use kaldi_cli::{CopyOptions, Tally};
use kaldi_gmm::DiagGmm;
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::{Format, Value};

const USAGE: &str = "\
Copies a mixture of Gaussians with diagonal covariances, for instance to text. The constant parts of the likelihoods are
computed anew.

Usage: gmm-global-copy [options] <model-in> <model-out>
 e.g.: gmm-global-copy --binary=false 1.dubm - | less
See also: gmm-global-info, fgmm-global-copy
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_mixture::<DiagGmm>));

/// Copies a mixture of either kind.
pub(crate) fn copy_mixture<M: Value>(opts: CopyOptions) -> anyhow::Result<Tally> {
    let gmm: M = read_file(&opts.source)?;
    write_file(&opts.target, &gmm, Format::from_binary(opts.binary))?;
    log!("Written model to {}", opts.target);
    Ok(Tally::new(1, 0))
}
