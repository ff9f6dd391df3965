//! Reverses lattices in time.
//!
//! Matches Kaldi's `lattice-reverse`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::Lattice;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Reverses lattices in time: each path goes from its end to its start, behind a new start state. It writes plain lattices.

Usage: lattice-reverse [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-reverse ark:1.lats ark:reversed.lats
See also: lattice-copy
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_reverse)).by_entry(0);

fn lattice_reverse(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Lattice>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let written = source.par_map_into(target, |entry| Ok(entry.into_record(Lattice(entry.read()?.reversed()))))?;
    log!("Done reversing {} lattices.", written.done());
    Ok(written.finish()?.into())
}
