//! Copies vectors; scales, cuts or pads them.
//!
//! Matches Kaldi's `copy-vector`: as in Kaldi, `--scale` is not applied to a single file.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::Vector;
use kaldi_table::{SequentialReader, TableWriter, are_tables};
use kaldi_value::Format;

const USAGE: &str = "\
Copies vectors, or tables of vectors (speaker vectors, weights), between files, archives, text and binary.

Usage: copy-vector [options] <vector-rspecifier> <vector-wspecifier>
  or:  copy-vector [options] <vector-rxfilename> <vector-wxfilename>
 e.g.: copy-vector --binary=false 1.vec -
       copy-vector ark:2.trans ark,t:-
See also: copy-matrix, copy-int-vector, append-vector-to-feats
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Cut the vectors to this dimension, or pad them with zeros, unless it is negative
    #[arg(long = "change_dim", default_value_t = -1)]
    change_dim: i32,
    /// Multiply the vectors by this (tables only)
    #[arg(long, default_value_t = 1.0)]
    scale: f32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_vector)).by_entry(0);

fn copy_vector(opts: Options) -> anyhow::Result<Tally> {
    let tables = are_tables(&opts.source, &opts.target)?;
    let source = SequentialReader::<Vector<f32>>::open_table_or_file(&opts.source)?;
    let target = TableWriter::create_table_or_file(&opts.target, Format::from_binary(opts.binary))?;
    let new_dim = usize::try_from(opts.change_dim).ok();
    let scale = if tables { opts.scale } else { 1.0 };

    let written = source.par_map_into(target, move |entry| {
        if new_dim.is_none() && scale == 1.0 {
            return Ok(entry.copied()?);
        }
        let mut vector = entry.read()?;
        if let Some(dim) = new_dim {
            vector.resize(dim);
        }
        if scale != 1.0 {
            vector.scale(scale);
        }
        Ok(entry.record(&vector))
    })?;
    let done = written.done();
    match tables {
        true if new_dim.is_none() && scale == 1.0 => log!("Copied {done} vectors."),
        true => log!("Copied {done} vectors, setting dim to {} scaled by {scale}", opts.change_dim),
        false => {}
    }
    written.finish()?;
    if !tables {
        log!("Copied vector to {}", opts.target);
    }
    Ok(Tally::new(done, 0))
}
