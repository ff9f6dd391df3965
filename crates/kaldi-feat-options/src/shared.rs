//! Options that several kinds of features have.

/// The options of frames (Kaldi's `FrameExtractionOptions`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct FrameOptions {
    /// Sample rate of the waveforms in Hz; those of another rate are refused, unless they may be resampled
    #[cfg_attr(feature = "options", arg(long, default_value_t = 16000.0))]
    pub sample_frequency: f32,
    /// Length of a frame in milliseconds
    #[cfg_attr(feature = "options", arg(long, default_value_t = 25.0))]
    pub frame_length: f32,
    /// Distance between frames in milliseconds
    #[cfg_attr(feature = "options", arg(long, default_value_t = 10.0))]
    pub frame_shift: f32,
    /// Coefficient of preemphasis: the part of each sample that is taken from the next one
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0.97))]
    pub preemphasis_coefficient: f32,
    /// Subtract the mean of each frame
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
    pub remove_dc_offset: bool,
    /// Standard deviation of the noise that is added to every sample (0 means none; set --energy-floor then, to 0.1 or 1
    /// for instance)
    #[cfg_attr(feature = "options", arg(long, default_value_t = 1.0))]
    pub dither: f32,
    /// Another number gives other noise; with the same one and the same keys, noise is the same in every run
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0))]
    pub seed: u32,
    /// Window function: hamming, hanning, povey, rectangular, sine or blackman
    #[cfg_attr(feature = "options", arg(long, default_value = "povey"))]
    pub window_type: String,
    /// Constant of the generalized Blackman window
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0.42))]
    pub blackman_coeff: f32,
    /// Make frames as long as a power of two with zeros, before they are transformed
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
    pub round_to_power_of_two: bool,
    /// Take only frames that lie within the waveform; otherwise their number depends on their distance alone, and the
    /// waveform is mirrored at its ends
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
    pub snip_edges: bool,
    /// Accept waveforms of a higher rate than --sample-frequency, and resample them
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
    pub allow_downsample: bool,
    /// Accept waveforms of a lower rate than --sample-frequency, and resample them
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
    pub allow_upsample: bool,
    /// Without effect; it limits what Kaldi keeps in memory in online decoding
    #[cfg_attr(feature = "options", arg(long, default_value_t = -1))]
    pub max_feature_vectors: i32,
}

impl Default for FrameOptions {
    fn default() -> Self {
        Self {
            sample_frequency: 16000.0,
            frame_length: 25.0,
            frame_shift: 10.0,
            preemphasis_coefficient: 0.97,
            remove_dc_offset: true,
            dither: 1.0,
            seed: 0,
            window_type: "povey".to_owned(),
            blackman_coeff: 0.42,
            round_to_power_of_two: true,
            snip_edges: true,
            allow_downsample: false,
            allow_upsample: false,
            max_feature_vectors: -1,
        }
    }
}

/// The options of mel filters (Kaldi's `MelBanksOptions`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct MelOptions {
    /// Number of triangular mel-frequency bins
    #[cfg_attr(feature = "options", arg(long, default_value_t = 23))]
    pub num_mel_bins: i32,
    /// Frequency in Hz where the first mel bin begins
    #[cfg_attr(feature = "options", arg(long, default_value_t = 20.0))]
    pub low_freq: f32,
    /// Frequency in Hz where the last mel bin ends; if 0 or negative, it is added to half the sample rate
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0.0))]
    pub high_freq: f32,
    /// Frequency in Hz of the lower bend of the piecewise linear VTLN warping
    #[cfg_attr(feature = "options", arg(long, default_value_t = 100.0))]
    pub vtln_low: f32,
    /// Frequency in Hz of the upper bend of the piecewise linear VTLN warping; if negative, it is added to half the sample
    /// rate
    #[cfg_attr(feature = "options", arg(long, default_value_t = -500.0))]
    pub vtln_high: f32,
    /// Log the weights of the mel bins, and the energy in each of them for every frame
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
    pub debug_mel: bool,
    /// Leave the first weight out and floor energies at 1, as HTK does. No option of tools, as in Kaldi.
    #[cfg_attr(feature = "options", arg(skip))]
    pub htk_mode: bool,
}

impl Default for MelOptions {
    fn default() -> Self {
        Self {
            num_mel_bins: 23,
            low_freq: 20.0,
            high_freq: 0.0,
            vtln_low: 100.0,
            vtln_high: -500.0,
            debug_mel: false,
            htk_mode: false,
        }
    }
}

/// The options of a frame's energy, where it is one of the features.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct EnergyOptions {
    /// Floor of the energy of a frame, not of its logarithm; worth setting, to 0.1 or 1 for instance, where energy is
    /// among the features and --dither=0
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0.0))]
    pub energy_floor: f32,
    /// Take the energy before preemphasis and window
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
    pub raw_energy: bool,
}

impl Default for EnergyOptions {
    fn default() -> Self {
        Self { energy_floor: 0.0, raw_energy: true }
    }
}
