//! Finds the best path of each lattice, as a lattice of one path.
//!
//! Matches Kaldi's `lattice-1best`: a negative penalty has no effect.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{CompactLattice, CostScaleArguments, Scale};
use kaldi_table::{SequentialReader, TableWriter};

use crate::usable::if_usable;

const USAGE: &str = "\
Finds the best path of each lattice and writes it as a lattice of its own, with the costs that it had.

Usage: lattice-1best [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-1best --lm-scale=12 ark:1.lats ark:1best.lats
See also: lattice-best-path, lattice-to-nbest, nbest-to-ctm, nbest-to-linear
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    scale: CostScaleArguments,
    /// Cost of each word, if above 0
    #[arg(long, default_value_t = 0.0)]
    word_ins_penalty: f32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_1best)).by_entry(0);

fn lattice_1best(opts: Options) -> anyhow::Result<Tally> {
    if opts.scale.acoustic_scale == 0.0 || opts.scale.lm_scale == 0.0 {
        bail!("expected scales that are not 0, since they are taken back");
    }
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let scale = Scale::from(&opts.scale);
    let penalty = opts.word_ins_penalty.max(0.0);
    let written = source.par_map_into(target, move |entry| {
        let mut lattice = entry.read()?;
        lattice.scale(&scale);
        if penalty > 0.0 {
            lattice.add_penalty(penalty);
        }
        let Some(path) = if_usable(entry.key(), lattice.best_path())? else { return Ok(None) };
        let Some(mut path) = path else {
            warning!("Possibly empty lattice for utterance-id {}(no output)", entry.key());
            return Ok(None);
        };
        if penalty > 0.0 {
            path.add_penalty(-penalty);
        }
        path.scale(&scale.inverse());
        Ok(Some(entry.into_record(path)))
    })?;
    log!("Done converting {} to best path, {} had errors.", written.done(), written.skipped());
    Ok(written.finish()?.into())
}
