//! Decides by the energy of frames whether they are voiced.
//!
//! Matches Kaldi's `compute-vad`, except that senseless options are refused before anything is read.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_ivector::EnergyVad;
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_value::number::general;

const USAGE: &str = "\
Decides which frames are voiced, for speaker recognition: writes a vector for each utterance, with 1 for every voiced
frame and 0 for the others. A frame is voiced if enough frames of the window around it have more energy than a
threshold, which may depend on the mean energy of the utterance. The log energy is the first column of the features.

Usage: compute-vad [options] <feats-rspecifier> <vad-wspecifier>
 e.g.: compute-vad --config=conf/vad.conf scp:feats.scp ark,scp:vad.ark,vad.scp
See also: select-voiced-frames, merge-vads, compute-vad-from-frame-likes
";

#[derive(clap::Args)]
struct Options {
    /// Leave out utterances in which no frame is voiced
    #[arg(long)]
    omit_unvoiced_utts: bool,
    /// Constant part of the threshold
    #[arg(long, default_value_t = 5.0)]
    vad_energy_threshold: f32,
    /// The factor of the utterance's mean energy in the threshold
    #[arg(long, default_value_t = 0.5)]
    vad_energy_mean_scale: f32,
    /// Number of frames on each side of a frame that are in its window
    #[arg(long, default_value_t = 0)]
    vad_frames_context: i32,
    /// The share of the window that must have more energy than the threshold
    #[arg(long, default_value_t = 0.6)]
    vad_proportion_threshold: f32,
    feats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_vad)).by_entry(0);

fn compute_vad(opts: Options) -> anyhow::Result<Tally> {
    let vad = EnergyVad {
        threshold: opts.vad_energy_threshold,
        mean_scale: opts.vad_energy_mean_scale,
        frames_context: opts.vad_frames_context,
        proportion: opts.vad_proportion_threshold,
    };
    vad.check()?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map(move |entry| {
        let feats = entry.read()?;
        if feats.is_empty() {
            warning!("Empty feature matrix for utterance {}", entry.key());
            return Ok(None);
        }
        let is_voiced = vad.decide(feats.column(0).as_slice());
        let num_voiced = is_voiced.iter().filter(|&&voiced| voiced).count();
        if num_voiced == 0 {
            warning!("No frames were judged voiced for utterance {}", entry.key());
        }
        let decisions = Vector::from_vec(is_voiced.into_iter().map(|voiced| f32::from(u8::from(voiced))).collect());
        let num_frames = decisions.dim();
        Ok(Some((Record::from_value(entry.key(), decisions, format), num_voiced, num_frames)))
    });
    let (mut tally, mut unvoiced, mut voiced_frames, mut frames) = (Tally::default(), 0, 0, 0);
    let ended = rows.drain(|_, row| {
        let Some((record, num_voiced, num_frames)) = row else {
            tally.failed += 1;
            return Ok(());
        };
        voiced_frames += num_voiced;
        frames += num_frames;
        if num_voiced > 0 {
            tally.done += 1;
        } else {
            unvoiced += 1;
        }
        if num_voiced > 0 || !opts.omit_unvoiced_utts {
            target.put(record)?;
        }
        anyhow::Ok(())
    })?;
    log!(
        "Applied energy based voice activity detection; processed {} utterances successfully; {} had empty features, and \
         {unvoiced} were completely unvoiced.",
        tally.done,
        tally.failed
    );
    let proportion = general(voiced_frames as f64 / frames as f64);
    log!("Proportion of voiced frames was {proportion} over {frames} frames.");
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}
