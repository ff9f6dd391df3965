"""The options of features: names and defaults are those of the tools (a test compares them)."""

from __future__ import annotations

import dataclasses

from ._options import ToolOptions, with_advice

# Options of the tools that choose tables, not values.
_TABLES = frozenset(["vtln_map", "utt2spk"])


@dataclasses.dataclass
class _FrameOptions(ToolOptions):
    """Waveforms in frames."""

    _elsewhere = _TABLES

    #: Sample rate of the waveforms in Hz; those of another rate are refused, unless they may be resampled
    sample_frequency: float = 16000.0
    #: Length of a frame in milliseconds
    frame_length: float = 25.0
    #: Distance between frames in milliseconds
    frame_shift: float = 10.0
    #: Coefficient of preemphasis
    preemphasis_coefficient: float = 0.97
    #: Subtract the mean of each frame
    remove_dc_offset: bool = True
    #: Standard deviation of the noise that is added to every sample
    dither: float = 1.0
    #: Another number gives other noise
    seed: int = 0
    #: hamming, hanning, povey, rectangular, sine or blackman
    window_type: str = "povey"
    #: Constant of the generalized Blackman window
    blackman_coeff: float = 0.42
    #: Make frames as long as a power of two with zeros
    round_to_power_of_two: bool = True
    #: Take only frames that lie within the waveform
    snip_edges: bool = True
    #: Accept waveforms of a higher rate, and resample them
    allow_downsample: bool = False
    #: Accept waveforms of a lower rate, and resample them
    allow_upsample: bool = False
    #: Without effect, as in the tools
    max_feature_vectors: int = -1
    #: Subtract the mean of the features
    subtract_mean: bool = False
    #: Channel to take, counted from 0; -1 expects one only, and takes the first of several with a warning
    channel: int = -1
    #: Samples that are shorter than this are an error, in seconds
    min_duration: float = 0.0


@dataclasses.dataclass
class _EnergyOptions(_FrameOptions):
    #: Floor of the energy of a frame, not of its logarithm
    energy_floor: float = 0.0
    #: Take the energy before preemphasis and window
    raw_energy: bool = True


@dataclasses.dataclass
class _MelOptions(_EnergyOptions):
    #: Number of triangular mel-frequency bins
    num_mel_bins: int = 23
    #: Frequency in Hz where the first mel bin starts
    low_freq: float = 20.0
    #: Frequency in Hz where the last mel bin ends; if 0 or negative, it is added to half the sample rate
    high_freq: float = 0.0
    #: Frequency in Hz of the lower bend of the VTLN warping
    vtln_low: float = 100.0
    #: Frequency in Hz of the upper bend of the VTLN warping; if negative, it is added to half the sample rate
    vtln_high: float = -500.0
    #: Log the weights of the mel bins, and the energy in each of them
    debug_mel: bool = False
    #: VTLN warp factor
    vtln_warp: float = 1.0


@with_advice
@dataclasses.dataclass
class FbankOptions(_MelOptions):
    """The options of `compute-fbank-feats`.

    >>> import kaldi_tables as kt
    >>> kt.feats.FbankOptions(num_mel_bins=80).num_mel_bins
    80
    >>> kt.feats.FbankOptions(num_mel_bin=80)
    Traceback (most recent call last):
    kaldi_tables.ArgumentTypeError: FbankOptions has no option 'num_mel_bin': did you mean 'num_mel_bins'?
    """

    _kind = "fbank"

    #: Add the log energy of the frame as one more value, the first
    use_energy: bool = False
    #: Put the energy last
    htk_compat: bool = False
    #: Logarithms
    use_log_fbank: bool = True
    #: Sum power, not magnitude
    use_power: bool = True


@with_advice
@dataclasses.dataclass
class MfccOptions(_MelOptions):
    """The options of `compute-mfcc-feats`."""

    _kind = "mfcc"

    #: Number of cepstra, C0 included
    num_ceps: int = 13
    #: Use the log energy of the frame instead of C0
    use_energy: bool = True
    #: Constant of the scaling of cepstra (0 means none)
    cepstral_lifter: float = 22.0
    #: Put energy or C0 last, and C0 times the square root of 2
    htk_compat: bool = False


@with_advice
@dataclasses.dataclass
class PlpOptions(_MelOptions):
    """The options of `compute-plp-feats`."""

    _kind = "plp"

    #: Order of the linear prediction
    lpc_order: int = 12
    #: Number of cepstra, C0 included
    num_ceps: int = 13
    #: Use the log energy of the frame instead of C0
    use_energy: bool = True
    #: Power to which loudness grows with energy
    compress_factor: float = 0.33333
    #: Constant of the scaling of cepstra (0 means none)
    cepstral_lifter: int = 22
    #: Multiply cepstra by this
    cepstral_scale: float = 1.0
    #: Put energy or C0 last
    htk_compat: bool = False


@with_advice
@dataclasses.dataclass
class SpectrogramOptions(_EnergyOptions):
    """The options of `compute-spectrogram-feats`."""

    _kind = "spectrogram"

    #: The complex spectrum: real and imaginary parts by turns
    return_raw_fft: bool = False


@with_advice
@dataclasses.dataclass
class PitchOptions(ToolOptions):
    """The options of `compute-kaldi-pitch-feats`."""

    _kind = "pitch"

    #: Sample rate of the waveforms in Hz; those of another rate are refused
    sample_frequency: float = 16000.0
    #: Length of a frame in milliseconds
    frame_length: float = 25.0
    #: Distance between frames in milliseconds
    frame_shift: float = 10.0
    #: Coefficient of preemphasis
    preemphasis_coefficient: float = 0.0
    #: Lowest pitch that can be found, in Hz
    min_f0: float = 50.0
    #: Highest pitch that can be found, in Hz
    max_f0: float = 400.0
    #: Pitch in Hz that is as unlikely as one without correlation
    soft_min_f0: float = 10.0
    #: Cost of changes of pitch
    penalty_factor: float = 0.1
    #: Cutoff frequency of the low-pass filter for the waveform, in Hz
    lowpass_cutoff: float = 1000.0
    #: Sample rate in Hz to which the waveform is converted
    resample_frequency: float = 4000.0
    #: Relative distance of the pitch values that are distinguished
    delta_pitch: float = 0.005
    #: Lowers the correlation of frames that are quiet compared with the others
    nccf_ballast: float = 7000.0
    #: For tests: compare the energy of a frame with that of the samples before its end
    nccf_ballast_online: bool = False
    #: Zeros on each side of the low-pass filter for the waveform
    lowpass_filter_width: int = 1
    #: Zeros on each side of the filter that interpolates correlations
    upsample_filter_width: int = 5
    #: Process this many frames at a time, as online decoding does (0: the whole waveform)
    frames_per_chunk: int = 0
    #: Each frame as online decoding sees it first; needs frames_per_chunk
    simulate_first_pass_online: bool = False
    #: After this many frames go over them again (with frames_per_chunk)
    recompute_frame: int = 500
    #: Let a frame wait for this many later ones at most (with simulate_first_pass_online)
    max_frames_latency: int = 0
    #: Only frames that lie within the waveform
    snip_edges: bool = True


@with_advice
@dataclasses.dataclass
class ProcessPitchOptions(ToolOptions):
    """The options of `process-kaldi-pitch-feats`."""

    _kind = "process-pitch"

    #: Multiply the normalized log pitch by this
    pitch_scale: float = 2.0
    #: Multiply the voicing feature by this
    pov_scale: float = 2.0
    #: Add this to the voicing feature
    pov_offset: float = 0.0
    #: Multiply the derivative of the log pitch by this
    delta_pitch_scale: float = 10.0
    #: Standard deviation of noise that is added to the derivative before it is scaled
    delta_pitch_noise_stddev: float = 0.005
    #: Frames before a frame that the normalization of its pitch takes in
    normalization_left_context: int = 75
    #: Frames after a frame that the normalization of its pitch takes in
    normalization_right_context: int = 75
    #: Frames on each side of a frame that the derivative takes in
    delta_window: int = 2
    #: Frames by which everything comes later
    delay: int = 0
    #: The voicing feature
    add_pov_feature: bool = True
    #: The log pitch less its mean around
    add_normalized_log_pitch: bool = True
    #: The derivative of the log pitch
    add_delta_pitch: bool = True
    #: The log pitch
    add_raw_log_pitch: bool = False
    #: What the noise depends on: table (all utterances before) or entry (the key alone)
    random: str = "table"
    #: Seed of the noise of derivatives
    srand: int = 0
