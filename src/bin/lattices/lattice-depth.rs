//! Computes the average depth of lattices.
//!
//! Matches Kaldi's `lattice-depth`; a lattice with paths of different times to a state is an error with a message.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::{CompactLattice, Error};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::number::general;

const USAGE: &str = "\
Computes the depth of each lattice: how many arcs cross a frame on average. It writes them if wanted, and logs the average.

Usage: lattice-depth [options] <lattice-rspecifier> [<depth-wspecifier>]
 e.g.: lattice-depth ark:1.lats ark,t:1.depth
See also: lattice-depth-per-frame, lattice-limit-depth, table-info
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    depths: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_depth)).by_entry(0);

fn lattice_depth(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let depths = opts.depths.filter(|name| !name.is_empty());
    let mut target = depths.map(TableWriter::<f32>::create).transpose()?;

    let rows = source.par_map(|entry| {
        let mut lattice = entry.read()?;
        if !lattice.sort_if_needed() {
            return Err(Error::Cycle.into());
        }
        // A lattice without states has the depth 1, in Kaldi.
        let is_empty = lattice.start().is_none();
        let (arc_frames, frames) = lattice.arc_frames()?;
        Ok((if is_empty { 1.0 } else { arc_frames as f32 / frames as f32 }, frames))
    });
    let (mut done, mut sum, mut total) = (0, 0.0, 0);
    let ended = rows.drain(|key, (depth, frames)| {
        done += 1;
        sum += f64::from(depth * frames as f32);
        total += frames;
        target.as_mut().map_or(Ok(()), |target| target.write(&key, &depth))
    })?;
    log!("Done {done} lattices.");
    log!("Overall density is {} over {total} frames.", general(sum / total as f64));
    ended.finish()?;
    target.map_or(Ok(()), TableWriter::finish)?;
    Ok(Tally::new(done, 0))
}
