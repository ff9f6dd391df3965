//! Filterbank energies, MFCC, PLP and spectrograms of samples.

use std::ffi::OsString;
use std::sync::atomic::{AtomicUsize, Ordering};

use bstr::{BString, ByteSlice};
use kaldi_feat::extract::{
    Extractor, Fbank, FbankOptions, Mfcc, MfccOptions, Plp, PlpOptions, Spectrogram, SpectrogramOptions,
};
use kaldi_feat::pitch::{PitchExtractionOptions, ProcessPitchOptions};
use kaldi_feat::tables::{ExtractOptions, WarpOptions, extract_samples};
use kaldi_io::sync::Mutex;
use kaldi_matrix::Matrix;
use kaldi_value::random::RandomArguments;
use numpy::{PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::{array, bad_data, logged, options, refused};
use crate::errors::{Failure, Result, wrong_value};
use crate::names;

/// The options of a tool that computes features of waveforms.
#[derive(clap::Args)]
struct OfWaveforms<A: clap::Args> {
    #[command(flatten)]
    feats: A,
    #[command(flatten)]
    extract: ExtractOptions,
    #[command(flatten)]
    warp: WarpOptions,
}

/// The options of `compute-spectrogram-feats`.
#[derive(clap::Args)]
struct OfSpectrogram {
    #[command(flatten)]
    feats: SpectrogramOptions,
    #[command(flatten)]
    extract: ExtractOptions,
}

/// The options of `compute-kaldi-pitch-feats`.
#[derive(clap::Args)]
pub struct OfPitch {
    /// How pitch is found.
    #[command(flatten)]
    pub pitch: PitchExtractionOptions,
}

/// The options of `process-kaldi-pitch-feats`.
#[derive(clap::Args)]
pub struct OfProcess {
    /// What is computed of pitch.
    #[command(flatten)]
    pub process: ProcessPitchOptions,
    /// What the noise depends on.
    #[command(flatten)]
    pub random: RandomArguments,
    /// Seed of the noise of derivatives
    #[arg(long, default_value_t = 0)]
    pub srand: i32,
}

/// A computation with its options.
struct Computation {
    extractor: Box<dyn Extractor + Send + Sync>,
    subtract_mean: bool,
    warp: f32,
}

impl Computation {
    fn new(kind: &str, words: Vec<OsString>) -> PyResult<Self> {
        match kind {
            "fbank" => Self::of(words, Fbank::new),
            "mfcc" => Self::of(words, Mfcc::new),
            "plp" => Self::of(words, Plp::new),
            "spectrogram" => {
                let OfSpectrogram { feats, extract } = options(words)?;
                let made = Spectrogram::new(&feats);
                Ok(Self {
                    extractor: Box::new(made.map_err(refused)?),
                    subtract_mean: extract.subtract_mean,
                    warp: 1.0,
                })
            }
            _ => Err(unknown(kind)),
        }
    }

    fn of<A: clap::Args, E: Extractor + Send + Sync + 'static>(
        words: Vec<OsString>,
        make: impl FnOnce(&A) -> kaldi_feat::Result<E>,
    ) -> PyResult<Self> {
        let OfWaveforms::<A> { feats, extract, warp } = options(words)?;
        let extractor = Box::new(make(&feats).map_err(refused)?);
        Ok(Self { extractor, subtract_mean: extract.subtract_mean, warp: warp.vtln_warp })
    }

    fn compute(&self, samples: Vec<f32>, rate: f32, key: &[u8]) -> Result<Matrix<f32>> {
        extract_samples(&*self.extractor, samples, rate, key.as_bstr(), self.warp, self.subtract_mean)
            .map_err(|error| bad_data(error).at_key_if_any(key))
    }

    /// The number of columns: that of a waveform of one frame.
    fn dim(&self) -> usize {
        let frames = self.extractor.frames();
        let longest = (frames.sample_frequency * frames.frame_length.max(frames.frame_shift) / 1000.0) as usize + 2;
        let noise: Vec<f32> = (0..longest).map(|at| (at * at % 101) as f32).collect();
        self.extractor.compute(&noise, self.warp).map_or(0, |feats| feats.num_cols())
    }

    fn array<'py>(&self, py: Python<'py>, feats: Matrix<f32>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let dim = if feats.is_empty() { self.dim() } else { 0 };
        array(py, feats, dim)
    }
}

fn unknown(kind: &str) -> PyErr {
    wrong_value(format!("there are no features {kind:?}"))
}

/// Computes features of samples.
#[pyfunction]
fn feats_of_samples<'py>(
    py: Python<'py>,
    kind: &str,
    words: Vec<OsString>,
    samples: PyReadonlyArray1<'py, f32>,
    rate: f32,
    key: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let computation = Computation::new(kind, words)?;
    let (samples, key) = (samples.as_slice().map_err(refused)?.to_vec(), names::from_str(key)?);
    let feats = logged(py, || computation.compute(samples, rate, &key))?;
    computation.array(py, feats)
}

/// Computes features of many utterances on threads.
#[pyfunction]
fn feats_of_many<'py>(
    py: Python<'py>,
    kind: &str,
    words: Vec<OsString>,
    samples: Vec<PyReadonlyArray1<'py, f32>>,
    rates: Vec<f32>,
    keys: Vec<Bound<'py, PyString>>,
    threads: usize,
) -> PyResult<Vec<Bound<'py, PyArray2<f32>>>> {
    let computation = Computation::new(kind, words)?;
    let mut work = Vec::with_capacity(samples.len());
    for ((samples, rate), key) in samples.into_iter().zip(rates).zip(&keys) {
        work.push((samples.as_slice().map_err(refused)?.to_vec(), rate, names::from_str(key)?));
    }
    let feats = logged(py, || compute_many(&computation, work, threads))?;
    feats.into_iter().map(|feats| computation.array(py, feats)).collect()
}

/// The samples of an utterance, their rate, and its key.
type Utterance = (Vec<f32>, f32, BString);

/// Computes in parallel. Threads take the utterances in turn; the first error counts.
fn compute_many(computation: &Computation, work: Vec<Utterance>, threads: usize) -> Result<Vec<Matrix<f32>>> {
    let next = AtomicUsize::new(0);
    let work: Vec<Mutex<Option<Utterance>>> = work.into_iter().map(|it| Mutex::new(Some(it))).collect();
    let run = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(slot) = work.get(at) else { break };
            let taken = slot.lock().take();
            let Some((samples, rate, key)) = taken else { continue };
            done.push((at, computation.compute(samples, rate, &key)));
        }
        done
    };
    let mut done = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(work.len())).map(|_| scope.spawn(run)).collect();
        let mut done = run();
        for other in others {
            // A panic of a thread goes on here.
            done.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, feats)| feats).collect()
}

/// The options that a config file of this kind of features sets: names and values.
#[pyfunction]
fn feats_config(kind: &str, path: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
    let path: std::path::PathBuf = path.extract()?;
    let mut word = OsString::from("--config=");
    word.push(path);
    let words = [word];
    let given = match kind {
        "fbank" => kaldi_cli::given_options::<OfWaveforms<FbankOptions>>(&words),
        "mfcc" => kaldi_cli::given_options::<OfWaveforms<MfccOptions>>(&words),
        "plp" => kaldi_cli::given_options::<OfWaveforms<PlpOptions>>(&words),
        "spectrogram" => kaldi_cli::given_options::<OfSpectrogram>(&words),
        "pitch" => kaldi_cli::given_options::<OfPitch>(&words),
        "process-pitch" => kaldi_cli::given_options::<OfProcess>(&words),
        _ => return Err(unknown(kind)),
    };
    given.map_err(wrong_value)
}

/// Every option of a kind of features with its default, as the tools have them.
#[pyfunction]
fn feats_options(kind: &str) -> PyResult<Vec<(String, String)>> {
    Ok(match kind {
        "fbank" => kaldi_cli::default_options::<OfWaveforms<FbankOptions>>(),
        "mfcc" => kaldi_cli::default_options::<OfWaveforms<MfccOptions>>(),
        "plp" => kaldi_cli::default_options::<OfWaveforms<PlpOptions>>(),
        "spectrogram" => kaldi_cli::default_options::<OfSpectrogram>(),
        "pitch" => kaldi_cli::default_options::<OfPitch>(),
        "process-pitch" => kaldi_cli::default_options::<OfProcess>(),
        _ => return Err(unknown(kind)),
    })
}

impl Failure {
    /// The same failure at a key, unless that is empty.
    fn at_key_if_any(self, key: &[u8]) -> Self {
        if key.is_empty() { self } else { self.at_key(key) }
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(feats_of_samples, module)?)?;
    module.add_function(wrap_pyfunction!(feats_of_many, module)?)?;
    module.add_function(wrap_pyfunction!(feats_config, module)?)?;
    module.add_function(wrap_pyfunction!(feats_options, module)?)
}
