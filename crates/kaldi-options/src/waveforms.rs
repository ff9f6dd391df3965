//! Options of features of waveforms.

use kaldi_feat::extract::{
    EnergyOptions, FbankOptions, FrameOptions, MelOptions, MfccOptions, PlpOptions, SpectrogramOptions, WindowFunction,
};

use crate::{count, refused};

/// Options of [`FrameOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct FrameArguments {
    /// Sample rate of the waveforms in Hz; those of another rate are refused, unless they may be resampled
    #[option(default = 16000.0)]
    pub sample_frequency: f32,
    /// Length of a frame in milliseconds
    #[option(default = 25.0)]
    pub frame_length: f32,
    /// Distance between frames in milliseconds
    #[option(default = 10.0)]
    pub frame_shift: f32,
    /// Coefficient of preemphasis: the part of each sample that is taken from the next one
    #[option(default = 0.97)]
    pub preemphasis_coefficient: f32,
    /// Subtract the mean of each frame
    #[option(default = true)]
    pub remove_dc_offset: bool,
    /// Standard deviation of the noise that is added to every sample (0 means none; set --energy-floor then, to 0.1 or 1
    /// for instance)
    #[option(default = 1.0)]
    pub dither: f32,
    /// Another number gives other noise; with the same one and the same keys, noise is the same in every run
    #[option(default = 0)]
    pub seed: u32,
    /// Window function: hamming, hanning, povey, rectangular, sine or blackman
    #[option(default = "povey")]
    pub window_type: String,
    /// Constant of the generalized Blackman window
    #[option(default = 0.42)]
    pub blackman_coeff: f32,
    /// Make frames as long as a power of two with zeros, before they are transformed
    #[option(default = true)]
    pub round_to_power_of_two: bool,
    /// Take only frames that lie within the waveform; otherwise their number depends on their distance alone, and the
    /// waveform is mirrored at its ends
    #[option(default = true)]
    pub snip_edges: bool,
    /// Accept waveforms of a higher rate than --sample-frequency, and resample them
    #[option]
    pub allow_downsample: bool,
    /// Accept waveforms of a lower rate than --sample-frequency, and resample them
    #[option]
    pub allow_upsample: bool,
    /// Without effect; it limits what Kaldi keeps in memory in online decoding
    #[option(default = -1)]
    pub max_feature_vectors: i32,
}

/// Options of [`MelOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct MelArguments {
    /// Number of triangular mel-frequency bins
    #[option(default = 23)]
    pub num_mel_bins: i32,
    /// Frequency in Hz where the first mel bin starts
    #[option(default = 20.0)]
    pub low_freq: f32,
    /// Frequency in Hz where the last mel bin ends; if 0 or negative, it is added to half the sample rate
    #[option(default = 0.0)]
    pub high_freq: f32,
    /// Frequency in Hz of the lower bend of the piecewise linear VTLN warping
    #[option(default = 100.0)]
    pub vtln_low: f32,
    /// Frequency in Hz of the upper bend of the piecewise linear VTLN warping; if negative, it is added to half the sample
    /// rate
    #[option(default = -500.0)]
    pub vtln_high: f32,
    /// Log the weights of the mel bins, and the energy in each of them for every frame
    #[option]
    pub debug_mel: bool,
}

/// Options of [`EnergyOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct EnergyArguments {
    /// Floor of the energy of a frame, not of its logarithm; worth setting, to 0.1 or 1 for instance, where energy is
    /// among the features and --dither=0
    #[option(default = 0.0)]
    pub energy_floor: f32,
    /// Take the energy before preemphasis and window
    #[option(default = true)]
    pub raw_energy: bool,
}

/// Options of [`MfccOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct MfccArguments {
    /// The frames.
    #[flatten]
    pub frames: FrameArguments,
    /// The mel filters.
    #[flatten]
    pub mel: MelArguments,
    /// The energy.
    #[flatten]
    pub energy: EnergyArguments,
    /// Number of cepstra, C0 included
    #[option(default = 13)]
    pub num_ceps: i32,
    /// Use the log energy of the frame instead of C0
    #[option(default = true)]
    pub use_energy: bool,
    /// Constant of the scaling of cepstra (0 means none)
    #[option(default = 22.0)]
    pub cepstral_lifter: f32,
    /// Put energy or C0 last, and C0 times the square root of 2; for features like those of HTK, other options have to be
    /// set as well
    #[option]
    pub htk_compat: bool,
}

/// Options of [`FbankOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct FbankArguments {
    /// The frames.
    #[flatten]
    pub frames: FrameArguments,
    /// The mel filters.
    #[flatten]
    pub mel: MelArguments,
    /// The energy.
    #[flatten]
    pub energy: EnergyArguments,
    /// Add the log energy of the frame as one more value, the first
    #[option]
    pub use_energy: bool,
    /// Put the energy last; for features like those of HTK, other options have to be set as well
    #[option]
    pub htk_compat: bool,
    /// Write logarithms
    #[option(default = true)]
    pub use_log_fbank: bool,
    /// Sum power, not magnitude
    #[option(default = true)]
    pub use_power: bool,
}

/// Options of [`PlpOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct PlpArguments {
    /// The frames.
    #[flatten]
    pub frames: FrameArguments,
    /// The mel filters.
    #[flatten]
    pub mel: MelArguments,
    /// The energy.
    #[flatten]
    pub energy: EnergyArguments,
    /// Order of the linear prediction
    #[option(default = 12)]
    pub lpc_order: i32,
    /// Number of cepstra, C0 included
    #[option(default = 13)]
    pub num_ceps: i32,
    /// Use the log energy of the frame instead of C0
    #[option(default = true)]
    pub use_energy: bool,
    /// Power to which loudness grows with energy
    #[option(default = 0.33333)]
    pub compress_factor: f32,
    /// Constant of the scaling of cepstra (0 means none)
    #[option(default = 22)]
    pub cepstral_lifter: i32,
    /// Multiply cepstra by this
    #[option(default = 1.0)]
    pub cepstral_scale: f32,
    /// Put energy or C0 last; for features like those of HTK, other options have to be set as well
    #[option]
    pub htk_compat: bool,
}

/// Options of [`SpectrogramOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct SpectrogramArguments {
    /// The frames.
    #[flatten]
    pub frames: FrameArguments,
    /// The energy, which replaces frequency 0.
    #[flatten]
    pub energy: EnergyArguments,
    /// Write the complex spectrum: real and imaginary parts by turns, but first the two real numbers of frequency 0 and of
    /// half the sample rate
    #[option]
    pub return_raw_fft: bool,
}

impl TryFrom<&FrameArguments> for FrameOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &FrameArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.sample_frequency = arguments.sample_frequency;
        options.frame_length = arguments.frame_length;
        options.frame_shift = arguments.frame_shift;
        options.preemphasis_coefficient = arguments.preemphasis_coefficient;
        options.remove_dc_offset = arguments.remove_dc_offset;
        options.dither = arguments.dither;
        options.seed = arguments.seed;
        options.window = window(&arguments.window_type, arguments.blackman_coeff)?;
        options.round_to_power_of_two = arguments.round_to_power_of_two;
        options.snip_edges = arguments.snip_edges;
        options.allow_downsample = arguments.allow_downsample;
        options.allow_upsample = arguments.allow_upsample;
        Ok(options)
    }
}

/// The window function of this name.
fn window(name: &str, blackman_coeff: f32) -> Result<WindowFunction, kaldi_feat::Error> {
    if !blackman_coeff.is_finite() {
        return Err(refused("blackman-coeff", "a finite number", blackman_coeff));
    }
    Ok(match name.parse()? {
        WindowFunction::Blackman { .. } => WindowFunction::Blackman { coefficient: blackman_coeff },
        other => other,
    })
}

impl TryFrom<&MelArguments> for MelOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &MelArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.num_mel_bins = count("num-mel-bins", "3 or more", arguments.num_mel_bins)?;
        options.low_freq = arguments.low_freq;
        options.high_freq = arguments.high_freq;
        options.vtln_low = arguments.vtln_low;
        options.vtln_high = arguments.vtln_high;
        options.debug_mel = arguments.debug_mel;
        Ok(options)
    }
}

impl From<&EnergyArguments> for EnergyOptions {
    fn from(arguments: &EnergyArguments) -> Self {
        let mut options = Self::default();
        options.energy_floor = arguments.energy_floor;
        options.raw_energy = arguments.raw_energy;
        options
    }
}

impl TryFrom<&MfccArguments> for MfccOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &MfccArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.frames = (&arguments.frames).try_into()?;
        options.mel = (&arguments.mel).try_into()?;
        options.energy = (&arguments.energy).into();
        options.num_ceps = count("num-ceps", "1 or more", arguments.num_ceps)?;
        options.use_energy = arguments.use_energy;
        options.cepstral_lifter = arguments.cepstral_lifter;
        options.htk_compat = arguments.htk_compat;
        Ok(options)
    }
}

impl TryFrom<&FbankArguments> for FbankOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &FbankArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.frames = (&arguments.frames).try_into()?;
        options.mel = (&arguments.mel).try_into()?;
        options.energy = (&arguments.energy).into();
        options.use_energy = arguments.use_energy;
        options.htk_compat = arguments.htk_compat;
        options.use_log_fbank = arguments.use_log_fbank;
        options.use_power = arguments.use_power;
        Ok(options)
    }
}

impl TryFrom<&PlpArguments> for PlpOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &PlpArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.frames = (&arguments.frames).try_into()?;
        options.mel = (&arguments.mel).try_into()?;
        options.energy = (&arguments.energy).into();
        options.lpc_order = count("lpc-order", "from 0 to 1000", arguments.lpc_order)?;
        options.num_ceps = count("num-ceps", "1 or more", arguments.num_ceps)?;
        options.use_energy = arguments.use_energy;
        options.compress_factor = arguments.compress_factor;
        options.cepstral_lifter = arguments.cepstral_lifter as f32;
        options.cepstral_scale = arguments.cepstral_scale;
        options.htk_compat = arguments.htk_compat;
        Ok(options)
    }
}

impl TryFrom<&SpectrogramArguments> for SpectrogramOptions {
    type Error = kaldi_feat::Error;

    fn try_from(arguments: &SpectrogramArguments) -> Result<Self, kaldi_feat::Error> {
        let mut options = Self::default();
        options.frames = (&arguments.frames).try_into()?;
        options.energy = (&arguments.energy).into();
        options.return_raw_fft = arguments.return_raw_fft;
        Ok(options)
    }
}
