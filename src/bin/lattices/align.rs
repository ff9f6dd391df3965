//! What the tools that align the arcs of lattices have in common.

use bstr::BStr;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{Aligned, CompactLattice, Error};
use kaldi_table::{Record, SequentialReader, TableWriter, WorkError};

/// The lattice that is written, if there is one, and whether the alignment has failed.
pub(crate) type Outcome = (Option<CompactLattice>, bool);

/// Nothing is written.
pub(crate) const FAILED: Outcome = (None, true);

/// Aligns the lattices of a table, each with `align`.
pub(crate) fn align_lattices(
    (source, target): (&InputName, &OutputName),
    align: impl Fn(&BStr, CompactLattice) -> Result<Outcome, WorkError> + Send + Sync + 'static,
) -> anyhow::Result<Tally> {
    let source = SequentialReader::<CompactLattice>::open(source)?;
    let mut target = TableWriter::create(target)?;
    let format = target.format();
    let rows = source.par_map(move |entry| {
        let (lattice, is_faulty) = align(entry.key(), entry.read()?)?;
        let record = lattice.map(|mut lattice| {
            lattice.sort_if_needed();
            Record::from_value(entry.key(), lattice, format)
        });
        Ok((record, is_faulty))
    });
    let (mut done, mut failed) = (0, 0);
    let ended = rows.drain(|_, (record, is_faulty)| {
        *if is_faulty { &mut failed } else { &mut done } += 1;
        record.map_or(Ok(()), |record| target.put(record))
    })?;
    log!("Successfully aligned {done} lattices; {failed} had errors.");
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, failed).ok_if(done > failed))
}

/// An aligned lattice, with warnings about what was found on the way; `None`, with a warning, if the lattice is unfit for it.
pub(crate) fn if_fit(key: &BStr, aligned: Result<Aligned, Error>) -> Result<Option<Aligned>, WorkError> {
    match aligned {
        Err(error @ (Error::Cycle | Error::Cost { .. } | Error::TooManyIds { .. })) => {
            warning!("{key}: {error}, producing no output");
            Ok(None)
        }
        aligned => {
            let aligned = aligned?;
            aligned.findings.iter().for_each(|finding| warning!("{key}: {finding}"));
            Ok(Some(aligned))
        }
    }
}
