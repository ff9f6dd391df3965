//! The options of pitch tracking.

use crate::{Error, Result};

/// The options of pitch tracking (Kaldi's `PitchExtractionOptions`).
#[derive(Clone, Debug, clap::Args)]
pub struct PitchExtractionOptions {
    /// Sample rate of the waveforms, in Hz
    #[arg(long = "sample-frequency", default_value_t = 16_000.0)]
    pub sample_frequency: f32,
    /// Length of a frame, in ms
    #[arg(long, default_value_t = 25.0)]
    pub frame_length: f32,
    /// Time from one frame to the next, in ms
    #[arg(long, default_value_t = 10.0)]
    pub frame_shift: f32,
    /// Subtract from each sample the one before it times this (deprecated)
    #[arg(long = "preemphasis-coefficient", default_value_t = 0.0)]
    pub preemphasis_coefficient: f32,
    /// Lowest pitch to be found, in Hz
    #[arg(long = "min-f0", default_value_t = 50.0)]
    pub min_f0: f32,
    /// Highest pitch to be found, in Hz
    #[arg(long = "max-f0", default_value_t = 400.0)]
    pub max_f0: f32,
    /// A pitch this low costs as much as one without any correlation, in Hz; not above --min-f0
    #[arg(long = "soft-min-f0", default_value_t = 10.0)]
    pub soft_min_f0: f32,
    /// Cost of changes of pitch
    #[arg(long, default_value_t = 0.1)]
    pub penalty_factor: f32,
    /// Cutoff of the filter that the waveform goes through, in Hz
    #[arg(long, default_value_t = 1000.0)]
    pub lowpass_cutoff: f32,
    /// Sample rate at which correlations are measured, in Hz; at least twice --lowpass-cutoff
    #[arg(long = "resample-frequency", default_value_t = 4000.0)]
    pub resample_frequency: f32,
    /// Ratio of one pitch to the next that are told apart, less 1
    #[arg(long, default_value_t = 0.005)]
    pub delta_pitch: f32,
    /// The larger this is, the smaller are correlations of frames that are more quiet than others
    #[arg(long, default_value_t = 7000.0)]
    pub nccf_ballast: f32,
    /// Compare the energy of a frame with what came before it only, instead of with all that is known (for tests)
    #[arg(long, default_value_t = false)]
    pub nccf_ballast_online: bool,
    /// Zeros of the filter that the waveform goes through, on each side: more are sharper
    #[arg(long, default_value_t = 1)]
    pub lowpass_filter_width: i32,
    /// Zeros of the filter that correlations go through between their lags, on each side
    #[arg(long, default_value_t = 5)]
    pub upsample_filter_width: i32,
    /// Process so many frames of the waveform at a time, as online decoding does; 0: everything at once
    #[arg(long, default_value_t = 0)]
    pub frames_per_chunk: i32,
    /// Write what online decoding would have seen at first, of each frame as soon as it is there (with
    /// --frames-per-chunk)
    #[arg(long, default_value_t = false)]
    pub simulate_first_pass_online: bool,
    /// Go back over so many first frames once their energy is known, or at the end (with --frames-per-chunk)
    #[arg(long, default_value_t = 500)]
    pub recompute_frame: i32,
    /// Wait for so many frames at most until the pitch of a frame is settled (with --simulate-first-pass-online)
    #[arg(long, default_value_t = 0)]
    pub max_frames_latency: i32,
    /// Write only frames that lie within the waveform; if false, as many as it has frame shifts
    #[arg(long, default_value_t = true)]
    pub snip_edges: bool,
}

impl Default for PitchExtractionOptions {
    fn default() -> Self {
        Self {
            sample_frequency: 16_000.0,
            frame_length: 25.0,
            frame_shift: 10.0,
            preemphasis_coefficient: 0.0,
            min_f0: 50.0,
            max_f0: 400.0,
            soft_min_f0: 10.0,
            penalty_factor: 0.1,
            lowpass_cutoff: 1000.0,
            resample_frequency: 4000.0,
            delta_pitch: 0.005,
            nccf_ballast: 7000.0,
            nccf_ballast_online: false,
            lowpass_filter_width: 1,
            upsample_filter_width: 5,
            frames_per_chunk: 0,
            simulate_first_pass_online: false,
            recompute_frame: 500,
            max_frames_latency: 0,
            snip_edges: true,
        }
    }
}

impl PitchExtractionOptions {
    /// Checks each option for itself.
    pub(super) fn check(&self) -> Result<()> {
        let positive = |name, value: f32| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::option(name, "positive", value)),
        };
        let not_negative = |name, value: f32| match value >= 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(Error::option(name, "0 or more", value)),
        };
        let finite = |name, value: f32| match value.is_finite() {
            true => Ok(()),
            false => Err(Error::option(name, "a finite number", value)),
        };
        for (name, rate) in
            [("sample-frequency", self.sample_frequency), ("resample-frequency", self.resample_frequency)]
        {
            if !(1.0..=1e9).contains(&rate) {
                return Err(Error::option(name, "from 1 to 1000000000", rate));
            }
        }
        positive("frame-length", self.frame_length)?;
        positive("frame-shift", self.frame_shift)?;
        finite("preemphasis-coefficient", self.preemphasis_coefficient)?;
        positive("min-f0", self.min_f0)?;
        positive("max-f0", self.max_f0)?;
        if self.max_f0 < self.min_f0 {
            return Err(Error::option("max-f0", "at least --min-f0", self.max_f0));
        }
        finite("soft-min-f0", self.soft_min_f0)?;
        not_negative("penalty-factor", self.penalty_factor)?;
        positive("lowpass-cutoff", self.lowpass_cutoff)?;
        let min_rate = self.sample_frequency.min(self.resample_frequency).trunc();
        if self.lowpass_cutoff * 2.0 > min_rate {
            let expected = "at most half of --sample-frequency and of --resample-frequency";
            return Err(Error::option("lowpass-cutoff", expected, self.lowpass_cutoff));
        }
        positive("delta-pitch", self.delta_pitch)?;
        not_negative("nccf-ballast", self.nccf_ballast)?;
        for (name, width) in
            [("lowpass-filter-width", self.lowpass_filter_width), ("upsample-filter-width", self.upsample_filter_width)]
        {
            if width < 1 {
                return Err(Error::option(name, "positive", width));
            }
        }
        if self.frames_per_chunk < 0 {
            return Err(Error::option("frames-per-chunk", "0 or more", self.frames_per_chunk));
        }
        if self.frames_per_chunk > 0 && self.chunk_size() == 0 {
            let expected = "so many that they have a sample";
            return Err(Error::option("frames-per-chunk", expected, self.frames_per_chunk));
        }
        if self.simulate_first_pass_online && self.frames_per_chunk == 0 {
            let expected = "false unless there is --frames-per-chunk";
            return Err(Error::option("simulate-first-pass-online", expected, true));
        }
        Ok(())
    }

    /// Samples of the waveform that are processed at a time, where it comes in pieces.
    pub(super) fn chunk_size(&self) -> usize {
        (self.frames_per_chunk as f32 * self.sample_frequency * self.frame_shift / 1000.0) as usize
    }

    /// Samples of the converted signal in `milliseconds`.
    fn num_samples(&self, milliseconds: f32) -> usize {
        (f64::from(self.resample_frequency * milliseconds) / 1000.0) as usize
    }

    /// The samples of a window of which the correlation is measured, and those from one to the next.
    pub(super) fn window_and_shift(&self) -> Result<(usize, usize)> {
        const LIMIT: usize = 1 << 24;
        let (window, shift) = (self.num_samples(self.frame_length), self.num_samples(self.frame_shift));
        let expected = "as long as a sample of --resample-frequency or longer, and not endless";
        if !(1..LIMIT).contains(&window) {
            return Err(Error::option("frame-length", expected, self.frame_length));
        }
        if !(1..LIMIT).contains(&shift) {
            return Err(Error::option("frame-shift", expected, self.frame_shift));
        }
        Ok((window, shift))
    }
}
