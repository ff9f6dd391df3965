//! What is computed of the frames of an utterance, and samples at another rate.

use std::ffi::OsString;

use kaldi_feat::{CmvnStats, DeltaOptions, Deltas, Dims, SlidingWindowCmn, SlidingWindowCmnOptions, Splice};
use kaldi_feed::{SpecAugment, SpecSubstitute, SpecTrim};
use kaldi_io::log::warning;
use kaldi_ivector::EnergyVad;
use kaldi_reader::Draws;
use kaldi_wave::RateConverter;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::errors::wrong_value;

use super::{bad_data, compute, matrix, options, refused};
use crate::names;

/// The options of `add-deltas`.
#[derive(clap::Args)]
struct OfDeltas {
    #[command(flatten)]
    deltas: DeltaOptions,
    /// Take this many columns only
    #[arg(long, default_value_t = 0)]
    truncate: u32,
}

/// The options of `apply-cmvn-sliding`.
#[derive(clap::Args)]
struct OfSliding {
    #[command(flatten)]
    sliding: SlidingWindowCmnOptions,
    /// Number of warnings: 0 for none
    #[arg(long, default_value_t = 5)]
    max_warnings: i32,
}

/// Appends derivatives.
#[pyfunction]
fn feats_add_deltas<'py>(
    py: Python<'py>,
    words: Vec<OsString>,
    feats: PyReadonlyArray2<'py, f32>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let arguments: OfDeltas = options(words)?;
    let deltas = Deltas::new(&arguments.deltas).map_err(refused)?;
    let deltas = deltas.truncating(arguments.truncate);
    let feats = matrix(&feats)?;
    compute(py, 0, move || deltas.compute(&feats).map_err(bad_data))
}

/// Joins each frame with its neighbours.
#[pyfunction]
fn feats_splice<'py>(
    py: Python<'py>,
    feats: PyReadonlyArray2<'py, f32>,
    left_context: usize,
    right_context: usize,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let feats = matrix(&feats)?;
    compute(py, 0, move || Splice::new(left_context, right_context).apply(&feats).map_err(bad_data))
}

/// Sums of the frames of one utterance or of many.
#[pyfunction]
fn feats_cmvn_stats<'py>(
    py: Python<'py>,
    feats: Vec<PyReadonlyArray2<'py, f32>>,
    weights: Option<Vec<PyReadonlyArray1<'py, f32>>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let feats = feats.iter().map(matrix).collect::<PyResult<Vec<_>>>()?;
    let weights = weights
        .map(|all| all.iter().map(|it| Ok(it.as_slice().map_err(refused)?.to_vec())).collect::<PyResult<Vec<_>>>())
        .transpose()?;
    compute(py, 0, move || {
        let mut stats: Option<CmvnStats> = None;
        for (at, feats) in feats.iter().enumerate().filter(|(_, feats)| !feats.is_empty()) {
            let sum = stats.get_or_insert_with(|| CmvnStats::new(feats.num_cols()));
            let weights = weights.as_ref().and_then(|weights| weights.get(at));
            sum.add_feats(feats, weights.map(Vec::as_slice)).map_err(bad_data)?;
        }
        stats.map(CmvnStats::into_matrix).ok_or_else(|| bad_data("expected features, got an empty matrix"))
    })
}

/// Normalizes means and variances by statistics.
#[pyfunction]
fn feats_apply_cmvn<'py>(
    py: Python<'py>,
    feats: PyReadonlyArray2<'py, f32>,
    stats: PyReadonlyArray2<'py, f64>,
    norm_vars: bool,
    skip_dims: &str,
    reverse: bool,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let (mut feats, stats) = (matrix(&feats)?, matrix(&stats)?);
    let skip_dims: Dims = skip_dims.parse().map_err(refused)?;
    compute(py, 0, move || {
        let mut stats = CmvnStats::from_matrix(stats).map_err(bad_data)?;
        if !skip_dims.0.is_empty() {
            stats.fake(&skip_dims).map_err(bad_data)?;
        }
        let floored =
            if reverse { stats.apply_reverse(norm_vars, &mut feats) } else { stats.apply(norm_vars, &mut feats) };
        for flooring in floored.map_err(bad_data)? {
            warning!("the variance of dimension {} is {}: it is floored", flooring.dim, flooring.variance);
        }
        Ok(feats)
    })
}

/// Normalizes means and variances over a window.
#[pyfunction]
fn feats_sliding_cmvn<'py>(
    py: Python<'py>,
    words: Vec<OsString>,
    feats: PyReadonlyArray2<'py, f32>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let arguments: OfSliding = options(words)?;
    let most_warnings = arguments.max_warnings;
    let cmn = SlidingWindowCmn::new(arguments.sliding);
    let (cmn, feats) = (cmn.map_err(refused)?, matrix(&feats)?);
    compute(py, 0, move || {
        let (normalized, floored) = cmn.apply(&feats);
        if most_warnings != 0 && !floored.is_empty() {
            warning!("variances in the windows of {} frames are too small: they are floored", floored.len());
        }
        Ok(normalized)
    })
}

/// Decides for every frame whether it is voiced, by its energy.
#[pyfunction]
fn feats_vad<'py>(
    py: Python<'py>,
    energies: PyReadonlyArray1<'py, f32>,
    threshold: f32,
    mean_scale: f32,
    frames_context: i32,
    proportion: f32,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let vad = EnergyVad { threshold, mean_scale, frames_context, proportion };
    vad.check().map_err(refused)?;
    let energies = energies.as_slice().map_err(refused)?.to_vec();
    let decisions = py.detach(|| vad.decide(&energies).into_iter().map(|voiced| f32::from(u8::from(voiced))).collect());
    Ok(PyArray1::from_vec(py, decisions))
}

/// How many masks, substitutes and cuts there are, and how large they are.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Changes {
    num_t_mask: u32,
    num_f_mask: u32,
    max_t: u32,
    max_f: u32,
    num_t_sub: u32,
    max_t_sub: u32,
    max_t_trim: u32,
}

/// Changes features at random, as for the utterance `key` in the pass `epoch`.
#[pyfunction]
fn feats_spec_augment<'py>(
    py: Python<'py>,
    feats: PyReadonlyArray2<'py, f32>,
    key: &Bound<'py, PyString>,
    changes: Changes,
    seed: u32,
    epoch: u32,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let Changes { num_t_mask, num_f_mask, max_t, max_f, num_t_sub, max_t_sub, max_t_trim } = changes;
    for (name, count) in [("num_t_mask", num_t_mask), ("num_f_mask", num_f_mask), ("num_t_sub", num_t_sub)] {
        if count as usize > SpecAugment::MOST {
            let message = format!("expected {name} to be at most {}, got {count}", SpecAugment::MOST);
            return Err(wrong_value(message));
        }
    }
    let augment = SpecAugment {
        num_t_mask: num_t_mask as usize,
        num_f_mask: num_f_mask as usize,
        max_t: max_t as usize,
        max_f: max_f as usize,
    };
    let substitute = SpecSubstitute { max_t: max_t_sub as usize, num_t_sub: num_t_sub as usize };
    let trim = SpecTrim { max_t: max_t_trim as usize };
    let mut draws = Draws::named(&[seed.into(), epoch.into()], &names::from_str(key)?);
    let mut feats = matrix(&feats)?;
    compute(py, 0, move || {
        augment.apply(&mut feats, &mut draws);
        substitute.apply(&mut feats, &mut draws);
        trim.apply(&mut feats, &mut draws);
        Ok(feats)
    })
}

/// Converts samples to another rate.
#[pyfunction]
fn feats_resample<'py>(
    py: Python<'py>,
    samples: PyReadonlyArray1<'py, f32>,
    from_rate: u32,
    to_rate: u32,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let converter = RateConverter::usual(from_rate, to_rate).map_err(refused)?;
    let samples = samples.as_slice().map_err(refused)?.to_vec();
    let converted = py.detach(|| converter.convert(&samples));
    Ok(PyArray1::from_vec(py, converted))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(feats_add_deltas, module)?)?;
    module.add_function(wrap_pyfunction!(feats_splice, module)?)?;
    module.add_function(wrap_pyfunction!(feats_cmvn_stats, module)?)?;
    module.add_function(wrap_pyfunction!(feats_apply_cmvn, module)?)?;
    module.add_function(wrap_pyfunction!(feats_sliding_cmvn, module)?)?;
    module.add_function(wrap_pyfunction!(feats_vad, module)?)?;
    module.add_function(wrap_pyfunction!(feats_spec_augment, module)?)?;
    module.add_function(wrap_pyfunction!(feats_resample, module)?)
}
