//! Labels frames with the most likely class.
//!
//! Matches Kaldi's `compute-vad-from-frame-likes`, with two exceptions. If a class has no vector for an utterance, or
//! one of another length, the utterance is skipped and counted (Kaldi reads beyond its memory). And words in maps that
//! are no numbers are errors (Kaldi reads them as 0), as negative priors are.

use std::sync::Arc;

use anyhow::{Context, bail};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_io::{printable_rxfilename, read_text_file};
use kaldi_ivector::ClassLabels;
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Labels every frame with its most likely class, for voice activity detection with models of speech, noise, music and so on.
There is one table for each class, of vectors with the log likelihoods of the frames. The label of a class is its number,
from 0 in the order of the tables, unless --map gives another one.

Usage: compute-vad-from-frame-likes [options] <likes-rspecifier1> <likes-rspecifier2> [...] <vad-wspecifier>
 e.g.: compute-vad-from-frame-likes --map=labels.txt scp:speech.scp scp:noise.scp ark:vad.ark
See also: compute-vad, merge-vads
";

#[derive(clap::Args)]
struct Options {
    /// File with lines of a class and its label, if the labels of classes are not their numbers
    #[arg(long)]
    map: Option<InputName>,
    /// Prior probabilities of the classes, separated by commas (e.g. 0.5,0.2,0.3); equal ones if this is empty
    #[arg(long, default_value = "")]
    priors: String,
    first: InputName,
    #[arg(required = true)]
    others: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_vad_from_frame_likes)).by_entry(0);

fn compute_vad_from_frame_likes(opts: Options) -> anyhow::Result<Tally> {
    let num_classes = 1 + opts.others.len();
    let labels = match &opts.map {
        None => ClassLabels::numbers(num_classes),
        Some(map) => {
            let (_, text) = read_text_file(map)?;
            ClassLabels::read(&text, num_classes).with_context(|| printable_rxfilename(map).into_owned())?
        }
    };
    let log_priors = log_priors(&opts.priors, num_classes)?;
    let source = SequentialReader::<Vector<f32>>::open(&opts.first)?;
    let others = opts.others.iter().map(RandomAccessReader::<Vector<f32>>::open);
    let others: Vec<_> = others.collect::<Result<_, _>>()?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let written = source.par_map_with_into(others, target, move |entry, others: Vec<Option<Arc<Vector<f32>>>>| {
        let (utt, first) = (entry.key(), entry.read()?);
        if first.is_empty() {
            warning!("Empty vector for utterance {utt}");
            return Ok(None);
        }
        let mut classes = vec![first.as_slice()];
        for other in &others {
            match other {
                None => warning!("No vector for utterance {utt}"),
                Some(other) if other.dim() != first.dim() => {
                    warning!("Dimension mismatch in input vectors in {utt}: {} vs. {}", first.dim(), other.dim());
                }
                Some(other) => classes.push(other.as_slice()),
            }
        }
        if classes.len() < num_classes {
            return Ok(None);
        }
        let frames = labels.most_likely(&classes, &log_priors).into_iter().map(|label| label as f32);
        Ok(Some(Record::from_value(utt, Vector::from_vec(frames.collect()), format)))
    })?;
    log!(
        "Applied frame-level likelihood-based voice activity detection; processed {} utterances successfully; {} had \
         empty features or lacked a class.",
        written.done(),
        written.skipped()
    );
    Ok(written.finish()?.into())
}

/// The logarithms of as many priors as there are classes.
fn log_priors(text: &str, num_classes: usize) -> anyhow::Result<Vec<f32>> {
    if text.is_empty() {
        return Ok(vec![(1.0 / num_classes as f64).ln() as f32; num_classes]);
    }
    let priors: Option<Vec<f32>> = text.split(',').map(|prior| prior.trim().parse().ok()).collect();
    let Some(priors) = priors.filter(|priors| priors.iter().all(|&prior| prior >= 0.0)) else {
        bail!("--priors: expected numbers that are not negative, with commas between them, got {text:?}");
    };
    if priors.len() != num_classes {
        bail!("--priors: expected {num_classes} priors, one for each class, got {}", priors.len());
    }
    Ok(priors.into_iter().map(f32::ln).collect())
}
