//! The likelihood of every frame.

use crate::{Error, Mixture, log_sum_exp};
use bstr::BStr;
use kaldi_io::log::log;
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{Result, SequentialReader, TableWriter};
use kaldi_value::number::general;

use crate::tables::Totals;
use crate::tables::lists::{fitting_lists, open_lists};

/// The tables of likelihoods.
#[derive(Clone, Copy, Debug)]
pub struct LikelihoodTables<'a> {
    /// Features.
    pub feats: &'a BStr,
    /// Lists of the Gaussians that count in each frame; without them all count.
    pub lists: Option<&'a BStr>,
    /// A vector with the log likelihood of each frame, or a number for each utterance.
    pub target: &'a BStr,
}

/// What is written of utterances.
enum Target {
    Frames(TableWriter<Vector<f32>>),
    Averages(TableWriter<f32>),
}

/// Writes the log likelihoods of the frames of each utterance, or with `average` their average.
///
/// # Errors
/// If a table fails, features have another dimension, a list names Gaussians that do not exist, or a frame has no
/// likelihood.
pub fn write_likelihoods<G: Mixture + Send + Sync + 'static>(
    gmm: G,
    average: bool,
    tables: &LikelihoodTables<'_>,
) -> Result<Totals> {
    let source = SequentialReader::<Matrix<f32>>::open(tables.feats)?;
    let lists = open_lists(tables.lists)?;
    let mut target = match average {
        true => Target::Averages(TableWriter::create(tables.target)?),
        false => Target::Frames(TableWriter::create(tables.target)?),
    };
    let rows = source.par_map_with(lists, move |entry, lists| {
        let feats = entry.read()?;
        let Some(lists) = fitting_lists(entry.key(), feats.num_rows(), lists) else { return Ok(None) };
        let mut likelihoods = Vec::with_capacity(feats.num_rows());
        if let Some(lists) = lists {
            let listed = gmm.log_likelihoods_listed(&feats, &lists)?;
            let mut rest = &listed[..];
            for list in lists.iter() {
                let frame;
                (frame, rest) = rest.split_at(list.len());
                likelihoods.push(log_sum_exp(frame));
            }
        } else {
            gmm.each_frame(&feats, |_, frame| {
                likelihoods.push(log_sum_exp(frame));
                Ok(())
            })?;
            if let Some(frame) = likelihoods.iter().position(|likelihood| !likelihood.is_finite()) {
                return Err(Error::Likelihood { frame }.into());
            }
        }
        Ok(Some(Vector::from_vec(likelihoods)))
    });
    let mut totals = Totals::default();
    let ended = rows.drain(|utt, likelihoods| -> Result<()> {
        let Some(likelihoods) = likelihoods else {
            totals.failed += 1;
            return Ok(());
        };
        let num_frames = likelihoods.dim() as f64;
        match &mut target {
            Target::Frames(target) => target.write(&utt, &likelihoods)?,
            Target::Averages(target) => target.write(&utt, &((likelihoods.sum() / num_frames) as f32))?,
        }
        totals.add(likelihoods.sum(), num_frames);
        Ok(())
    })?;
    log!("Done {} files; {} with errors.", totals.done, totals.failed);
    log!("Overall likelihood per frame = {} over {} frames.", general(totals.average()), general(totals.frames));
    ended.finish()?;
    match target {
        Target::Frames(target) => target.finish()?,
        Target::Averages(target) => target.finish()?,
    }
    Ok(totals)
}
