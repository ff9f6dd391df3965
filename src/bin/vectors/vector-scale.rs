//! Multiplies vectors by a number.
//!
//! Matches Kaldi's `vector-scale`, except that rspecifiers may have options that wspecifiers do not have (`ark,s,cs:`).

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::{Rspecifier, is_specifier};
use kaldi_matrix::Vector;
use kaldi_table::{SequentialReader, TableWriter, are_tables};
use kaldi_value::Format;

const USAGE: &str = "\
Multiplies vectors, or tables of vectors (speaker vectors, weights of frames), by a number.

Usage: vector-scale [options] <vector-rspecifier> <vector-wspecifier>
  or:  vector-scale [options] <vector-rxfilename> <vector-wxfilename>
 e.g.: vector-scale --scale=-1.0 1.vec -
       vector-scale --scale=-2.0 ark:vec.ark ark,t:-
See also: copy-vector, vector-sum
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long)]
    binary: bool,
    /// Multiply the vectors by this
    #[arg(long, default_value_t = 1.0)]
    scale: f32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(vector_scale)).by_entry(0);

fn vector_scale(opts: Options) -> anyhow::Result<Tally> {
    if is_specifier(&opts.source) && Rspecifier::parse(&opts.source).is_none() {
        bail!("Cannot mix archives and regular files: {} is a table to write, not one to read", opts.source);
    }
    are_tables(&opts.source, &opts.target)?;
    let source = SequentialReader::<Vector<f32>>::open_table_or_file(&opts.source)?;
    let target = TableWriter::create_table_or_file(&opts.target, Format::from_binary(opts.binary))?;
    let scale = opts.scale;

    let written = source.par_map_into(target, move |entry| {
        if scale == 1.0 {
            return Ok(entry.copied()?);
        }
        let mut vector = entry.read()?;
        vector.scale(scale);
        Ok(entry.into_record(vector))
    })?;
    let done = written.done();
    written.finish()?;
    Ok(Tally::new(done, 0).always_ok())
}
