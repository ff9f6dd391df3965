//! Starts an fMPE transform.
//!
//! Matches Kaldi's `fmpe-init`. Nothing is random: the projection is zero, and training starts from there.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::DiagGmm;
use kaldi_gmm::transform::{Fmpe, FmpeOptions};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Starts an fMPE transform from a mixture of Gaussians with diagonal covariances. It changes nothing until it is trained.

Usage: fmpe-init [options] <diag-gmm-in> <fmpe-out>
 e.g.: fmpe-init 1.ubm 1.fmpe
See also: fmpe-apply-transform
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    #[command(flatten)]
    fmpe: FmpeOptions,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fmpe_init));

fn fmpe_init(opts: Options) -> anyhow::Result<Tally> {
    let fmpe = Fmpe::new(read_file::<DiagGmm>(&opts.source)?, &opts.fmpe)?;
    write_file(&opts.target, &fmpe, Format::from_binary(opts.binary))?;
    log!("Initialized fMPE object and wrote to {}", opts.target);
    Ok(Tally::new(1, 0))
}
