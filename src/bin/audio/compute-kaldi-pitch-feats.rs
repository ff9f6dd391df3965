//! Finds the pitch of waveforms.
//!
//! Matches Kaldi's `compute-kaldi-pitch-feats`, with three exceptions. If Kaldi would abort (samples that are not
//! finite, frames for which `--snip-edges=false` has no samples), only that utterance fails. A constant signal has no
//! correlation; in Kaldi rounding errors decide. And senseless options are errors before anything is read.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::pitch::{PitchExtractionOptions, PitchExtractor};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_wave::Wave;

const USAGE: &str = "\
Finds the pitch of waveforms. The features have two columns: the normalized cross-correlation (NCCF), between -1 and 1 and
high in voiced frames, and the pitch in Hz, which every frame has. See process-kaldi-pitch-feats for the next step.

Usage: compute-kaldi-pitch-feats [options] <wav-rspecifier> <feats-wspecifier>
 e.g.: compute-kaldi-pitch-feats --sample-frequency=8000 scp:wav.scp ark:-
See also: process-kaldi-pitch-feats, compute-and-process-kaldi-pitch-feats
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    pitch: PitchExtractionOptions,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_kaldi_pitch_feats)).by_entry(0);

fn compute_kaldi_pitch_feats(opts: Options) -> anyhow::Result<Tally> {
    let extractor = PitchExtractor::new(&opts.pitch)?;
    let source = SequentialReader::<Wave>::open(&opts.source)?;
    let target = TableWriter::<Matrix<f32>>::create(&opts.target)?;
    let format = target.format();

    let written = source.par_map_into(target, move |entry| {
        let (wave, utt) = (entry.read()?, entry.key());
        extractor.check_rate(wave.sample_rate())?;
        if wave.num_channels() > 1 {
            let num_channels = wave.num_channels();
            warning!("{utt}: Channel not specified but you have data with {num_channels} channels; defaulting to zero");
        }
        let feats = match extractor.compute(wave.channel(0)) {
            Ok(feats) => feats,
            Err(error) => {
                warning!("Failed to compute pitch for utterance {utt}: {error}");
                return Ok(None);
            }
        };
        if feats.is_empty() && extractor.is_first_pass() {
            warning!("No features output since wave file too short: {utt}");
        } else if feats.is_empty() {
            warning!("No frames output in pitch extraction: {utt}");
        }
        Ok(Some(Record::from_value(utt, feats, format)))
    })?;
    log!("Done {} utterances, {} with errors.", written.done(), written.skipped());
    Ok(written.finish()?.into())
}
