//! Estimates an i-vector extractor from statistics.
//!
//! Matches Kaldi's `ivector-extractor-est`, the signs of the dimensions of i-vectors included.

use kaldi_cli::{InputName, OutputName, Tally, num_threads};
use kaldi_io::log::{log, warning};
use kaldi_io::printable_wxfilename;
use kaldi_ivector::{ExtractorOptions, ExtractorUpdate, IvectorExtractor, IvectorExtractorStats};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Estimates an i-vector extractor anew, from statistics that were collected with it.

Usage: ivector-extractor-est [options] <extractor-rxfilename> <stats-rxfilename> <extractor-wxfilename>
 e.g.: ivector-extractor-est --num-threads=4 2.ie 2.acc 3.ie
See also: ivector-extractor-acc-stats, ivector-extractor-sum-accs, ivector-extract
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Turn i-vectors so that what frames say about them is uncorrelated on average, most of it in the first dimensions
    #[arg(long, default_value_t = true)]
    diagonalize: bool,
    /// A Gaussian with a smaller count is left as it is
    #[arg(long, default_value_t = 100.0)]
    gaussian_min_count: f64,
    /// No covariance is smaller than this part of the average of all, in any direction
    #[arg(long, default_value_t = 0.1)]
    variance_floor_factor: f64,
    extractor: InputName,
    stats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_extractor_est));

fn ivector_extractor_est(opts: Options) -> anyhow::Result<Tally> {
    log!("Reading model");
    let mut extractor: IvectorExtractor = read_file(&opts.extractor)?;
    log!("Reading statistics");
    let stats: IvectorExtractorStats = read_file(&opts.stats)?;
    let mut options = ExtractorOptions::default();
    options.diagonalize = opts.diagonalize;
    options.gaussian_min_count = opts.gaussian_min_count;
    options.variance_floor_factor = opts.variance_floor_factor;
    let update = stats.update(&mut extractor, &options, num_threads())?;
    log_update(&update, &stats);
    write_file(&opts.target, &extractor, Format::from_binary(opts.binary))?;
    log!("Updated model and wrote it to {}", printable_wxfilename(&opts.target));
    Ok(Tally::new(1, 0))
}

fn log_update(update: &ExtractorUpdate, stats: &IvectorExtractorStats) {
    let count = stats.count();
    let over = format!("over {} frames.", general(count));
    if stats.objective() != 0.0 {
        log!("Overall auxf/frame on training data was {} per frame {over}", general(stats.objective() / count));
    }
    for &(gauss, count) in &update.skipped {
        warning!("Skipping Gaussian index {gauss} because count {} is below min-count.", general(count));
    }
    for &(gauss, limited) in &update.limited {
        log!("Solving matrix problem for M of Gaussian index {gauss}: floored {limited} eigenvalues.");
    }
    let improvement = general(update.projections);
    log!("Overall objective function improvement for M (mean projections) was {improvement} per frame {over}");
    if let Some(weights) = update.weights {
        log!("Overall auxf impr/frame from weight update is {} {over}", general(weights));
    }
    if let Some(covariances) = &update.covariances {
        if covariances.floored_of_floor > 0 {
            warning!(
                "Floored {} eigenvalues of the variance floor matrix. This is not expected. Maybe your feature data is \
                 linearly dependent.",
                covariances.floored_of_floor
            );
        }
        for (gauss, floored) in &covariances.floored {
            log!("For Gaussian index {gauss}, floored {floored} eigenvalues of variance.");
        }
        log!("Overall objf impr/frame for variances was {} {over}", general(covariances.improvement));
    }
    let prior = &update.prior;
    let (smallest, largest) = prior.variances;
    log!("Eigenvalues of iVector covariance range from {} to {}", general(smallest), general(largest));
    if prior.num_floored > 0 {
        warning!("Floored {} eigenvalues of covar of iVectors.", prior.num_floored);
    }
    if let Some(information) = &prior.information {
        log!("Eigenvalues of Vavg: {information}");
    }
    let (frame, ivector) = (general(prior.per_frame), general(prior.per_ivector));
    log!("Overall auxf improvement from prior is {frame} per frame, or {ivector} per iVector.");
    log!("Setting iVector prior offset to {}", general(prior.offset));
    log!("Overall objective-function improvement per frame was {}", general(update.improvement()));
    let explained = general(update.explained);
    log!("The proportion of within-Gaussian variance explained by the iVectors is {explained}.");
}
