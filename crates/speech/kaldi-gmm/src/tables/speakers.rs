//! Something for each utterance, or for each speaker with several.

use std::sync::Arc;

use bstr::BStr;
use kaldi_io::log::warning;
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, Result, SequentialReader};
use kaldi_value::{GaussPost, Keys, Posterior, Value};

/// The tables of utterances and their speakers.
#[derive(Clone, Copy, Debug)]
pub struct SpeakerTables<'a> {
    /// Features.
    pub feats: &'a BStr,
    /// The posteriors of each frame.
    pub posteriors: &'a BStr,
    /// The utterances of each speaker; `None` if each utterance counts alone.
    pub spk2utt: Option<&'a BStr>,
}

/// What was done with the utterances of some tables.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpeakerCounts {
    /// Utterances that were used.
    pub done: u64,
    /// Utterances without posteriors.
    pub missing: u64,
    /// Utterances without features, or with another number of posteriors than frames.
    pub failed: u64,
}

/// An error of any kind.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Calls `visit` with `utterance` or `speaker`, the name, and what was computed for it, in the order of the features or the
/// speakers. Utterances are worked on in parallel.
///
/// `start` makes empty statistics, `add` adds an utterance to them, which has as many posteriors as frames, and `finish` computes
/// what `visit` gets.
///
/// Utterances whose features or posteriors are missing, or that have not as many posteriors as frames, are skipped with a
/// warning.
///
/// # Errors
/// If a table fails, and those of `add`, `finish` and `visit`, with the name of the utterance or the speaker.
pub fn each_speaker<T: AsFrames, S, R: Send + 'static>(
    tables: &SpeakerTables<'_>,
    start: impl Fn() -> S + Send + Sync + 'static,
    add: impl Fn(&mut S, &Matrix<f32>, &T) -> Result<(), AnyError> + Send + Sync + 'static,
    finish: impl Fn(S) -> Result<R, AnyError> + Send + Sync + 'static,
    mut visit: impl FnMut(&str, &BStr, R) -> Result<()>,
) -> Result<SpeakerCounts> {
    let mut posteriors = RandomAccessReader::<T>::open(tables.posteriors)?;
    let mut counts = SpeakerCounts::default();
    let Some(spk2utt) = tables.spk2utt else {
        let source = SequentialReader::<Matrix<f32>>::open(tables.feats)?;
        let rows = source.par_map_with(posteriors, move |entry, found: Option<Arc<T>>| {
            let (utt, feats) = (entry.key(), entry.read()?);
            let posteriors = match fitting(utt, &feats, found) {
                Ok(posteriors) => posteriors,
                Err(misfit) => return Ok(Err(misfit)),
            };
            let mut stats = start();
            add(&mut stats, &feats, &posteriors).map_err(|source| of_any(utt, source))?;
            Ok(Ok(finish(stats).map_err(|source| of_any(utt, source))?))
        });
        let ended = rows.drain(|utt, found| -> Result<()> {
            match found {
                Ok(estimate) => {
                    counts.done += 1;
                    visit("utterance", utt.as_ref(), estimate)
                }
                Err(misfit) => {
                    counts.skip(misfit);
                    Ok(())
                }
            }
        })?;
        ended.finish()?;
        return Ok(counts);
    };
    let mut source = RandomAccessReader::<Matrix<f32>>::open(tables.feats)?;
    let speakers = SequentialReader::<Keys>::open(spk2utt)?.values();
    let ended = speakers.drain(|speaker, utts| -> Result<()> {
        let mut stats = start();
        for utt in utts.iter() {
            let Some(feats) = source.get(utt)? else {
                warning!("Did not find features for utterance {utt}");
                counts.failed += 1;
                continue;
            };
            match fitting(utt, &feats, posteriors.get(utt)?) {
                Ok(posteriors) => add(&mut stats, &feats, &posteriors).map_err(|source| of_any(utt, source))?,
                Err(misfit) => {
                    counts.skip(misfit);
                    continue;
                }
            }
            counts.done += 1;
        }
        let estimate = finish(stats).map_err(|source| of_any(speaker.as_ref(), source))?;
        visit("speaker", speaker.as_ref(), estimate)
    })?;
    source.finish()?;
    posteriors.finish()?;
    ended.finish()?;
    Ok(counts)
}

impl SpeakerCounts {
    fn skip(&mut self, misfit: Misfit) {
        match misfit {
            Misfit::Missing => self.missing += 1,
            Misfit::Length => self.failed += 1,
        }
    }
}

/// Why the posteriors of an utterance cannot be used.
#[derive(Clone, Copy, Debug)]
enum Misfit {
    Missing,
    Length,
}

pub(crate) fn of_any(utt: &BStr, source: AnyError) -> kaldi_table::Error {
    kaldi_table::Error::Work { key: utt.to_owned(), source }
}

/// Posteriors of the frames of an utterance.
pub trait AsFrames: Value + Send + Sync + 'static {
    /// The number of frames.
    fn num_frames(&self) -> usize;
}

impl AsFrames for Posterior {
    fn num_frames(&self) -> usize {
        self.0.len()
    }
}

impl AsFrames for GaussPost {
    fn num_frames(&self) -> usize {
        self.0.len()
    }
}

/// The posteriors, if there are as many as frames; else there is a warning.
fn fitting<T: AsFrames>(utt: &BStr, feats: &Matrix<f32>, posteriors: Option<Arc<T>>) -> Result<Arc<T>, Misfit> {
    let Some(posteriors) = posteriors else {
        warning!("Did not find posteriors for utterance {utt}");
        return Err(Misfit::Missing);
    };
    let (got, expected) = (posteriors.num_frames(), feats.num_rows());
    if got != expected {
        warning!("Posterior vector of utterance {utt} has wrong size {got} vs. {expected}");
        return Err(Misfit::Length);
    }
    Ok(posteriors)
}
