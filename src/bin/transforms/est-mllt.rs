//! Estimates an MLLT transform from statistics.
//!
//! Matches Kaldi's `est-mllt`.

use kaldi_cli::{SumOptions, Tally, add_files};
use kaldi_gmm::transform::MlltStats;
use kaldi_io::log::{log, warning};
use kaldi_table::write_file;
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Estimates the transform under which Gaussians with diagonal covariances fit best (maximum likelihood linear transform,
or global semi-tied covariance), from statistics of gmm-acc-mllt, which are summed. Compose it with the current
transform (compose-transforms), and apply it to the means of the model (gmm-transform-means).

Usage: est-mllt [options] <transform-wxfilename> <stats-rxfilename1> [<stats-rxfilename2> ...]
 e.g.: est-mllt 2.mat 1a.macc 1b.macc
See also: sum-mllt-accs, est-lda, compose-transforms
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(est_mllt));

fn est_mllt(opts: SumOptions) -> anyhow::Result<Tally> {
    let mut stats = MlltStats::default();
    add_files(&opts.sources, |source| stats.add(source))?;
    let count = general(stats.count());
    let enough = 10.0 * stats.dim() as f64;
    if stats.count() < enough {
        let measure = if stats.count() > enough / 5.0 { "very small" } else { "insufficient" };
        warning!("{measure} count {count}");
    }
    let mllt = stats.estimate()?;
    for (iteration, &improvement) in mllt.improvements.iter().enumerate() {
        if iteration < 10 || iteration % 10 == 0 {
            let improvement = general(improvement);
            log!("MLLT objective improvement by iteration {iteration} is {improvement} per frame over {count} frames.");
        }
    }
    log!(
        "Overall objective function improvement for MLLT is {} over {count} frames, logdet is {}",
        general(mllt.improvements.last().copied().unwrap_or(0.0)),
        general(mllt.transform.log_abs_det()?)
    );
    write_file(&opts.target, &mllt.transform, Format::from_binary(opts.binary))?;
    Ok(Tally::new(1, 0))
}
