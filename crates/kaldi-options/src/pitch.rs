//! Options of pitch.

use kaldi_feat::pitch::{PitchExtractionOptions, PitchModelOptions, PitchNormalizerOptions, ProcessPitchOptions};

use crate::count;

/// Options of [`PitchExtractionOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct PitchArguments {
    /// Sample rate of the waveforms in Hz; those of another rate are refused
    #[option(name = "sample-frequency", default = 16_000.0)]
    pub sample_frequency: f32,
    /// Length of a frame in milliseconds
    #[option(default = 25.0)]
    pub frame_length: f32,
    /// Distance between frames in milliseconds
    #[option(default = 10.0)]
    pub frame_shift: f32,
    /// Coefficient of preemphasis: each sample loses this part of the one before it (deprecated)
    #[option(name = "preemphasis-coefficient", default = 0.0)]
    pub preemphasis_coefficient: f32,
    /// Lowest pitch that can be found, in Hz
    #[option(name = "min-f0", default = 50.0)]
    pub min_f0: f32,
    /// Highest pitch that can be found, in Hz
    #[option(name = "max-f0", default = 400.0)]
    pub max_f0: f32,
    /// Pitch in Hz that is as unlikely as one without correlation; lower than --min-f0. It makes low pitch less likely
    #[option(name = "soft-min-f0", default = 10.0)]
    pub soft_min_f0: f32,
    /// Cost of changes of pitch: the larger, the smoother
    #[option(default = 0.1)]
    pub penalty_factor: f32,
    /// Cutoff frequency of the low-pass filter for the waveform, in Hz
    #[option(default = 1000.0)]
    pub lowpass_cutoff: f32,
    /// Sample rate in Hz to which the waveform is converted; at least twice --lowpass-cutoff
    #[option(name = "resample-frequency", default = 4000.0)]
    pub resample_frequency: f32,
    /// Relative distance of the pitch values that are distinguished
    #[option(default = 0.005)]
    pub delta_pitch: f32,
    /// Lowers the correlation of frames that are quiet compared with the others: the larger, the more
    #[option(default = 7000.0)]
    pub nccf_ballast: f32,
    /// For tests: compare the energy of a frame with that of the samples before its end, not with that of all that are known
    #[option]
    pub nccf_ballast_online: bool,
    /// Zeros on each side of the low-pass filter for the waveform: the more, the sharper
    #[option(default = 1)]
    pub lowpass_filter_width: i32,
    /// Zeros on each side of the filter that interpolates correlations
    #[option(default = 5)]
    pub upsample_filter_width: i32,
    /// Process this many frames of the waveform at a time, as online decoding does (0: the whole waveform)
    #[option(default = 0)]
    pub frames_per_chunk: i32,
    /// Write each frame as online decoding sees it first, not as it is known in the end; needs --frames-per-chunk
    #[option]
    pub simulate_first_pass_online: bool,
    /// After this many frames, or at the end, go over them again, since more is known of the energy (with
    /// --frames-per-chunk)
    #[option(default = 500)]
    pub recompute_frame: i32,
    /// Let a frame wait for this many later ones at most, until its pitch is settled (with --simulate-first-pass-online)
    #[option(default = 0)]
    pub max_frames_latency: i32,
    /// Write only frames that lie within the waveform; if false, as many as it has frame shifts
    #[option(default = true)]
    pub snip_edges: bool,
}

/// Options of [`ProcessPitchOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct ProcessPitchArguments {
    /// Multiply the normalized log pitch by this
    #[option(default = 2.0)]
    pub pitch_scale: f32,
    /// Multiply the voicing feature by this
    #[option(default = 2.0)]
    pub pov_scale: f32,
    /// Add this to the voicing feature, in place of mean normalization
    #[option(default = 0.0)]
    pub pov_offset: f32,
    /// Multiply the derivative of the log pitch by this
    #[option(default = 10.0)]
    pub delta_pitch_scale: f32,
    /// Standard deviation of noise that is added to the derivative before it is scaled, to hide the steps in which pitch
    /// was measured
    #[option(default = 0.005)]
    pub delta_pitch_noise_stddev: f32,
    /// Frames before a frame that the normalization of its pitch takes in
    #[option(default = 75)]
    pub normalization_left_context: i32,
    /// Frames after a frame that the normalization of its pitch takes in
    #[option(default = 75)]
    pub normalization_right_context: i32,
    /// Frames on each side of a frame that the derivative takes in
    #[option(default = 2)]
    pub delta_window: i32,
    /// Frames by which everything comes later
    #[option(default = 0)]
    pub delay: i32,
    /// Write the voicing feature, a warped cross-correlation
    #[option(default = true)]
    pub add_pov_feature: bool,
    /// Write the log pitch less its mean around, weighted by the probability of voicing
    #[option(default = true)]
    pub add_normalized_log_pitch: bool,
    /// Write the derivative of the log pitch
    #[option(default = true)]
    pub add_delta_pitch: bool,
    /// Write the log pitch
    #[option]
    pub add_raw_log_pitch: bool,
}

/// Options of [`PitchModelOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct PitchModelArguments {
    /// Distance between the pitches that the model knows, in Hz
    #[option(default = 4.0)]
    pub pitch_interval: f32,
    /// How much the model smooths: closer to zero it follows the measured pitch more faithfully
    #[option(default = 1.0e-5)]
    pub interpolator_factor: f32,
    /// Probability of voicing that the model uses where it was measured as 1; below 1 even such a pitch may be changed
    #[option(default = 0.9)]
    pub max_voicing_prob: f32,
    /// How far the pitch may move from frame to frame, in Hz; more than that ever happens only costs time
    #[option(default = 10.0)]
    pub max_pitch_change_per_frame: f32,
}

/// Options of [`PitchNormalizerOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct PitchNormalizerArguments {
    /// Frames of the window whose mean is subtracted from the log pitch; odd
    #[option(default = 151)]
    pub normalization_window_size: i32,
    /// Frames of the window over which the result is averaged; odd
    #[option(default = 5)]
    pub average_window_size: i32,
}

impl TryFrom<&PitchArguments> for PitchExtractionOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &PitchArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.sample_frequency = arguments.sample_frequency;
        options.frame_length = arguments.frame_length;
        options.frame_shift = arguments.frame_shift;
        options.preemphasis_coefficient = arguments.preemphasis_coefficient;
        options.min_f0 = arguments.min_f0;
        options.max_f0 = arguments.max_f0;
        options.soft_min_f0 = arguments.soft_min_f0;
        options.penalty_factor = arguments.penalty_factor;
        options.lowpass_cutoff = arguments.lowpass_cutoff;
        options.resample_frequency = arguments.resample_frequency;
        options.delta_pitch = arguments.delta_pitch;
        options.nccf_ballast = arguments.nccf_ballast;
        options.nccf_ballast_online = arguments.nccf_ballast_online;
        options.lowpass_filter_width = count("lowpass-filter-width", "positive", arguments.lowpass_filter_width)?;
        options.upsample_filter_width = count("upsample-filter-width", "positive", arguments.upsample_filter_width)?;
        options.frames_per_chunk = count("frames-per-chunk", "0 or more", arguments.frames_per_chunk)?;
        options.simulate_first_pass_online = arguments.simulate_first_pass_online;
        options.recompute_frame = usize::try_from(arguments.recompute_frame).unwrap_or(0);
        options.max_frames_latency = usize::try_from(arguments.max_frames_latency).unwrap_or(0);
        options.snip_edges = arguments.snip_edges;
        Ok(options)
    }
}

impl TryFrom<&ProcessPitchArguments> for ProcessPitchOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &ProcessPitchArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.pitch_scale = arguments.pitch_scale;
        options.pov_scale = arguments.pov_scale;
        options.pov_offset = arguments.pov_offset;
        options.delta_pitch_scale = arguments.delta_pitch_scale;
        options.delta_pitch_noise_stddev = arguments.delta_pitch_noise_stddev;
        options.normalization_left_context =
            count("normalization-left-context", "0 or more", arguments.normalization_left_context)?;
        options.normalization_right_context =
            count("normalization-right-context", "0 or more", arguments.normalization_right_context)?;
        options.delta_window = match count("delta-window", "from 1 to 999", arguments.delta_window) {
            Err(error) if arguments.add_delta_pitch => return Err(error),
            frames => frames.unwrap_or(0),
        };
        options.delay = count("delay", "0 or more", arguments.delay)?;
        options.add_pov_feature = arguments.add_pov_feature;
        options.add_normalized_log_pitch = arguments.add_normalized_log_pitch;
        options.add_delta_pitch = arguments.add_delta_pitch;
        options.add_raw_log_pitch = arguments.add_raw_log_pitch;
        Ok(options)
    }
}

impl From<&PitchModelArguments> for PitchModelOptions {
    fn from(arguments: &PitchModelArguments) -> Self {
        let mut options = Self::default();
        options.pitch_interval = arguments.pitch_interval;
        options.interpolator_factor = arguments.interpolator_factor;
        options.max_voicing_prob = arguments.max_voicing_prob;
        options.max_pitch_change_per_frame = arguments.max_pitch_change_per_frame;
        options
    }
}

impl TryFrom<&PitchNormalizerArguments> for PitchNormalizerOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &PitchNormalizerArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.normalization_window_size =
            count("normalization-window-size", "odd and positive", arguments.normalization_window_size)?;
        options.average_window_size = count("average-window-size", "odd and positive", arguments.average_window_size)?;
        Ok(options)
    }
}
