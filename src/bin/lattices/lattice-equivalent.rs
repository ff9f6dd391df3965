//! Compares the paths of lattices.
//!
//! Matches Kaldi's `lattice-equivalent`, except that the random paths depend on the utterance alone.

use std::sync::Arc;

use anyhow::bail;
use kaldi_cli::{InputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{CompactLattice, Result};
use kaldi_table::{RandomAccessReader, SequentialReader};
use kaldi_value::random::Random;

use crate::usable::if_usable;

const USAGE: &str = "\
Compares the lattices of two tables key by key: draws random paths of both, and checks that the other lattice has them at
the same cost. The exit code is 0 if all agree, 1 if some do not, 255 if a lattice is missing.

Usage: lattice-equivalent [options] <lattice-rspecifier1> <lattice-rspecifier2>
 e.g.: lattice-equivalent ark:1.lats ark:2.lats
See also: lattice-push, lattice-copy, table-diff
";

#[derive(clap::Args)]
struct Options {
    /// By how much costs may differ
    #[arg(long, default_value_t = 0.1)]
    delta: f32,
    /// Number of random paths of each pair of lattices
    #[arg(long, default_value_t = 20)]
    num_paths: u16,
    /// The share of lattices that may be missing or differ
    #[arg(long, default_value_t = 0.0)]
    max_error_proportion: f32,
    source: InputName,
    other: InputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_equivalent)).whole("there is no output");

fn lattice_equivalent(opts: Options) -> anyhow::Result<Tally> {
    if !(0.0..=1.0).contains(&opts.max_error_proportion) {
        bail!("expected --max-error-proportion to be from 0 to 1, got {}", opts.max_error_proportion);
    }
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let other = RandomAccessReader::<CompactLattice>::open(&opts.other)?;
    let (num_paths, delta) = (opts.num_paths, f64::from(opts.delta));
    let rows = source.par_map_with(other, move |entry, other: Option<Arc<CompactLattice>>| {
        let key = entry.key();
        let Some(other) = other else {
            warning!("No 2nd lattice present for utterance {key}");
            return Ok(None);
        };
        let same = agree([&entry.read()?, &other], num_paths, delta, &mut Random::named(0, key));
        let same = if_usable(key, same)?.unwrap_or(false);
        log!("Lattices were {} for utterance {key}", if same { "equivalent" } else { "inequivalent" });
        Ok(Some(same))
    });
    let (mut same, mut different, mut missing) = (0_u64, 0_u64, 0_u64);
    let ended = rows.drain(|_, found| {
        match found {
            Some(true) => same += 1,
            Some(false) => different += 1,
            None => missing += 1,
        }
        anyhow::Ok(())
    })?;
    let both = same + different;
    log!(
        "Done {both} lattices, {same} were equivalent, {different} were not; for {missing}, could not find 2nd lattice."
    );
    ended.finish()?;
    let most = (opts.max_error_proportion * (both + missing) as f32) as u64;
    let code = if missing > most { 255 } else { u8::from(different > most) };
    Ok(Tally::new(same, different + missing).exit_with(code))
}

/// Whether random paths of each lattice are in both, at the same cost.
fn agree(lattices: [&CompactLattice; 2], num_paths: u16, delta: f64, random: &mut Random) -> Result<bool> {
    for number in 0..usize::from(num_paths) {
        let path = lattices[number % 2].random_path(|ways| random.below(ways.max(1) as u32) as usize);
        let Some(path) = path.and_then(|path| path.linear()) else {
            // Where one has no path, the other must not have one either.
            return Ok(lattices.iter().all(|lattice| lattice.random_path(|_| 0).is_none()));
        };
        let [first, second] = lattices.map(|lattice| lattice.cost_of(&path.words, &path.ids));
        match (first?, second?) {
            (Some(first), Some(second)) if first.is_impossible() && second.is_impossible() => {}
            (Some(first), Some(second)) if (first.total() - second.total()).abs() <= delta => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}
