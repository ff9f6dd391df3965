//! Moves a model as its features have changed.
//!
//! Matches Kaldi's `gmm-est-rescale`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{AcousticModel, AcousticStats};
use kaldi_io::log::{log, warning};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Moves the means of a model by the change from old statistics to new ones, and scales its variances likewise. So the model follows
features that change in training (fMPE), and what its own discriminative training has changed stays. Weights and transitions
do not change.

Usage: gmm-est-rescale [options] <model-in> <old-stats-rxfilename> <new-stats-rxfilename> <model-out>
 e.g.: gmm-est-rescale 1.mdl old.acc new.acc 2.mdl
See also: gmm-get-stats-deriv, gmm-fmpe-acc-stats, gmm-acc-stats-ali
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Floor of the variances
    #[arg(long, default_value_t = 0.001)]
    min_variance: f32,
    /// Gaussians with this many frames or fewer stay as they are
    #[arg(long, default_value_t = 10.0)]
    min_gaussian_occupancy: f32,
    model: InputName,
    old_stats: InputName,
    new_stats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_est_rescale));

fn gmm_est_rescale(opts: Options) -> anyhow::Result<Tally> {
    let mut model: AcousticModel = read_file(&opts.model)?;
    let old: AcousticStats = read_file(&opts.old_stats)?;
    let new: AcousticStats = read_file(&opts.new_stats)?;
    let (min_variance, min_occupancy) = (opts.min_variance, opts.min_gaussian_occupancy);
    let rescaled = old.pdf_stats().rescale(new.pdf_stats(), &model.pdfs, min_variance, min_occupancy)?;
    for (before, after) in rescaled.low_counts {
        let (before, after) = (general(before), general(after));
        warning!("Gaussian being skipped because it has small count: (old,new) = {before}, {after}");
    }
    let (average, count) = (general(rescaled.divergence / rescaled.count), general(rescaled.count));
    log!("K-L divergence from old to new model is {average} over {count} frames.");
    model.pdfs = rescaled.model;
    write_file(&opts.target, &model, Format::from_binary(opts.binary))?;
    log!("Rescaled model and wrote to {}", opts.target);
    Ok(Tally::new(1, 0))
}
