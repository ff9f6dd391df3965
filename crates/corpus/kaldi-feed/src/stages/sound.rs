//! Stages that change sound. Samples that already have features pass unchanged.

use kaldi_wave::RateConverter;

use crate::params::Params;
use crate::yaml::{Node, YamlValue};
use crate::{Data, Error, Refusal, Registry, Result, Sample, SampleShape, Sound, Stage};

pub(super) fn register(registry: &mut Registry) {
    registry.register("channel", channel);
    registry.register("resample", resample);
    registry.register("speed_perturb", speed_perturb);
}

fn channel(params: &mut Params) -> Result<Stage> {
    let channel = params.number("channel", 0, 0)? as usize;
    Ok(Stage::channel(channel))
}

fn resample(params: &mut Params) -> Result<Stage> {
    let to = params.number("resample_rate", 16_000, 1)?;
    let Ok(to) = u32::try_from(to) else {
        return Err(params.error("resample_rate", "a rate in Hz", to));
    };
    Ok(Stage::resample(to))
}

fn speed_perturb(params: &mut Params) -> Result<Stage> {
    let speeds = params.floats("speeds")?.unwrap_or_else(|| vec![0.9, 1.0, 1.1]);
    params.meant("speeds", YamlValue::List(speeds.iter().map(|&speed| Node::new(YamlValue::Float(speed))).collect()));
    let got = format!("{speeds:?}");
    Stage::speed_perturb(speeds).map_err(|_| params.error("speeds", "speeds from 0.1 to 10", got))
}

impl Stage {
    /// `channel`: keeps one channel of sound, counted from 0.
    pub fn channel(channel: usize) -> Self {
        Self::sample(move |sample| {
            let SampleShape::Sound { rate, num_samples, num_channels } = sample.shape() else { return Ok(()) };
            if channel >= num_channels {
                return Err(Refusal::Bad(format!(
                    "expected channel {channel}, counted from 0, got {num_channels} channels"
                )));
            }
            if num_channels > 1 {
                let shape = SampleShape::Sound { rate, num_samples, num_channels: 1 };
                sample.map_sound(shape, move |mut sound| {
                    sound.channels = vec![sound.channels.swap_remove(channel)];
                    Ok(Data::Sound(sound))
                });
            }
            Ok(())
        })
    }

    /// `resample`: converts sound to a rate in Hz.
    pub fn resample(to: u32) -> Self {
        Self::sample(move |sample| convert(sample, |rate| (rate, to), Some(to)))
    }

    /// `speed_perturb`: plays sound at one of these speeds, chosen at random for each utterance.
    ///
    /// # Errors
    /// If there is no speed, or one is not from 0.1 to 10.
    pub fn speed_perturb(speeds: Vec<f64>) -> Result<Self> {
        if let Some(&got) = speeds.iter().find(|speed| !(0.1..=10.0).contains(*speed)) {
            return Err(Error::Speed { got });
        }
        if speeds.is_empty() {
            return Err(Error::Arguments { message: "expected speeds, got none".to_owned() });
        }
        Ok(Self::sample(move |sample| {
            let speed = speeds[sample.draws("speed_perturb").index(speeds.len())];
            convert(sample, |rate| ((f64::from(rate) * speed).round() as u32, rate), None)
        }))
    }
}

/// Converts sound as if it had the first of the two rates that `rates` returns for its own rate. Afterwards it has the
/// rate `as_rate`, or its own.
fn convert(sample: &mut Sample, rates: impl Fn(u32) -> (u32, u32), as_rate: Option<u32>) -> Result<(), Refusal> {
    let SampleShape::Sound { rate, num_samples, num_channels } = sample.shape() else { return Ok(()) };
    let (from, to) = rates(rate);
    if from == to {
        return Ok(());
    }
    let converter = RateConverter::usual(from, to).map_err(|error| error.to_string())?;
    let rate = as_rate.unwrap_or(rate);
    let converted = (u128::from(num_samples) * u128::from(to)).div_ceil(u128::from(from));
    let shape = SampleShape::Sound { rate, num_samples: converted as u64, num_channels };
    sample.map_sound(shape, move |sound| {
        let channels = sound.channels.iter().map(|channel| converter.convert(channel)).collect();
        Ok(Data::Sound(Sound { rate, channels }))
    });
    Ok(())
}
