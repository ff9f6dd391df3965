//! Finds the pitch of waveforms and computes features for a recognizer from it.
//!
//! Matches Kaldi's `compute-and-process-kaldi-pitch-feats`, including the noise of derivatives (that of Kaldi on a
//! machine with the GNU C library), with two exceptions. If Kaldi would abort (samples that are not finite, waveforms
//! without a frame, frames for which `--snip-edges=false` has no samples), only that utterance fails. And senseless
//! options are errors before anything is read.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::pitch::{PitchExtractionOptions, PitchExtractor, ProcessPitch, ProcessPitchOptions};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_value::random::{Random, RandomArguments};
use kaldi_wave::Wave;

const USAGE: &str = "\
Finds the pitch of waveforms and computes features for a recognizer from it: compute-kaldi-pitch-feats and
process-kaldi-pitch-feats in one. In addition, it can show what online decoding would have seen at first, with
--frames-per-chunk and --simulate-first-pass-online.

Usage: compute-and-process-kaldi-pitch-feats [options] <wav-rspecifier> <feats-wspecifier>
 e.g.: compute-and-process-kaldi-pitch-feats --simulate-first-pass-online=true --frames-per-chunk=10 \\
         --sample-frequency=8000 scp:wav.scp ark:-
See also: compute-kaldi-pitch-feats, process-kaldi-pitch-feats
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    pitch: PitchExtractionOptions,
    #[command(flatten)]
    process: ProcessPitchOptions,
    #[command(flatten)]
    random: RandomArguments,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_and_process_kaldi_pitch_feats))
    .in_pieces(&[
        (kaldi_cli::PiecesIf::Is("random", "entry"), kaldi_cli::Pieces::Entries(0)),
        (
            kaldi_cli::PiecesIf::IsNot("delta-pitch-noise-stddev", "0"),
            kaldi_cli::Pieces::Whole(
                "the random numbers of Kaldi run through the whole table (--random=entry draws them by key)",
            ),
        ),
        (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(0)),
    ]);

fn compute_and_process_kaldi_pitch_feats(opts: Options) -> anyhow::Result<Tally> {
    let extractor = PitchExtractor::new(&opts.pitch)?;
    let process = ProcessPitch::new(&opts.process)?;
    let source = SequentialReader::<Wave>::open(&opts.source)?;
    let mut target = TableWriter::<Matrix<f32>>::create(&opts.target)?;
    let format = target.format();
    // Kaldi draws the noise from one utterance to the next, so it is added in sequence.
    let mut random = Random::default();

    let rows = source.par_map(move |entry| {
        let (wave, utt) = (entry.read()?, entry.key());
        extractor.check_rate(wave.sample_rate())?;
        if wave.num_channels() > 1 {
            let num_channels = wave.num_channels();
            warning!("{utt}: Channel not specified but you have data with {num_channels} channels; defaulting to zero");
        }
        match extractor.compute_processed(&process, wave.channel(0)) {
            Ok(processed) => {
                if processed.num_rows() == 0 {
                    warning!("No features output since wave file too short: {utt}");
                }
                Ok(Some(processed))
            }
            Err(error) => {
                warning!("Failed to compute pitch for utterance {utt}: {error}");
                Ok(None)
            }
        }
    });
    let mut tally = Tally::default();
    let ended = rows.drain(|utt, processed| {
        match processed {
            Some(processed) => {
                opts.random.start_entry(&mut random, 0, &utt);
                target.put(Record::from_value(&utt, processed.with_noise(&mut random), format))?;
                tally.done += 1;
            }
            None => tally.failed += 1,
        }
        anyhow::Ok(())
    })?;
    log!("Done {} utterances, {} with errors.", tally.done, tally.failed);
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}
