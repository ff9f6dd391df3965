//! Joins the best paths of an utterance in a lattice.
//!
//! Matches Kaldi's `nbest-to-lattice`.

use anyhow::bail;
use bstr::{BString, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::{CompactLattice, Graph};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::number::general;

const USAGE: &str = "\
Puts the best paths of an utterance beside each other in a lattice: utt1-1, utt1-2 and so on, which follow each other in the
table, become utt1.

Usage: nbest-to-lattice [options] <nbest-rspecifier> <lattice-wspecifier>
 e.g.: nbest-to-lattice ark:nbest.lats ark:1.lats
See also: lattice-to-nbest, lattice-union
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nbest_to_lattice))
    .whole("the paths of an utterance may be in two pieces");

fn nbest_to_lattice(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let mut target = TableWriter::<CompactLattice>::create(&opts.target)?;
    let (mut current, mut utterances, mut paths) = (None::<Paths>, 0_u64, 0_u64);
    let rows = source.par_map(|entry| Ok(entry.read()?));
    let ended = rows.drain(|key, path| {
        let Some(utterance) = key.rfind_byte(b'-').filter(|&end| end > 0).map(|end| &key[..end]) else {
            bail!("{key}: expected a key such as utt1-1; are these the best paths of lattices?");
        };
        paths += 1;
        match &mut current {
            Some(paths) if paths.utterance == utterance => paths.others.push(path.0),
            _ => {
                utterances += 1;
                let next = Paths { utterance: utterance.into(), first: path, others: Vec::new() };
                current.replace(next).map_or(Ok(()), |paths| paths.write(&mut target))?;
            }
        }
        Ok(())
    })?;
    current.map_or(Ok(()), |paths| paths.write(&mut target))?;
    let mean = general((paths as f32 / utterances as f32).into());
    log!(
        "Done joining n-best into lattices for {utterances} utterances, with on average {mean} N-best paths per utterance."
    );
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(utterances, 0))
}

/// The paths of an utterance.
struct Paths {
    utterance: BString,
    first: CompactLattice,
    others: Vec<Graph>,
}

impl Paths {
    fn write(mut self, target: &mut TableWriter<CompactLattice>) -> kaldi_table::Result<()> {
        self.first.join_all(&self.others);
        target.write(&self.utterance, &self.first)
    }
}
