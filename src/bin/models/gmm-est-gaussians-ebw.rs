//! Estimates the means and variances of a model discriminatively.
//!
//! Matches Kaldi's `gmm-est-gaussians-ebw`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{AcousticModel, AcousticStats, EbwOptions, GmmFlags};
use kaldi_io::log::{log, warning};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Estimates the means and variances of a model discriminatively, for MMI, MPE or MCE (extended Baum-Welch). The statistics of the
numerator are smoothed before, see gmm-ismooth-stats.

Usage: gmm-est-gaussians-ebw [options] <model-in> <num-stats-rxfilename> <den-stats-rxfilename> <model-out>
 e.g.: gmm-est-gaussians-ebw 1.mdl num.acc den.acc 2.mdl
See also: gmm-est-weights-ebw, gmm-ismooth-stats, gmm-acc-stats2
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long)]
    binary: bool,
    /// The parameters to estimate: m or mv; w and t do not count
    #[arg(long, default_value = "mv")]
    update_flags: GmmFlags,
    /// How many frames of the old Gaussian are added for each frame of the denominator
    #[arg(long = "E", default_value_t = EbwOptions::default().e)]
    e: f32,
    /// How many frames of the old Gaussian are added in any case
    #[arg(long, default_value_t = EbwOptions::default().tau)]
    tau: f32,
    model: InputName,
    num_stats: InputName,
    den_stats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_est_gaussians_ebw));

fn gmm_est_gaussians_ebw(opts: Options) -> anyhow::Result<Tally> {
    let mut model: AcousticModel = read_file(&opts.model)?;
    let num: AcousticStats = read_file(&opts.num_stats)?;
    let den: AcousticStats = read_file(&opts.den_stats)?;
    let (num, den) = (num.pdf_stats(), den.pdf_stats());
    let options = EbwOptions { e: opts.e, tau: opts.tau };
    let estimate = num.estimate_ebw(den, &model.pdfs, opts.update_flags, &options)?;
    for (pdf, gauss) in estimate.unchanged {
        warning!("Gaussian {gauss} of pdf {pdf} stays as it was: its statistics give no positive variances");
    }
    log!("Num count {}, den count {}", general(num.total_count()), general(den.total_count()));
    log!(
        "Overall auxf impr/frame from Gaussian update is {} over {} frames; floored D for {} Gaussians.",
        general(estimate.objective_change / estimate.count),
        general(estimate.count),
        estimate.num_floored
    );
    model.pdfs = estimate.model;
    write_file(&opts.target, &model, Format::from_binary(opts.binary))?;
    log!("Written model to {}", opts.target);
    Ok(Tally::new(1, 0))
}
