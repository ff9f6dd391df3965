//! Computes derivatives of a discriminative objective function by the statistics of a model.
//!
//! Matches Kaldi's `gmm-get-stats-deriv`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{AcousticModel, AcousticStats};
use kaldi_io::log::{log, warning};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Computes the derivatives of a discriminative objective function by the statistics that a model was estimated from: the indirect
part of the derivatives in training of features (fMPE, fMMI).

Usage: gmm-get-stats-deriv [options] <model-in> <num-stats-rxfilename> <den-stats-rxfilename> <ml-stats-rxfilename> <deriv-wxfilename>
 e.g.: gmm-get-stats-deriv 1.mdl num.acc den.acc ml.acc deriv
See also: gmm-fmpe-acc-stats, gmm-est-rescale, gmm-acc-stats2
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Floor of the variances
    #[arg(long, default_value_t = 0.001)]
    min_variance: f32,
    /// Gaussians with this many frames or fewer are skipped
    #[arg(long, default_value_t = 10.0)]
    min_gaussian_occupancy: f32,
    model: InputName,
    num_stats: InputName,
    den_stats: InputName,
    ml_stats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_get_stats_deriv));

fn gmm_get_stats_deriv(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let num: AcousticStats = read_file(&opts.num_stats)?;
    let den: AcousticStats = read_file(&opts.den_stats)?;
    let ml: AcousticStats = read_file(&opts.ml_stats)?;
    let (min_variance, min_occupancy) = (opts.min_variance, opts.min_gaussian_occupancy);
    let others = [den.pdf_stats(), ml.pdf_stats()];
    let (derivative, low_counts) = num.pdf_stats().derivative(others, &model.pdfs, min_variance, min_occupancy)?;
    for counts in low_counts {
        let [num, den, ml] = counts.map(general);
        warning!("Skipping Gaussian because very small ML count: (num,den,ml) = {num}, {den}, {ml}");
    }
    write_file(&opts.target, &derivative, Format::from_binary(opts.binary))?;
    log!("Computed model derivative and wrote it to {}", opts.target);
    Ok(Tally::new(1, 0))
}
