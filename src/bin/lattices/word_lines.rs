//! What the tools have in common that write lines for the words of lattices of one path.

use bstr::BStr;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::warning;
use kaldi_lattice::{CompactLattice, TimedWord};
use kaldi_table::{SequentialReader, WorkError, create_output};

/// Writes the lines of all lattices of a table, and says how many have some and how many have not a single path. `kind` is what a key is
/// called in a warning.
pub(crate) fn write_word_lines(
    (source, target): (&InputName, &OutputName),
    kind: &'static str,
    lines: impl Fn(&BStr, &CompactLattice, &[TimedWord]) -> Result<Vec<u8>, WorkError> + Send + Sync + 'static,
    log: impl FnOnce(u64, u64),
) -> anyhow::Result<Tally> {
    let source = SequentialReader::<CompactLattice>::open(source)?;
    let mut target = create_output(target, false)?;
    let rows = source.par_map(move |entry| {
        let (key, lattice) = (entry.key(), entry.read()?);
        let Some((words, has_frames_left)) = lattice.timed_words() else {
            warning!("Lattice is not linear.");
            warning!("Format conversion failed for {kind} {key}");
            return Ok(None);
        };
        if has_frames_left {
            warning!(
                "Lattice has alignments on final-weight: probably was not word-aligned (alignments will be approximate)"
            );
        }
        Ok(Some(lines(key, &lattice, &words)?))
    });
    let (mut done, mut failed) = (0, 0);
    let ended = rows.drain(|_, lines| {
        match lines {
            Some(lines) => {
                target.write_all(&lines)?;
                done += 1;
            }
            None => failed += 1,
        }
        anyhow::Ok(())
    })?;
    log(done, failed);
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, failed))
}
