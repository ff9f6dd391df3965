//! Linear VTLN of utterances or speakers.

use crate::transform::{FmllrStats, FmllrUpdate, LinearVtln};
use bstr::BStr;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Result, TableWriter};
use kaldi_value::number::general;

use crate::tables::speakers::{AnyError, AsFrames, SpeakerCounts, SpeakerTables, each_speaker};

/// What is written for each utterance or speaker.
#[derive(Clone, Copy, Debug)]
pub struct VtlnTargets<'a> {
    /// The transforms.
    pub transforms: &'a BStr,
    /// The warp factors.
    pub warps: Option<&'a BStr>,
}

/// Chooses and writes the transforms of utterances or speakers ([`LinearVtln::choose`]). `add` adds an utterance to statistics.
///
/// # Errors
/// As [`each_speaker`].
///
/// # Panics
/// If `norm` is [`FmllrUpdate::Full`].
pub fn write_vtln<T: AsFrames>(
    vtln: LinearVtln,
    (norm, logdet_scale): (FmllrUpdate, f32),
    tables: &SpeakerTables<'_>,
    targets: &VtlnTargets<'_>,
    add: impl Fn(&mut FmllrStats, &Matrix<f32>, &T) -> Result<(), AnyError> + Send + Sync + 'static,
) -> Result<SpeakerCounts> {
    let mut transforms = TableWriter::<Matrix<f32>>::create(targets.transforms)?;
    let mut warps = targets.warps.map(TableWriter::<f32>::create).transpose()?;
    let (dim, mut of_class) = (vtln.dim(), vec![0_u64; vtln.num_classes()]);
    let (mut improvement, mut frames) = (0.0, 0.0);
    let finish = move |stats: FmllrStats| {
        let choice = vtln.choose(&stats, norm, logdet_scale)?;
        let warp = vtln.warp(choice.class).unwrap_or(1.0);
        Ok((choice, warp, stats.count()))
    };
    let start = move || FmllrStats::new(dim);
    let counts = each_speaker(tables, start, add, finish, |kind, key, (choice, warp, count)| {
        if count == 0.0 {
            warning!("no stats, returning default transform for {kind} {key}");
        }
        of_class[choice.class] += 1;
        let average = general(choice.improvement / count);
        log!("For {kind} {key}, auxf-impr from LVTLN is {average}, over {} frames.", general(count));
        improvement += choice.improvement;
        frames += count;
        transforms.write(key, &choice.transform)?;
        warps.as_mut().map_or(Ok(()), |warps| warps.write(key, &warp))
    })?;
    let of_class: String = of_class.iter().map(|count| format!(" {count}")).collect();
    log!("Distribution of classes is: {of_class}");
    let SpeakerCounts { done, missing, failed } = counts;
    log!("Done {done} files, {missing} with no posteriors, {failed} with other errors.");
    let (average, frames) = (general(improvement / frames), general(frames));
    log!("Overall LVTLN auxf impr per frame is {average} over {frames} frames.");
    transforms.finish()?;
    warps.map_or(Ok(()), TableWriter::finish)?;
    Ok(counts)
}
