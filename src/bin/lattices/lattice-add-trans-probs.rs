//! Adds transition probabilities to the graph costs of lattices.
//!
//! Matches Kaldi's `lattice-add-trans-probs`, except that its log counts each lattice once.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::log;
use kaldi_lattice::{CompactLattice, Lattice, to_compact};
use kaldi_table::{SequentialReader, TableWriter, read_file};

const USAGE: &str = "\
Adds the costs of transitions, the negative logarithms of their probabilities, to the graph costs of lattices. Negative
scales take them off.

Usage: lattice-add-trans-probs [options] <model-rxfilename> <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-add-trans-probs --transition-scale=1.0 --self-loop-scale=0.1 final.mdl ark:1.lats ark:2.lats
See also: lattice-scale, lattice-boost-ali
";

#[derive(clap::Args)]
struct Options {
    /// Scale of the costs of transitions to other states
    #[arg(long, default_value_t = 1.0)]
    transition_scale: f32,
    /// Scale of the costs of staying in a state or leaving it
    #[arg(long, default_value_t = 1.0)]
    self_loop_scale: f32,
    model: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_add_trans_probs)).by_entry(1);

fn lattice_add_trans_probs(opts: Options) -> anyhow::Result<Tally> {
    let model: TransitionModel = read_file(&opts.model)?;
    let source = SequentialReader::<Lattice>::open(&opts.source)?;
    let target = TableWriter::<CompactLattice>::create(&opts.target)?;
    let written = source.par_map_into(target, move |entry| {
        let mut lattice = entry.read()?;
        lattice.add_transition_costs(&model, opts.transition_scale, opts.self_loop_scale)?;
        Ok(entry.into_record(to_compact(&lattice)))
    })?;
    log!("Done adding transition probabilities to {} lattices.", written.done());
    Ok(written.finish()?.into())
}
