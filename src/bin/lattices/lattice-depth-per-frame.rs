//! Counts the arcs of lattices across each frame.
//!
//! Matches Kaldi's `lattice-depth-per-frame`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::{CompactLattice, Error};
use kaldi_table::{Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Counts how many arcs of a lattice cross each frame; passes the lattices on if wanted.

Usage: lattice-depth-per-frame [options] <lattice-rspecifier> <depth-wspecifier> [<lattice-wspecifier>]
 e.g.: lattice-depth-per-frame ark:1.lats ark,t:- 'ark:| lattice-best-path ark:- ark:/dev/null ark,t:1.ali'
See also: lattice-depth, lattice-limit-depth
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    depths: OutputName,
    lattices: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_depth_per_frame)).by_entry(0);

fn lattice_depth_per_frame(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let mut depths = TableWriter::<Vec<i32>>::create(&opts.depths)?;
    let lattices = opts.lattices.filter(|name| !name.is_empty());
    let mut lattices = lattices.map(TableWriter::<CompactLattice>::create).transpose()?;
    let format = lattices.as_ref().map(TableWriter::format);

    let rows = source.par_map(move |entry| {
        let mut lattice = entry.read()?;
        if !lattice.sort_if_needed() {
            return Err(Error::Cycle.into());
        }
        let depths = lattice.depth_per_frame()?;
        Ok((depths, format.map(|format| Record::from_value(entry.key(), lattice, format))))
    });
    let mut done = 0;
    let ended = rows.drain(|key, (counts, lattice)| {
        done += 1;
        depths.write(&key, &counts)?;
        if let (Some(target), Some(lattice)) = (&mut lattices, lattice) {
            target.put(lattice)?;
        }
        anyhow::Ok(())
    })?;
    log!("Done {done} lattices.");
    ended.finish()?;
    depths.finish()?;
    lattices.map_or(Ok(()), TableWriter::finish)?;
    Ok(Tally::new(done, 0))
}
