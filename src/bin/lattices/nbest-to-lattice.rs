//! Joins the best paths of an utterance in a lattice.
//!
//! Matches Kaldi's `nbest-to-lattice`.

use anyhow::bail;
use bstr::{BString, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_lattice::CompactLattice;
use kaldi_log::log;
use kaldi_number::general;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Puts the best paths of an utterance beside each other in a lattice: utt1-1, utt1-2 and so on, which follow each other in the
table, become utt1.

Usage: nbest-to-lattice [options] <nbest-rspecifier> <lattice-wspecifier>
 e.g.: nbest-to-lattice ark:nbest.lats ark:1.lats
See also: lattice-to-nbest, lattice-union
";

#[derive(option_table::Options)]
struct Options {
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nbest_to_lattice))
    .whole("the paths of an utterance may be in two pieces");

fn nbest_to_lattice(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let mut target = TableWriter::<CompactLattice>::create(&opts.target)?;
    let (mut current, mut utterances, mut paths) = (None::<(BString, CompactLattice)>, 0_u64, 0_u64);
    let rows = source.par_map(|entry| Ok(entry.read()?));
    let ended = rows.drain(|key, path| {
        let Some(utterance) = key.rfind_byte(b'-').filter(|&end| end > 0).map(|end| &key[..end]) else {
            bail!("{key}: expected a key such as utt1-1; are these the best paths of lattices?");
        };
        paths += 1;
        match &mut current {
            Some((name, lattice)) if *name == utterance => lattice.join(&path),
            _ => {
                utterances += 1;
                if let Some((name, lattice)) = current.replace((utterance.into(), path)) {
                    target.write(&name, &lattice)?;
                }
            }
        }
        Ok(())
    })?;
    if let Some((name, lattice)) = current {
        target.write(&name, &lattice)?;
    }
    let mean = general((paths as f32 / utterances as f32).into());
    log!(
        "Done joining n-best into lattices for {utterances} utterances, with on average {mean} N-best paths per utterance."
    );
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(utterances, 0))
}
