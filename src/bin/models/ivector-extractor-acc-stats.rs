//! Collects statistics for training an i-vector extractor.
//!
//! Matches Kaldi's `ivector-extractor-acc-stats`, its random numbers included, except that the statistics do not depend
//! on the number of threads.

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally, num_threads};
use kaldi_io::log::{log, warning};
use kaldi_io::printable_wxfilename;
use kaldi_ivector::{IvectorEstimator, StatsAccumulator, StatsOptions};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, SequentialReader, read_file, write_file};
use kaldi_value::{Format, Posterior};

const USAGE: &str = "\
Collects statistics of utterances and their i-vectors, from which ivector-extractor-est estimates a better extractor.

Usage: ivector-extractor-acc-stats [options] <extractor-rxfilename> <feats-rspecifier> <post-rspecifier> <stats-wxfilename>
 e.g.: ivector-extractor-acc-stats --num-threads=4 2.ie scp:feats.scp ark,s,cs:1.post 2.1.acc
See also: ivector-extractor-sum-accs, ivector-extractor-est, fgmm-global-gselect-to-post, gmm-global-get-post
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Number of utterances that are added together, at most 128 (it changes speed and memory only)
    #[arg(long, default_value_t = 100)]
    cache_size: i32,
    /// Compute the log likelihood of the utterances, which shows whether training goes on well
    #[arg(long, default_value_t = true)]
    compute_auxf: bool,
    /// Number of i-vectors that are drawn for each utterance to estimate how weights depend on them, 2 or more
    #[arg(long, default_value_t = 10)]
    num_samples_for_weights: i32,
    /// No effect: memory does not depend on the number of threads
    #[arg(long, default_value_t = 0)]
    num_threads_total: i32,
    /// Also collect what the covariances of Gaussians are estimated from
    #[arg(long, default_value_t = true)]
    update_variances: bool,
    extractor: InputName,
    feats: InputName,
    posteriors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_extractor_acc_stats))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "ivector-extractor-sum-accs IN OUT"))]);

fn ivector_extractor_acc_stats(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.num_threads_total;
    let options = stats_options(&opts);
    let feats = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let posteriors = RandomAccessReader::<Posterior>::open(&opts.posteriors)?;
    let estimator = IvectorEstimator::new(read_file(&opts.extractor)?, num_threads())?;
    let mut stats = StatsAccumulator::new(estimator, options, num_threads())?;

    let rows = feats.par_map_with(posteriors, move |entry, found| {
        let Some(posterior) = found else {
            warning!("No posteriors for utterance {}", entry.key());
            return Ok(None);
        };
        let feats = entry.read()?;
        let (expected, got) = (feats.num_rows(), posterior.0.len());
        if expected != got {
            warning!("Size mismatch between posterior {got} and features {expected} for utterance {}", entry.key());
            return Ok(None);
        }
        Ok(Some((feats, posterior)))
    });
    let (mut tally, mut num_frames) = (Tally::default(), 0);
    let ended = rows.drain(|key, row| {
        let Some((feats, posterior)) = row else {
            tally.failed += 1;
            return Ok(());
        };
        num_frames += feats.num_rows();
        tally.done += 1;
        stats.add(feats, &posterior).with_context(|| key.to_string())
    })?;
    let stats = stats.finish()?;
    log!("Done {} files, {} with errors.  Total frames {num_frames}", tally.done, tally.failed);
    ended.finish()?;
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    log!("Wrote stats to {}", printable_wxfilename(&opts.target));
    Ok(tally)
}

fn stats_options(opts: &Options) -> StatsOptions {
    // What is below zero is refused like zero.
    let count = |value: i32| usize::try_from(value).unwrap_or(0);
    let mut options = StatsOptions::default();
    options.update_variances = opts.update_variances;
    options.compute_objective = opts.compute_auxf;
    options.num_samples_for_weights = count(opts.num_samples_for_weights);
    options.cache_size = count(opts.cache_size);
    options
}
