//! Posteriors of selected Gaussians.

use std::sync::Arc;

use crate::{Mixture, Result as GmmResult, softmax};
use bstr::BStr;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, Record, Result, SequentialReader, TableWriter};
use kaldi_value::Posterior;
use kaldi_value::number::general;

use crate::tables::Totals;
use crate::tables::lists::fitting_lists;

/// How far the sum of posteriors may be from one.
const TOLERANCE: f32 = 0.01;

/// The tables of posteriors.
#[derive(Clone, Copy, Debug)]
pub struct PosteriorTables<'a> {
    /// Features.
    pub feats: &'a BStr,
    /// Lists of the Gaussians that count in each frame.
    pub lists: &'a BStr,
    /// The posteriors of these Gaussians.
    pub target: &'a BStr,
}

/// Writes the posteriors of the Gaussians in lists. Those below `min_post` are dropped, all but the largest one, and the
/// others make up for them.
///
/// # Errors
/// If a table fails, features have another dimension, or a list is empty or names Gaussians that do not exist.
pub fn write_posteriors<G: Mixture + Send + Sync + 'static>(
    gmm: G,
    min_post: f32,
    tables: &PosteriorTables<'_>,
) -> Result<Totals> {
    let source = SequentialReader::<Matrix<f32>>::open(tables.feats)?;
    let lists = RandomAccessReader::<Vec<Vec<i32>>>::open(tables.lists)?;
    let mut target = TableWriter::create(tables.target)?;
    let format = target.format();

    let rows = source.par_map_with(lists, move |entry, lists: Option<Arc<Vec<Vec<i32>>>>| {
        let (utt, feats) = (entry.key(), entry.read()?);
        let Some(Some(lists)) = fitting_lists(utt, feats.num_rows(), Some(lists)) else { return Ok(None) };
        let Some((posteriors, log_like)) = posteriors(&gmm, &feats, &lists, min_post)? else {
            warning!("Skipping utterance {utt} because bad posterior-sum encountered (NaN?)");
            return Ok(None);
        };
        let num_entries: usize = posteriors.0.iter().map(Vec::len).sum();
        Ok(Some((Record::from_value(utt, posteriors, format), log_like, feats.num_rows(), num_entries)))
    });
    let (mut totals, mut entries) = (Totals::default(), 0.0);
    let ended = rows.drain(|_, done| -> Result<()> {
        let Some((record, log_like, num_frames, num_entries)) = done else {
            totals.failed += 1;
            return Ok(());
        };
        target.put(record)?;
        totals.add(log_like, num_frames as f64);
        entries += num_entries as f64;
        Ok(())
    })?;
    log!("Done {} files; {} had errors.", totals.done, totals.failed);
    log!(
        "Overall loglike per frame is {} with {} entries per frame,  over {} frames",
        general(totals.average()),
        general(entries / totals.frames),
        general(totals.frames)
    );
    ended.finish()?;
    target.finish()?;
    Ok(totals)
}

/// The posteriors of each frame and the sum of their log likelihoods; `None` if a sum of posteriors is no number.
fn posteriors<G: Mixture>(
    gmm: &G,
    feats: &Matrix<f32>,
    lists: &[Vec<i32>],
    min_post: f32,
) -> GmmResult<Option<(Posterior, f64)>> {
    let (mut frames, mut log_like) = (Vec::with_capacity(lists.len()), 0.0);
    let mut likelihoods = gmm.log_likelihoods_listed(feats, lists)?;
    let mut rest = &mut likelihoods[..];
    for list in lists {
        let weights;
        (weights, rest) = rest.split_at_mut(list.len());
        let frame_like = softmax(weights);
        let sum: f32 = weights.iter().sum();
        // False for NaN.
        let is_fine = (sum - 1.0).abs() <= TOLERANCE;
        if !is_fine {
            return Ok(None);
        }
        log_like += f64::from(frame_like);
        prune(weights, min_post);
        frames.push(list.iter().copied().zip(weights.iter().copied()).filter(|(_, weight)| *weight != 0.0).collect());
    }
    Ok(Some((Posterior(frames), log_like)))
}

/// Makes weights below a threshold zero, and the sum of the others one; the largest one stays in any case.
fn prune(weights: &mut [f32], min_post: f32) {
    if min_post == 0.0 {
        return;
    }
    let larger = |best: usize, at: usize| if weights[at] > weights[best] { at } else { best };
    let largest = (1..weights.len()).fold(0, larger);
    for weight in weights.iter_mut().filter(|weight| **weight < min_post) {
        *weight = 0.0;
    }
    let sum: f32 = weights.iter().sum();
    if sum == 0.0 {
        weights[largest] = 1.0;
    } else {
        weights.iter_mut().for_each(|weight| *weight *= 1.0 / sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_posteriors_are_dropped() {
        let pruned = |min_post| {
            let mut weights = [0.25, 0.625, 0.125];
            prune(&mut weights, min_post);
            weights
        };
        assert_eq!(pruned(0.0), [0.25, 0.625, 0.125]);
        assert_eq!(pruned(0.2), [0.25 / 0.875, 0.625 / 0.875, 0.0]);
        assert_eq!(pruned(0.9), [0.0, 1.0, 0.0]);
    }
}
