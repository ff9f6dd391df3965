//! Joins the lattices of two tables.
//!
//! Matches Kaldi's `lattice-union`: of paths with the same words the best one stays.

use std::sync::Arc;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::CompactLattice;
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter};

use crate::usable::if_usable;

const USAGE: &str = "\
Joins the lattices of two tables key by key: the result has the paths of both, and of those with the same words the best.
A lattice that the second table does not have is written alone.

Usage: lattice-union [options] <lattice-rspecifier1> <lattice-rspecifier2> <lattice-wspecifier>
 e.g.: lattice-union ark:den.lats ark:num.lats ark:union.lats
See also: lattice-combine, lattice-interp, nbest-to-lattice
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    other: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_union)).by_entry(0);

fn lattice_union(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let other = RandomAccessReader::<CompactLattice>::open(&opts.other)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map_with(other, move |entry, other: Option<Arc<CompactLattice>>| {
        let (key, mut lattice) = (entry.key(), entry.read()?);
        match &other {
            Some(other) => lattice.join(other),
            None => warning!("No lattice found for utterance {key} in {}, so the first one is the result", opts.other),
        }
        let union = if_usable(key, lattice.determinized())?;
        Ok(union.map(|union| (Record::from_value(key, union, format), other.is_some())))
    });
    let (mut done, mut joined, mut failed) = (0_u64, 0_u64, 0);
    let ended = rows.drain(|_, union| {
        let Some((record, is_joined)) = union else {
            failed += 1;
            return Ok(());
        };
        done += 1;
        joined += u64::from(is_joined);
        target.put(record)
    })?;
    let missing = done - joined;
    log!(
        "Total {done} lattices written. Computed union for {joined} pairs of lattices. Missing second lattice in {missing} \
         cases."
    );
    log!("Done {done} lattices.");
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, failed))
}
