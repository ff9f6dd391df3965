//! Starts linear VTLN transforms.
//!
//! Matches Kaldi's `gmm-init-lvtln`.

use kaldi_cli::{OutputName, Tally};
use kaldi_gmm::transform::LinearVtln;
use kaldi_io::log::log;
use kaldi_table::write_file;
use kaldi_value::Format;

const USAGE: &str = "\
Starts linear VTLN: a transform for each warp factor, all of which change nothing until they are set.

Usage: gmm-init-lvtln [options] <lvtln-wxfilename>
 e.g.: gmm-init-lvtln --dim=13 --num-classes=21 --default-class=10 1.lvtln
See also: gmm-train-lvtln-special, gmm-est-lvtln-trans
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The dimension of the features
    #[arg(long, default_value_t = 13)]
    dim: i32,
    /// The number of transforms
    #[arg(long, default_value_t = 21)]
    num_classes: i32,
    /// The number of the transform that is used if there is no data
    #[arg(long, default_value_t = 10)]
    default_class: i32,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_init_lvtln));

fn gmm_init_lvtln(opts: Options) -> anyhow::Result<Tally> {
    let vtln = LinearVtln::new(opts.dim, opts.num_classes, opts.default_class)?;
    write_file(&opts.target, &vtln, Format::from_binary(opts.binary))?;
    log!("Initialized LVTLN object and wrote it to {}", opts.target);
    Ok(Tally::new(1, 0))
}
