//! Rooms and noises added to a waveform.

use crate::{Wave, convolve};

/// A reflection is an early one from this time before the strongest one, in seconds.
const BEFORE_PEAK: f32 = 0.001;
/// A reflection is an early one up to this time after the strongest one, in seconds.
const AFTER_PEAK: f32 = 0.05;

/// A room and noises that are added to a waveform (Kaldi's wav-reverberate).
#[derive(Clone, Debug)]
pub struct Distortion {
    /// The impulse response of the room at the 16-bit scale, where 32768 stands for 1.
    pub response: Option<Wave>,
    /// The noises.
    pub noises: Vec<AddedNoise>,
    /// Which channels meet.
    pub channels: Channels,
    /// Whether the output starts where the strongest reflection is heard, and ends as the input does. Without this, the
    /// response makes the output longer.
    pub shifts: bool,
    /// How loud the output is.
    pub loudness: Loudness,
    /// The duration of the output in seconds: the output is cut, or repeated, to have it.
    pub duration: Option<f32>,
}

/// A noise that is added to a waveform.
#[derive(Clone, Debug)]
pub struct AddedNoise {
    /// The sound of the noise.
    pub wave: Wave,
    /// The ratio in dB of the signal's power to that of the noise.
    pub snr: f32,
    /// The time in seconds at which it starts; after the end of the output nothing of it is heard.
    pub start: f32,
}

/// Which channels of a room and of noises are heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// One of the response and one of the noises.
    One {
        /// The channel of the response.
        response: usize,
        /// The channel of the noises.
        noise: usize,
    },
    /// All channels of the response, each with the channel of the noises that has the same number.
    All,
}

/// How loud the output is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loudness {
    /// As room and noises make it.
    Unchanged,
    /// With the power that the input has.
    AsBefore,
    /// Multiplied by this.
    Scaled(f32),
}

/// Why a waveform cannot be distorted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum DistortionError {
    /// Sampling frequencies differ.
    #[error("expected {what} at {expected} Hz, the sampling frequency of the input, got {got} Hz")]
    Rate { what: &'static str, expected: f32, got: f32 },
    /// There is no such channel.
    #[error("expected a channel of {what} below {num_channels}, the number of its channels, got {got}")]
    Channel { what: &'static str, num_channels: usize, got: usize },
    /// All channels of a response are wanted, but there is no response.
    #[error("expected an impulse response, whose channels the output is to have")]
    NoResponse,
    /// A noise has not as many channels as the response.
    #[error("expected additive signals of {expected} channels, as the impulse response has, got {got}")]
    NoiseChannels { expected: usize, got: usize },
    /// A noise starts before the input.
    #[error("expected additive signals to start at 0 s or later, got {0} s")]
    Start(f32),
    /// The output has no samples, or more than a header can count.
    #[error("expected an output of one sample or more and less than 4 GB, got {0} samples")]
    Length(usize),
}

impl Distortion {
    /// Distorts a channel of `input`.
    ///
    /// Noises are scaled by the power of the input with its early reflections, those from 1 ms before the strongest one
    /// to 50 ms after it. An output that would be silent stays silent, whatever the loudness.
    ///
    /// # Errors
    /// If sampling frequencies differ, a channel that is needed does not exist, a noise starts before the input, or the
    /// output would have no samples or too many.
    pub fn apply(&self, input: &Wave, channel: usize) -> Result<Wave, DistortionError> {
        let signal = pick("the input", input, channel)?;
        let sample_rate = input.sample_rate();
        let same_rate = |what, wave: &Wave| match wave.sample_rate() {
            got if got == sample_rate => Ok(()),
            got => Err(DistortionError::Rate { what, expected: sample_rate, got }),
        };
        self.response.iter().try_for_each(|response| same_rate("an impulse response", response))?;
        self.noises.iter().try_for_each(|noise| same_rate("additive signals", &noise.wave))?;
        let num_channels = self.num_channels()?;
        let num_samples = self.num_samples(input, num_channels)?;

        let mut outputs = Vec::new();
        for output in 0..num_channels {
            let (response, noise) = match self.channels {
                Channels::One { response, noise } => (response, noise),
                Channels::All => (output, output),
            };
            let response =
                self.response.as_ref().map(|wave| pick("the impulse response", wave, response)).transpose()?;
            let mut reverberated = Reverberated::new(signal, response, sample_rate);
            for one in &self.noises {
                reverberated.add(one, pick("additive signals", &one.wave, noise)?, sample_rate)?;
            }
            outputs.push(reverberated.finish(signal, self.shifts, self.loudness, num_samples));
        }
        Ok(Wave::new(sample_rate, outputs))
    }

    fn num_channels(&self) -> Result<usize, DistortionError> {
        if self.channels != Channels::All {
            return Ok(1);
        }
        let expected = self.response.as_ref().ok_or(DistortionError::NoResponse)?.num_channels();
        match self.noises.iter().map(|noise| noise.wave.num_channels()).find(|&got| got != expected) {
            Some(got) => Err(DistortionError::NoiseChannels { expected, got }),
            None => Ok(expected),
        }
    }

    fn num_samples(&self, input: &Wave, num_channels: usize) -> Result<usize, DistortionError> {
        let num_samples = match (self.duration, self.shifts) {
            (Some(duration), _) => (input.sample_rate() * duration) as usize,
            (None, true) => input.num_samples(),
            (None, false) => input.num_samples() + self.response.as_ref().map_or(0, Wave::num_samples) - 1,
        };
        let most = u32::MAX as usize / (2 * num_channels) - 64;
        if (1..=most).contains(&num_samples) { Ok(num_samples) } else { Err(DistortionError::Length(num_samples)) }
    }
}

fn pick<'a>(what: &'static str, wave: &'a Wave, channel: usize) -> Result<&'a [f32], DistortionError> {
    let num_channels = wave.num_channels();
    let missing = DistortionError::Channel { what, num_channels, got: channel };
    if channel < num_channels { Ok(wave.channel(channel)) } else { Err(missing) }
}

/// A signal in a room.
struct Reverberated {
    samples: Vec<f32>,
    /// The power of the signal with its early reflections, over the length that it then has.
    early_power: f64,
    /// The sample at which the strongest reflection of the signal starts.
    peak: usize,
}

impl Reverberated {
    fn new(signal: &[f32], response: Option<&[f32]>, sample_rate: f32) -> Self {
        let Some(response) = response else {
            return Self { samples: signal.to_vec(), early_power: power(signal), peak: 0 };
        };
        let response: Vec<f32> = response.iter().map(|sample| sample / 32768.0).collect();
        let peak = peak(&response);
        let early_power = power(&convolve(early(&response, peak, sample_rate), signal));
        Self { samples: convolve(&response, signal), early_power, peak }
    }

    /// Adds one channel of a noise.
    fn add(&mut self, noise: &AddedNoise, samples: &[f32], sample_rate: f32) -> Result<(), DistortionError> {
        if noise.start.is_nan() || noise.start < 0.0 {
            return Err(DistortionError::Start(noise.start));
        }
        let own = power(samples) + f64::from(f32::EPSILON);
        let factor = (10_f64.powf(f64::from(-noise.snr / 10.0)) * self.early_power / own).sqrt() as f32;
        let start = (noise.start * sample_rate) as usize;
        self.samples.iter_mut().skip(start).zip(samples).for_each(|(sample, noise)| *sample += noise * factor);
        Ok(())
    }

    /// The output of `num_samples` samples; if there are fewer, they are repeated. `signal` is the input.
    fn finish(&self, signal: &[f32], shifts: bool, loudness: Loudness, num_samples: usize) -> Vec<f32> {
        let factor = match loudness {
            Loudness::Unchanged => 1.0,
            Loudness::Scaled(factor) => factor,
            Loudness::AsBefore => match power(&self.samples) {
                0.0 => 1.0,
                after => (power(signal) / after).sqrt() as f32,
            },
        };
        let kept = &self.samples[if shifts { self.peak } else { 0 }..][..signal.len()];
        kept.iter().cycle().take(num_samples).map(|sample| sample * factor).collect()
    }
}

/// The mean of the squares, summed in 64 bits.
fn power(signal: &[f32]) -> f64 {
    signal.iter().map(|&sample| f64::from(sample) * f64::from(sample)).sum::<f64>() / signal.len() as f64
}

/// The index of the greatest sample, the first of equals.
fn peak(response: &[f32]) -> usize {
    let greater = |best: usize, at: usize| if response[at] > response[best] { at } else { best };
    (0..response.len()).reduce(greater).unwrap_or(0)
}

/// The early reflections.
fn early(response: &[f32], peak: usize, sample_rate: f32) -> &[f32] {
    // The cast turns negative numbers into zero.
    let start = (peak as f32 - BEFORE_PEAK * sample_rate) as usize;
    let end = (peak as f32 + AFTER_PEAK * sample_rate) as usize;
    // The strongest reflection is always one of them, however low the sampling frequency is.
    &response[start.min(peak)..end.clamp(peak + 1, response.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f32 = 8000.0;

    fn wave(channels: &[&[f32]]) -> Wave {
        Wave::new(RATE, channels.iter().map(|channel| channel.to_vec()).collect())
    }

    fn signal() -> Vec<f32> {
        (0..4000).map(|at| 3000.0 * (at as f32 * 0.3).sin()).collect()
    }

    /// A response with reflections upside down, so that its sums add nothing (see `convolve`).
    fn response(length: usize, reflections: &[(usize, f32)]) -> Wave {
        let mut samples = vec![0.0; length];
        for &(at, height) in reflections {
            samples[at] += height * 32768.0;
            samples[at + 2] -= height * 32768.0;
        }
        wave(&[&samples])
    }

    fn plain() -> Distortion {
        Distortion {
            response: None,
            noises: Vec::new(),
            channels: Channels::One { response: 0, noise: 0 },
            shifts: true,
            loudness: Loudness::Unchanged,
            duration: None,
        }
    }

    fn noise(samples: &[f32], snr: f32, start: f32) -> AddedNoise {
        AddedNoise { wave: wave(&[samples]), snr, start }
    }

    fn applied(distortion: &Distortion) -> Vec<f32> {
        distortion.apply(&wave(&[&signal()]), 0).unwrap().into_channels().remove(0)
    }

    #[test]
    fn noise_has_the_power_that_its_ratio_says() {
        let hiss: Vec<f32> = (0..4000).map(|at| ((at * 7919) % 1001) as f32 - 500.0).collect();
        for snr in [-10.0, 0.0, 13.0] {
            let out = applied(&Distortion { noises: vec![noise(&hiss, snr, 0.0)], ..plain() });
            let added: Vec<f32> = out.iter().zip(signal()).map(|(out, signal)| out - signal).collect();
            let got = 10.0 * (power(&signal()) / power(&added)).log10();
            assert!((got - f64::from(snr)).abs() < 0.001, "{got} instead of {snr}");
        }
    }

    /// In a room, noise is measured by what comes early of the signal: here half of it, in a longer signal.
    #[test]
    fn noise_is_measured_by_early_reflections() {
        let room = response(3000, &[(100, 0.5), (2000, 0.9)]);
        // The strongest is the late one, and what is more than 1 ms before it does not count as early.
        let quiet =
            Distortion { response: Some(room), noises: vec![noise(&[1.0; 4000], 0.0, 0.0)], shifts: false, ..plain() };
        let silent = Distortion { noises: Vec::new(), ..quiet.clone() };
        let both = applied(&quiet).into_iter().zip(applied(&silent)).take(4000);
        let added: Vec<f32> = both.map(|(one, other)| one - other).collect();
        let early = response(11, &[(8, 0.9)]);
        let heard = convolve(&early.channel(0).iter().map(|sample| sample / 32768.0).collect::<Vec<_>>(), &signal());
        // 8 samples before and 400 after, as far as the response has them.
        let length = (4000 + 8 + 400 - 1) as f64;
        let expected = heard.iter().map(|&sample| f64::from(sample).powi(2)).sum::<f64>() / length;
        assert!((power(&added) / expected - 1.0).abs() < 1e-3, "{} instead of {expected}", power(&added));
    }

    #[test]
    fn the_output_may_be_as_loud_as_the_input() {
        let room = response(600, &[(0, 0.1), (300, 0.4), (400, -0.2)]);
        let distortion = Distortion { response: Some(room), loudness: Loudness::AsBefore, ..plain() };
        // All of it, with what is heard after the end of the input, has its power.
        let all = Distortion { shifts: false, duration: Some(0.5), ..distortion };
        let reverberated = Reverberated::new(&signal(), all.response.as_ref().map(|wave| wave.channel(0)), RATE);
        let factor = (power(&signal()) / power(&reverberated.samples)).sqrt() as f32;
        let out = applied(&all);
        assert!(out.iter().zip(&reverberated.samples).all(|(out, sample)| (out - sample * factor).abs() < 0.01));
    }

    #[test]
    fn early_reflections_lie_around_the_peak() {
        let samples: Vec<f32> = (0..1000).map(|at| at as f32).collect();
        assert_eq!(early(&samples, 500, RATE), &samples[492..900]);
        assert_eq!(early(&samples, 3, RATE), &samples[..403]);
        assert_eq!(early(&samples, 990, RATE), &samples[982..]);
        assert_eq!(early(&samples, 7, 1.0), &samples[6..8], "1 ms is next to nothing");
        assert_eq!(early(&samples[..1], 0, RATE), &samples[..1]);
        assert_eq!(peak(&[1.0, 5.0, 5.0, -9.0]), 1);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refuses = |distortion: Distortion, error: DistortionError| {
            assert_eq!(distortion.apply(&wave(&[&signal()]), 0), Err(error));
        };
        let other = Wave::new(16000.0, vec![vec![1.0]]);
        let rate = |what| DistortionError::Rate { what, expected: 8000.0, got: 16000.0 };
        refuses(Distortion { response: Some(other.clone()), ..plain() }, rate("an impulse response"));
        let noises = vec![AddedNoise { wave: other, snr: 0.0, start: 0.0 }];
        refuses(Distortion { noises, ..plain() }, rate("additive signals"));
        refuses(Distortion { channels: Channels::All, ..plain() }, DistortionError::NoResponse);
        refuses(Distortion { duration: Some(1e-6), ..plain() }, DistortionError::Length(0));
        refuses(Distortion { noises: vec![noise(&[1.0], 0.0, -0.5)], ..plain() }, DistortionError::Start(-0.5));
        let missing = DistortionError::Channel { what: "the input", num_channels: 1, got: 1 };
        assert_eq!(plain().apply(&wave(&[&signal()]), 1), Err(missing));
    }
}
