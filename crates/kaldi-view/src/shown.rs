//! The sound and the spectrogram of an utterance, for a page.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bstr::{BStr, ByteSlice};
use kaldi_feat::extract::{Extractor, Spectrogram, SpectrogramOptions};
use kaldi_plot::{Colormap, Features, Figure, Panel, PictureFormat, Style, Timing};
use kaldi_values::{Format, Value};
use kaldi_wave::Wave;

use crate::Result;
use crate::corpus::SoundPlace;
use crate::job::{cut, read_wave};

/// Seconds of sound in a spectrogram, at most.
const LONGEST: f64 = 120.0;

/// Power is drawn from its maximum down to this much less, as a natural logarithm: 80 dB.
const RANGE: f32 = 18.4;

/// Shades of grey over this range.
const SHADES: f32 = 14.0;

/// Milliseconds of a frame of the spectrogram, at least.
const FRAME: f32 = 25.0;

/// What is shown of the sound of an utterance.
#[derive(Default)]
pub(crate) struct ShownSound {
    /// A PNG file of its spectrogram.
    pub picture: Option<Vec<u8>>,
    /// The start of it, in one channel.
    pub sound: Option<Wave>,
}

/// What is shown of the sound of the utterances at some places: of each at most `seconds`. A recording is read once.
///
/// # Errors
/// If a picture cannot be drawn.
pub(crate) fn sounds(places: &[Option<&SoundPlace>], seconds: f64) -> Result<Vec<ShownSound>> {
    let mut shown: Vec<ShownSound> = places.iter().map(|_| ShownSound::default()).collect();
    let mut recordings = BTreeMap::<&BStr, Vec<usize>>::new();
    for (at, place) in places.iter().enumerate() {
        if let Some(place) = place {
            recordings.entry(place.rxfilename.as_bstr()).or_default().push(at);
        }
    }
    for (rxfilename, utterances) in recordings {
        let Ok(wave) = read_wave(rxfilename) else { continue };
        for at in utterances {
            let part = match places[at].and_then(|place| place.part.as_ref()) {
                Some(part) => cut(&wave, part).map(Cow::Owned),
                None => Ok(Cow::Borrowed(&wave)),
            };
            let Ok(part) = part else { continue };
            if part.num_samples() > 0 && part.sample_rate() > 0.0 {
                let sound = Wave::new(part.sample_rate(), vec![mono(&part, seconds)]);
                shown[at] = ShownSound { picture: spectrogram(&part)?, sound: Some(sound) };
            }
        }
    }
    Ok(shown)
}

/// A PNG file of the spectrogram of all channels together; `None` if the sound is too short.
///
/// # Errors
/// If it cannot be drawn.
fn spectrogram(wave: &Wave) -> Result<Option<Vec<u8>>> {
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
    // Few shades of grey make a small file.
    let step = RANGE / SHADES;
    let shade =
        |value: f32| if value.is_finite() { loudest - ((loudest - value) / step).round() * step } else { value };
    (0..values.num_rows()).for_each(|row| values.row_mut(row).iter_mut().for_each(|value| *value = shade(*value)));
    let mut style = Style::default();
    (style.width, style.height, style.font_size) = (760, 240, 12);
    style.colormap = Colormap::Gray;
    style.low = Some(f64::from(loudest - RANGE));
    style.high = Some(f64::from(loudest.max(loudest - RANGE + 1.0)));
    let hertz = f64::from(wave.sample_rate()) / 2.0 / (values.num_cols() - 1).max(1) as f64;
    let features = Features::new(values.as_slice(), values.num_rows(), values.num_cols()).with_frequencies(hertz);
    let timing = Timing::of_windows(f64::from(shift) / 1000.0, f64::from(length) / 1000.0, true)?;
    let figure = Figure { title: "", timing: Some(timing), panels: vec![Panel::Features(features)] };
    Ok(Some(figure.draw(&style, PictureFormat::Png)?.encode_small()?))
}

/// Bytes of a WAV file before the samples.
const HEADER: usize = 44;

/// The bytes of the WAV file of a sound, as characters of a page.
pub(crate) fn characters(sound: &Wave) -> usize {
    (HEADER + 2 * sound.num_samples()).div_ceil(3) * 4
}

/// A WAV file of 16 bits with the start of a sound, which takes at most `room` characters of a page.
pub(crate) fn wav_file(sound: &Wave, room: usize) -> Vec<u8> {
    let length = ((room / 4 * 3).saturating_sub(HEADER) / 2).min(sound.num_samples());
    let mut bytes = Vec::new();
    Wave::new(sound.sample_rate(), vec![sound.channel(0)[..length].to_vec()]).write(&mut bytes, Format::Binary);
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
