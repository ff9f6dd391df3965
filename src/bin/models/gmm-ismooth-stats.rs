//! Adds frames of the same means and variances to statistics (I-smoothing).
//!
//! Matches Kaldi's `gmm-ismooth-stats`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{AcousticModel, AcousticStats};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Adds frames to the statistics of each Gaussian, with the mean and the variance that it has in other statistics or in a model
(I-smoothing), before a discriminative estimate.

Usage: gmm-ismooth-stats [options] <source-stats-rxfilename> <stats-rxfilename> <stats-wxfilename>
   or: gmm-ismooth-stats --smooth-from-model [options] <model-in> <stats-rxfilename> <stats-wxfilename>
 e.g.: gmm-ismooth-stats --tau=100 ml.acc num.acc smoothed.acc
       gmm-ismooth-stats --tau=50 --smooth-from-model 1.mdl num.acc smoothed.acc
See also: gmm-est-gaussians-ebw, gmm-acc-stats2
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long)]
    binary: bool,
    /// The first argument is a model
    #[arg(long)]
    smooth_from_model: bool,
    /// The number of frames to add
    #[arg(long, default_value_t = 100.0)]
    tau: f32,
    source: InputName,
    stats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_ismooth_stats));

fn gmm_ismooth_stats(opts: Options) -> anyhow::Result<Tally> {
    let tau = f64::from(opts.tau);
    let model = match opts.smooth_from_model {
        true => Some(read_file::<AcousticModel>(&opts.source)?),
        false => None,
    };
    // Standard input can be read once only.
    let source = match model.is_none() && *opts.source != *opts.stats {
        true => Some(read_file::<AcousticStats>(&opts.source)?),
        false => None,
    };
    let mut stats: AcousticStats = read_file(&opts.stats)?;
    let before = general(stats.pdf_stats().total_count());
    match (model, source) {
        (Some(model), _) => stats.pdf_stats_mut().smooth_from_model(&model.pdfs, tau)?,
        (None, Some(source)) => stats.pdf_stats_mut().smooth(source.pdf_stats(), tau)?,
        (None, None) => {
            let source = stats.pdf_stats().clone();
            stats.pdf_stats_mut().smooth(&source, tau)?;
        }
    }
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    let (tau, after) = (general(tau), general(stats.pdf_stats().total_count()));
    log!("Smoothed stats with tau = {tau}, count changed from {before} to {after}");
    Ok(Tally::new(1, 0))
}
