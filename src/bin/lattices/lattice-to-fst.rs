//! Turns lattices into graphs of words with one cost.
//!
//! Matches Kaldi's `lattice-to-fst`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::{CompactLattice, Fst, Scale};
use kaldi_table::{SequentialReader, TableWriter};

use crate::usable::if_usable;

const USAGE: &str = "\
Turns lattices into graphs of words (FSTs with standard arcs). The cost of an arc is the sum of its graph and acoustic
costs, each scaled; both scales are 0 if they are not given.

Usage: lattice-to-fst [options] <lattice-rspecifier> <fsts-wspecifier>
 e.g.: lattice-to-fst --lm-scale=0.0 --acoustic-scale=0.0 ark:1.lats ark:1.fsts
See also: lattice-project, lattice-copy, lattice-rmali
";

#[derive(clap::Args)]
struct Options {
    /// Multiply acoustic costs by this
    #[arg(long, default_value_t = 0.0)]
    acoustic_scale: f32,
    /// Multiply graph costs by this
    #[arg(long, default_value_t = 0.0)]
    lm_scale: f32,
    /// Join arcs without a word to others where that is easily done; some may stay
    #[arg(long, default_value_t = true)]
    rm_eps: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_to_fst)).by_entry(0);

fn lattice_to_fst(opts: Options) -> anyhow::Result<Tally> {
    let scale = Scale::new(f64::from(opts.lm_scale), f64::from(opts.acoustic_scale));
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let target = TableWriter::<Fst>::create(&opts.target)?;
    let written = source.par_map_into(target, move |entry| {
        let mut lattice = entry.read()?;
        lattice.scale(&scale);
        let fst = if_usable(entry.key(), lattice.to_fst(opts.rm_eps))?;
        Ok(fst.map(|fst| entry.into_record(fst)))
    })?;
    log!("Done converting {} lattices to word-level FSTs", written.done());
    Ok(written.finish()?.into())
}
