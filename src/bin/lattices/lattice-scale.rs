//! Scales the costs of lattices.
//!
//! Matches Kaldi's `lattice-scale`; both acoustic scales together are an error with a message.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::{AcousticScaleArguments, CompactLattice, Graph, Lattice, Scale};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Value;

const USAGE: &str = "\
Multiplies the costs of lattices: graph costs, acoustic costs, and each of them with a part of the other.

Usage: lattice-scale [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-scale --inv-acoustic-scale=12 'ark:gunzip -c lat.1.gz |' ark:scaled.lats
See also: lattice-add-penalty, lattice-best-path, lattice-copy
";

#[derive(clap::Args)]
struct Options {
    /// Write compact lattices; otherwise plain ones
    #[arg(long, default_value_t = true)]
    write_compact: bool,
    #[command(flatten)]
    acoustic: AcousticScaleArguments,
    /// Multiply graph costs by this
    #[arg(long, default_value_t = 1.0)]
    lm_scale: f32,
    /// Add this many times the old acoustic cost to the graph cost
    #[arg(long, default_value_t = 0.0)]
    acoustic2lm_scale: f32,
    /// Add this many times the old graph cost to the acoustic cost
    #[arg(long, default_value_t = 0.0)]
    lm2acoustic_scale: f32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_scale)).by_entry(0);

fn lattice_scale(opts: Options) -> anyhow::Result<Tally> {
    let mut scale = Scale::new(f64::from(opts.lm_scale), f64::from(opts.acoustic.acoustic_scale()?));
    scale.acoustic_to_graph = f64::from(opts.acoustic2lm_scale);
    scale.graph_to_acoustic = f64::from(opts.lm2acoustic_scale);
    match opts.write_compact {
        true => scale_table(&opts, scale, |lattice: &mut CompactLattice| &mut lattice.0),
        false => scale_table(&opts, scale, |lattice: &mut Lattice| &mut lattice.0),
    }
}

fn scale_table<T: Value>(opts: &Options, scale: Scale, graph: fn(&mut T) -> &mut Graph) -> anyhow::Result<Tally> {
    let source = SequentialReader::<T>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let written = source.par_map_into(target, move |entry| {
        if scale.is_one() {
            return Ok(entry.copied()?);
        }
        let mut lattice = entry.read()?;
        graph(&mut lattice).scale(&scale);
        Ok(entry.into_record(lattice))
    })?;
    log!("Done {} lattices.", written.done());
    Ok(written.finish()?.into())
}
