//! Limits the number of arcs across each frame of lattices.
//!
//! Matches Kaldi's `lattice-limit-depth`. A scale of 0 and a lattice without a path are errors with a message.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::{CompactLattice, Error, Scale};
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_value::number::general;

use crate::usable::if_usable;

const USAGE: &str = "\
Drops arcs of lattices until no frame has more than a number of arcs across it; those on the best paths stay.

Usage: lattice-limit-depth [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-limit-depth --max-arcs-per-frame=1000 --acoustic-scale=0.1 ark:- ark:-
See also: lattice-depth, lattice-prune
";

#[derive(clap::Args)]
struct Options {
    /// The most arcs across a frame; a negative number is no limit
    #[arg(long, default_value_t = 1000)]
    max_arcs_per_frame: i32,
    /// Multiply acoustic costs by this; it is taken back
    #[arg(long, default_value_t = 1.0)]
    acoustic_scale: f32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_limit_depth)).by_entry(0);

fn lattice_limit_depth(opts: Options) -> anyhow::Result<Tally> {
    let most = usize::try_from(opts.max_arcs_per_frame).unwrap_or(usize::MAX);
    if opts.acoustic_scale == 0.0 {
        bail!("expected an acoustic scale that is not 0, since it is taken back");
    }
    let scale = Scale::new(1.0, f64::from(opts.acoustic_scale));
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map(move |entry| {
        let mut lattice = entry.read()?;
        lattice.scale(&scale);
        if lattice.start().is_none() {
            return Err(Error::NoPath.into());
        }
        if !lattice.sort_if_needed() {
            return Err(Error::Cycle.into());
        }
        let (before, frames) = lattice.arc_frames()?;
        let limited = lattice.limit_depth(most);
        if if_usable(entry.key(), limited)?.is_none() {
            return Ok(None);
        }
        lattice.scale(&scale.inverse());
        let (after, _) = lattice.arc_frames()?;
        Ok(Some((Record::from_value(entry.key(), lattice, format), before, after, frames)))
    });
    let (mut done, mut failed, mut sums) = (0, 0, [0; 3]);
    let ended = rows.drain(|_, limited| {
        let Some((record, before, after, frames)) = limited else {
            failed += 1;
            return Ok(());
        };
        done += 1;
        sums.iter_mut().zip([before, after, frames]).for_each(|(sum, count)| *sum += count);
        target.put(record)
    })?;
    log!("Done {done} lattices.");
    let [before, after, frames] = sums.map(|sum| sum as f64);
    log!("Overall density changed from {} to {}", general(before / frames), general(after / frames));
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, failed))
}
