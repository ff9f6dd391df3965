//! Options of pitch.

/// The options of pitch tracking (Kaldi's `PitchExtractionOptions`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct PitchExtractionOptions {
    /// Sample rate of the waveforms in Hz; those of another rate are refused
    #[cfg_attr(feature = "options", arg(long = "sample-frequency", default_value_t = 16_000.0))]
    pub sample_frequency: f32,
    /// Length of a frame in milliseconds
    #[cfg_attr(feature = "options", arg(long, default_value_t = 25.0))]
    pub frame_length: f32,
    /// Distance between frames in milliseconds
    #[cfg_attr(feature = "options", arg(long, default_value_t = 10.0))]
    pub frame_shift: f32,
    /// Coefficient of preemphasis: each sample loses this part of the one before it (deprecated)
    #[cfg_attr(feature = "options", arg(long = "preemphasis-coefficient", default_value_t = 0.0))]
    pub preemphasis_coefficient: f32,
    /// Lowest pitch that can be found, in Hz
    #[cfg_attr(feature = "options", arg(long = "min-f0", default_value_t = 50.0))]
    pub min_f0: f32,
    /// Highest pitch that can be found, in Hz
    #[cfg_attr(feature = "options", arg(long = "max-f0", default_value_t = 400.0))]
    pub max_f0: f32,
    /// Pitch in Hz that is as unlikely as one without correlation; lower than --min-f0. It makes low pitch less likely
    #[cfg_attr(feature = "options", arg(long = "soft-min-f0", default_value_t = 10.0))]
    pub soft_min_f0: f32,
    /// Cost of changes of pitch: the larger, the smoother
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0.1))]
    pub penalty_factor: f32,
    /// Cutoff frequency of the low-pass filter for the waveform, in Hz
    #[cfg_attr(feature = "options", arg(long, default_value_t = 1000.0))]
    pub lowpass_cutoff: f32,
    /// Sample rate in Hz to which the waveform is converted; at least twice --lowpass-cutoff
    #[cfg_attr(feature = "options", arg(long = "resample-frequency", default_value_t = 4000.0))]
    pub resample_frequency: f32,
    /// Relative distance of the pitch values that are told apart
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0.005))]
    pub delta_pitch: f32,
    /// Lowers the correlation of frames that are quiet compared with the others: the larger, the more
    #[cfg_attr(feature = "options", arg(long, default_value_t = 7000.0))]
    pub nccf_ballast: f32,
    /// For tests: compare the energy of a frame with that of the samples before its end, not with that of all that are known
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
    pub nccf_ballast_online: bool,
    /// Zeros on each side of the low-pass filter for the waveform: the more, the sharper
    #[cfg_attr(feature = "options", arg(long, default_value_t = 1))]
    pub lowpass_filter_width: i32,
    /// Zeros on each side of the filter that interpolates correlations
    #[cfg_attr(feature = "options", arg(long, default_value_t = 5))]
    pub upsample_filter_width: i32,
    /// Process this many frames of the waveform at a time, as online decoding does (0: the whole waveform)
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0))]
    pub frames_per_chunk: i32,
    /// Write each frame as online decoding sees it first, not as it is known in the end; needs --frames-per-chunk
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
    pub simulate_first_pass_online: bool,
    /// After this many frames, or at the end, go over them again, since more is known of the energy (with
    /// --frames-per-chunk)
    #[cfg_attr(feature = "options", arg(long, default_value_t = 500))]
    pub recompute_frame: i32,
    /// Let a frame wait for this many later ones at most, until its pitch is settled (with --simulate-first-pass-online)
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0))]
    pub max_frames_latency: i32,
    /// Write only frames that lie within the waveform; if false, as many as it has frame shifts
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
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

/// The options of what is made of pitch (Kaldi's `ProcessPitchOptions`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct ProcessPitchOptions {
    /// Multiply the normalized log pitch by this
    #[cfg_attr(feature = "options", arg(long, default_value_t = 2.0))]
    pub pitch_scale: f32,
    /// Multiply the voicing feature by this
    #[cfg_attr(feature = "options", arg(long, default_value_t = 2.0))]
    pub pov_scale: f32,
    /// Add this to the voicing feature, in place of mean normalization
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0.0))]
    pub pov_offset: f32,
    /// Multiply the derivative of the log pitch by this
    #[cfg_attr(feature = "options", arg(long, default_value_t = 10.0))]
    pub delta_pitch_scale: f32,
    /// Standard deviation of noise that is added to the derivative before it is scaled, to hide the steps in which pitch
    /// was measured
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0.005))]
    pub delta_pitch_noise_stddev: f32,
    /// Frames before a frame that the normalization of its pitch takes in
    #[cfg_attr(feature = "options", arg(long, default_value_t = 75))]
    pub normalization_left_context: i32,
    /// Frames after a frame that the normalization of its pitch takes in
    #[cfg_attr(feature = "options", arg(long, default_value_t = 75))]
    pub normalization_right_context: i32,
    /// Frames on each side of a frame that the derivative takes in
    #[cfg_attr(feature = "options", arg(long, default_value_t = 2))]
    pub delta_window: i32,
    /// Frames by which everything comes later
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0))]
    pub delay: i32,
    /// Write the voicing feature, a warped cross-correlation
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
    pub add_pov_feature: bool,
    /// Write the log pitch less its mean around, weighted by the probability of voicing
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
    pub add_normalized_log_pitch: bool,
    /// Write the derivative of the log pitch
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
    pub add_delta_pitch: bool,
    /// Write the log pitch
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
    pub add_raw_log_pitch: bool,
}

impl Default for ProcessPitchOptions {
    fn default() -> Self {
        Self {
            pitch_scale: 2.0,
            pov_scale: 2.0,
            pov_offset: 0.0,
            delta_pitch_scale: 10.0,
            delta_pitch_noise_stddev: 0.005,
            normalization_left_context: 75,
            normalization_right_context: 75,
            delta_window: 2,
            delay: 0,
            add_pov_feature: true,
            add_normalized_log_pitch: true,
            add_delta_pitch: true,
            add_raw_log_pitch: false,
        }
    }
}
