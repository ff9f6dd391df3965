//! Finds the best path of each lattice.
//!
//! Matches Kaldi's `lattice-best-path`.

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning, write_line};
use kaldi_lattice::{CompactLattice, Cost, CostScaleArguments, Scale};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::SymbolTable;
use kaldi_value::number::general;

use crate::usable::if_usable;

const USAGE: &str = "\
Finds the best path of each lattice; writes its words, and its alignment of transition-ids. Either output may be '' or left
out. Of equally good paths it is the first, in the order of states and arcs.

Usage: lattice-best-path [options] <lattice-rspecifier> [<transcriptions-wspecifier> [<alignments-wspecifier>]]
 e.g.: lattice-best-path --acoustic-scale=0.1 ark:1.lats ark,t:1.tra ark:1.ali
See also: lattice-1best, lattice-scale, lattice-mbr-decode
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    scale: CostScaleArguments,
    /// Symbol table of words; each sentence is printed on standard error
    #[arg(long)]
    word_symbol_table: Option<InputName>,
    source: InputName,
    transcriptions: Option<OutputName>,
    alignments: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_best_path)).by_entry(0);

fn lattice_best_path(opts: Options) -> anyhow::Result<Tally> {
    let scale = Scale::from(&opts.scale);
    let symbols = opts.word_symbol_table.as_deref().map(SymbolTable::read).transpose()?;
    let open = |name: &Option<OutputName>| {
        name.as_ref().filter(|name| !name.is_empty()).map(TableWriter::<Vec<i32>>::create).transpose()
    };
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let (mut transcriptions, mut alignments) = (open(&opts.transcriptions)?, open(&opts.alignments)?);

    let rows = source.par_map(move |entry| {
        let mut lattice = entry.read()?;
        lattice.scale(&scale);
        let path = lattice.best_path().and_then(|path| match path {
            Some(path) => path.check_costs().map(|()| path.linear()),
            None => Ok(None),
        });
        Ok(if_usable(entry.key(), path)?.flatten())
    });
    let (mut done, mut failed, mut frames, mut total) = (0, 0, 0, Cost::ONE);
    let ended = rows.drain(|key, path| {
        let Some(path) = path else {
            warning!("Best-path failed for key {key}");
            failed += 1;
            return Ok(());
        };
        log!(
            "For utterance {key}, best cost {} + {} = {} over {} frames.",
            general(path.cost.graph.into()),
            general(path.cost.acoustic.into()),
            general((path.cost.graph + path.cost.acoustic).into()),
            path.ids.len()
        );
        if let Some(symbols) = &symbols {
            let words = symbols.sentence(&path.words).with_context(|| key.to_string())?;
            write_line(format!("{key} {words}\n").as_bytes());
        }
        done += 1;
        frames += path.ids.len();
        total = total.then(path.cost);
        if let Some(target) = &mut transcriptions {
            target.write(&key, &path.words)?;
        }
        if let Some(target) = &mut alignments {
            target.write(&key, &path.ids)?;
        }
        anyhow::Ok(())
    })?;
    let per_frame = |cost: f32| general((cost / frames as f32).into());
    log!(
        "Overall cost per frame is {} = {} [graph] + {} [acoustic] over {frames} frames.",
        per_frame(total.graph + total.acoustic),
        per_frame(total.graph),
        per_frame(total.acoustic)
    );
    log!("Done {done} lattices, failed for {failed}");
    ended.finish()?;
    for target in [transcriptions, alignments].into_iter().flatten() {
        target.finish()?;
    }
    Ok(Tally::new(done, failed))
}
