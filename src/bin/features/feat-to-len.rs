//! Writes the length of features in frames: of every matrix, or of all together.
//!
//! Matches Kaldi's `feat-to-len`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Writes the number of frames of each feature matrix or, with one argument, their sum to standard output.

Usage: feat-to-len [options] <in-rspecifier> [<out-wspecifier>]
 e.g.: feat-to-len scp:feats.scp ark,t:feats.lengths
       feat-to-len scp:feats.scp
See also: feat-to-dim, copy-feats (with --write-num-frames)
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    target: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(feat_to_len)).in_pieces(&[
    (kaldi_cli::PiecesIf::NumArguments(1), kaldi_cli::Pieces::Whole("it adds the lengths of the whole table")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(0)),
]);

fn feat_to_len(opts: Options) -> anyhow::Result<Tally> {
    let target = opts.target.as_deref().map(TableWriter::<i32>::create);
    let mut target = target.transpose()?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?.skim();

    let lengths = source.par_map(|entry| Ok(entry.read_with(Matrix::<f32>::read_size)?.0));
    let mut total = 0;
    let ended = lengths.drain(|key, length| {
        if let Some(target) = &mut target {
            target.write(&key, &(length as i32))?;
        }
        total += length as u64;
        anyhow::Ok(())
    })?;
    ended.finish()?;
    if let Some(target) = target {
        target.finish()?;
    } else {
        kaldi_io::print(format!("{total}\n"))?;
    }
    Ok(Tally::default().always_ok())
}
