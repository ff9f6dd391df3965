//! Computes features for a recognizer from the pitch that compute-kaldi-pitch-feats finds.
//!
//! Matches Kaldi's `process-kaldi-pitch-feats`, including the noise of derivatives (that of Kaldi on a machine with the
//! GNU C library), except that utterances without frames, on which Kaldi aborts, are left out with a warning.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::pitch::{ProcessPitch, ProcessPitchOptions};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_value::random::{Random, RandomArguments};

const USAGE: &str = "\
Computes features for a recognizer from pitch features, which have two columns, normalized cross-correlation (NCCF) and
pitch in Hz. The output has up to four columns, in this order: the NCCF warped so that its values are evenly distributed
(--add-pov-feature); the log pitch minus its mean over 1.5 seconds, in which voiced frames count more
(--add-normalized-log-pitch); the derivative of the log pitch (--add-delta-pitch); the log pitch (--add-raw-log-pitch).
The last one is off by default.

Usage: process-kaldi-pitch-feats [options] <feats-rspecifier> <feats-wspecifier>
 e.g.: compute-kaldi-pitch-feats scp:wav.scp ark:- | process-kaldi-pitch-feats ark:- ark:feats.ark
See also: compute-kaldi-pitch-feats, compute-and-process-kaldi-pitch-feats
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    process: ProcessPitchOptions,
    #[command(flatten)]
    random: RandomArguments,
    /// Seed of the noise of derivatives
    #[arg(long, default_value_t = 0)]
    srand: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(process_kaldi_pitch_feats)).in_pieces(&[
        (kaldi_cli::PiecesIf::Is("random", "entry"), kaldi_cli::Pieces::Entries(0)),
        (
            kaldi_cli::PiecesIf::IsNot("delta-pitch-noise-stddev", "0"),
            kaldi_cli::Pieces::Whole(
                "the random numbers of Kaldi run through the whole table (--random=entry draws them by key)",
            ),
        ),
        (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(0)),
    ]);

fn process_kaldi_pitch_feats(opts: Options) -> anyhow::Result<Tally> {
    let process = ProcessPitch::new(&opts.process)?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let mut target = TableWriter::<Matrix<f32>>::create(&opts.target)?;
    let format = target.format();
    // Kaldi draws the noise from one utterance to the next, so it is added in sequence.
    let mut random = Random::seeded(opts.srand as u32);

    let rows = source.par_map(move |entry| {
        let feats = entry.read()?;
        if feats.is_empty() {
            warning!("Feature file has bad size 0 by 0: {}", entry.key());
            return Ok(None);
        }
        Ok(Some(process.compute(&feats)?))
    });
    let mut tally = Tally::default();
    let ended = rows.drain(|utt, processed| {
        match processed {
            Some(processed) => {
                opts.random.start_entry(&mut random, opts.srand as u32, &utt);
                target.put(Record::from_value(&utt, processed.with_noise(&mut random), format))?;
                tally.done += 1;
            }
            None => tally.failed += 1,
        }
        anyhow::Ok(())
    })?;
    log!("Post-processed pitch for {} utterances.", tally.done);
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}
