//! fMLLR of frames before splicing, of utterances or speakers.

use std::sync::Arc;

use crate::AcousticModel;
use crate::transform::{RawFmllrOptions, RawFmllrStats, SplicedTransform};
use bstr::BStr;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Result, TableWriter};
use kaldi_value::number::general;

use crate::tables::fmllr::FmllrPosteriors;
use crate::tables::speakers::{SpeakerCounts, SpeakerTables, each_speaker};

/// Estimates and writes transforms of frames before they are spliced, from posteriors of type `P`.
///
/// # Errors
/// As [`each_speaker`].
pub fn write_raw_fmllr<P: FmllrPosteriors>(
    model: AcousticModel,
    transform: SplicedTransform,
    options: RawFmllrOptions,
    tables: &SpeakerTables<'_>,
    target: &BStr,
) -> Result<SpeakerCounts> {
    let mut target = TableWriter::<Matrix<f32>>::create(target)?;
    let (transform, mut improvement, mut frames) = (Arc::new(transform), 0.0, 0.0);
    let start = move || RawFmllrStats::new(Arc::clone(&transform));
    let add = move |stats: &mut RawFmllrStats, feats: &Matrix<f32>, posteriors: &P| {
        posteriors.add_spliced(stats, &model, feats)
    };
    let finish = move |stats: RawFmllrStats| Ok((stats.estimate(&options)?, stats.count()));
    let counts = each_speaker(tables, start, add, finish, |kind, key, (estimate, count)| {
        if !estimate.is_estimated {
            let (count, least) = (general(count), general(f64::from(options.min_count)));
            warning!("Not updating (raw) fMLLR of {kind} {key} since count {count} is less than min count {least}");
        }
        let average = general(estimate.improvement / count);
        log!("For {kind} {key}, auxf-impr from raw fMLLR is {average} over {} frames.", general(count));
        improvement += estimate.improvement;
        frames += count;
        target.write(key, &estimate.transform)
    })?;
    log!("Processed {} utterances, {} had errors.", counts.done, counts.missing + counts.failed);
    let (average, frames) = (general(improvement / frames), general(frames));
    log!("Overall raw-fMLLR auxf impr per frame is {average} over {frames} frames.");
    target.finish()?;
    Ok(counts)
}
