//! Keeps the voiced frames of features.
//!
//! Matches Kaldi's `select-voiced-frames`.

use std::sync::Arc;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_ivector::select_voiced;
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Keeps the voiced frames of features: a vector for each utterance, like those of compute-vad, has a 1 for them and a 0
for the others. Utterances without voiced frames are left out.

Usage: select-voiced-frames [options] <feats-rspecifier> <vad-rspecifier> <feats-wspecifier>
 e.g.: select-voiced-frames scp:feats.scp scp,s,cs:vad.scp ark:-
See also: compute-vad, merge-vads, subsample-feats
";

#[derive(clap::Args)]
struct Options {
    feats: InputName,
    vad: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(select_voiced_frames)).by_entry(0);

fn select_voiced_frames(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let vad = RandomAccessReader::<Vector<f32>>::open(&opts.vad)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let written = source.par_map_with_into(vad, target, move |entry, voiced: Option<Arc<Vector<f32>>>| {
        let (utt, feats) = (entry.key(), entry.read()?);
        if feats.is_empty() {
            warning!("Empty feature matrix for utterance {utt}");
            return Ok(None);
        }
        let Some(voiced) = voiced else {
            warning!("No VAD input found for utterance {utt}");
            return Ok(None);
        };
        if voiced.dim() != feats.num_rows() {
            let (num_feats, num_voiced) = (feats.num_rows(), voiced.dim());
            warning!(
                "Mismatch in number for frames {num_feats} for features and VAD {num_voiced}, for utterance {utt}"
            );
            return Ok(None);
        }
        if voiced.sum() == 0.0 {
            warning!("No features were judged as voiced for utterance {utt}");
            return Ok(None);
        }
        let kept = select_voiced(&feats, voiced.as_slice())?;
        Ok(Some(Record::from_value(utt, kept, format)))
    })?;
    log!("Done selecting voiced frames; processed {} utterances, {} had errors.", written.done(), written.skipped());
    Ok(written.finish()?.into())
}
