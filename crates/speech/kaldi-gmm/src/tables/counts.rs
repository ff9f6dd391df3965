//! Models that get more or fewer Gaussians, by the counts of their pdfs.

use crate::{AmDiagGmm, GaussianTargets, Result};
use kaldi_io::log::{log, warning};
use kaldi_value::number::general;
use kaldi_value::random::Random;

/// Splits Gaussians until there are as many as the target, as far as `counts`, one for each pdf, allow. Logs what was
/// done in Kaldi's words, which its scripts read.
///
/// # Errors
/// If there is not one count for each pdf, or a mixture cannot be split.
pub fn split_by_counts(
    pdfs: &AmDiagGmm,
    counts: &[f32],
    targets: GaussianTargets,
    perturb_factor: f32,
) -> Result<AmDiagGmm> {
    let split = pdfs.split(&of_pdfs(targets, counts), perturb_factor, &mut Random::default())?;
    log!(
        "Split {} states with target = {}, power = {}, perturb_factor = {} and min_count = {}, split #Gauss from {} to {}",
        pdfs.num_pdfs(),
        targets.target,
        general(f64::from(targets.power)),
        general(f64::from(perturb_factor)),
        general(f64::from(targets.min_count)),
        pdfs.num_gauss(),
        split.num_gauss()
    );
    Ok(split)
}

/// Merges Gaussians until there are as few as the target, and logs it; else like [`split_by_counts`].
///
/// # Errors
/// If there is not one count for each pdf, or mixtures cannot be merged.
pub fn merge_by_counts(pdfs: &AmDiagGmm, counts: &[f32], targets: GaussianTargets) -> Result<AmDiagGmm> {
    let merged = pdfs.merge(&of_pdfs(targets, counts))?;
    log!(
        "Merged {} states with target = {}, power = {} and min_count = {}, merged from {} to {}",
        pdfs.num_pdfs(),
        targets.target,
        general(f64::from(targets.power)),
        general(f64::from(targets.min_count)),
        pdfs.num_gauss(),
        merged.num_gauss()
    );
    Ok(merged)
}

/// The number of Gaussians of each pdf.
fn of_pdfs(targets: GaussianTargets, counts: &[f32]) -> Vec<i32> {
    let (of_pdfs, is_reached) = targets.of_pdfs(counts);
    if !is_reached {
        let (target, least) = (targets.target, general(f64::from(targets.min_count)));
        warning!("Could not split up to {target} due to min-count = {least} (or no counts at all)");
    }
    of_pdfs
}
