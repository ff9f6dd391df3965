//! Normalizes pitch features for a recognizer.
//!
//! Matches Kaldi's `process-pitch-feats`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::pitch::{PitchNormalizer, PitchNormalizerOptions};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Normalizes pitch features for a recognizer. They have two columns, the probability of voicing and the pitch; these become
the log odds of voicing, and the log pitch minus its moving mean. Every frame has to have a pitch: see interpolate-pitch.

Usage: process-pitch-feats [options] <feats-rspecifier> <feats-wspecifier>
 e.g.: interpolate-pitch scp:pitch.scp ark:- | process-pitch-feats ark:- ark:-
See also: interpolate-pitch, process-kaldi-pitch-feats
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    normalizer: PitchNormalizerOptions,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(process_pitch_feats)).by_entry(0);

fn process_pitch_feats(opts: Options) -> anyhow::Result<Tally> {
    let normalizer = PitchNormalizer::new(&opts.normalizer)?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let written = source.par_map_into(target, move |entry| {
        let (mut feats, key) = (entry.read()?, entry.key());
        if feats.is_empty() {
            warning!("Feature file has bad size 0 by 0: {key}");
            return Ok(None);
        }
        normalizer.apply(&mut feats)?;
        Ok(Some(Record::from_value(key, feats, format)))
    })?;
    log!("Done {} utterances, {} with errors.", written.done(), written.skipped());
    Ok(written.finish()?.into())
}
