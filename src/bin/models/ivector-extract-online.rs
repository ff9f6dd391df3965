//! Extracts i-vectors while the frames of an utterance come in.
//!
//! Matches Kaldi's `ivector-extract-online`, except that `--num-threads` has the default of all tools, and an utterance
//! without frames is skipped with a warning.

use anyhow::ensure;
use kaldi_cli::{InputName, OutputName, Tally, num_threads};
use kaldi_io::log::{log, vlog, warning};
use kaldi_ivector::{IvectorEstimator, online_ivectors};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter, read_file};
use kaldi_value::Posterior;
use kaldi_value::number::general;

use crate::ivector_lengths::IvectorLengths;

const USAGE: &str = "\
Extracts an i-vector from the frames of an utterance up to the first, the 11th, the 21st and so on, given the weights of
Gaussians in each frame. They are the rows of a matrix.

Usage: ivector-extract-online [options] <extractor-rxfilename> <feats-rspecifier> <post-rspecifier> <ivector-wspecifier>
 e.g.: ivector-extract-online --ivector-period=10 final.ie scp:feats.scp ark,s,cs:1.post ark:ivectors.1.ark
See also: gmm-global-get-post, ivector-extract, ivector-extract-online2, ivector-randomize
";

#[derive(clap::Args)]
struct Options {
    /// Number of frames from one i-vector to the next
    #[arg(long, default_value_t = 10)]
    ivector_period: i32,
    /// If it is above 0, the prior counts more once the sum of the weights of frames is above it
    #[arg(long, default_value_t = 0.0)]
    max_count: f32,
    /// Steps of conjugate gradients from one i-vector to the next; below 0 as many as are needed
    #[arg(long, default_value_t = 15)]
    num_cg_iters: i32,
    extractor: InputName,
    feats: InputName,
    posteriors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_extract_online)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(1)),
]);

fn ivector_extract_online(opts: Options) -> anyhow::Result<Tally> {
    let period = usize::try_from(opts.ivector_period).unwrap_or(0);
    ensure!(period > 0, "expected --ivector-period to be 1 or more, got {}", opts.ivector_period);
    let num_steps = usize::try_from(opts.num_cg_iters).ok();
    let max_count = f64::from(opts.max_count);
    let estimator = IvectorEstimator::new(read_file(&opts.extractor)?, num_threads())?;
    let (offset, dim) = (estimator.extractor().prior_offset() as f32, estimator.extractor().ivector_dim());
    let source = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let posteriors = RandomAccessReader::<Posterior>::open(&opts.posteriors)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map_with(posteriors, move |entry, found| {
        let utt = entry.key();
        let Some(posterior) = found else {
            warning!("No posteriors for utterance {utt}");
            return Ok(None);
        };
        let feats = entry.read()?;
        let (expected, got) = (feats.num_rows(), posterior.0.len());
        if expected != got {
            warning!("Size mismatch between posterior {got} and features {expected} for utterance {utt}");
            return Ok(None);
        }
        if feats.is_empty() {
            warning!("No frames in utterance {utt}");
            return Ok(None);
        }
        let (mut ivectors, improvement) =
            online_ivectors(&estimator, &feats, &posterior, period, num_steps, max_count)?;
        ivectors.rows_mut().for_each(|row| row[0] -= offset);
        let count = posterior.total();
        let frames = general(count);
        vlog!(
            2,
            "For utterance {utt} objf impr/frame is {} per frame, over {frames} frames (weighted).",
            general(improvement)
        );
        let lengths = IvectorLengths::of(&ivectors, count, improvement);
        Ok(Some((Record::new(utt, &ivectors, format), lengths)))
    });
    let (mut tally, mut sum) = (Tally::default(), IvectorLengths::default());
    let ended = rows.drain(|_, row| {
        match row {
            Some((record, lengths)) => {
                target.put(record)?;
                sum.add(&lengths);
                tally.done += 1;
            }
            None => tally.failed += 1,
        }
        anyhow::Ok(())
    })?;
    log!("Estimated iVectors for {} files, {} with errors.", tally.done, tally.failed);
    sum.log(dim);
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}
