//! Fills gaps in the pitch at frames that are not voiced.
//!
//! Matches Kaldi's `interpolate-pitch`, including the random numbers of its model: those of Kaldi on a machine with the
//! GNU C library, from the state in which every run starts.

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::pitch::{PitchModel, PitchModelCounts, PitchModelOptions, interpolate_gaps};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_value::number::general;
use kaldi_value::random::{Random, RandomArguments};

const USAGE: &str = "\
Fills the gaps in pitch features, which have two columns: the probability of voicing, and the pitch, which is 0 in gaps.
By default a model of how pitch moves finds the most probable pitch everywhere, and smooths it; with
--linear-interpolation=true gaps become straight lines.

Usage: interpolate-pitch [options] <feats-rspecifier> <feats-wspecifier>
 e.g.: interpolate-pitch --linear-interpolation=true scp:pitch.scp ark:-
See also: process-pitch-feats, process-kaldi-pitch-feats
";

#[derive(clap::Args)]
struct Options {
    /// Fill gaps with straight lines instead of using the model
    #[arg(long)]
    linear_interpolation: bool,
    #[command(flatten)]
    model: PitchModelOptions,
    #[command(flatten)]
    random: RandomArguments,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(interpolate_pitch)).in_pieces(&[
    (kaldi_cli::PiecesIf::Is("random", "entry"), kaldi_cli::Pieces::Entries(0)),
    (kaldi_cli::PiecesIf::Is("linear-interpolation", "true"), kaldi_cli::Pieces::Entries(0)),
    (
        kaldi_cli::PiecesIf::Always,
        kaldi_cli::Pieces::Whole(
            "the random numbers of Kaldi run through the whole table (--random=entry draws them by key)",
        ),
    ),
]);

fn interpolate_pitch(opts: Options) -> anyhow::Result<Tally> {
    let model = if opts.linear_interpolation { None } else { Some(PitchModel::new(&opts.model)?) };
    let rows = SequentialReader::<Matrix<f32>>::open(&opts.source)?.values();
    let mut target = TableWriter::create(&opts.target)?;
    // Kaldi draws random numbers from one utterance to the next, so the work is done in sequence.
    let mut random = Random::default();
    let mut counts = PitchModelCounts::default();

    let mut tally = Tally::default();
    let ended = rows.drain(|key, mut feats| {
        if feats.is_empty() {
            warning!("Feature file has bad size 0 by 0: {key}");
            tally.failed += 1;
            return Ok(());
        }
        opts.random.start_entry(&mut random, 0, &key);
        let filled = match &model {
            Some(model) => model.apply(&mut feats, &mut random, &mut counts),
            None => interpolate_gaps(&mut feats),
        };
        filled.with_context(|| key.to_string())?;
        target.put(Record::from_value(&key, feats, target.format()))?;
        tally.done += 1;
        anyhow::Ok(())
    })?;
    if model.is_some() {
        let percent = |count| general(count as f64 * 100.0 / counts.frames as f64);
        let (zero, changed) = (percent(counts.zero), percent(counts.changed));
        log!(
            "Over {} frames, {zero}% were zero at input, and {changed}% were not zero but were changed.",
            counts.frames
        );
    }
    log!("Done {} utterances, {} with errors.", tally.done, tally.failed);
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}
