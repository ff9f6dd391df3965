//! Extends transforms to more dimensions, which they do not change.
//!
//! Matches Kaldi's `extend-transform-dim`.

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_io::printable_rxfilename;
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter, are_tables, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Extends square transforms, linear or affine, to more dimensions: the new ones are not changed by the transform, the
others are transformed as before.

Usage: extend-transform-dim [options] <transform-rspecifier> <transform-wspecifier>
  or:  extend-transform-dim [options] <transform-rxfilename> <transform-wxfilename>
 e.g.: extend-transform-dim --new-dimension=117 in.mat big.mat
See also: compose-transforms, transform-feats
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The number of dimensions of the result, not smaller than before
    #[arg(long, default_value_t = -1)]
    new_dimension: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(extend_transform_dim)).by_entry(0);

fn extend_transform_dim(opts: Options) -> anyhow::Result<Tally> {
    if are_tables(&opts.source, &opts.target)? { extend_table(&opts) } else { extend_file(&opts) }
}

fn extend_table(opts: &Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let new_dim = opts.new_dimension;

    let written = source.par_map_into(target, move |entry| {
        let extended = extend(&entry.read()?, new_dim)?;
        Ok(entry.into_record(extended))
    })?;
    let done = written.done();
    log!("Increased transform dim to {new_dim} for {done} matrices.");
    written.finish()?;
    Ok(Tally::new(done, 0))
}

fn extend_file(opts: &Options) -> anyhow::Result<Tally> {
    let transform: Matrix<f32> = read_file(&opts.source)?;
    let extended =
        extend(&transform, opts.new_dimension).with_context(|| printable_rxfilename(&opts.source).into_owned())?;
    write_file(&opts.target, &extended, Format::from_binary(opts.binary))?;
    log!(
        "Increased transform dim from {} to {} and wrote to {}",
        transform.num_rows(),
        extended.num_rows(),
        opts.target
    );
    Ok(Tally::new(1, 0))
}

fn extend(transform: &Matrix<f32>, new_dim: i32) -> anyhow::Result<Matrix<f32>> {
    let dim = transform.num_rows();
    match usize::try_from(new_dim) {
        Ok(new_dim) if new_dim >= dim => Ok(transform.extended_to(new_dim)?),
        _ => anyhow::bail!("expected --new-dimension to be {dim} or more, got {new_dim}"),
    }
}
