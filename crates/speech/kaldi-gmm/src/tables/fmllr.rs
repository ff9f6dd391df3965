//! Transforms of the features of utterances or speakers.

use crate::transform::{Fmllr, FmllrOptions, FmllrStats, RawFmllrStats};
use crate::{AcousticModel, DiagGmm, PdfFrame};
use bstr::BStr;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Result, TableWriter};
use kaldi_value::number::general;
use kaldi_value::{GaussPost, Posterior};

use crate::tables::Totals;
use crate::tables::speakers::{AnyError, AsFrames, SpeakerTables, each_speaker};

/// Posteriors from which a model makes statistics for fMLLR: of transition-ids, or of the Gaussians of pdfs.
pub trait FmllrPosteriors: AsFrames {
    /// Adds the frames of an utterance to statistics.
    ///
    /// # Errors
    /// If the features have another dimension, a transition-id or a pdf does not exist, or a frame has no likelihood.
    fn add_to(&self, stats: &mut FmllrStats, model: &AcousticModel, feats: &Matrix<f32>) -> Result<(), AnyError>;

    /// Adds the frames of an utterance, which are spliced and not yet transformed, to statistics.
    ///
    /// # Errors
    /// As [`FmllrPosteriors::add_to`].
    fn add_spliced(
        &self,
        stats: &mut RawFmllrStats,
        model: &AcousticModel,
        feats: &Matrix<f32>,
    ) -> Result<(), AnyError>;
}

impl FmllrPosteriors for Posterior {
    fn add_to(&self, stats: &mut FmllrStats, model: &AcousticModel, feats: &Matrix<f32>) -> Result<(), AnyError> {
        let mut frames = stats.frames();
        with_posteriors(self, model, feats, |frame, mixtures| frames.add(feats.row(frame), mixtures))
    }

    fn add_spliced(
        &self,
        stats: &mut RawFmllrStats,
        model: &AcousticModel,
        feats: &Matrix<f32>,
    ) -> Result<(), AnyError> {
        let mut frames = stats.frames();
        let mut values = Vec::with_capacity(feats.num_rows() * model.pdfs.dim());
        for spliced in feats.rows() {
            values.extend(frames.transform().model_feats(spliced)?);
        }
        let model_feats = Matrix::from_vec(feats.num_rows(), values.len() / feats.num_rows().max(1), values);
        with_posteriors(self, model, &model_feats, |frame, mixtures| frames.add(feats.row(frame), mixtures))
    }
}

/// Calls `add` with each frame of an utterance, and the mixtures of its pdfs with their posteriors.
fn with_posteriors(
    posterior: &Posterior,
    model: &AcousticModel,
    feats: &Matrix<f32>,
    mut add: impl FnMut(usize, Vec<(&DiagGmm, &[f32])>) -> crate::Result<()>,
) -> Result<(), AnyError> {
    let pdfs = model.transitions.pdf_posterior(posterior)?;
    let found = model.pdfs.posteriors(feats, &PdfFrame::all_of(&pdfs)).map_err(|(_, error)| error)?;
    let mut place = 0;
    for (frame, pdfs) in pdfs.0.iter().enumerate() {
        let mixtures = pdfs.iter().zip(place..).map(|(&(pdf, _), at)| (&model.pdfs.pdfs()[pdf as usize], found.of(at)));
        add(frame, mixtures.collect())?;
        place += pdfs.len();
    }
    Ok(())
}

impl FmllrPosteriors for GaussPost {
    fn add_to(&self, stats: &mut FmllrStats, model: &AcousticModel, feats: &Matrix<f32>) -> Result<(), AnyError> {
        let mut frames = stats.frames();
        for (values, pdfs) in feats.rows().zip(&self.0) {
            frames.add(values, model.pdfs.listed_posteriors(pdfs)?)?;
        }
        Ok(())
    }

    fn add_spliced(
        &self,
        stats: &mut RawFmllrStats,
        model: &AcousticModel,
        feats: &Matrix<f32>,
    ) -> Result<(), AnyError> {
        let mut frames = stats.frames();
        for (spliced, pdfs) in feats.rows().zip(&self.0) {
            frames.add(spliced, model.pdfs.listed_posteriors(pdfs)?)?;
        }
        Ok(())
    }
}

/// Estimates and writes the transforms of utterances or speakers, from posteriors of type `P`.
///
/// # Errors
/// As [`each_speaker`].
pub fn write_fmllr<P: FmllrPosteriors>(
    model: AcousticModel,
    options: FmllrOptions,
    tables: &SpeakerTables<'_>,
    target: &BStr,
) -> Result<Totals> {
    let mut target = TableWriter::<Matrix<f32>>::create(target)?;
    let mut totals = Totals::default();
    let dim = model.pdfs.dim();
    let add =
        move |stats: &mut FmllrStats, feats: &Matrix<f32>, posteriors: &P| posteriors.add_to(stats, &model, feats);
    let finish = move |stats: FmllrStats| Ok((stats.estimate(&options)?, stats.count()));
    let counts = each_speaker(
        tables,
        move || FmllrStats::new(dim),
        add,
        finish,
        |kind, key, (estimate, count)| {
            totals.log_like += estimate.improvement;
            totals.frames += count;
            report(kind, key, &estimate, count);
            target.write(key, &estimate.transform)
        },
    )?;
    (totals.done, totals.failed) = (counts.done, counts.missing + counts.failed);
    log!("Done {} files, {} with errors.", totals.done, totals.failed);
    let (improvement, frames) = (general(totals.average()), general(totals.frames));
    log!("Overall fMLLR auxf impr per frame is {improvement} over {frames} frames.");
    target.finish()?;
    Ok(totals)
}

fn report(kind: &str, key: &BStr, estimate: &Fmllr, count: f64) {
    let frames = general(count);
    if !estimate.is_estimated {
        warning!("Not updating fMLLR of {kind} {key} since below min-count: count is {frames}");
    }
    let improvement = general(estimate.improvement / count);
    log!("For {kind} {key}, auxf-impr from fMLLR is {improvement}, over {frames} frames.");
}
