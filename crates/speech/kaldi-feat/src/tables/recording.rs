//! From a waveform to the samples that features are computed of.

use crate::CmvnStats;
use crate::extract::{Extractor, FrameOptions, MelReport};
use bstr::BStr;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_value::number::Digits;
use kaldi_value::random::Noise;
use kaldi_wave::{Wave, resample};

use crate::tables::{Error, ExtractOptions, Result};

/// Takes the channel that is wanted of a waveform, or warns that there is none in it or that it is too short.
///
/// Several channels of which none was chosen are worth a warning, too; it is the first one then.
pub(crate) fn channel(wave: Wave, utt: &BStr, options: &ExtractOptions) -> Option<Vec<f32>> {
    let duration = duration(&wave);
    if duration < options.min_duration {
        let seconds = Digits(duration.into(), 6);
        warning!("File: {utt} is too short ({seconds} sec): producing no output.");
        return None;
    }
    let num_channels = wave.num_channels();
    let channel = match options.channel {
        Some(channel) if channel >= num_channels => {
            warning!(
                "File with id {utt} has {num_channels} channels but you specified channel {channel}, producing no output."
            );
            return None;
        }
        Some(channel) => channel,
        None => {
            if num_channels != 1 {
                warning!(
                    "{utt}: Channel not specified but you have data with {num_channels} channels; defaulting to zero"
                );
            }
            0
        }
    };
    Some(wave.into_channels().swap_remove(channel))
}

/// The duration in seconds, in single precision as Kaldi has it.
pub(crate) fn duration(wave: &Wave) -> f32 {
    wave.num_samples() as f32 / wave.sample_rate()
}

/// Converts samples to the rate that is wanted, where that is allowed.
pub(crate) fn at_rate(samples: Vec<f32>, from: f32, options: &FrameOptions) -> Result<Vec<f32>> {
    let to = options.sample_frequency;
    if from == to {
        return Ok(samples);
    }
    let allowed = if from > to { options.allow_downsample } else { options.allow_upsample };
    if !allowed {
        return Err(Error::Rate { from, to });
    }
    // Whole numbers, as in Kaldi.
    resample(&samples, from as u32, to as u32).map_err(Error::Resample)
}

/// Adds the noise of an utterance, which is the same wherever and whenever that utterance is worked on.
pub(crate) fn dither(samples: &mut [f32], utt: &BStr, options: &FrameOptions) {
    if options.dither != 0.0 {
        Noise::new(options.seed, utt).add(options.dither, 0, samples);
    }
}

/// Computes the features of samples, which have the scale of 16-bit integers and a rate of `rate` Hz, as [`extract`](crate::tables::extract)
/// does for the utterance `utt`: at the rate that is wanted, with the noise of this utterance, warped by the factor `warp`.
/// Their mean is subtracted if `subtract_mean` is true.
///
/// # Errors
/// If the samples have another rate and may not be resampled, or the features cannot be computed.
pub fn extract_samples<E: Extractor + ?Sized>(
    extractor: &E,
    samples: Vec<f32>,
    rate: f32,
    utt: &BStr,
    warp: f32,
    subtract_mean: bool,
) -> Result<Matrix<f32>> {
    let mut samples = at_rate(samples, rate, extractor.frames())?;
    dither(&mut samples, utt, extractor.frames());
    let (mut feats, report) = extractor.compute_reported(&samples, warp)?;
    if let Some(report) = report {
        log_mel(&report);
    }
    let num_silent = feats.rows().filter(|frame| frame.iter().any(|value| value.is_nan())).count();
    if num_silent > 0 {
        warning!("{utt}: {num_silent} frames have no energy and features that are not numbers; `dither` prevents that");
    }
    if subtract_mean && !feats.is_empty() {
        CmvnStats::of(&feats).apply(false, &mut feats)?;
    }
    Ok(feats)
}

/// Logs the weights of filters and the energies in them.
fn log_mel(MelReport { banks, energies }: &MelReport) {
    let numbers = |numbers: &[f32]| {
        numbers.iter().map(|number| Digits(f64::from(*number), 6).to_string() + " ").collect::<String>()
    };
    for (nth, bin) in banks.bins().iter().enumerate() {
        log!("bin {nth}, offset = {}, vec = [ {}]", bin.first, numbers(&bin.weights));
    }
    for frame in energies.rows() {
        log!("MEL BANKS: {}", numbers(frame));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> FrameOptions {
        FrameOptions { sample_frequency: 8000.0, ..FrameOptions::default() }
    }

    #[test]
    fn rates_are_converted_where_that_is_allowed() {
        let wave = vec![1.0; 1600];
        assert_eq!(at_rate(wave.clone(), 8000.0, &options()).unwrap(), wave);
        let message = |from| at_rate(wave.clone(), from, &options()).unwrap_err().to_string();
        assert_eq!(
            message(16000.0),
            "Waveform and config sample Frequency mismatch: 16000 .vs 8000 (`allow_downsample = true` would downsample the \
             waveform)"
        );
        assert!(message(6000.0).ends_with("(`allow_upsample = true` would upsample the waveform)"));
        let mut down = options();
        down.allow_downsample = true;
        assert_eq!(at_rate(wave.clone(), 16000.0, &down).unwrap().len(), 800);
        assert!(at_rate(wave.clone(), 6000.0, &down).is_err());
        let mut up = options();
        up.allow_upsample = true;
        assert_eq!(at_rate(wave.clone(), 4000.0, &up).unwrap().len(), 3200);
        assert!(at_rate(wave, 16000.0, &up).is_err());
    }

    #[test]
    fn noise_is_that_of_the_utterance_and_the_seed() {
        let noisy = |utt: &str, dither, seed| {
            let mut wave = vec![0.0; 1000];
            let mut options = options();
            (options.dither, options.seed) = (dither, seed);
            super::dither(&mut wave, BStr::new(utt), &options);
            wave
        };
        assert_eq!(noisy("a", 0.0, 0), [0.0; 1000]);
        assert_eq!(noisy("a", 1.0, 0), noisy("a", 1.0, 0));
        assert!(noisy("a", 1.0, 0) != noisy("b", 1.0, 0) && noisy("a", 1.0, 0) != noisy("a", 1.0, 1));
        let energy = |wave: Vec<f32>| wave.iter().map(|sample| sample * sample).sum::<f32>() / 1000.0;
        assert!((energy(noisy("a", 3.0, 0)) - 9.0).abs() < 1.5);
    }
}
