//! Sets a linear VTLN transform to what turns features into warped ones.
//!
//! Matches Kaldi's `gmm-train-lvtln-special`, except that --weights-in counts with --normalize-covar too.

use std::sync::Arc;

use anyhow::Context as _;
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_gmm::Error;
use kaldi_gmm::tables::of_utterance;
use kaldi_gmm::transform::{LinearVtln, VtlnPairs};
use kaldi_io::log::{log, warning};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{RandomAccessReader, SequentialReader, read_file, write_file};
use kaldi_value::number::general;
use kaldi_value::{Format, Posterior};

const USAGE: &str = "\
Sets one of the transforms of linear VTLN to the one that turns features into warped ones with the smallest squares of errors.
Posteriors of each frame, or weights, are the weight of the frame.

Usage: gmm-train-lvtln-special [options] <class-index> <lvtln-in> <lvtln-out> <feats-rspecifier> <warped-feats-rspecifier> \
[<post-rspecifier>]
 e.g.: gmm-train-lvtln-special --warp=0.95 5 5.lvtln 6.lvtln scp:feats.scp scp:warped.scp ark:nosil.post
See also: gmm-init-lvtln, gmm-est-lvtln-trans, compute-mfcc-feats
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The warp factor; less than 0 leaves it as it is
    #[arg(long, default_value_t = -1.0)]
    warp: f32,
    /// Scale dimensions so that their variances stay
    #[arg(long)]
    normalize_var: bool,
    /// Keep the covariance; --normalize-var has no effect then
    #[arg(long)]
    normalize_covar: bool,
    /// Rspecifier of a vector of the weights of the frames, instead of posteriors
    #[arg(long)]
    weights_in: Option<InputName>,
    class_index: Arg,
    source: InputName,
    target: OutputName,
    feats: InputName,
    warped: InputName,
    posteriors: Option<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_train_lvtln_special))
    .whole("the transform is one of the whole table");

fn gmm_train_lvtln_special(opts: Options) -> anyhow::Result<Tally> {
    let class = opts.class_index.to_string();
    let class: i32 =
        class.trim().parse().ok().with_context(|| format!("expected a number of a class, got {class:?}"))?;
    let mut vtln: LinearVtln = read_file(&opts.source)?;
    let (pairs, num_done) = read_pairs(&opts, vtln.dim())?;
    let transform = match opts.normalize_covar {
        true => {
            let (transform, singular_values) = pairs.same_covariance()?;
            log!("Singular values of P are: {}", Vector::from_vec(singular_values));
            transform
        }
        false => least_squares(&pairs, opts.normalize_var)?,
    };
    let warp = Some(opts.warp).filter(|warp| *warp >= 0.0);
    vtln.set_transform(class, transform, warp)?;
    write_file(&opts.target, &vtln, Format::from_binary(opts.binary))?;
    Ok(Tally::new(num_done, 0))
}

/// The statistics of all utterances, and their number.
fn read_pairs(opts: &Options, dim: usize) -> anyhow::Result<(VtlnPairs, u64)> {
    let (mut pairs, mut num_done) = (VtlnPairs::new(dim), 0);
    let warped = RandomAccessReader::<Matrix<f32>>::open(&opts.warped)?;
    let weights = opts.weights_in.as_ref().map(RandomAccessReader::<Vector<f32>>::open).transpose()?;
    let posteriors = opts.posteriors.as_ref().filter(|_| weights.is_none());
    let posteriors = posteriors.map(RandomAccessReader::<Posterior>::open).transpose()?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let rows = source.par_map_with((warped, (weights, posteriors)), |entry, (warped, (weights, posteriors))| {
        let (utt, feats) = (entry.key(), entry.read()?);
        let Some(warped): Option<Arc<Matrix<f32>>> = warped else {
            warning!("No transformed features for key {utt}");
            return Ok(None);
        };
        let weights = match (weights, posteriors) {
            (Some(None), _) => {
                warning!("No weights for utterance {utt}");
                return Ok(None);
            }
            (_, Some(None)) => {
                warning!("No posteriors for utterance {utt}");
                return Ok(None);
            }
            (Some(Some(weights)), _) => weights.as_slice().to_vec(),
            (_, Some(Some(posteriors))) => {
                posteriors.0.iter().map(|frame| frame.iter().map(|(_, weight)| weight).sum()).collect()
            }
            (None, None) => vec![1.0; feats.num_rows()],
        };
        Ok(Some((feats, warped, weights)))
    });
    let ended = rows.drain(|utt, found| -> kaldi_table::Result<()> {
        let Some((feats, warped, weights)) = found else { return Ok(()) };
        let refused = |error: Error| of_utterance(utt.as_ref(), error);
        if warped.size() != feats.size() {
            return Err(refused(Error::Derivatives { expected: feats.size(), got: warped.size() }));
        }
        if weights.len() != feats.num_rows() {
            return Err(refused(Error::Posteriors { expected: feats.num_rows(), got: weights.len() }));
        }
        for ((frame, warped), weight) in feats.rows().zip(warped.rows()).zip(&weights) {
            pairs.add_frame(frame, warped, *weight).map_err(refused)?;
        }
        num_done += 1;
        Ok(())
    })?;
    ended.finish()?;
    Ok((pairs, num_done))
}

fn least_squares(pairs: &VtlnPairs, normalize_var: bool) -> anyhow::Result<Matrix<f32>> {
    let (transform, fits) = pairs.least_squares(normalize_var)?;
    for (dim, fit) in fits.iter().enumerate() {
        let [error, difference, square] = [fit.error, fit.difference, fit.square].map(general);
        log!(
            "For dimension {dim}, sum-squared error in linear approximation is {error}, versus feature-difference \
             {difference}, orig-sumsq is {square}"
        );
        if let Some((before, after, factor)) = fit.scaled {
            let [before, after, factor] = [before, after, factor].map(general);
            log!(
                "For dimension {dim}, variance of original and transformed data is {before} and {after} respectively; scaling \
                 matrix row by {factor} to make them equal."
            );
        }
    }
    Ok(transform)
}
