//! Computes statistics for a mixture with full covariances from posteriors.
//!
//! Matches Kaldi's `fgmm-global-acc-stats-post`, except that with --weights each frame is weighted once, and that nothing is
//! written if there are no utterances. Kaldi multiplies all posteriors of the utterance by the weight of each frame in turn.

use std::sync::Arc;

use anyhow::{Context as _, bail};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::fitting_weights;
use kaldi_gmm::{AccumFullGmm, FrameWeights, GmmFlags, GmmStats};
use kaldi_io::log::{log, warning};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{RandomAccessReader, SequentialReader, write_file};
use kaldi_value::number::general;
use kaldi_value::{Format, Posterior};

const USAGE: &str = "\
Computes statistics of features for a mixture with full covariances that does not exist yet, from the posteriors of its
Gaussians, which may come from other features.

Usage: fgmm-global-acc-stats-post [options] <post-rspecifier> <number-of-gaussians> <feats-rspecifier> <stats-wxfilename>
 e.g.: fgmm-global-acc-stats-post ark:post.ark 2048 scp:feats.scp 1.acc
See also: fgmm-global-init-from-accs, fgmm-global-acc-stats
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The parameters to keep statistics for: m means, v variances, w weights
    #[arg(long, default_value = "mvw")]
    update_flags: GmmFlags,
    /// Rspecifier of vectors with a weight for each frame
    #[arg(long)]
    weights: Option<InputName>,
    post: InputName,
    num_gauss: i32,
    feats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fgmm_global_acc_stats_post))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(0, "fgmm-global-sum-accs OUT IN"))]);

fn fgmm_global_acc_stats_post(opts: Options) -> anyhow::Result<Tally> {
    let Some(num_gauss) = usize::try_from(opts.num_gauss).ok().filter(|number| *number > 0) else {
        bail!("expected a number of Gaussians, got {}", opts.num_gauss);
    };
    let source = SequentialReader::<Posterior>::open(&opts.post)?;
    let feats = RandomAccessReader::<Matrix<f32>>::open(&opts.feats)?;
    let weights = opts.weights.as_deref().map(RandomAccessReader::<Vector<f32>>::open).transpose()?;

    let rows = source.par_map_with((feats, weights), move |entry, (feats, weights)| {
        let utt = entry.key();
        let Some(feats): Option<Arc<Matrix<f32>>> = feats else {
            warning!("No features available for utterance {utt}");
            return Ok(None);
        };
        let (posterior, num_frames) = (entry.read()?, feats.num_rows());
        let Some(weights) = fitting_weights(utt, num_frames, weights) else { return Ok(None) };
        if posterior.0.len() != num_frames {
            let got = posterior.0.len();
            warning!("posterior information for utterance {utt} has wrong size {got} vs. {num_frames}");
            return Ok(None);
        }
        let weight_of = |frame: usize| weights.as_ref().map_or(1.0, |weights| weights.as_slice()[frame]);
        let mut shares: Vec<FrameWeights> = Vec::with_capacity(num_frames);
        for (frame, entry) in posterior.0.iter().enumerate() {
            let place = |&(gauss, post): &(i32, f32)| {
                let place = usize::try_from(gauss).ok().filter(|place| *place < num_gauss);
                Some((place?, post * weight_of(frame)))
            };
            let share: Option<FrameWeights> = entry.iter().map(place).collect();
            let refused = || format!("expected Gaussians below {num_gauss} in frame {frame}, got {entry:?}");
            shares.push(if weight_of(frame) == 0.0 { Vec::new() } else { share.ok_or_else(refused)? });
        }
        Ok(Some((feats, shares, (0..num_frames).map(|frame| f64::from(weight_of(frame))).sum::<f64>())))
    });
    let (mut tally, mut stats, mut frames) = (Tally::default(), None, 0.0);
    let ended = rows.drain(|utt, done| {
        let Some((feats, shares, weight)) = done else {
            tally.failed += 1;
            return Ok(());
        };
        let stats: &mut AccumFullGmm =
            stats.get_or_insert_with(|| AccumFullGmm::new(num_gauss, feats.num_cols(), opts.update_flags));
        stats.add_weighted(&feats, &shares).with_context(|| utt.to_string())?;
        tally.done += 1;
        frames += weight;
        anyhow::Ok(())
    })?;
    log!("Done {} files; {} with errors.", tally.done, tally.failed);
    log!("Overall there are {} (weighted) frames.", general(frames));
    ended.finish()?;
    if let Some(stats) = stats {
        write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
        log!("Written accs to {}", opts.target);
    }
    Ok(tally)
}
