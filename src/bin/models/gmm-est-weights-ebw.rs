//! Estimates the weights of a model discriminatively.
//!
//! Matches Kaldi's `gmm-est-weights-ebw`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{AcousticModel, AcousticStats, EbwWeightOptions, GmmFlags};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Estimates the weights of the Gaussians of a model discriminatively, for MMI, MPE or MCE (extended Baum-Welch). The statistics of
the numerator are not smoothed.

Usage: gmm-est-weights-ebw [options] <model-in> <num-stats-rxfilename> <den-stats-rxfilename> <model-out>
 e.g.: gmm-est-weights-ebw 1.mdl num.acc den.acc 2.mdl
See also: gmm-est-gaussians-ebw, gmm-acc-stats2
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long)]
    binary: bool,
    /// The parameters to estimate; without w the model is copied
    #[arg(long, default_value = "w")]
    update_flags: GmmFlags,
    /// A pdf with fewer frames keeps its weights, if --weight-tau is 0
    #[arg(long, default_value_t = EbwWeightOptions::default().min_count)]
    min_num_count_weight_update: f32,
    /// Smaller weights are raised to this
    #[arg(long, default_value_t = EbwWeightOptions::default().min_gaussian_weight)]
    min_gaussian_weight: f32,
    /// Add this many frames with the old weights
    #[arg(long, default_value_t = EbwWeightOptions::default().tau)]
    weight_tau: f32,
    model: InputName,
    num_stats: InputName,
    den_stats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_est_weights_ebw));

fn gmm_est_weights_ebw(opts: Options) -> anyhow::Result<Tally> {
    let mut model: AcousticModel = read_file(&opts.model)?;
    let num: AcousticStats = read_file(&opts.num_stats)?;
    let den: AcousticStats = read_file(&opts.den_stats)?;
    if opts.update_flags.contains(GmmFlags::WEIGHTS) {
        let (num, den) = (num.pdf_stats(), den.pdf_stats());
        let options = EbwWeightOptions {
            min_count: opts.min_num_count_weight_update,
            min_gaussian_weight: opts.min_gaussian_weight,
            tau: opts.weight_tau,
        };
        let estimate = num.estimate_ebw_weights(den, &model.pdfs, &options)?;
        for (pdf, count) in estimate.low_counts {
            let (count, least) = (general(count), general(f64::from(options.min_count)));
            log!("Not updating weights for this state because total count is {count} < {least} (pdf {pdf})");
        }
        log!("Num count {}, den count {}", general(num.total_count()), general(den.total_count()));
        log!(
            "Overall auxf impr/frame from weight update is {} over {} frames.",
            general(estimate.objective_change / estimate.count),
            general(estimate.count)
        );
        model.pdfs = estimate.model;
    } else {
        log!("Doing nothing because flags do not specify to update the weights.");
    }
    write_file(&opts.target, &model, Format::from_binary(opts.binary))?;
    log!("Written model to {}", opts.target);
    Ok(Tally::new(1, 0))
}
