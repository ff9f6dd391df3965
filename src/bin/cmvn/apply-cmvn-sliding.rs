//! Normalizes the means and, if wanted, the variances of features over a sliding window.
//!
//! Matches Kaldi's `apply-cmvn-sliding`, except that variances are right for windows of more than 46340 frames, whose
//! square is too large for Kaldi's integers, and that senseless options are errors even if there are no features.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::{FlooredFrame, SlidingWindowCmn, SlidingWindowCmnOptions};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Counts, Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Applies cepstral mean and, with --norm-vars, variance normalization to features, utterance by utterance, over a window
that ends at the frame to be normalized or, with --center, has it in its middle. At the start and the end of the
utterance, the window is moved into it as far as possible. This is mainly for speaker recognition.

Usage: apply-cmvn-sliding [options] <feats-rspecifier> <feats-wspecifier>
 e.g.: apply-cmvn-sliding --norm-vars=false --center=true --cmn-window=300 scp:feats.scp ark:-
See also: apply-cmvn, apply-cmvn-online
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    sliding: SlidingWindowCmnOptions,
    /// Number of warnings about floored variances per utterance: 0 for none, -1 for all
    #[arg(long, default_value_t = 5)]
    max_warnings: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(apply_cmvn_sliding)).by_entry(0);

fn apply_cmvn_sliding(opts: Options) -> anyhow::Result<Tally> {
    let (norm_vars, max_warnings) = (opts.sliding.norm_vars, opts.max_warnings);
    let cmn = SlidingWindowCmn::new(opts.sliding)?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let written = source.par_map_into(target, move |entry| {
        let utt = entry.key();
        let feats = entry.read()?;
        if feats.is_empty() {
            warning!("Empty feature matrix for utterance {utt}");
            return Ok(None);
        }
        let (normalized, floored) = cmn.apply(&feats);
        warn(&utt.to_string(), &floored, max_warnings);
        Ok(Some(Record::from_value(utt, normalized, format)))
    })?;
    let what = if norm_vars { "mean and variance" } else { "mean" };
    let Counts { done, skipped: failed } = written.counts();
    log!("Applied sliding-window cepstral {what} normalization to {done} utterances, {failed} had errors.");
    Ok(written.finish()?.into())
}

/// Warns of the first `max_warnings` frames (of all if that is negative), and says if there are more.
fn warn(utt: &str, floored: &[FlooredFrame], max_warnings: i32) {
    let shown = usize::try_from(max_warnings).unwrap_or(usize::MAX);
    for FlooredFrame { num_floored, window_frames } in floored.iter().take(shown) {
        warning!(
            "Flooring when normalizing variance, floored {num_floored} elements; num-frames was {window_frames} \
             (utterance {utt})"
        );
    }
    if floored.len() > shown {
        warning!(
            "Suppressing the remaining warnings about floored variances of utterance {utt} (--max-warnings=-1 shows them)"
        );
    }
}
