//! Clusters the Gaussians of a model into one mixture.
//!
//! Matches Kaldi's `init-ubm`.

use anyhow::ensure;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::merge_by_counts;
use kaldi_gmm::{AcousticModel, FullGmm, GaussianTargets, Mixture, UbmOptions};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Vector;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Clusters the Gaussians of all pdfs of a model into one mixture, of full or of diagonal covariances.

Usage: init-ubm [options] <model-rxfilename> <occupancies-rxfilename> <gmm-wxfilename>
 e.g.: init-ubm --ubm-num-gauss=400 final.mdl final.occs 0.ubm
See also: gmm-est, fgmm-global-acc-stats, gmm-global-to-fgmm
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Variances below this count as this when pdfs and Gaussians are compared
    #[arg(long, default_value_t = 0.01)]
    cluster_varfloor: f32,
    /// Write full covariances
    #[arg(long, default_value_t = true)]
    fullcov_ubm: bool,
    /// The number of Gaussians before those of different groups of pdfs are merged
    #[arg(long, alias = "intermediate-numcomps", default_value_t = 4000)]
    intermediate_num_gauss: i32,
    /// The Gaussians of each pdf are merged first if the model has more than this
    #[arg(long, default_value_t = 20000)]
    max_am_gauss: i32,
    /// The number of groups of pdfs, as a part of the number of pdfs
    #[arg(long, default_value_t = 0.2)]
    reduce_state_factor: f32,
    /// The number of Gaussians of the result
    #[arg(long, alias = "ubm-numcomps", default_value_t = 400)]
    ubm_num_gauss: i32,
    source: InputName,
    counts: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(init_ubm));

fn init_ubm(opts: Options) -> anyhow::Result<Tally> {
    check(&opts)?;
    let mut pdfs = read_file::<AcousticModel>(&opts.source)?.pdfs;
    let counts: Vector<f32> = read_file(&opts.counts)?;
    let num_pdfs = pdfs.num_pdfs();
    ensure!(counts.dim() == num_pdfs, "expected counts of {num_pdfs} pdfs, got {}", counts.dim());
    if pdfs.num_gauss() as i64 > i64::from(opts.max_am_gauss) {
        log!("First reducing num-gauss from {} to {}", pdfs.num_gauss(), opts.max_am_gauss);
        let targets = GaussianTargets { target: opts.max_am_gauss, power: 1.0, min_count: 1.0 };
        pdfs = merge_by_counts(&pdfs, counts.as_slice(), targets)?;
    }
    let mut options = UbmOptions {
        num_gauss: opts.ubm_num_gauss,
        reduce_state_factor: opts.reduce_state_factor,
        intermediate_num_gauss: opts.intermediate_num_gauss,
        var_floor: opts.cluster_varfloor,
    };
    let (num_groups, num_gauss) = (options.num_groups(num_pdfs), pdfs.num_gauss());
    let possible = (opts.intermediate_num_gauss.max(0) as usize).min(num_gauss).max(num_groups);
    if possible as i64 != i64::from(opts.intermediate_num_gauss) {
        warning!(
            "--intermediate-num-gauss={} is not possible with {num_gauss} Gaussians and {num_groups} groups of pdfs: \
             {possible} instead",
            opts.intermediate_num_gauss
        );
        options.intermediate_num_gauss = i32::try_from(possible)?;
    }
    let ubm = pdfs.to_ubm(counts.as_slice(), &options)?;
    if ubm.num_gauss() as i64 != i64::from(opts.ubm_num_gauss) {
        warning!("The mixture has {} Gaussians, fewer than the {} asked for", ubm.num_gauss(), opts.ubm_num_gauss);
    }
    let format = Format::from_binary(opts.binary);
    match opts.fullcov_ubm {
        true => write_file(&opts.target, &FullGmm::from(&ubm), format)?,
        false => write_file(&opts.target, &ubm, format)?,
    }
    log!("Written UBM to {}", opts.target);
    Ok(Tally::new(1, 0))
}

/// Refuses options that do not fit each other.
fn check(opts: &Options) -> anyhow::Result<()> {
    let num_gauss = opts.ubm_num_gauss;
    ensure!(num_gauss > 0, "expected a --ubm-num-gauss of 1 or more, got {num_gauss}");
    for (name, limit) in [("intermediate-num-gauss", opts.intermediate_num_gauss), ("max-am-gauss", opts.max_am_gauss)]
    {
        ensure!(num_gauss <= limit, "--ubm-num-gauss={num_gauss} is more than --{name}={limit}");
    }
    let (floor, factor) = (opts.cluster_varfloor, opts.reduce_state_factor);
    ensure!(floor > 0.0, "expected a positive --cluster-varfloor, got {}", general(f64::from(floor)));
    let got = general(f64::from(factor));
    ensure!(factor > 0.0 && factor <= 1.0, "expected a --reduce-state-factor above 0 and up to 1, got {got}");
    Ok(())
}
