//! Pushes transition-ids and costs of lattices to the front.
//!
//! Matches Kaldi's `lattice-push`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::CompactLattice;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Moves the transition-ids of lattices to the front as far as all paths agree, and their costs as far as the best paths
allow, so that lattices can be compared.

Usage: lattice-push [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-push ark:1.lats ark:pushed.lats
See also: lattice-prune, lattice-equivalent
";

#[derive(clap::Args)]
struct Options {
    /// Move transition-ids to the front
    #[arg(long, default_value_t = true)]
    push_strings: bool,
    /// Move costs to the front
    #[arg(long, default_value_t = true)]
    push_weights: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_push)).by_entry(0);

fn lattice_push(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let written = source.par_map_into(target, move |entry| {
        let (key, mut lattice) = (entry.key(), entry.read()?);
        if opts.push_strings
            && let Err(error) = lattice.push_strings()
        {
            warning!("Failure in pushing lattice strings, for key {key}: {error}");
            return Ok(None);
        }
        if opts.push_weights {
            match lattice.push_costs() {
                Ok(true) => {}
                Ok(false) => warning!("{key}: some states of the lattice reach no end"),
                Err(error) => {
                    warning!("Failure in pushing lattice weights, for key {key}: {error}");
                    return Ok(None);
                }
            }
        }
        if lattice.num_states() == 0 {
            warning!("Empty lattice for key {key}");
            return Ok(None);
        }
        Ok(Some(entry.into_record(lattice)))
    })?;
    log!("Pushed {} lattices, errors on {}", written.done(), written.skipped());
    Ok(written.finish()?.into())
}
