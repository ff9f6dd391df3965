//! Merges two labels of every frame into one.
//!
//! Matches Kaldi's `merge-vads`, except that words in maps that are no numbers are errors (Kaldi reads them as 0), and
//! so are labels that are not finite.

use std::sync::Arc;

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_io::{printable_rxfilename, read_text_file};
use kaldi_ivector::{Error, LabelPairs};
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Merges two decisions on every frame into one. By default the labels are 0 for nonspeech and 1 for speech, and a frame is
speech if both say so. For other labels, use --map.

Usage: merge-vads [options] <vad-rspecifier1> <vad-rspecifier2> <vad-wspecifier>
 e.g.: merge-vads --map=labels.txt scp:vad_energy.scp scp:vad_gmm.scp ark:vad.ark
See also: compute-vad, compute-vad-from-frame-likes, select-voiced-frames
";

#[derive(clap::Args)]
struct Options {
    /// File with lines of first label, second label and merged label, one for every pair of labels that occurs
    #[arg(long)]
    map: Option<InputName>,
    first: InputName,
    second: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(merge_vads)).by_entry(0);

fn merge_vads(opts: Options) -> anyhow::Result<Tally> {
    let pairs = match &opts.map {
        None => LabelPairs::default(),
        Some(map) => {
            let (_, text) = read_text_file(map)?;
            LabelPairs::read(&text).with_context(|| printable_rxfilename(map).into_owned())?
        }
    };
    let source = SequentialReader::<Vector<f32>>::open(&opts.first)?;
    let second = RandomAccessReader::<Vector<f32>>::open(&opts.second)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let written = source.par_map_with_into(second, target, move |entry, second: Option<Arc<Vector<f32>>>| {
        let utt = entry.key();
        let Some(second) = second else {
            warning!("No vector for utterance {utt}");
            return Ok(None);
        };
        let merged = match pairs.merge(entry.read()?.as_slice(), second.as_slice()) {
            Ok(merged) => Vector::from_vec(merged.into_iter().map(|label| label as f32).collect()),
            Err(Error::Length { expected, got, .. }) => {
                warning!("VAD length mismatch for utterance {utt}: {expected} vs. {got}");
                return Ok(None);
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Some(Record::from_value(utt, merged, format)))
    })?;
    log!(
        "Merged voice activity detection decisions; processed {} utterances successfully; {} had errors.",
        written.done(),
        written.skipped()
    );
    Ok(written.finish()?.into())
}
