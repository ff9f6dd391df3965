//! Computes statistics of fMPE with a model.
//!
//! Matches Kaldi's `gmm-fmpe-acc-stats`.

use std::sync::Arc;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::transform::{Fmpe, FmpeStats};
use kaldi_gmm::{AcousticModel, PdfStats};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, SequentialReader, read_file, write_file};
use kaldi_value::number::general;
use kaldi_value::{Format, Posterior};

const USAGE: &str = "\
Computes statistics for the training of an fMPE transform, from features before the transform and posteriors of transition-ids,
which may be negative.

Usage: gmm-fmpe-acc-stats [options] <model-in> <fmpe-in> <feats-rspecifier> <gselect-rspecifier> <post-rspecifier> \
<stats-wxfilename>
 e.g.: gmm-fmpe-acc-stats --model-derivative=1.deriv 1.mdl 1.fmpe scp:feats.scp ark:1.gselect ark:1.post 1.fmpe_stats
See also: gmm-get-stats-deriv, fmpe-sum-accs, fmpe-est, fmpe-init
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Rxfilename of derivatives by the statistics of the model, which follows the features; right for MMI only
    #[arg(long)]
    model_derivative: Option<InputName>,
    model: InputName,
    fmpe: InputName,
    feats: InputName,
    gselect: InputName,
    posteriors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_fmpe_acc_stats))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(2, "fmpe-sum-accs OUT IN"))]);

fn gmm_fmpe_acc_stats(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let fmpe: Arc<Fmpe> = Arc::new(read_file(&opts.fmpe)?);
    let by_stats: Option<PdfStats> = opts.model_derivative.as_ref().map(read_file).transpose()?;
    let mut stats = FmpeStats::new(&fmpe);
    let gselect = RandomAccessReader::<Vec<Vec<i32>>>::open(&opts.gselect)?;
    let posteriors = RandomAccessReader::<Posterior>::open(&opts.posteriors)?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let transform = Arc::clone(&fmpe);
    let rows = source.par_map_with((posteriors, gselect), move |entry, (posterior, selected)| {
        let (key, feats) = (entry.key(), entry.read()?);
        let num_frames = feats.num_rows();
        let Some(posterior) = posterior else {
            warning!("No posteriors for utterance {key}");
            return Ok(None);
        };
        if posterior.0.len() != num_frames {
            warning!("Posterior vector has wrong size {} vs. {num_frames}: utterance {key}", posterior.0.len());
            return Ok(None);
        }
        let Some(selected) = selected else {
            warning!("No gselect information for key {key}");
            return Ok(None);
        };
        if selected.len() != num_frames {
            warning!("gselect information has wrong size: {} for {num_frames} frames of {key}", selected.len());
            return Ok(None);
        }
        let mut changed = transform.offsets(&feats, &selected)?;
        changed.add_scaled(1.0, &feats)?;
        let derivative = model.feature_derivative(&changed, &posterior, by_stats.as_ref())?;
        Ok(Some((feats, selected, derivative)))
    });
    let (mut tally, mut log_like, mut num_frames) = (Tally::default(), 0.0, 0);
    let ended = rows.drain(|key, found| -> kaldi_table::Result<()> {
        let Some((feats, selected, derivative)) = found else {
            tally.failed += 1;
            return Ok(());
        };
        let by_feats = (&derivative.direct, derivative.indirect.as_ref());
        let added = fmpe.add_derivatives(&feats, &selected, by_feats, &mut stats);
        added.map_err(|error| kaldi_gmm::tables::of_utterance(key.as_ref(), error))?;
        log_like += derivative.log_like;
        num_frames += feats.num_rows();
        tally.done += 1;
        Ok(())
    })?;
    ended.finish()?;
    log!("Done {} files, {} with errors.", tally.done, tally.failed);
    let average = general(log_like / num_frames as f64);
    log!("Overall weighted acoustic likelihood per frame is {average} over {num_frames} frames.");
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    Ok(tally)
}
