//! Adds a cost to every word of lattices.
//!
//! Matches Kaldi's `lattice-add-penalty`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::CompactLattice;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Adds a penalty to the graph cost of every arc with a word, so that paths of fewer words are preferred.

Usage: lattice-add-penalty [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-add-penalty --word-ins-penalty=1.0 ark:- ark:-
See also: lattice-scale, lattice-best-path
";

#[derive(clap::Args)]
struct Options {
    /// Cost of each word
    #[arg(long, default_value_t = 0.0)]
    word_ins_penalty: f32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_add_penalty)).by_entry(0);

fn lattice_add_penalty(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let penalty = opts.word_ins_penalty;
    let written = source.par_map_into(target, move |entry| {
        let mut lattice = entry.read()?;
        lattice.add_penalty(penalty);
        Ok(entry.into_record(lattice))
    })?;
    log!("Done adding word insertion penalty to {} lattices.", written.done());
    Ok(written.finish()?.into())
}
