//! Turns lattices of words into lattices of phones.
//!
//! Matches Kaldi's `lattice-to-phone-lattice`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::log;
use kaldi_lattice::{CompactLattice, to_compact, to_plain};
use kaldi_table::{SequentialReader, TableWriter, read_file};

const USAGE: &str = "\
Puts phones in place of the words of lattices, or in place of their transition-ids.

Usage: lattice-to-phone-lattice [options] <model-rxfilename> <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-to-phone-lattice final.mdl ark:1.lats ark:phones.lats
       lattice-to-phone-lattice --replace-words=false final.mdl ark:1.lats ark:1.lats
See also: lattice-align-words, lattice-align-phones
";

#[derive(clap::Args)]
struct Options {
    /// Put phones in place of words; otherwise in place of transition-ids
    #[arg(long, default_value_t = true)]
    replace_words: bool,
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_to_phone_lattice)).by_entry(1);

fn lattice_to_phone_lattice(opts: Options) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.model)?;
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let written = source.par_map_into(target, move |entry| {
        let mut lattice = entry.read()?;
        if !opts.replace_words {
            lattice.replace_ids_by_phones(&model)?;
            return Ok(entry.into_record(lattice));
        }
        let mut plain = to_plain(&lattice);
        plain.replace_words_by_phones(&model)?;
        Ok(entry.into_record(to_compact(&plain)))
    })?;
    log!("Done converting {} lattices.", written.done());
    Ok(written.finish()?.into())
}
