//! Writes the dimension of features: of the first matrix, or of every one.
//!
//! Matches Kaldi's `feat-to-dim`.

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::is_specifier;
use kaldi_matrix::Matrix;
use kaldi_table::{Reader, SequentialReader, TableWriter, create_output};

const USAGE: &str = "\
Writes the dimension of the first feature matrix to a file, or that of each matrix to a table.

Usage: feat-to-dim [options] <feat-rspecifier> (<dim-wspecifier>|<dim-wxfilename>)
 e.g.: feat-to-dim scp:feats.scp -
See also: feat-to-len, matrix-dim
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(feat_to_dim)).whole("it looks at the first entry");

fn feat_to_dim(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?.skim();
    let mut dims = source.par_map(|entry| Ok(entry.read_with(Matrix::<f32>::read_size)?.1));
    if is_specifier(&opts.target) {
        let mut target = TableWriter::<i32>::create(&opts.target)?;
        let ended = dims.drain(|key, dim| {
            target.write(&key, &(dim as i32))?;
            anyhow::Ok(())
        })?;
        ended.finish()?;
        target.finish()?;
    } else {
        let (_, dim) = dims.next()?.context("no features, so no dimension (empty archive?)")?;
        let mut target = create_output(&opts.target, false)?;
        target.write_all(format!("{dim}\n").as_bytes())?;
        target.finish()?;
        // The command may need some time to end.
        dims.finish()?;
    }
    Ok(Tally::default().always_ok())
}
