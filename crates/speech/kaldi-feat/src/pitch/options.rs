//! The options of pitch.

/// The options of pitch tracking (Kaldi's `PitchExtractionOptions`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct PitchExtractionOptions {
    /// Sample rate of the waveforms in Hz; those of another rate are refused
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().sample_frequency))]
    pub sample_frequency: f32,
    /// Length of a frame in milliseconds
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().frame_length))]
    pub frame_length: f32,
    /// Distance between frames in milliseconds
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().frame_shift))]
    pub frame_shift: f32,
    /// Coefficient of preemphasis: each sample loses this part of the one before it (deprecated)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().preemphasis_coefficient))]
    pub preemphasis_coefficient: f32,
    /// Lowest pitch that can be found, in Hz
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().min_f0))]
    pub min_f0: f32,
    /// Highest pitch that can be found, in Hz
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().max_f0))]
    pub max_f0: f32,
    /// Pitch in Hz that is as unlikely as one without correlation; lower than `min_f0`. It makes low pitch less likely
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().soft_min_f0))]
    pub soft_min_f0: f32,
    /// Cost of changes of pitch: the larger, the smoother
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().penalty_factor))]
    pub penalty_factor: f32,
    /// Cutoff frequency of the low-pass filter for the waveform, in Hz
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().lowpass_cutoff))]
    pub lowpass_cutoff: f32,
    /// Sample rate in Hz to which the waveform is converted; at least twice `lowpass_cutoff`
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().resample_frequency))]
    pub resample_frequency: f32,
    /// Relative distance of the pitch values that are distinguished
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().delta_pitch))]
    pub delta_pitch: f32,
    /// Lowers the correlation of frames that are quiet compared with the others: the larger, the more
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().nccf_ballast))]
    pub nccf_ballast: f32,
    /// For tests: compare the energy of a frame with that of the samples before its end, not with that of all that are known
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().nccf_ballast_online))]
    pub nccf_ballast_online: bool,
    /// Zeros on each side of the low-pass filter for the waveform: the more, the sharper
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().lowpass_filter_width, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub lowpass_filter_width: usize,
    /// Zeros on each side of the filter that interpolates correlations
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().upsample_filter_width, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub upsample_filter_width: usize,
    /// Process this many frames of the waveform at a time, as online decoding does (0: the whole waveform)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().frames_per_chunk, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub frames_per_chunk: usize,
    /// Write each frame as online decoding sees it first, not as it is known in the end; needs `frames_per_chunk`
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().simulate_first_pass_online))]
    pub simulate_first_pass_online: bool,
    /// After this many frames, or at the end, go over them again, since more is known of the energy (with
    /// `frames_per_chunk`)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().recompute_frame, value_name = "int", value_parser = kaldi_value::number::negative_is_zero))]
    pub recompute_frame: usize,
    /// Let a frame wait for this many later ones at most, until its pitch is settled (with `simulate_first_pass_online`)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().max_frames_latency, value_name = "int", value_parser = kaldi_value::number::negative_is_zero))]
    pub max_frames_latency: usize,
    /// Write only frames that lie within the waveform; if false, as many as it has frame shifts
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchExtractionOptions::default().snip_edges))]
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
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct ProcessPitchOptions {
    /// Multiply the normalized log pitch by this
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().pitch_scale))]
    pub pitch_scale: f32,
    /// Multiply the voicing feature by this
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().pov_scale))]
    pub pov_scale: f32,
    /// Add this to the voicing feature, in place of mean normalization
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().pov_offset))]
    pub pov_offset: f32,
    /// Multiply the derivative of the log pitch by this
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().delta_pitch_scale))]
    pub delta_pitch_scale: f32,
    /// Standard deviation of noise that is added to the derivative before it is scaled, to hide the steps in which pitch
    /// was measured
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().delta_pitch_noise_stddev))]
    pub delta_pitch_noise_stddev: f32,
    /// Frames before a frame that the normalization of its pitch takes in
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().normalization_left_context, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub normalization_left_context: usize,
    /// Frames after a frame that the normalization of its pitch takes in
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().normalization_right_context, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub normalization_right_context: usize,
    /// Frames on each side of a frame that the derivative takes in
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().delta_window, value_name = "int", value_parser = kaldi_value::number::negative_is_zero))]
    pub delta_window: usize,
    /// Frames by which everything comes later
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().delay, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub delay: usize,
    /// Write the voicing feature, a warped cross-correlation
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().add_pov_feature))]
    pub add_pov_feature: bool,
    /// Write the log pitch less its mean around, weighted by the probability of voicing
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().add_normalized_log_pitch))]
    pub add_normalized_log_pitch: bool,
    /// Write the derivative of the log pitch
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().add_delta_pitch))]
    pub add_delta_pitch: bool,
    /// Write the log pitch
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ProcessPitchOptions::default().add_raw_log_pitch))]
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
