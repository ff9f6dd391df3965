//! Silence that a recording has at its ends, extended.

use std::cmp::Ordering;

/// The options of adding silence (Kaldi's extend-wav-with-silence), in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SilenceOptions {
    /// How much is added.
    pub extra: f32,
    /// How much of the start and of the end is searched for the quietest piece.
    pub search: f32,
    /// The length of that piece.
    pub extract: f32,
    /// The distance from one piece that is measured to the next.
    pub shift: f32,
}

/// Silence to be added to recordings with one sampling frequency, in samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    extra: usize,
    search: usize,
    extract: usize,
    shift: usize,
}

/// A recording with silence added.
#[derive(Clone, Debug, PartialEq)]
pub struct Extended {
    /// Its samples.
    pub samples: Vec<f32>,
    /// Whether the silence that was found has no energy at all.
    pub is_zero: bool,
}

/// Why silence cannot be added.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SilenceError {
    /// An option makes no sense at this sampling frequency.
    #[error("expected `{option}` to be {expected}, got {got}")]
    Option { option: &'static str, expected: &'static str, got: f32 },
    /// The recording is shorter than the part to search.
    #[error("expected {expected} samples or more to look through for silence, got {got}")]
    Short { expected: usize, got: usize },
}

impl Silence {
    /// Converts seconds to samples, of which there are `sample_rate` a second; fractions are dropped.
    ///
    /// # Errors
    /// If there is nothing to add, a piece has less than two samples or does not fit the part to search, or pieces do
    /// not advance.
    pub fn new(options: &SilenceOptions, sample_rate: f32) -> Result<Self, SilenceError> {
        let refuse = |option, expected, got| Err(SilenceError::Option { option, expected, got });
        // The cast turns negative numbers and NaN into zero.
        let samples = |seconds: f32| (seconds * sample_rate) as usize;
        let SilenceOptions { extra, search, extract, shift } = *options;
        let silence =
            Self { extra: samples(extra), search: samples(search), extract: samples(extract), shift: samples(shift) };
        // More samples could not be written.
        if !(1..1 << 31).contains(&silence.extra) {
            return refuse("extra_silence_length", "one sample or more, and below 2^31", extra);
        }
        if silence.extract < 2 {
            return refuse("silence_extract_length", "two samples or more", extract);
        }
        if extract.partial_cmp(&search) != Some(Ordering::Less) {
            return refuse("silence_extract_length", "less than `silence_search_length`", extract);
        }
        if silence.shift == 0 {
            return refuse("silence_extract_shift", "one sample or more", shift);
        }
        Ok(silence)
    }

    /// Appends silence to a channel of a recording: its quietest piece, repeated under Hamming windows that overlap by
    /// half, and blended into the end.
    ///
    /// # Errors
    /// If the recording is shorter than the part to search.
    pub fn extend(&self, samples: &[f32]) -> Result<Extended, SilenceError> {
        let (piece, energy) = self.quietest(samples)?;
        let size = piece.len();
        let half = size / 2;
        let window: Vec<f32> = (0..size)
            .map(|at| (0.54 - 0.46 * (std::f64::consts::TAU * at as f64 / (size - 1) as f64).cos()) as f32)
            .collect();
        let windowed: Vec<f32> = window.iter().zip(piece).map(|(weight, sample)| weight * sample).collect();

        let mut out = samples.to_vec();
        out.resize(samples.len() + self.extra, 0.0);
        let tail = &mut out[samples.len() - half..];
        tail.iter_mut().zip(&window[half..2 * half]).for_each(|(sample, weight)| *sample *= weight);
        let mut at = 0;
        loop {
            tail[at..].iter_mut().zip(&windowed).for_each(|(sample, silence)| *sample += silence);
            if at + size >= tail.len() {
                return Ok(Extended { samples: out, is_zero: energy == 0.0 });
            }
            at += half;
        }
    }

    /// The piece with the least energy that is not zero, and its energy; the first piece if all others are zero or
    /// louder.
    fn quietest<'a>(&self, samples: &'a [f32]) -> Result<(&'a [f32], f64), SilenceError> {
        let (search, size) = (self.search, self.extract);
        let Some(last_part) = samples.len().checked_sub(search) else {
            return Err(SilenceError::Short { expected: search, got: samples.len() });
        };
        let starts = |from: usize| (from..from + search - size).step_by(self.shift);
        let energy = |piece: &[f32]| piece.iter().map(|&sample| f64::from(sample) * f64::from(sample)).sum::<f64>();
        let first = &samples[..size];
        let mut least = (first, energy(first));
        for start in starts(0).chain(starts(last_part)) {
            let piece = &samples[start..start + size];
            let energy = energy(piece);
            if energy > 0.0 && energy < least.1 {
                least = (piece, energy);
            }
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: SilenceOptions = SilenceOptions { extra: 0.5, search: 0.2, extract: 0.04, shift: 0.01 };

    fn silence() -> Silence {
        Silence::new(&OPTIONS, 1000.0).unwrap()
    }

    /// A second of noise that has a piece of constant height in it.
    fn recording(piece: std::ops::Range<usize>, height: f32) -> Vec<f32> {
        let mut samples: Vec<f32> = (0..1000).map(|at| if at % 2 == 0 { 500.0 } else { -500.0 }).collect();
        samples[piece].fill(height);
        samples
    }

    #[test]
    fn the_quietest_piece_near_an_end_is_found() {
        for start in [0, 50, 100, 150, 810, 900, 950] {
            let samples = recording(start..start + 40, 3.0);
            let (piece, energy) = silence().quietest(&samples).unwrap();
            assert_eq!((piece, energy), ([3.0; 40].as_slice(), 360.0), "{start}");
        }
        let (piece, _) =
            silence().quietest(&recording(400..600, 3.0)).map(|(piece, energy)| (piece.len(), energy)).unwrap();
        assert_eq!(piece, 40, "the middle is not looked through");
        assert_eq!(silence().quietest(&recording(400..600, 3.0)).unwrap().1, 40.0 * 250_000.0);
    }

    #[test]
    fn zeros_are_no_silence_unless_there_is_nothing_else_at_the_begin() {
        let mut samples = recording(100..140, 0.0);
        assert_eq!(silence().quietest(&samples).unwrap().1, 10.0 * 250_000.0, "a piece that is not all zeros");
        samples[..40].fill(0.0);
        assert!(silence().extend(&samples).unwrap().is_zero);
    }

    #[test]
    fn windows_overlap_by_half_up_to_the_last() {
        let samples = recording(0..40, 100.0);
        let extended = silence().extend(&samples).unwrap();
        assert_eq!((extended.samples.len(), extended.is_zero), (1500, false));
        assert_eq!(extended.samples[..980], samples[..980]);
        // The last half window of the recording fades out while the silence fades in.
        assert!(
            extended.samples[980..1000].iter().zip(&samples[980..]).all(|(out, before)| (out - before).abs() < 600.0)
        );
        assert!(extended.samples[1020..1460].iter().all(|sample| (103.0..113.0).contains(sample)));
    }

    #[test]
    fn fractions_of_samples_are_cut_off() {
        let silence = Silence::new(&SilenceOptions { extra: 0.0019, ..OPTIONS }, 1000.0).unwrap();
        assert_eq!(silence.extra, 1);
        assert_eq!(silence.extend(&recording(0..40, 1.0)).unwrap().samples.len(), 1001);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let refuses = |options: SilenceOptions, option: &str| match Silence::new(&options, 1000.0) {
            Err(SilenceError::Option { option: named, .. }) => assert_eq!(named, option),
            other => panic!("{option}: {other:?}"),
        };
        for extra in [0.0, -1.0, 0.0009, f32::NAN, 1e9, f32::INFINITY] {
            refuses(SilenceOptions { extra, ..OPTIONS }, "extra_silence_length");
        }
        for extract in [0.0, 0.0019, -1.0, 0.2, 0.3, f32::NAN] {
            refuses(SilenceOptions { extract, ..OPTIONS }, "silence_extract_length");
        }
        refuses(SilenceOptions { search: f32::NAN, ..OPTIONS }, "silence_extract_length");
        refuses(SilenceOptions { shift: 0.0009, ..OPTIONS }, "silence_extract_shift");
        let short = SilenceError::Short { expected: 200, got: 199 };
        assert_eq!(silence().extend(&[1.0; 199]), Err(short));
        assert_eq!(silence().extend(&[1.0; 200]).unwrap().samples.len(), 700);
    }
}
