//! Copies vectors of integers between files, archives, text and binary.
//!
//! Matches Kaldi's `copy-int-vector`. A single vector is stored in another form than one in a table: with brackets in
//! text, with one size byte for all integers in binary.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_table::{SequentialReader, TableWriter, are_tables, read_file, write_file};
use kaldi_value::Format;
use kaldi_value::IntVectorFile;

const USAGE: &str = "\
Copies vectors of integers, or tables of them (alignments), between files, archives, text and binary.

Usage: copy-int-vector [options] <vector-rspecifier> <vector-wspecifier>
  or:  copy-int-vector [options] <vector-rxfilename> <vector-wxfilename>
 e.g.: copy-int-vector --binary=false 1.ints -
       copy-int-vector 'ark:gunzip -c ali.1.gz |' ark,t:-
See also: compare-int-vector, copy-vector, copy-gselect
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_int_vector)).by_entry(0);

fn copy_int_vector(opts: Options) -> anyhow::Result<Tally> {
    if !are_tables(&opts.source, &opts.target)? {
        let vector: IntVectorFile = read_file(&opts.source)?;
        write_file(&opts.target, &vector, Format::from_binary(opts.binary))?;
        log!("Copied vector to {}", opts.target);
        return Ok(Tally::new(1, 0));
    }
    let source = SequentialReader::<Vec<i32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| Ok(entry.copied()?))?;
    let done = written.done();
    log!("Copied {done} vectors of int32.");
    written.finish()?;
    Ok(Tally::new(done, 0))
}
