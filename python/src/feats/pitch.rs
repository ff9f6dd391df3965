//! Pitch of samples, and features of pitch.

use std::ffi::OsString;

use kaldi_feat::pitch::{PitchExtractor, ProcessPitch};
use kaldi_value::random::Random;
use numpy::{PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::waveforms::{OfPitch, OfProcess};
use super::{bad_data, compute, matrix, options, refused};
use crate::names;

fn extractor(words: Vec<OsString>) -> PyResult<PitchExtractor> {
    let arguments: OfPitch = options(words)?;
    PitchExtractor::new(&arguments.pitch).map_err(refused)
}

/// The computation for an utterance, and its random numbers.
fn process(words: Vec<OsString>, key: &Bound<'_, PyString>) -> PyResult<(ProcessPitch, Random)> {
    let arguments: OfProcess = options(words)?;
    let mut random = Random::seeded(arguments.srand as u32);
    arguments.random.start_entry(&mut random, arguments.srand as u32, &names::from_str(key)?);
    Ok((ProcessPitch::new(&arguments.process).map_err(refused)?, random))
}

/// Finds the pitch of samples: the cross-correlation and the pitch in Hz of every frame.
#[pyfunction]
fn feats_pitch<'py>(
    py: Python<'py>,
    words: Vec<OsString>,
    samples: PyReadonlyArray1<'py, f32>,
    rate: f32,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let extractor = extractor(words)?;
    extractor.check_rate(rate).map_err(bad_data)?;
    let samples = samples.as_slice().map_err(refused)?.to_vec();
    compute(py, 2, || extractor.compute(&samples).map_err(bad_data))
}

/// Computes features of the pitch of every frame.
#[pyfunction]
fn feats_process_pitch<'py>(
    py: Python<'py>,
    words: Vec<OsString>,
    pitch: PyReadonlyArray2<'py, f32>,
    key: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let ((process, mut random), pitch) = (process(words, key)?, matrix(&pitch)?);
    let dim = process.dim();
    compute(py, dim, move || match pitch.is_empty() {
        true => Ok(pitch),
        false => Ok(process.compute(&pitch).map_err(bad_data)?.with_noise(&mut random)),
    })
}

/// Computes features of the pitch of samples.
#[pyfunction]
fn feats_processed_pitch<'py>(
    py: Python<'py>,
    pitch_words: Vec<OsString>,
    process_words: Vec<OsString>,
    samples: PyReadonlyArray1<'py, f32>,
    rate: f32,
    key: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let extractor = extractor(pitch_words)?;
    let (process, mut random) = process(process_words, key)?;
    extractor.check_rate(rate).map_err(bad_data)?;
    let samples = samples.as_slice().map_err(refused)?.to_vec();
    compute(py, process.dim(), move || {
        let processed = extractor.compute_processed(&process, &samples).map_err(bad_data)?;
        Ok(processed.with_noise(&mut random))
    })
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(feats_pitch, module)?)?;
    module.add_function(wrap_pyfunction!(feats_process_pitch, module)?)?;
    module.add_function(wrap_pyfunction!(feats_processed_pitch, module)?)
}
