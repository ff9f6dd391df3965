//! What is measured of the sound of an utterance.

use std::hash::{DefaultHasher, Hasher};

use crate::bandwidth::bandwidth;
use crate::blocks::Blocks;

/// The size of the largest sample that 16 bits can hold; samples are divided by it.
const FULL_SCALE: f64 = 32768.0;

/// A channel whose samples stay within this part of full scale is not clipped.
const CLIPPED_ABOVE: f32 = 0.01 * FULL_SCALE as f32;

/// As many equal samples at the limit are clipped.
const CLIPPED_RUN: usize = 3;

/// What is measured of the sound of an utterance. Levels are in dB, full scale is 0 dB; `None` is a level of minus infinity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SoundMeasures {
    /// Seconds.
    pub duration: f64,
    /// Samples per second.
    pub rate: f64,
    /// The number of channels.
    pub channels: usize,
    /// The largest sample.
    pub peak: Option<f64>,
    /// The mean of a channel, as a part of full scale: that of the channel where it is largest in size.
    pub offset: f64,
    /// The mean square of all samples after each channel's mean is taken off.
    pub level: Option<f64>,
    /// The share of samples that stand in runs of three equal ones or more at the largest or smallest value of their channel.
    pub clipped: f64,
    /// The share of blocks of 20 ms whose samples are all zero.
    pub zeros: f64,
    /// How far the loud blocks (95 % are quieter) are above the quiet ones (10 % are quieter), in dB.
    pub snr: Option<f64>,
    /// The share of blocks that are silent.
    pub silence: f64,
    /// Seconds before the first block that is not silent.
    pub lead: f64,
    /// Seconds after the last block that is not silent.
    pub trail: f64,
    /// The highest frequency in Hz with at least a millionth of the power of the strongest one.
    pub bandwidth: Option<f64>,
    /// A number that is the same for the same samples, rate and channels.
    pub fingerprint: u64,
}

impl SoundMeasures {
    /// Measures the sound of `channels` of one length, at the 16-bit scale (-32768 to 32767); `rate` is in Hz.
    ///
    /// # Panics
    /// If the channels differ in length.
    pub fn of(rate: f64, channels: &[&[f32]]) -> Self {
        let num_samples = channels.first().map_or(0, |channel| channel.len());
        assert!(channels.iter().all(|channel| channel.len() == num_samples), "channels of one length");
        let total = (num_samples * channels.len()) as f64;
        let sums: Vec<ChannelSums> = channels.iter().map(|channel| ChannelSums::of(channel)).collect();
        let peak = sums.iter().map(|sums| sums.peak).fold(0.0, f64::max);
        let offset =
            sums.iter().map(|sums| sums.mean).fold(0.0, |largest: f64, mean| match mean.abs() > largest.abs() {
                true => mean,
                false => largest,
            });
        let mean_square = sums.iter().map(|sums| sums.squares).sum::<f64>() / total.max(1.0);
        let clipped: usize = sums.iter().map(|sums| sums.clipped).sum();
        let mono = average(channels);
        let mean = sums.iter().map(|sums| sums.mean).sum::<f64>() / channels.len().max(1) as f64;
        let blocks = Blocks::of(rate, &mono, mean);
        Self {
            duration: num_samples as f64 / rate,
            rate,
            channels: channels.len(),
            peak: decibels(peak * peak),
            offset: offset / FULL_SCALE,
            level: decibels(mean_square),
            clipped: clipped as f64 / total.max(1.0),
            zeros: blocks.zeros,
            snr: blocks.snr,
            silence: blocks.silence,
            lead: blocks.lead,
            trail: blocks.trail,
            bandwidth: bandwidth(rate, &mono, mean),
            fingerprint: fingerprint(rate, channels),
        }
    }
}

/// The level of a mean square at the 16-bit scale; `None` if it is zero or no number.
fn decibels(mean_square: f64) -> Option<f64> {
    (mean_square > 0.0).then(|| 10.0 * (mean_square / (FULL_SCALE * FULL_SCALE)).log10())
}

/// The mean of the channels, sample by sample.
pub(crate) fn average<'a>(channels: &[&'a [f32]]) -> std::borrow::Cow<'a, [f32]> {
    match channels {
        [] => (&[]).into(),
        [mono] => (*mono).into(),
        [first, others @ ..] => {
            let mut sum = first.to_vec();
            for channel in others {
                sum.iter_mut().zip(*channel).for_each(|(sum, sample)| *sum += sample);
            }
            let scale = 1.0 / channels.len() as f32;
            sum.iter_mut().for_each(|sample| *sample *= scale);
            sum.into()
        }
    }
}

/// A number that is the same for the same samples, rate and channels.
pub(crate) fn fingerprint(rate: f64, channels: &[&[f32]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(rate.to_bits());
    hasher.write_usize(channels.len());
    let mut bytes = [0; 4096];
    for channel in channels {
        for part in channel.chunks(bytes.len() / 4) {
            for (to, sample) in bytes.chunks_exact_mut(4).zip(part) {
                // Zero has two forms.
                to.copy_from_slice(&(sample + 0.0).to_le_bytes());
            }
            hasher.write(&bytes[..4 * part.len()]);
        }
    }
    hasher.finish()
}

/// What is summed over a channel.
struct ChannelSums {
    /// The size of the largest sample.
    peak: f64,
    mean: f64,
    /// The sum of squares after the mean is taken off.
    squares: f64,
    clipped: usize,
}

impl ChannelSums {
    fn of(samples: &[f32]) -> Self {
        // Sums of some hundred samples of 16 bits are exact; so the order of all sums does not matter.
        let sum: f64 = samples.iter().map(|&sample| f64::from(sample)).sum();
        let mean = sum / samples.len().max(1) as f64;
        let squares = samples.iter().map(|&sample| (f64::from(sample) - mean).powi(2)).sum();
        let largest = samples.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let smallest = samples.iter().copied().fold(f32::INFINITY, f32::min);
        let peak = if samples.is_empty() { 0.0 } else { largest.abs().max(smallest.abs()) };
        let is_clipped = |run: &[f32]| run.len() >= CLIPPED_RUN && (run[0] == largest || run[0] == smallest);
        let clipped = match peak > CLIPPED_ABOVE {
            true => samples.chunk_by(PartialEq::eq).filter(|run| is_clipped(run)).map(<[f32]>::len).sum(),
            false => 0,
        };
        Self { peak: peak.into(), mean, squares, clipped }
    }
}
