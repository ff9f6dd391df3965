//! Takes alignments, words and costs off lattices of one path.
//!
//! Matches Kaldi's `nbest-to-linear`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{Cost, Lattice, Linear};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Value;

const USAGE: &str = "\
Takes the alignments, the words, the graph costs and the acoustic costs off lattices of one path. Each output may be '', and
the last ones may be left out.

Usage: nbest-to-linear [options] <nbest-rspecifier> <alignments-wspecifier> [<transcriptions-wspecifier>
         [<lm-cost-wspecifier> [<ac-cost-wspecifier>]]]
 e.g.: lattice-to-nbest --n=10 ark:1.lats ark:- | nbest-to-linear ark:- ark:1.ali ark:1.tra ark:1.lm ark:1.ac
See also: linear-to-nbest, lattice-1best, lattice-to-nbest
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    alignments: OutputName,
    transcriptions: Option<OutputName>,
    lm_costs: Option<OutputName>,
    ac_costs: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nbest_to_linear)).by_entry(0);

fn nbest_to_linear(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Lattice>::open(&opts.source)?;
    let mut alignments = create::<Vec<i32>>(Some(opts.alignments))?;
    let mut transcriptions = create::<Vec<i32>>(opts.transcriptions)?;
    let mut graph_costs = create::<f32>(opts.lm_costs)?;
    let mut acoustic_costs = create::<f32>(opts.ac_costs)?;

    let rows = source.par_map(|entry| {
        let lattice = entry.read()?;
        if lattice.start().is_none() {
            return Ok(Some(Linear { cost: Cost::INFINITE, ..Linear::default() }));
        }
        let linear = lattice.linear();
        if let Some(linear) = &linear
            && !linear.cost.is_comparable()
        {
            let Cost { graph, acoustic } = linear.cost;
            warning!("{}: expected numbers as costs, got {graph} and {acoustic}, producing no output", entry.key());
            return Ok(None);
        }
        if linear.is_none() {
            let note = "note, this program expects input with one path, e.g. from lattice-to-nbest.";
            warning!("Lattice/nbest for key {} had wrong format: {note}", entry.key());
        }
        Ok(linear)
    });
    let (mut done, mut failed) = (0, 0);
    let ended = rows.drain(|key, linear| {
        let Some(Linear { ids, words, cost }) = linear else {
            failed += 1;
            return Ok(());
        };
        done += 1;
        alignments.as_mut().map_or(Ok(()), |target| target.write(&key, &ids))?;
        transcriptions.as_mut().map_or(Ok(()), |target| target.write(&key, &words))?;
        graph_costs.as_mut().map_or(Ok(()), |target| target.write(&key, &cost.graph))?;
        acoustic_costs.as_mut().map_or(Ok(()), |target| target.write(&key, &cost.acoustic))
    })?;
    log!("Done {done} n-best entries, {failed} had errors.");
    ended.finish()?;
    for target in [alignments, transcriptions].into_iter().flatten() {
        target.finish()?;
    }
    for target in [graph_costs, acoustic_costs].into_iter().flatten() {
        target.finish()?;
    }
    Ok(Tally::new(done, failed))
}

/// Creates a table, unless its name is missing or empty.
fn create<T: Value>(name: Option<OutputName>) -> anyhow::Result<Option<TableWriter<T>>> {
    let name = name.filter(|name| !name.is_empty());
    Ok(name.map(TableWriter::create).transpose()?)
}
