//! Leaves only the words or only the transition-ids on lattices.
//!
//! Matches Kaldi's `lattice-project`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::{CompactLattice, Lattice, to_plain};
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Leaves only the words on both sides of the arcs of lattices, or only the transition-ids. It writes plain lattices.

Usage: lattice-project [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-project ark:1.lats ark:words.lats
       lattice-project --project-output=false ark:1.lats ark:tids.lats
See also: lattice-rmali, lattice-to-fst
";

#[derive(clap::Args)]
struct Options {
    /// Leave the words; otherwise the transition-ids
    #[arg(long, default_value_t = true)]
    project_output: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_project)).by_entry(0);

fn lattice_project(opts: Options) -> anyhow::Result<Tally> {
    let target = TableWriter::<Lattice>::create(&opts.target)?;
    let written = if opts.project_output {
        SequentialReader::<CompactLattice>::open(&opts.source)?.par_map_into(target, |entry| {
            let mut words = entry.read()?;
            words.remove_strings();
            let mut lattice = to_plain(&words);
            lattice.project(true);
            Ok(entry.into_record(lattice))
        })?
    } else {
        SequentialReader::<Lattice>::open(&opts.source)?.par_map_into(target, |entry| {
            let mut lattice = entry.read()?;
            lattice.project(false);
            Ok(entry.into_record(lattice))
        })?
    };
    log!("Done projecting {} lattices.", written.done());
    Ok(written.finish()?.into())
}
