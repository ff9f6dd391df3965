//! Interpolates the scores of two systems in lattices.
//!
//! Matches Kaldi's `lattice-interp`.

use std::sync::Arc;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{CompactLattice, Lattice, Scale, to_compact, to_plain};
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Interpolates the costs of two tables of lattices key by key: the result has the paths whose words both have, with the sum of
their costs, each scaled; the transition-ids are those of the first.

Usage: lattice-interp [options] <lattice-rspecifier1> <lattice-rspecifier2> <lattice-wspecifier>
 e.g.: lattice-interp --alpha=0.4 ark:1.lats ark:2.lats ark:interpolated.lats
See also: lattice-combine, lattice-union
";

#[derive(clap::Args)]
struct Options {
    /// Scale of the first lattices; that of the second ones is 1 minus this
    #[arg(long, default_value_t = 0.5)]
    alpha: f32,
    source: InputName,
    other: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_interp)).by_entry(0);

fn lattice_interp(opts: Options) -> anyhow::Result<Tally> {
    let [first, second] = [f64::from(opts.alpha), 1.0 - f64::from(opts.alpha)].map(|scale| Scale::new(scale, scale));
    let source = SequentialReader::<Lattice>::open(&opts.source)?;
    let other = RandomAccessReader::<CompactLattice>::open(&opts.other)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map_with(other, move |entry, other: Option<Arc<CompactLattice>>| {
        let (key, mut lattice) = (entry.key(), entry.read()?);
        let Some(other) = other else {
            warning!("No lattice found for utterance {key} in {}. Not producing output", opts.other);
            return Ok((None, true));
        };
        let mut words = Arc::unwrap_or_clone(other);
        words.remove_strings();
        let mut words = to_plain(&words);
        words.project(true);
        words.scale(&second);
        lattice.scale(&first);
        let composed = Lattice(lattice.compose(&words));
        if composed.start().is_none() {
            warning!("For utterance {key}, composed result is empty.");
            return Ok((None, false));
        }
        Ok((Some(Record::from_value(key, to_compact(&composed), format)), false))
    });
    let (mut done, mut empty, mut missing) = (0, 0, 0);
    let ended = rows.drain(|_, (record, is_missing)| {
        match record {
            Some(record) => {
                done += 1;
                return target.put(record);
            }
            None if is_missing => missing += 1,
            None => empty += 1,
        }
        Ok(())
    })?;
    log!(
        "Done {} lattices; {done} had nonempty result, {empty} had empty composition; in {missing}, had empty second lattice.",
        done + empty
    );
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, empty + missing))
}
