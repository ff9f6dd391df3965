//! Estimates a PCA transform from features or vectors.
//!
//! Matches Kaldi's `est-pca`, also in the signs of the directions, except that the directions are right if covariances
//! are exactly zero.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::transform::PcaStats;
use kaldi_io::log::{log, warning};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{SequentialReader, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Estimates a transform to the directions of the largest variance (principal component analysis), from features or, with
--read-vectors, from vectors such as i-vectors. It keeps all dimensions, or the first --dim of them; it may also make the
variances one and, as an affine transform, the mean zero. A few thousand utterances are enough.

Usage: est-pca [options] (<feats-rspecifier>|<vector-rspecifier>) <transform-wxfilename>
 e.g.: shuf -n 5000 data/train/feats.scp | sort | est-pca --dim=50 scp:- exp/0.mat
See also: est-lda, transform-feats, transform-vec
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The number of dimensions to keep; all if it is 0 or less
    #[arg(long, default_value_t = -1)]
    dim: i32,
    /// Read vectors instead of features
    #[arg(long)]
    read_vectors: bool,
    /// Make variances one
    #[arg(long)]
    normalize_variance: bool,
    /// Make the mean zero, with an offset
    #[arg(long)]
    normalize_mean: bool,
    /// Wxfilename for the transform with all dimensions
    #[arg(long)]
    write_full_matrix: Option<OutputName>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(est_pca)).whole("it is estimated from the whole table");

fn est_pca(opts: Options) -> anyhow::Result<Tally> {
    let (stats, tally) = if opts.read_vectors { sum_vectors(&opts)? } else { sum_feats(&opts)? };
    if tally.done == 0 {
        bail!("No data accumulated.");
    }
    let full_dim = stats.dim();
    let dim = if opts.dim <= 0 { full_dim } else { opts.dim as usize };
    if dim > full_dim {
        bail!("Final dimension {dim} is greater than feature dimension {full_dim}");
    }
    let mut pca = stats.estimate()?;
    log!("Eigenvalues in PCA are {}", pca.variances);
    let kept: f64 = pca.variances.as_slice()[..dim].iter().sum();
    log!("Sum of PCA eigenvalues is {}, sum of kept eigenvalues is {}", general(pca.variances.sum()), general(kept));
    if opts.normalize_variance {
        for variance in pca.normalize_variance() {
            let variance = general(variance);
            warning!("--normalize-variance option: very tiny variance {variance} encountered, treating as 1e-15");
        }
    }
    if opts.normalize_mean {
        pca.normalize_mean();
    }
    let format = Format::from_binary(opts.binary);
    let mut transform = pca.transform.to_precision::<f32>();
    if let Some(name) = &opts.write_full_matrix {
        write_file(name, &transform, format)?;
    }
    transform.resize(dim, transform.num_cols());
    write_file(&opts.target, &transform, format)?;
    Ok(tally.always_ok())
}

fn sum_feats(opts: &Options) -> anyhow::Result<(PcaStats, Tally)> {
    let (mut stats, mut tally) = (PcaStats::default(), Tally::default());
    let rows = SequentialReader::<Matrix<f64>>::open(&opts.source)?.values();
    let ended = rows.drain(|utt, feats| {
        if feats.is_empty() {
            warning!("Empty feature matrix for utterance {utt}");
            tally.failed += 1;
        } else if stats.add(&feats).is_err() {
            warning!("Feature dimension mismatch {} vs. {} for utterance {utt}", stats.dim(), feats.num_cols());
            tally.failed += 1;
        } else {
            tally.done += 1;
        }
        anyhow::Ok(())
    })?;
    let Tally { done, failed, .. } = tally;
    log!("Accumulated stats from {done} feature files, {failed} with errors; {} frames.", stats.count());
    ended.finish()?;
    Ok((stats, tally))
}

fn sum_vectors(opts: &Options) -> anyhow::Result<(PcaStats, Tally)> {
    let (mut stats, mut tally) = (PcaStats::default(), Tally::default());
    let rows = SequentialReader::<Vector<f64>>::open(&opts.source)?.values();
    let ended = rows.drain(|key, vector| {
        if vector.is_empty() {
            warning!("Empty input vector {key}");
            tally.failed += 1;
        } else if stats.add_vector(&vector).is_err() {
            warning!("Feature dimension mismatch {} vs. {} for {key}", stats.dim(), vector.dim());
            tally.failed += 1;
        } else {
            tally.done += 1;
        }
        anyhow::Ok(())
    })?;
    log!("Accumulated stats from {} vectors, {} with errors.", tally.done, tally.failed);
    ended.finish()?;
    Ok((stats, tally))
}
