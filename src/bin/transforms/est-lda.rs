//! Estimates an LDA transform from statistics.
//!
//! Matches Kaldi's `est-lda`; the signs of the directions, which are arbitrary, may differ.

use kaldi_cli::{InputName, OutputName, Tally, add_files};
use kaldi_gmm::transform::{LdaOptions, LdaStats};
use kaldi_io::log::log;
use kaldi_table::write_file;
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Estimates a transform to the directions in which classes differ most (linear discriminant analysis), from statistics of
acc-lda, which are summed.

Usage: est-lda [options] <transform-wxfilename> <stats-rxfilename1> [<stats-rxfilename2> ...]
 e.g.: est-lda --dim=40 --write-full-matrix=full.mat final.mat lda.*.acc
See also: sum-lda-accs, est-mllt, est-pca, transform-feats
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Wxfilename for the transform with all dimensions
    #[arg(long)]
    write_full_matrix: Option<OutputName>,
    /// Make the mean zero, with an offset
    #[arg(long)]
    remove_offset: bool,
    /// The number of dimensions to keep
    #[arg(long, default_value_t = 40)]
    dim: i32,
    /// Allow as many dimensions as classes, or more
    #[arg(long)]
    allow_large_dim: bool,
    /// The variance within classes after the transform; below 1 it makes the dimensions small that distinguish classes
    /// little
    #[arg(long, default_value_t = 1.0)]
    within_class_factor: f32,
    target: OutputName,
    #[arg(required = true)]
    sources: Vec<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(est_lda));

fn est_lda(opts: Options) -> anyhow::Result<Tally> {
    let mut stats = LdaStats::default();
    add_files(&opts.sources, |source| stats.add(source))?;
    let lda = stats.estimate(&LdaOptions {
        dim: opts.dim,
        allow_large_dim: opts.allow_large_dim,
        within_class_factor: opts.within_class_factor,
        remove_offset: opts.remove_offset,
    })?;
    if let Some(smoothing) = lda.smoothing {
        log!(
            "The covariance within classes is not positive definite; added {} to its diagonal",
            general(f64::from(smoothing))
        );
    }
    log!("Data count is {}", general(lda.count));
    log!("LDA singular values are {}", lda.singular_values);
    log!("Sum of all singular values is {}", general(lda.singular_values.sum()));
    let selected: f64 = lda.singular_values.as_slice()[..lda.dim].iter().sum();
    log!("Sum of selected singular values is {}", general(selected));

    let format = Format::from_binary(opts.binary);
    write_file(&opts.target, &lda.transform(), format)?;
    if let Some(name) = &opts.write_full_matrix {
        write_file(name, &lda.full_transform, format)?;
    }
    Ok(Tally::new(1, 0))
}
