//! Makes wrong phones of lattices more probable.
//!
//! Matches Kaldi's `lattice-boost-ali`; an alignment of another length than the lattice is an error of its utterance.

use std::sync::Arc;

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_hmm::{TransitionModel, parse_phones};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{Lattice, to_compact};
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter, read_file};

const USAGE: &str = "\
Takes a number off the graph cost of each frame of lattices whose phone is not that of the reference alignment, so that
paths with errors become more probable (boosted MMI).

Usage: lattice-boost-ali [options] <model-rxfilename> <lattice-rspecifier> <alignments-rspecifier> <lattice-wspecifier>
 e.g.: lattice-boost-ali --silence-phones=1:2:3 --b=0.05 final.mdl ark:1.lats ark:1.ali ark:boosted.lats
See also: lattice-to-post, lattice-add-trans-probs
";

#[derive(clap::Args)]
struct Options {
    /// How much lower the cost of each frame with a wrong phone becomes
    #[arg(long, default_value_t = 0.05)]
    b: f32,
    /// The share of this for phones of --silence-phones
    #[arg(long, default_value_t = 0.0)]
    max_silence: f32,
    /// Phones of silence with colons between them, such as 1:2:3
    #[arg(long, default_value = "")]
    silence_phones: String,
    model: InputName,
    source: InputName,
    alignments: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_boost_ali)).by_entry(1);

fn lattice_boost_ali(opts: Options) -> anyhow::Result<Tally> {
    let silence = parse_phones(opts.silence_phones.as_bytes())?;
    if silence.is_empty() {
        warning!("No silence phones specified, make sure this is what you intended.");
    }
    if !(0.0..=1.0).contains(&opts.max_silence) {
        bail!("expected --max-silence to be from 0 to 1, got {}", opts.max_silence);
    }
    let model: TransitionModel = read_file(&opts.model)?;
    let source = SequentialReader::<Lattice>::open(&opts.source)?;
    let alignments = RandomAccessReader::<Vec<i32>>::open(&opts.alignments)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map_with(alignments, move |entry, alignment: Option<Arc<Vec<i32>>>| {
        let (key, mut lattice) = (entry.key(), entry.read()?);
        if lattice.start().is_none() {
            warning!("Empty lattice for utterance {key}");
            return Ok((None, false));
        }
        if opts.b != 0.0 {
            let Some(alignment) = alignment else {
                warning!("No alignment for utterance {key}");
                return Ok((None, true));
            };
            if let Err(error) = lattice.boost(&model, &alignment, &silence, opts.b, opts.max_silence) {
                warning!("{key}: {error}");
                return Ok((None, false));
            }
        }
        Ok((Some(Record::from_value(key, to_compact(&lattice), format)), false))
    });
    let (mut done, mut missing, mut failed) = (0, 0, 0);
    let ended = rows.drain(|_, (record, is_missing)| {
        match record {
            Some(record) => {
                done += 1;
                return target.put(record);
            }
            None if is_missing => missing += 1,
            None => failed += 1,
        }
        Ok(())
    })?;
    log!("Done {done} lattices, missing alignments for {missing}, other errors on {failed}");
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, missing + failed))
}
