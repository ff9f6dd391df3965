//! The sound and the spectrogram of an utterance, for a page.

use kaldi_feat::extract::{Extractor, Spectrogram, SpectrogramOptions};
use kaldi_plot::{Features, Figure, Panel, PictureFormat, Style, Timing};
use kaldi_values::{Format, Value};
use kaldi_wave::Wave;

use crate::Result;
use crate::corpus::Place;
use crate::job::{cut, read_wave};

/// Seconds of sound in a spectrogram, at most.
const LONGEST: f64 = 120.0;

/// Power is drawn from its maximum down to this much less, as a natural logarithm: 80 dB.
const RANGE: f32 = 18.4;

/// Milliseconds of a frame of the spectrogram, at least.
const FRAME: f32 = 25.0;

/// Reads the sound of an utterance; `None` if it cannot be read.
pub(crate) fn read(place: &Place) -> Option<Wave> {
    let wave = read_wave(place.rxfilename.as_ref()).ok()?;
    match &place.part {
        None => Some(wave),
        Some(part) => cut(&wave, part).ok(),
    }
    .filter(|wave| wave.num_samples() > 0 && wave.sample_rate() > 0.0)
}

/// A PNG file of the spectrogram of all channels together; `None` if the sound is too short.
///
/// # Errors
/// If it cannot be drawn.
pub(crate) fn spectrogram(wave: &Wave) -> Result<Option<Vec<u8>>> {
    let mut options = SpectrogramOptions::default();
    let shift = (1000.0 * wave.duration().min(LONGEST) / 700.0).max(10.0) as f32;
    (options.frames.sample_frequency, options.frames.dither) = (wave.sample_rate(), 0.0);
    let length = shift.max(FRAME);
    (options.frames.frame_length, options.frames.frame_shift) = (length, shift);
    let mono = mono(wave, LONGEST);
    let Ok(feats) = Spectrogram::new(&options).and_then(|spectrogram| spectrogram.compute(&mono, 1.0)) else {
        return Ok(None);
    };
    if feats.is_empty() {
        return Ok(None);
    }
    // Column 0 is the energy; the one beside it stands in its place.
    let mut values = feats;
    (0..values.num_rows()).for_each(|row| values.row_mut(row)[0] = values.row(row)[1]);
    let loudest = values.as_slice().iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut style = Style::default();
    (style.width, style.height, style.font_size) = (760, 240, 12);
    style.low = Some(f64::from(loudest - RANGE));
    style.high = Some(f64::from(loudest.max(loudest - RANGE + 1.0)));
    let features = Features::new(values.as_slice(), values.num_rows(), values.num_cols());
    let timing = Timing::of_windows(f64::from(shift) / 1000.0, f64::from(length) / 1000.0, true)?;
    let figure = Figure { title: "", timing: Some(timing), panels: vec![Panel::Features(features)] };
    Ok(Some(figure.draw(&style, PictureFormat::Png)?.encode()?))
}

/// A WAV file of 16 bits and one channel, with the first `seconds` of the sound.
pub(crate) fn sound(wave: &Wave, seconds: f64) -> Vec<u8> {
    let mut bytes = Vec::new();
    Wave::new(wave.sample_rate(), vec![mono(wave, seconds)]).write(&mut bytes, Format::Binary);
    bytes
}

/// The mean of all channels, for the first `seconds`.
fn mono(wave: &Wave, seconds: f64) -> Vec<f32> {
    let length = ((seconds * f64::from(wave.sample_rate())) as usize).min(wave.num_samples());
    let mut sum = vec![0.0; length];
    for channel in 0..wave.num_channels() {
        sum.iter_mut().zip(wave.channel(channel)).for_each(|(sum, sample)| *sum += sample);
    }
    let scale = 1.0 / wave.num_channels() as f32;
    sum.iter_mut().for_each(|sample| *sample *= scale);
    sum
}
