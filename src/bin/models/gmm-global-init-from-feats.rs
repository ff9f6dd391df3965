//! Makes a mixture with diagonal covariances of features, and trains it.
//!
//! Matches Kaldi's `gmm-global-init-from-feats`, also in its random numbers, except that --num-iters=1 works. The option
//! --num-threads does not change the result, and has the default of all tools.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally, num_threads};
use kaldi_gmm::tables::warn_of_low_counts;
use kaldi_gmm::{DiagGmm, GmmFlags, Mixture, MleDiagGmmOptions};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;
use kaldi_value::random::Random;

const USAGE: &str = "\
Makes a mixture with diagonal covariances: its means are frames drawn at random, and it is trained on features in memory.
If it starts with fewer Gaussians, they are split in the first half of the iterations.

Usage: gmm-global-init-from-feats [options] <feats-rspecifier> <model-out>
 e.g.: gmm-global-init-from-feats --num-gauss=512 --num-iters=20 scp:feats.scp 0.dubm
See also: gmm-global-acc-stats, gmm-global-est, gmm-gselect
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The number of Gaussians
    #[arg(long, default_value_t = 100)]
    num_gauss: i32,
    /// The number of Gaussians to start with; 0 starts with all
    #[arg(long, default_value_t = 0)]
    num_gauss_init: i32,
    /// The number of iterations of training
    #[arg(long, default_value_t = 50)]
    num_iters: i32,
    /// The number of frames to keep in memory, drawn at random, and to train on
    #[arg(long, default_value_t = 200_000)]
    num_frames: i32,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 0)]
    srand: i32,
    #[command(flatten)]
    estimation: MleDiagGmmOptions,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_global_init_from_feats))
    .whole("it is estimated from the whole table");

fn gmm_global_init_from_feats(opts: Options) -> anyhow::Result<Tally> {
    let mut random = Random::seeded(opts.srand as u32);
    if opts.num_gauss < 1 {
        bail!("expected --num-gauss to be 1 or more, got {}", opts.num_gauss);
    }
    let feats = draw_frames(&opts, &mut random)?;
    let start = if (1..=opts.num_gauss).contains(&opts.num_gauss_init) { opts.num_gauss_init } else { opts.num_gauss };
    log!("Initializing GMM means from random frames to {start} Gaussians.");
    let mut gmm = DiagGmm::from_random_frames(&feats, start as usize, &mut random)?;
    let options = opts.estimation;
    let increment = (opts.num_gauss - start) / (opts.num_iters / 2).max(1);
    let mut wanted = start;
    for iteration in 0..opts.num_iters {
        let (stats, log_like) = gmm.statistics(&feats, GmmFlags::ALL, num_threads())?;
        let num_frames = feats.num_rows();
        let average = general(log_like / num_frames as f64);
        log!("Likelihood per frame on iteration {iteration} was {average} over {num_frames} frames.");
        let estimate = stats.estimate(&gmm, GmmFlags::ALL, &options)?;
        warn_of_low_counts(&estimate, gmm.dim(), options.remove_low_count_gaussians);
        log!(
            "Objective-function change on iteration {iteration} was {} over {} frames.",
            general(estimate.objective_change / estimate.count),
            general(estimate.count)
        );
        gmm = estimate.gmm;
        let next = opts.num_gauss.min(wanted + increment);
        if next > gmm.num_gauss() as i32 {
            log!("Splitting to {next} Gaussians.");
            gmm = gmm.split(next, 0.1, &mut random)?;
            wanted = next;
        }
    }
    write_file(&opts.target, &gmm, Format::from_binary(opts.binary))?;
    log!("Wrote model to {}", opts.target);
    Ok(Tally::new(1, 0))
}

/// Reads all features and keeps some of their frames, each with the same chance.
fn draw_frames(opts: &Options, random: &mut Random) -> anyhow::Result<Matrix<f32>> {
    let Some(wanted) = usize::try_from(opts.num_frames).ok().filter(|frames| *frames > 0) else {
        bail!("expected --num-frames to be 1 or more, got {}", opts.num_frames);
    };
    log!("Reading features (will keep {wanted} frames.)");
    let (mut dim, mut num_read, mut kept) = (0, 0, Vec::new());
    let rows = SequentialReader::<Matrix<f32>>::open(&opts.source)?.values();
    let ended = rows.drain(|utt, feats| {
        for frame in feats.rows() {
            num_read += 1;
            if dim == 0 {
                dim = frame.len();
            } else if frame.len() != dim {
                bail!("{utt}: expected features with {dim} columns, as those before, got {}", frame.len());
            }
            if num_read <= wanted {
                kept.extend_from_slice(frame);
            } else if random.with_prob(wanted as f32 / num_read as f32) {
                let place = random.below(wanted as u32) as usize;
                kept[place * dim..][..dim].copy_from_slice(frame);
            }
        }
        anyhow::Ok(())
    })?;
    ended.finish()?;
    if num_read < wanted {
        warning!("Number of frames read {num_read} was less than target number {wanted}, using all we read.");
    } else {
        let percent = general(wanted as f64 * 100.0 / num_read as f64);
        log!("Kept {wanted} out of {num_read} input frames = {percent}%.");
    }
    Ok(Matrix::from_vec(num_read.min(wanted), dim, kept))
}
