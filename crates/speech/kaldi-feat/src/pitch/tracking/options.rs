//! The allowed values of the options of pitch tracking, and numbers that follow from them.

use crate::pitch::PitchExtractionOptions;

use crate::error::finite;
use crate::{Error, Result};

/// Checks each option separately.
pub(super) fn check(options: &PitchExtractionOptions) -> Result<()> {
    let positive = |name, value: f32| match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Error::option(name, "positive", value)),
    };
    let not_negative = |name, value: f32| match value >= 0.0 && value.is_finite() {
        true => Ok(()),
        false => Err(Error::option(name, "0 or more", value)),
    };
    for (name, rate) in
        [("sample_frequency", options.sample_frequency), ("resample_frequency", options.resample_frequency)]
    {
        if !(1.0..=1e9).contains(&rate) {
            return Err(Error::option(name, "from 1 to 1000000000", rate));
        }
    }
    positive("frame_length", options.frame_length)?;
    positive("frame_shift", options.frame_shift)?;
    finite("preemphasis_coefficient", options.preemphasis_coefficient)?;
    positive("min_f0", options.min_f0)?;
    positive("max_f0", options.max_f0)?;
    if options.max_f0 < options.min_f0 {
        return Err(Error::option("max_f0", "at least `min_f0`", options.max_f0));
    }
    finite("soft_min_f0", options.soft_min_f0)?;
    not_negative("penalty_factor", options.penalty_factor)?;
    positive("lowpass_cutoff", options.lowpass_cutoff)?;
    let min_rate = options.sample_frequency.min(options.resample_frequency).trunc();
    if options.lowpass_cutoff * 2.0 > min_rate {
        let expected = "at most half of `sample_frequency` and of `resample_frequency`";
        return Err(Error::option("lowpass_cutoff", expected, options.lowpass_cutoff));
    }
    positive("delta_pitch", options.delta_pitch)?;
    not_negative("nccf_ballast", options.nccf_ballast)?;
    for (name, width) in [
        ("lowpass_filter_width", options.lowpass_filter_width),
        ("upsample_filter_width", options.upsample_filter_width),
    ] {
        if !(1..=i32::MAX as usize).contains(&width) {
            return Err(Error::option(name, "positive", width));
        }
    }
    if options.frames_per_chunk > 0 && chunk_size(options) == 0 {
        let expected = "long enough for a sample";
        return Err(Error::option("frames_per_chunk", expected, options.frames_per_chunk));
    }
    if options.simulate_first_pass_online && options.frames_per_chunk == 0 {
        let expected = "false unless there is `frames_per_chunk`";
        return Err(Error::option("simulate_first_pass_online", expected, true));
    }
    Ok(())
}

/// The number of samples of the waveform that are processed at a time, if it comes in pieces.
pub(super) fn chunk_size(options: &PitchExtractionOptions) -> usize {
    (options.frames_per_chunk as f32 * options.sample_frequency * options.frame_shift / 1000.0) as usize
}

/// Samples of the converted signal in `milliseconds`.
fn num_samples(options: &PitchExtractionOptions, milliseconds: f32) -> usize {
    (f64::from(options.resample_frequency * milliseconds) / 1000.0) as usize
}

/// The number of samples in the window whose correlation is measured, and from one window to the next.
pub(super) fn window_and_shift(options: &PitchExtractionOptions) -> Result<(usize, usize)> {
    const LIMIT: usize = 1 << 24;
    let (window, shift) = (num_samples(options, options.frame_length), num_samples(options, options.frame_shift));
    let expected = "as long as a sample of `resample_frequency` or longer, and not endless";
    if !(1..LIMIT).contains(&window) {
        return Err(Error::option("frame_length", expected, options.frame_length));
    }
    if !(1..LIMIT).contains(&shift) {
        return Err(Error::option("frame_shift", expected, options.frame_shift));
    }
    Ok((window, shift))
}
