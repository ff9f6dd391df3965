//! Utterances with their posteriors of transition-ids.

use std::sync::Arc;

use bstr::BStr;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, Result, SequentialReader};
use kaldi_value::Posterior;
use kaldi_value::number::general;

use crate::tables::Totals;

/// Calls `visit` with the name, the features and the posteriors of each utterance. It returns the sum of the log likelihoods
/// of the frames, each times its weight, and the sum of the weights; `None` if the utterance cannot be used.
///
/// Utterances whose posteriors are missing, or not as many as the frames, are skipped with a warning.
///
/// # Errors
/// If a table fails, and those of `visit`, with the name of the utterance.
pub fn each_posterior(
    [feats, posteriors]: [&BStr; 2],
    mut visit: impl FnMut(&BStr, &Matrix<f32>, &Posterior) -> Result<Option<(f64, f64)>>,
) -> Result<Totals> {
    let source = SequentialReader::<Matrix<f32>>::open(feats)?;
    let posteriors = RandomAccessReader::<Posterior>::open(posteriors)?;
    let rows = source.par_map_with(posteriors, |entry, posterior: Option<Arc<Posterior>>| {
        let Some(posterior) = posterior else {
            warning!("Could not find posteriors for utterance {}", entry.key());
            return Ok(None);
        };
        let feats = entry.read()?;
        let (got, expected) = (posterior.0.len(), feats.num_rows());
        if got != expected {
            warning!("Posterior vector of utterance {} has wrong size {got} vs. {expected}", entry.key());
            return Ok(None);
        }
        Ok(Some((feats, posterior)))
    });
    let mut totals = Totals::default();
    let ended = rows.drain(|utt, found| -> Result<()> {
        let visited = match found {
            Some((feats, posterior)) => visit(utt.as_ref(), &feats, &posterior)?,
            None => None,
        };
        match visited {
            Some((log_like, weight)) => totals.add(log_like, weight),
            None => totals.failed += 1,
        }
        Ok(())
    })?;
    log!("Done {} files, {} with errors.", totals.done, totals.failed);
    ended.finish()?;
    Ok(totals)
}

/// Logs the average log likelihood of a frame in Kaldi's words, which its scripts read.
pub fn log_average_likelihood(totals: &Totals) {
    let (average, frames) = (general(totals.average()), general(totals.frames));
    log!("Overall avg like per frame (Gaussian only) = {average} over {frames} frames.");
}

/// An error of the work on an utterance.
pub fn of_utterance(utt: &BStr, error: impl std::error::Error + Send + Sync + 'static) -> kaldi_table::Error {
    kaldi_table::Error::Work { key: utt.to_owned(), source: Box::new(error) }
}
