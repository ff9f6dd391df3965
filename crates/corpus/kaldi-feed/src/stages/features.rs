//! Stages that compute features of sound. Samples that already have features pass unchanged.

use std::collections::BTreeMap;
use std::sync::Arc;

use kaldi_feat::extract::{Extractor, Fbank, FbankOptions, FrameOptions, LogMel, Mfcc, MfccOptions};
use kaldi_io::sync::Mutex;
use kaldi_matrix::Matrix;
use kaldi_reader::Draws;
use kaldi_value::random::Noise;

use crate::params::Params;
use crate::yaml::YamlValue;
use crate::{Data, Refusal, Registry, Result, SampleShape, Stage};

/// Why a sample without a frame is dropped.
const TOO_SHORT: &str = "shorter than one window";

pub(super) fn register(registry: &mut Registry) {
    registry.register("fbank", fbank);
    registry.register("mfcc", mfcc);
    registry.register("log_mel_spectrogram", log_mel_spectrogram);
}

/// Features of sound of one rate.
trait Features: Send + Sync {
    fn num_frames(&self, num_samples: usize) -> usize;
    fn compute(&self, samples: &[f32]) -> kaldi_feat::Result<Matrix<f32>>;
}

impl<E: Extractor + Send + Sync> Features for E {
    fn num_frames(&self, num_samples: usize) -> usize {
        Extractor::num_frames(self, num_samples)
    }

    fn compute(&self, samples: &[f32]) -> kaldi_feat::Result<Matrix<f32>> {
        Extractor::compute(self, samples, 1.0)
    }
}

fn fbank(params: &mut Params) -> Result<Stage> {
    let mut options = FbankOptions::default();
    options.mel.num_mel_bins = bins(params, 23)?;
    options.frames = frames(params)?;
    Stage::fbank(options).map_err(|error| params.error("parameters", "sound", error))
}

fn mfcc(params: &mut Params) -> Result<Stage> {
    let mut options = MfccOptions::default();
    options.mel.num_mel_bins = bins(params, 23)?;
    options.mel.low_freq = params.float("low_freq", 20.0)? as f32;
    options.mel.high_freq = params.float("high_freq", 0.0)? as f32;
    options.frames = frames(params)?;
    options.num_ceps = params.number("num_ceps", 40, 1)?.min(i32::MAX as u64) as usize;
    options.use_energy = false;
    Stage::mfcc(options).map_err(|error| params.error("parameters", "sound", error))
}

fn log_mel_spectrogram(params: &mut Params) -> Result<Stage> {
    let mut number = |name, default, least| params.number(name, default, least).map(|number| number as usize);
    let (n_fft, hop_length) = (number("n_fft", 400, 1)?, number("hop_length", 160, 1)?);
    let (num_mel_bins, padding) = (number("num_mel_bins", 80, 1)?, number("padding", 0, 0)?);
    let max_duration = number("max_duration", 30, 1)?;
    let seconds = params.boolean("pad_or_trim", false)?.then_some(max_duration);
    let options = LogMelOptions { n_fft, hop_length, num_mel_bins, padding, seconds };
    Stage::log_mel_spectrogram(options).map_err(|error| params.error("parameters", "sound", error))
}

/// Log mel spectrograms of sound with silence after it.
struct PaddedLogMel {
    log_mel: LogMel,
    /// Samples of silence.
    padding: usize,
    /// Sound is filled with silence, or cut, to this many samples.
    length: Option<usize>,
}

impl Features for PaddedLogMel {
    fn num_frames(&self, num_samples: usize) -> usize {
        let padded = num_samples.saturating_add(self.padding);
        if num_samples == 0 { 0 } else { self.log_mel.num_frames(self.length.unwrap_or(padded)) }
    }

    fn compute(&self, samples: &[f32]) -> kaldi_feat::Result<Matrix<f32>> {
        let length = self.length.unwrap_or(samples.len() + self.padding);
        let mut padded = samples[..samples.len().min(length)].to_vec();
        padded.resize(length, 0.0);
        self.log_mel.compute(&padded)
    }
}

fn bins(params: &mut Params, default: u64) -> Result<usize> {
    Ok(params.number("num_mel_bins", default, 1)?.min(i32::MAX as u64) as usize)
}

fn frames(params: &mut Params) -> Result<FrameOptions> {
    let mut options = FrameOptions::default();
    options.frame_length = params.float("frame_length", 25.0)? as f32;
    options.frame_shift = params.float("frame_shift", 10.0)? as f32;
    options.dither = params.float("dither", 0.0)? as f32;
    let window = params.text("window_type")?.unwrap_or_else(|| "povey".to_owned());
    params.meant("window_type", YamlValue::Text(window.clone()));
    options.window_type =
        window.parse().map_err(|error: kaldi_feat::Error| params.error("parameters", "sound", error))?;
    Ok(options)
}

impl Stage {
    /// `fbank`: filterbank energies. The sample rate is that of each sample, not that of the options.
    ///
    /// # Errors
    /// If the options make no sense for 16 kHz sound.
    pub fn fbank(options: FbankOptions) -> kaldi_feat::Result<Self> {
        stage(options.frames.dither, move |rate| {
            let mut options = options.clone();
            options.frames.sample_frequency = rate;
            Ok(Arc::new(Fbank::new(&options)?))
        })
    }

    /// `mfcc`: cepstra. The sample rate is that of each sample, not that of the options.
    ///
    /// # Errors
    /// As [`Stage::fbank`].
    pub fn mfcc(options: MfccOptions) -> kaldi_feat::Result<Self> {
        stage(options.frames.dither, move |rate| {
            let mut options = options.clone();
            options.frames.sample_frequency = rate;
            Ok(Arc::new(Mfcc::new(&options)?))
        })
    }

    /// `log_mel_spectrogram`: log mel spectrograms, as Whisper's.
    ///
    /// # Errors
    /// As [`Stage::fbank`].
    pub fn log_mel_spectrogram(options: LogMelOptions) -> kaldi_feat::Result<Self> {
        stage(0.0, move |rate| {
            let log_mel = LogMel::new(rate, options.n_fft, options.hop_length, options.num_mel_bins)?;
            let length = options.seconds.map(|seconds| seconds * rate as usize);
            Ok(Arc::new(PaddedLogMel { log_mel, padding: options.padding, length }))
        })
    }
}

/// The options of [`Stage::log_mel_spectrogram`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogMelOptions {
    /// Samples of a frame, the size of its Fourier transform.
    pub n_fft: usize,
    /// Samples from one frame to the next.
    pub hop_length: usize,
    /// The number of mel filters.
    pub num_mel_bins: usize,
    /// Samples of silence that are appended.
    pub padding: usize,
    /// The length to which sound is cut or filled up with silence, in seconds.
    pub seconds: Option<usize>,
}

impl Default for LogMelOptions {
    fn default() -> Self {
        Self { n_fft: 400, hop_length: 160, num_mel_bins: 80, padding: 0, seconds: None }
    }
}

/// The stage of features that `make` prepares for a rate in Hz.
fn stage(
    dither: f32,
    make: impl Fn(f32) -> kaldi_feat::Result<Arc<dyn Features>> + Send + Sync + 'static,
) -> kaldi_feat::Result<Stage> {
    // An error in the parameters is reported now, for the usual rate, and not only with the first sample.
    let at_16_khz = make(16_000.0)?;
    // A second of sound has all columns.
    let dim = at_16_khz.compute(&[0.0; 16_000])?.num_cols();
    let prepared = Mutex::new(BTreeMap::from([(16_000, at_16_khz)]));
    let prepare = move |rate: u32| -> Result<Arc<dyn Features>, String> {
        let mut prepared = prepared.lock();
        if let Some(features) = prepared.get(&rate) {
            return Ok(Arc::clone(features));
        }
        let features = make(rate as f32).map_err(|error| format!("{rate} Hz: {error}"))?;
        prepared.insert(rate, Arc::clone(&features));
        Ok(features)
    };
    Ok(Stage::sample(move |sample| {
        let SampleShape::Sound { rate, num_samples, .. } = sample.shape() else { return Ok(()) };
        let features = prepare(rate)?;
        let num_frames = features.num_frames(usize::try_from(num_samples).unwrap_or(usize::MAX));
        if num_frames == 0 {
            return Err(Refusal::Dropped(TOO_SHORT));
        }
        let noise = (dither != 0.0).then(|| {
            let seed = Draws::named(&sample.seeds(), b"dither").bits() as u32;
            Noise::new(seed, &sample.key)
        });
        sample.map_sound(SampleShape::Feats { num_frames, dim }, move |mut sound| {
            let mut samples = sound.channels.swap_remove(0);
            if let Some(noise) = noise {
                noise.add(dither, 0, &mut samples);
            }
            features.compute(&samples).map(Data::Feats).map_err(|error| error.to_string())
        });
        Ok(())
    }))
}
