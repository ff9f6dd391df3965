//! Puts the Gaussians of several mixtures with full covariances together.
//!
//! Matches Kaldi's `fgmm-global-merge`, except that the file of sizes is not written if the mixtures do not fit each other.

use kaldi_cli::{InputName, OutputName, Tally, wrong_usage};
use kaldi_gmm::{FullGmm, Mixture};
use kaldi_io::log::log;
use kaldi_table::{create_output, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Puts the Gaussians of several mixtures with full covariances together to one. Each mixture counts by its number of
Gaussians. The file of sizes is a line with these numbers.

Usage: fgmm-global-merge [options] <fgmm-out> <sizes-wxfilename> <fgmm-in1> <fgmm-in2> [<fgmm-in3> ...]
 e.g.: fgmm-global-merge all.ubm sizes male.ubm female.ubm
See also: fgmm-global-copy, fgmm-global-info
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    target: OutputName,
    sizes: OutputName,
    #[arg(required = true)]
    sources: Vec<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fgmm_global_merge));

fn fgmm_global_merge(opts: Options) -> anyhow::Result<Tally> {
    if opts.sources.len() < 2 {
        return Ok(wrong_usage(USAGE, "expected two mixtures at least, got one"));
    }
    let mixtures = opts.sources.iter().map(read_file).collect::<Result<Vec<FullGmm>, _>>()?;
    let merged = FullGmm::joined(&mixtures)?;
    let mut sizes = create_output(&opts.sizes, false)?;
    let numbers: String = mixtures.iter().map(|gmm| format!("{} ", gmm.num_gauss())).collect();
    sizes.write_all(format!("{numbers}\n").as_bytes())?;
    write_file(&opts.target, &merged, Format::from_binary(opts.binary))?;
    sizes.finish()?;
    log!("Written merged GMM to {}", opts.target);
    Ok(Tally::new(mixtures.len() as u64, 0))
}
