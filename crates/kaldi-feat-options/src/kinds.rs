//! The options of each kind of features.

use crate::{EnergyOptions, FrameOptions, MelOptions};

/// The options of MFCC (Kaldi's `MfccOptions`).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct MfccOptions {
    /// The frames.
    #[cfg_attr(feature = "options", command(flatten))]
    pub frames: FrameOptions,
    /// The mel filters.
    #[cfg_attr(feature = "options", command(flatten))]
    pub mel: MelOptions,
    /// The energy.
    #[cfg_attr(feature = "options", command(flatten))]
    pub energy: EnergyOptions,
    /// Number of cepstra, C0 included
    #[cfg_attr(feature = "options", arg(long, default_value_t = 13))]
    pub num_ceps: i32,
    /// Use the log energy of the frame instead of C0
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
    pub use_energy: bool,
    /// Constant of the scaling of cepstra (0 means none)
    #[cfg_attr(feature = "options", arg(long, default_value_t = 22.0))]
    pub cepstral_lifter: f32,
    /// Put energy or C0 last, and C0 times the square root of 2; for features like those of HTK, other options have to be
    /// set as well
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
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
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct FbankOptions {
    /// The frames.
    #[cfg_attr(feature = "options", command(flatten))]
    pub frames: FrameOptions,
    /// The mel filters.
    #[cfg_attr(feature = "options", command(flatten))]
    pub mel: MelOptions,
    /// The energy.
    #[cfg_attr(feature = "options", command(flatten))]
    pub energy: EnergyOptions,
    /// Add the log energy of the frame as one more value, the first
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
    pub use_energy: bool,
    /// Put the energy last; for features like those of HTK, other options have to be set as well
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
    pub htk_compat: bool,
    /// Write logarithms
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
    pub use_log_fbank: bool,
    /// Sum power, not magnitude
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
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
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct PlpOptions {
    /// The frames.
    #[cfg_attr(feature = "options", command(flatten))]
    pub frames: FrameOptions,
    /// The mel filters.
    #[cfg_attr(feature = "options", command(flatten))]
    pub mel: MelOptions,
    /// The energy.
    #[cfg_attr(feature = "options", command(flatten))]
    pub energy: EnergyOptions,
    /// Order of the linear prediction
    #[cfg_attr(feature = "options", arg(long, default_value_t = 12))]
    pub lpc_order: i32,
    /// Number of cepstra, C0 included
    #[cfg_attr(feature = "options", arg(long, default_value_t = 13))]
    pub num_ceps: i32,
    /// Use the log energy of the frame instead of C0
    #[cfg_attr(feature = "options", arg(long, default_value_t = true))]
    pub use_energy: bool,
    /// Power to which loudness grows with energy
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0.33333))]
    pub compress_factor: f32,
    /// Constant of the scaling of cepstra (0 means none)
    #[cfg_attr(feature = "options", arg(long, default_value_t = 22))]
    pub cepstral_lifter: i32,
    /// Multiply cepstra by this
    #[cfg_attr(feature = "options", arg(long, default_value_t = 1.0))]
    pub cepstral_scale: f32,
    /// Put energy or C0 last; for features like those of HTK, other options have to be set as well
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
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
            cepstral_lifter: 22,
            cepstral_scale: 1.0,
            htk_compat: false,
        }
    }
}

/// The options of spectrograms (Kaldi's `SpectrogramOptions`).
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct SpectrogramOptions {
    /// The frames.
    #[cfg_attr(feature = "options", command(flatten))]
    pub frames: FrameOptions,
    /// The energy, which stands in the place of frequency 0.
    #[cfg_attr(feature = "options", command(flatten))]
    pub energy: EnergyOptions,
    /// Write the complex spectrum: real and imaginary parts by turns, but first the two real numbers of frequency 0 and of
    /// half the sample rate
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
    pub return_raw_fft: bool,
}
