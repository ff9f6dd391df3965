//! Removes the transition-ids from lattices.
//!
//! Matches Kaldi's `lattice-rmali`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::CompactLattice;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Removes the transition-ids from lattices, so that only words and costs are left.

Usage: lattice-rmali [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-rmali ark:1.lats ark:words.lats
See also: lattice-project, lattice-copy
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_rmali)).by_entry(0);

fn lattice_rmali(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let written = source.par_map_into(target, |entry| {
        let mut lattice = entry.read()?;
        lattice.remove_strings();
        Ok(entry.into_record(lattice))
    })?;
    log!("Done removing alignments from {} lattices.", written.done());
    Ok(written.finish()?.into())
}
