//! Appends a vector to every row of features.
//!
//! Matches Kaldi's `append-vector-to-feats`.

use std::sync::Arc;

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::is_specifier;
use kaldi_io::log::{log, warning};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Appends a vector, such as an i-vector, to every row of features.

Usage: append-vector-to-feats [options] <feats-rspecifier> <vector-rspecifier> <feats-wspecifier>
  or:  append-vector-to-feats [options] <feats-rxfilename> <vector-rxfilename> <feats-wxfilename>
 e.g.: append-vector-to-feats scp:feats.scp scp:ivectors.scp ark:-
See also: paste-feats, concat-feats, paste-vectors
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    feats: InputName,
    vectors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(append_vector_to_feats)).by_entry(0);

fn append_vector_to_feats(opts: Options) -> anyhow::Result<Tally> {
    if is_specifier(&opts.feats) { append_tables(&opts) } else { append_files(&opts) }
}

fn append_tables(opts: &Options) -> anyhow::Result<Tally> {
    let feats = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let vectors = RandomAccessReader::<Vector<f32>>::open(&opts.vectors)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let written = feats.par_map_with_into(vectors, target, move |entry, vector: Option<Arc<Vector<f32>>>| {
        let utt = entry.key();
        let Some(vector) = vector else {
            warning!("Could not read vector for utterance {utt}");
            return Ok(None);
        };
        let appended = entry.read()?.with_appended(&vector)?;
        Ok(Some(Record::from_value(utt, appended, format)))
    })?;
    log!("Done {} utts, errors on {}", written.done(), written.skipped());
    Ok(Tally::from(written.finish()?).error_if_none())
}

fn append_files(opts: &Options) -> anyhow::Result<Tally> {
    let feats: Matrix<f32> = read_file(&opts.feats)?;
    let vector: Vector<f32> = read_file(&opts.vectors)?;
    let appended =
        feats.with_appended(&vector).with_context(|| format!("cannot append {} to {}", opts.vectors, opts.feats))?;
    write_file(&opts.target, &appended, Format::from_binary(opts.binary))?;
    log!("Wrote appended features to {}", opts.target);
    Ok(Tally::new(1, 0))
}
