//! Joins each frame with its neighbours.
//!
//! Matches Kaldi's `splice-feats`; a negative context is an error even if there are no features.

use anyhow::anyhow;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::Splice;
use kaldi_matrix::{BinaryRows, Matrix};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Format;

const USAGE: &str = "\
Joins each frame of features with the frames before and after it, side by side (before LDA, for instance). The first and
the last frame are repeated beyond the ends.

Usage: splice-feats [options] <feature-rspecifier> <feature-wspecifier>
 e.g.: splice-feats --left-context=3 --right-context=3 scp:feats.scp ark:-
See also: add-deltas, transform-feats, shift-feats
";

#[derive(clap::Args)]
struct Options {
    /// Number of frames before each frame
    #[arg(long, default_value_t = 4)]
    left_context: i32,
    /// Number of frames after each frame
    #[arg(long, default_value_t = 4)]
    right_context: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(splice_feats)).by_entry(0);

fn splice_feats(opts: Options) -> anyhow::Result<Tally> {
    let context = |name: &str, frames: i32| {
        usize::try_from(frames).map_err(|_| anyhow!("expected --{name} to be 0 or more, got {frames}"))
    };
    let splice =
        Splice::new(context("left-context", opts.left_context)?, context("right-context", opts.right_context)?);
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let written = source.par_map_into(target, move |entry| {
        // The output is many times as large as the input: if possible, it is written directly from the bytes of the
        // input.
        if format == Format::Binary
            && let Some(frames) = entry.bytes().and_then(BinaryRows::find::<f32>)
        {
            let runs = splice.runs(frames.size())?;
            let (head, pieces) = frames.rearranged(&runs, splice.width());
            return Ok(entry.rearranged(head, pieces));
        }
        let feats = splice.apply(&entry.read()?)?;
        Ok(entry.into_record(feats))
    })?;
    let done = written.done();
    written.finish()?;
    Ok(Tally::new(done, 0).always_ok())
}
