//! Copies graphs.
//!
//! Matches Kaldi's `fstcopy`, except that text has labels, with a warning, where Kaldi writes words that nobody reads; that an
//! arc to a state that does not exist is an error, and so is an archive that ends inside a key.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::Fst;
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Format;

const USAGE: &str = "\
Copies graphs (FSTs with standard arcs) between archives, text and binary. Text does not keep symbol tables.

Usage: fstcopy [options] <fsts-rspecifier> <fsts-wspecifier>
 e.g.: fstcopy ark:1.fsts ark,t:-
       fstcopy ark:- ark,scp,t:keywords.fsts,-
See also: lattice-copy, lattice-to-fst, table-info
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fstcopy)).by_entry(0);

fn fstcopy(opts: Options) -> anyhow::Result<Tally> {
    let target = TableWriter::<Fst>::create(&opts.target)?;
    let format = target.format();
    let source = SequentialReader::<Fst>::open(&opts.source)?;
    let written = source.par_map_into(target, move |entry| {
        if format == Format::Binary {
            return Ok(Some(entry.copy(format)?));
        }
        let fst = entry.read()?;
        if fst.has_symbols() {
            warning!("{}: the symbol tables of the FST are lost in text", entry.key());
        }
        Ok(Some(entry.into_record(fst)))
    })?;
    log!("Copied {} FSTs.", written.done());
    Ok(written.finish()?.into())
}
