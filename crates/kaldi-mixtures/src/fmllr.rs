//! Transforms of the features of utterances or speakers.

use std::sync::Arc;

use bstr::BStr;
use kaldi_log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_number::general;
use kaldi_table::{RandomAccessReader, Result, SequentialReader, TableWriter};
use kaldi_transform::{Fmllr, FmllrOptions, FmllrStats};
use kaldi_values::{Tokens, Value};

use crate::{Totals, of_utterance};

/// The tables of fMLLR.
#[derive(Clone, Copy, Debug)]
pub struct FmllrTables<'a> {
    /// Features.
    pub feats: &'a BStr,
    /// The posteriors of each frame.
    pub posteriors: &'a BStr,
    /// The utterances of each speaker; `None` if each utterance has a transform of its own.
    pub spk2utt: Option<&'a BStr>,
    /// The transforms.
    pub target: &'a BStr,
}

/// Estimates and writes the transforms of utterances or speakers. `add` adds the features and posteriors of an utterance to
/// statistics of `dim` dimensions.
///
/// Utterances whose features or posteriors are missing, or that have not as many posteriors as frames, are skipped with a
/// warning.
///
/// # Errors
/// If a table fails, a transform cannot be estimated, and those of `add`, with the name of the utterance or the speaker.
pub fn write_fmllr<T: AsFrames>(
    dim: usize,
    options: FmllrOptions,
    tables: &FmllrTables<'_>,
    add: impl Fn(&mut FmllrStats, &Matrix<f32>, &T) -> Result<(), AnyError> + Send + Sync + 'static,
) -> Result<Totals> {
    let mut posteriors = RandomAccessReader::<T>::open(tables.posteriors)?;
    let mut target = TableWriter::<Matrix<f32>>::create(tables.target)?;
    let mut totals = Totals::default();
    let ended = match tables.spk2utt {
        None => {
            let source = SequentialReader::<Matrix<f32>>::open(tables.feats)?;
            let rows = source.par_map_with(posteriors, move |entry, posterior: Option<Arc<T>>| {
                let (utt, feats) = (entry.key(), entry.read()?);
                let Some(posterior) = fitting(utt, &feats, posterior) else { return Ok(None) };
                let mut stats = FmllrStats::new(dim);
                add(&mut stats, &feats, &posterior).map_err(|source| of_any(utt, source))?;
                let estimate = stats.estimate(&options).map_err(|error| of_utterance(utt, error))?;
                Ok(Some((estimate, stats.count())))
            });
            rows.drain(|utt, found| -> Result<()> {
                let Some((estimate, count)) = found else {
                    totals.failed += 1;
                    return Ok(());
                };
                totals.add(estimate.improvement, count);
                report("utterance", utt.as_ref(), &estimate, count);
                target.write(&utt, &estimate.transform)
            })?
        }
        Some(spk2utt) => {
            let mut source = RandomAccessReader::<Matrix<f32>>::open(tables.feats)?;
            let speakers = SequentialReader::<Tokens>::open(spk2utt)?.values();
            let ended = speakers.drain(|speaker, utts| -> Result<()> {
                let mut stats = FmllrStats::new(dim);
                for utt in utts.iter() {
                    let Some(feats) = source.get(utt)? else {
                        warning!("Did not find features for utterance {utt}");
                        totals.failed += 1;
                        continue;
                    };
                    let Some(posterior) = fitting(utt, &feats, posteriors.get(utt)?) else {
                        totals.failed += 1;
                        continue;
                    };
                    add(&mut stats, &feats, &posterior).map_err(|source| of_any(utt, source))?;
                    totals.done += 1;
                }
                let estimate = stats.estimate(&options).map_err(|error| of_utterance(speaker.as_ref(), error))?;
                totals.log_like += estimate.improvement;
                totals.frames += stats.count();
                report("speaker", speaker.as_ref(), &estimate, stats.count());
                target.write(&speaker, &estimate.transform)
            })?;
            source.finish()?;
            posteriors.finish()?;
            ended
        }
    };
    log!("Done {} files, {} with errors.", totals.done, totals.failed);
    let (improvement, frames) = (general(totals.average()), general(totals.frames));
    log!("Overall fMLLR auxf impr per frame is {improvement} over {frames} frames.");
    ended.finish()?;
    target.finish()?;
    Ok(totals)
}

type AnyError = Box<dyn std::error::Error + Send + Sync>;

fn of_any(utt: &BStr, source: AnyError) -> kaldi_table::Error {
    kaldi_table::Error::Work { key: utt.to_owned(), source }
}

/// Posteriors of the frames of an utterance.
pub trait AsFrames: Value + Send + Sync + 'static {
    /// The number of frames.
    fn num_frames(&self) -> usize;
}

impl AsFrames for kaldi_values::Posterior {
    fn num_frames(&self) -> usize {
        self.0.len()
    }
}

impl AsFrames for kaldi_values::GaussPost {
    fn num_frames(&self) -> usize {
        self.0.len()
    }
}

/// The posteriors, if there are as many as frames; else there is a warning.
fn fitting<T: AsFrames>(utt: &BStr, feats: &Matrix<f32>, posterior: Option<Arc<T>>) -> Option<Arc<T>> {
    let Some(posterior) = posterior else {
        warning!("Did not find posteriors for utterance {utt}");
        return None;
    };
    let (got, expected) = (posterior.num_frames(), feats.num_rows());
    if got != expected {
        warning!("Posterior vector of utterance {utt} has wrong size {got} vs. {expected}");
        return None;
    }
    Some(posterior)
}

fn report(kind: &str, key: &BStr, estimate: &Fmllr, count: f64) {
    let frames = general(count);
    if !estimate.is_estimated {
        warning!("Not updating fMLLR of {kind} {key} since below min-count: count is {frames}");
    }
    let improvement = general(estimate.improvement / count);
    log!("For {kind} {key}, auxf-impr from fMLLR is {improvement}, over {frames} frames.");
}
