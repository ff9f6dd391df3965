//! Makes lattices of one path from alignments and words.
//!
//! Matches Kaldi's `linear-to-nbest`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{Cost, Lattice, Linear, to_compact};
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter};
use kaldi_value::Value;

const USAGE: &str = "\
Makes lattices of one path from alignments, words and costs; the costs may be '', which stands for 0. The first word is on
the first frame and so on: align the lattices to have the words where they are spoken.

Usage: linear-to-nbest [options] <alignments-rspecifier> <transcriptions-rspecifier> (<lm-cost-rspecifier>|'')
         (<ac-cost-rspecifier>|'') <nbest-wspecifier>
 e.g.: linear-to-nbest ark:1.ali ark:1.tra ark:1.lm ark:1.ac ark:1.lats
       linear-to-nbest 'ark:gunzip -c ali.1.gz |' ark:1.tra '' '' ark:-
See also: nbest-to-linear, lattice-align-words, nbest-to-ctm
";

#[derive(clap::Args)]
struct Options {
    alignments: InputName,
    transcriptions: InputName,
    lm_costs: InputName,
    ac_costs: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(linear_to_nbest)).by_entry(0);

fn linear_to_nbest(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Vec<i32>>::open(&opts.alignments)?;
    let words = RandomAccessReader::<Vec<i32>>::open(&opts.transcriptions)?;
    let costs = (open_unless_empty::<f32>(&opts.lm_costs)?, open_unless_empty::<f32>(&opts.ac_costs)?);
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_with_into((words, costs), target, move |entry, (words, (graph, acoustic))| {
        let words = words.ok_or("no transcription for this key")?;
        let cost = |found: Option<Option<std::sync::Arc<f32>>>, what: &str| match found {
            None => Ok(0.0),
            Some(Some(cost)) => Ok(*cost),
            Some(None) => Err(format!("no {what} cost for this key")),
        };
        let cost = Cost::new(cost(graph, "graph")?, cost(acoustic, "acoustic")?);
        if !cost.is_comparable() {
            let (key, Cost { graph, acoustic }) = (entry.key(), cost);
            warning!("{key}: expected numbers as costs, got {graph} and {acoustic}, producing no output");
            return Ok(None);
        }
        let linear = Linear { ids: entry.read()?, words: words.to_vec(), cost };
        Ok(Some(entry.into_record(to_compact(&Lattice::from_linear(&linear)))))
    })?;
    log!("Done {} n-best entries ,{} had errors.", written.done(), written.skipped());
    Ok(written.finish()?.into())
}

/// Opens a table, unless its name is empty.
fn open_unless_empty<T: Value>(name: &InputName) -> anyhow::Result<Option<RandomAccessReader<T>>> {
    let name = Some(name).filter(|name| !name.is_empty());
    Ok(name.map(RandomAccessReader::open).transpose()?)
}
