//! Computes the largest posteriors of Gaussians in every frame.
//!
//! Matches Kaldi's `gmm-global-get-post`, except that a frame without a likelihood is an error.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{DiagGmm, Error, Mixture, posterior_entry};
use kaldi_io::log::{log, vlog, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter, read_file};
use kaldi_value::Posterior;
use kaldi_value::number::general;

const USAGE: &str = "\
Computes the posteriors of the Gaussians of a mixture with diagonal covariances in each frame, the largest first, and keeps
the largest ones; for i-vectors, for instance.

Usage: gmm-global-get-post [options] <model-in> <feats-rspecifier> <post-wspecifier>
 e.g.: gmm-global-get-post --n=20 --min-post=0.025 final.dubm scp:feats.scp ark:post.ark
See also: gmm-gselect, gmm-global-gselect-to-post, scale-post
";

#[derive(clap::Args)]
struct Options {
    /// The number of posteriors to keep in each frame
    #[arg(long, default_value_t = 50)]
    n: i32,
    /// Leave posteriors below this out
    #[arg(long, default_value_t = 0.0)]
    min_post: f32,
    model: InputName,
    feats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_global_get_post)).by_entry(1);

fn gmm_global_get_post(opts: Options) -> anyhow::Result<Tally> {
    let gmm: DiagGmm = read_file(&opts.model)?;
    let Some(mut n) = usize::try_from(opts.n).ok().filter(|n| *n > 0) else {
        bail!("expected --n to be 1 or more, got {}", opts.n);
    };
    if !(0.0..1.0).contains(&opts.min_post) {
        bail!("expected --min-post from 0 to less than 1, got {}", opts.min_post);
    }
    if n > gmm.num_gauss() {
        warning!("You asked for {n} Gaussians but GMM only has {}, returning this many. ", gmm.num_gauss());
        n = gmm.num_gauss();
    }
    let (min_post, dim) = (opts.min_post, gmm.dim());
    let source = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let mut target = TableWriter::<Posterior>::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map(move |entry| {
        let (utt, feats) = (entry.key(), entry.read()?);
        if feats.is_empty() {
            warning!("Empty features for utterance {utt}");
            return Ok(None);
        }
        if feats.num_cols() != dim {
            warning!("Dimension mismatch for utterance {utt}: got {}, expected {dim}", feats.num_cols());
            return Ok(None);
        }
        let (mut posterior, mut log_like) = (Vec::with_capacity(feats.num_rows()), 0.0);
        gmm.each_frame(&feats, |frame, likelihoods| {
            let (entry, frame_like) = posterior_entry(likelihoods, n, min_post);
            if !frame_like.is_finite() {
                return Err(Error::Likelihood { frame });
            }
            posterior.push(entry);
            log_like += f64::from(frame_like);
            Ok(())
        })?;
        let num_frames = feats.num_rows();
        let average = general(log_like / num_frames as f64);
        vlog!(1, "Processed utterance {utt}, average likelihood {average} over {num_frames} frames");
        Ok(Some((Record::from_value(utt, Posterior(posterior), format), log_like, num_frames)))
    });
    let (mut tally, mut total, mut frames) = (Tally::default(), 0.0, 0);
    let ended = rows.drain(|_, done| {
        let Some((record, log_like, num_frames)) = done else {
            tally.failed += 1;
            return Ok(());
        };
        target.put(record)?;
        tally.done += 1;
        total += log_like;
        frames += num_frames;
        anyhow::Ok(())
    })?;
    log!(
        "Done {} files, {} with errors, average UBM log-likelihood is {} over {frames} frames.",
        tally.done,
        tally.failed,
        general(total / frames as f64)
    );
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}
