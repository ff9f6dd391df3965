//! fMLLR by bases, of utterances or speakers.

use crate::AcousticModel;
use crate::transform::{BasisFmllr, BasisFmllrOptions, BasisFmllrStats, FmllrStats};
use bstr::BStr;
use kaldi_io::log::{log, warning};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{Result, TableWriter};
use kaldi_value::number::general;

use crate::tables::fmllr::FmllrPosteriors;
use crate::tables::speakers::{SpeakerCounts, SpeakerTables, each_speaker, of_any};

/// The statistics of bases, from posteriors of type `P`.
///
/// # Errors
/// As [`each_speaker`].
pub fn basis_stats<P: FmllrPosteriors>(
    model: AcousticModel,
    tables: &SpeakerTables<'_>,
) -> Result<(BasisFmllrStats, SpeakerCounts)> {
    let dim = model.pdfs.dim();
    let (mut sums, mut num_speakers) = (BasisFmllrStats::new(dim), 0);
    let add =
        move |stats: &mut FmllrStats, feats: &Matrix<f32>, posteriors: &P| posteriors.add_to(stats, &model, feats);
    let counts = each_speaker(
        tables,
        move || FmllrStats::new(dim),
        add,
        Ok,
        |_, key, stats| {
            num_speakers += 1;
            sums.add_speaker(&stats).map_err(|error| of_any(key, Box::new(error)))
        },
    )?;
    if tables.spk2utt.is_some() {
        log!("Accumulate statistics from {num_speakers} speakers");
    }
    report(&counts);
    Ok((sums, counts))
}

fn report(counts: &SpeakerCounts) {
    let SpeakerCounts { done, missing, failed } = counts;
    log!("Done {done} files, {missing} with no posts, {failed} with other errors.");
}

/// What is written for each utterance or speaker.
#[derive(Clone, Copy, Debug)]
pub struct BasisTargets<'a> {
    /// The transforms.
    pub transforms: &'a BStr,
    /// The weights of the bases, of those that have enough frames.
    pub weights: Option<&'a BStr>,
}

/// Estimates and writes transforms as sums of bases, from posteriors of type `P`.
///
/// # Errors
/// As [`each_speaker`].
pub fn write_basis_fmllr<P: FmllrPosteriors>(
    model: AcousticModel,
    bases: BasisFmllr,
    options: BasisFmllrOptions,
    tables: &SpeakerTables<'_>,
    targets: &BasisTargets<'_>,
) -> Result<SpeakerCounts> {
    let mut transforms = TableWriter::<Matrix<f32>>::create(targets.transforms)?;
    let mut weights = targets.weights.map(TableWriter::<Vector<f32>>::create).transpose()?;
    let (dim, mut improvement, mut frames) = (model.pdfs.dim(), 0.0, 0.0);
    let add =
        move |stats: &mut FmllrStats, feats: &Matrix<f32>, posteriors: &P| posteriors.add_to(stats, &model, feats);
    let finish = move |stats: FmllrStats| Ok((bases.transform(&stats, &options)?, stats.count()));
    let counts = each_speaker(
        tables,
        move || FmllrStats::new(dim),
        add,
        finish,
        |kind, key, (found, count)| {
            let num_bases = found.weights.dim();
            if num_bases == 0 {
                warning!("Not updating fMLLR of {kind} {key} since count is below min-count: {}", general(count));
            }
            log!(
                "For {kind} {key}, auxf-impr from Basis fMLLR is {}, over {} frames, the top {num_bases} basis elements have \
             been used",
                general(found.improvement / count),
                general(count)
            );
            improvement += found.improvement;
            frames += count;
            transforms.write(key, &found.transform)?;
            match &mut weights {
                Some(weights) if num_bases > 0 => weights.write(key, &found.weights),
                _ => Ok(()),
            }
        },
    )?;
    report(&counts);
    let (average, frames) = (general(improvement / frames), general(frames));
    log!("Overall fMLLR auxf-impr per frame is {average} over {frames} frames.");
    transforms.finish()?;
    weights.map_or(Ok(()), TableWriter::finish)?;
    Ok(counts)
}
