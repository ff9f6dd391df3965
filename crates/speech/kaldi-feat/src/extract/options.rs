//! The options of features of waveforms.

use super::WindowFunction;

/// The options of frames (Kaldi's `FrameExtractionOptions`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct FrameOptions {
    /// Sample rate of the waveforms in Hz; those of another rate are refused, unless they may be resampled
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().sample_frequency))]
    pub sample_frequency: f32,
    /// Length of a frame in milliseconds
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().frame_length))]
    pub frame_length: f32,
    /// Distance between frames in milliseconds
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().frame_shift))]
    pub frame_shift: f32,
    /// Coefficient of preemphasis: the part of each sample that is taken from the next one
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().preemphasis_coefficient))]
    pub preemphasis_coefficient: f32,
    /// Subtract the mean of each frame
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().remove_dc_offset))]
    pub remove_dc_offset: bool,
    /// Standard deviation of the noise that is added to every sample (0 means none; set `energy_floor` then, to 0.1 or 1
    /// for instance)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().dither))]
    pub dither: f32,
    /// Another number gives other noise; with the same one and the same keys, noise is the same in every run
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().seed))]
    pub seed: u32,
    /// Window function: hamming, hanning, povey, rectangular, sine or blackman
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = FrameOptions::default().window_type))]
    pub window_type: WindowFunction,
    /// Constant of the generalized Blackman window
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().blackman_coeff))]
    pub blackman_coeff: f32,
    /// Make frames as long as a power of two with zeros, before they are transformed
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().round_to_power_of_two))]
    pub round_to_power_of_two: bool,
    /// Take only frames that lie within the waveform; otherwise their number depends on their distance alone, and the
    /// waveform is mirrored at its ends
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().snip_edges))]
    pub snip_edges: bool,
    /// Accept waveforms of a higher rate than `sample_frequency`, and resample them
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().allow_downsample))]
    pub allow_downsample: bool,
    /// Accept waveforms of a lower rate than `sample_frequency`, and resample them
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().allow_upsample))]
    pub allow_upsample: bool,
    /// Without effect; it limits what Kaldi keeps in memory in online decoding
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameOptions::default().max_feature_vectors))]
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
            window_type: WindowFunction::Povey,
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
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct MelOptions {
    /// Number of triangular mel-frequency bins
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MelOptions::default().num_mel_bins, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub num_mel_bins: usize,
    /// Frequency in Hz where the first mel bin starts
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MelOptions::default().low_freq))]
    pub low_freq: f32,
    /// Frequency in Hz where the last mel bin ends; if 0 or negative, it is added to half the sample rate
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MelOptions::default().high_freq))]
    pub high_freq: f32,
    /// Frequency in Hz of the lower bend of the piecewise linear VTLN warping
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MelOptions::default().vtln_low))]
    pub vtln_low: f32,
    /// Frequency in Hz of the upper bend of the piecewise linear VTLN warping; if negative, it is added to half the sample
    /// rate
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MelOptions::default().vtln_high))]
    pub vtln_high: f32,
    /// Log the weights of the mel bins, and the energy in each of them for every frame
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MelOptions::default().debug_mel))]
    pub debug_mel: bool,
    /// Leave the first weight out and floor energies at 1, as HTK does.
    #[cfg_attr(feature = "cli", arg(skip = MelOptions::default().htk_mode))]
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
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct EnergyOptions {
    /// Floor of the energy of a frame, not of its logarithm; worth setting, to 0.1 or 1 for instance, where energy is
    /// among the features and `dither = 0`
    #[cfg_attr(feature = "cli", arg(long, default_value_t = EnergyOptions::default().energy_floor))]
    pub energy_floor: f32,
    /// Take the energy before preemphasis and window
    #[cfg_attr(feature = "cli", arg(long, default_value_t = EnergyOptions::default().raw_energy))]
    pub raw_energy: bool,
}

impl Default for EnergyOptions {
    fn default() -> Self {
        Self { energy_floor: 0.0, raw_energy: true }
    }
}

/// The options of MFCC (Kaldi's `MfccOptions`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct MfccOptions {
    /// The frames.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub frames: FrameOptions,
    /// The mel filters.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub mel: MelOptions,
    /// The energy.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub energy: EnergyOptions,
    /// Number of cepstra, C0 included
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MfccOptions::default().num_ceps, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub num_ceps: usize,
    /// Use the log energy of the frame instead of C0
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MfccOptions::default().use_energy))]
    pub use_energy: bool,
    /// Constant of the scaling of cepstra (0 means none)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MfccOptions::default().cepstral_lifter))]
    pub cepstral_lifter: f32,
    /// Put energy or C0 last, and C0 times the square root of 2; for features like those of HTK, other options have to be
    /// set as well
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MfccOptions::default().htk_compat))]
    pub htk_compat: bool,
}

impl Default for MfccOptions {
    fn default() -> Self {
        Self {
            frames: FrameOptions::default(),
            mel: MelOptions::default(),
            energy: EnergyOptions::default(),
            num_ceps: 13,
            use_energy: true,
            cepstral_lifter: 22.0,
            htk_compat: false,
        }
    }
}

/// The options of filterbank energies (Kaldi's `FbankOptions`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct FbankOptions {
    /// The frames.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub frames: FrameOptions,
    /// The mel filters.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub mel: MelOptions,
    /// The energy.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub energy: EnergyOptions,
    /// Add the log energy of the frame as one more value, the first
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FbankOptions::default().use_energy))]
    pub use_energy: bool,
    /// Put the energy last; for features like those of HTK, other options have to be set as well
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FbankOptions::default().htk_compat))]
    pub htk_compat: bool,
    /// Write logarithms
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FbankOptions::default().use_log_fbank))]
    pub use_log_fbank: bool,
    /// Sum power, not magnitude
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FbankOptions::default().use_power))]
    pub use_power: bool,
}

impl Default for FbankOptions {
    fn default() -> Self {
        Self {
            frames: FrameOptions::default(),
            mel: MelOptions::default(),
            energy: EnergyOptions::default(),
            use_energy: false,
            htk_compat: false,
            use_log_fbank: true,
            use_power: true,
        }
    }
}

/// The options of PLP (Kaldi's `PlpOptions`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct PlpOptions {
    /// The frames.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub frames: FrameOptions,
    /// The mel filters.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub mel: MelOptions,
    /// The energy.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub energy: EnergyOptions,
    /// Order of the linear prediction
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PlpOptions::default().lpc_order, value_name = "int", value_parser = kaldi_value::number::integer::<usize>(0..=1000)))]
    pub lpc_order: usize,
    /// Number of cepstra, C0 included
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PlpOptions::default().num_ceps, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub num_ceps: usize,
    /// Use the log energy of the frame instead of C0
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PlpOptions::default().use_energy))]
    pub use_energy: bool,
    /// Power to which loudness grows with energy
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PlpOptions::default().compress_factor))]
    pub compress_factor: f32,
    /// Constant of the scaling of cepstra (0 means none)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PlpOptions::default().cepstral_lifter, value_name = "int", value_parser = kaldi_value::number::whole))]
    pub cepstral_lifter: f32,
    /// Multiply cepstra by this
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PlpOptions::default().cepstral_scale))]
    pub cepstral_scale: f32,
    /// Put energy or C0 last; for features like those of HTK, other options have to be set as well
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PlpOptions::default().htk_compat))]
    pub htk_compat: bool,
}

impl Default for PlpOptions {
    fn default() -> Self {
        Self {
            frames: FrameOptions::default(),
            mel: MelOptions::default(),
            energy: EnergyOptions::default(),
            lpc_order: 12,
            num_ceps: 13,
            use_energy: true,
            compress_factor: 0.33333,
            cepstral_lifter: 22.0,
            cepstral_scale: 1.0,
            htk_compat: false,
        }
    }
}

/// The options of spectrograms (Kaldi's `SpectrogramOptions`).
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct SpectrogramOptions {
    /// The frames.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub frames: FrameOptions,
    /// The energy, which replaces frequency 0.
    #[cfg_attr(feature = "cli", command(flatten))]
    pub energy: EnergyOptions,
    /// Write the complex spectrum: real and imaginary parts by turns, but first the two real numbers of frequency 0 and of
    /// half the sample rate
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SpectrogramOptions::default().return_raw_fft))]
    pub return_raw_fft: bool,
}
