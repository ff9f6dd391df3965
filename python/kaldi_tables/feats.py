"""Features of arrays: what the tools compute of tables, with their options, and equal to the last bit.

Samples are arrays in 16-bit scale (int16, or floats that reach 32767), of one channel, `(n,)` or `(1, n)`, or of several, `(n, channels)`; or a
`kaldi_tables.Wave`, which knows its rate. Features are float32 arrays, `(frames, dim)`. All of it is computed without the GIL.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Sequence

import numpy as np

from . import _core
from ._errors import ArgumentError, ArgumentTypeError
from ._feat_options import (
    FbankOptions,
    MfccOptions,
    PitchOptions,
    PlpOptions,
    ProcessPitchOptions,
    SpectrogramOptions,
    _FrameOptions,
)
from ._options import ToolOptions, word
from ._samples import floats, matrix, one_channel, plain, vector
from ._threads import count_threads

if typing.TYPE_CHECKING:
    import numpy.typing as npt

    from ._samples import Floats

__all__ = [
    "FbankOptions",
    "MfccOptions",
    "PitchOptions",
    "PlpOptions",
    "ProcessPitchOptions",
    "SpectrogramOptions",
    "add_deltas",
    "apply_cmvn",
    "cmvn_stats",
    "fbank",
    "fbank_batch",
    "mfcc",
    "pitch",
    "plp",
    "process_pitch",
    "resample",
    "sliding_cmvn",
    "spec_augment",
    "spectrogram",
    "splice",
    "vad",
]


def __dir__() -> list[str]:
    return list(__all__)


_Options = typing.TypeVar("_Options", bound=ToolOptions)


def fbank(
    samples: typing.Any,
    rate: float | None = None,
    options: FbankOptions | None = None,
    *,
    key: str = "",
    scale: float | None = None,
    **overrides: typing.Any,
) -> Floats:
    """Log mel filterbank energies, as `compute-fbank-feats` computes them for the utterance `key`.

    `rate` is that of the samples in Hz. Without `options` it is also the `sample_frequency`, unless that is given. The noise of `dither`
    depends on `key` and `seed` alone. Samples are multiplied by `scale` first: 32768 for floats from -1 to 1.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> samples = (10000 * np.sin(np.arange(16000) / 10)).astype(np.int16)
    >>> kt.feats.fbank(samples, 16000, num_mel_bins=80, dither=0).shape
    (98, 80)
    """
    return _of_waveform(FbankOptions, samples, rate, options, key, scale, overrides)


def mfcc(
    samples: typing.Any,
    rate: float | None = None,
    options: MfccOptions | None = None,
    *,
    key: str = "",
    scale: float | None = None,
    **overrides: typing.Any,
) -> Floats:
    """Mel frequency cepstral coefficients, as `compute-mfcc-feats` computes them; for the parameters see `fbank`.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> kt.feats.mfcc(np.arange(8000, dtype=np.int16), 8000, key="utt1").shape
    (98, 13)
    """
    return _of_waveform(MfccOptions, samples, rate, options, key, scale, overrides)


def plp(
    samples: typing.Any,
    rate: float | None = None,
    options: PlpOptions | None = None,
    *,
    key: str = "",
    scale: float | None = None,
    **overrides: typing.Any,
) -> Floats:
    """Perceptual linear prediction, as `compute-plp-feats` computes it; for the parameters see `fbank`.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> kt.feats.plp(np.arange(16000, dtype=np.int16), 16000, lpc_order=10, num_ceps=11).shape
    (98, 11)
    """
    return _of_waveform(PlpOptions, samples, rate, options, key, scale, overrides)


def spectrogram(
    samples: typing.Any,
    rate: float | None = None,
    options: SpectrogramOptions | None = None,
    *,
    key: str = "",
    scale: float | None = None,
    **overrides: typing.Any,
) -> Floats:
    """Log power of every frequency, as `compute-spectrogram-feats` computes it; for the parameters see `fbank`.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> kt.feats.spectrogram(np.arange(16000, dtype=np.int16), 16000).shape
    (98, 257)
    """
    return _of_waveform(SpectrogramOptions, samples, rate, options, key, scale, overrides)


def fbank_batch(
    batch: Iterable[typing.Any],
    rate: float | Sequence[float] | None = None,
    options: FbankOptions | None = None,
    *,
    keys: Sequence[str] | None = None,
    scale: float | None = None,
    threads: int | None = None,
    **overrides: typing.Any,
) -> list[Floats]:
    """Filterbank energies of many utterances, on `threads` threads (None: `kaldi_tables.get_num_threads()`).

    Equal to `fbank` of each. `rate` is that of all samples, or has one for each of them; `keys` has one for each of them, too.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> [feats.shape for feats in kt.feats.fbank_batch([np.arange(800), np.arange(1600)], 16000)]
    [(3, 23), (8, 23)]
    """
    chosen = _chosen(FbankOptions, options, overrides)
    waves = list(batch)
    each: typing.Any = [rate] * len(waves) if rate is None or np.ndim(rate) == 0 else rate
    rates: list[float | None] = list(each)
    names = [""] * len(waves) if keys is None else list(keys)
    for what, given in (("rate", rates), ("key", names)):
        if len(given) != len(waves):
            raise ArgumentError(f"expected a {what} for each of {len(waves)} utterances, got {len(given)}")
    prepared = [_prepared(chosen, wave, its_rate, scale, 5) for wave, its_rate in zip(waves, rates)]
    given_rates = {its_rate for _, its_rate in prepared}
    if not _is_rate_chosen(options, overrides) and len(given_rates) == 1:
        chosen.sample_frequency = given_rates.pop()
    threads = count_threads(threads)
    arrays, every_rate = [samples for samples, _ in prepared], [its_rate for _, its_rate in prepared]
    return _core.feats_of_many("fbank", chosen.words(), arrays, every_rate, names, threads)


def pitch(
    samples: typing.Any,
    rate: float | None = None,
    options: PitchOptions | None = None,
    *,
    scale: float | None = None,
    **overrides: typing.Any,
) -> Floats:
    """The pitch of every frame, as `compute-kaldi-pitch-feats` finds it: normalized cross-correlation, and pitch in Hz.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> samples = 10000 * np.sin(np.arange(16000) * (2 * np.pi * 200 / 16000))
    >>> float(np.median(kt.feats.pitch(samples, 16000)[:, 1]).round())
    200.0
    """
    chosen = _chosen(PitchOptions, options, overrides)
    wave, its_rate = one_channel(samples, rate, chosen.sample_frequency, -1, scale, depth=3)
    if not _is_rate_chosen(options, overrides):
        chosen.sample_frequency = its_rate
    return _core.feats_pitch(chosen.words(), wave, its_rate)


def process_pitch(
    samples: typing.Any,
    rate: float | None = None,
    options: ProcessPitchOptions | None = None,
    *,
    key: str = "",
    scale: float | None = None,
    pitch_options: PitchOptions | None = None,
    **overrides: typing.Any,
) -> Floats:
    """Features of pitch for a recognizer.

    Of what `pitch` returns, `(frames, 2)` without `rate`, as `process-kaldi-pitch-feats` computes them. Of samples with their rate, as
    `compute-and-process-kaldi-pitch-feats` does; `overrides` may then be options of both. The noise is that of the first utterance of
    a table or, with `random="entry"`, of the utterance `key`.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> samples = 10000 * np.sin(np.arange(16000) * (2 * np.pi * 200 / 16000))
    >>> pitch = kt.feats.pitch(samples, 16000)
    >>> kt.feats.process_pitch(pitch).shape
    (98, 3)
    >>> bool((kt.feats.process_pitch(samples, 16000) == kt.feats.process_pitch(pitch)).all())
    True
    """
    if rate is None and not hasattr(samples, "rate") and np.ndim(samples) == 2:
        chosen = _chosen(ProcessPitchOptions, options, overrides)
        return _core.feats_process_pitch(chosen.words(), matrix(samples), key)
    ours = {name: value for name, value in overrides.items() if name in ProcessPitchOptions.names()}
    others = {name: value for name, value in overrides.items() if name not in ours}
    chosen, of_pitch = _chosen(ProcessPitchOptions, options, ours), _chosen(PitchOptions, pitch_options, others)
    wave, its_rate = one_channel(samples, rate, of_pitch.sample_frequency, -1, scale, depth=3)
    if not _is_rate_chosen(pitch_options, others):
        of_pitch.sample_frequency = its_rate
    return _core.feats_processed_pitch(of_pitch.words(), chosen.words(), wave, its_rate, key)


def add_deltas(feats: typing.Any, *, delta_order: int = 2, delta_window: int = 2, truncate: int = 0) -> Floats:
    """Appends the derivatives over time, as `add-deltas` does.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> kt.feats.add_deltas(np.zeros((5, 13))).shape
    (5, 39)
    """
    words = _words(delta_order=delta_order, delta_window=delta_window, truncate=truncate)
    return _core.feats_add_deltas(words, matrix(feats))


def splice(feats: typing.Any, left_context: int = 4, right_context: int = 4) -> Floats:
    """Joins each frame with the frames before and after it, as `splice-feats` does.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> kt.feats.splice(np.array([[1.0], [2.0], [3.0]]), 1, 1).tolist()
    [[1.0, 1.0, 2.0], [1.0, 2.0, 3.0], [2.0, 3.0, 3.0]]
    """
    for name, frames in (("left_context", left_context), ("right_context", right_context)):
        if frames < 0:
            raise ArgumentError(f"expected {name} to be 0 or more, got {frames}")
    return _core.feats_splice(matrix(feats), left_context, right_context)


def cmvn_stats(feats: typing.Any, weights: typing.Any = None) -> npt.NDArray[np.float64]:
    """Sums for means and variances, `(2, dim + 1)`, as `compute-cmvn-stats` computes them: of one array, or of all of a list.

    `weights` has a number for each frame, or is a list of such arrays.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> kt.feats.cmvn_stats(np.array([[1.0], [3.0]])).tolist()
    [[4.0, 2.0], [10.0, 0.0]]
    """
    is_one = isinstance(feats, np.ndarray) or hasattr(feats, "__array__")
    arrays = [matrix(feats)] if is_one else [matrix(one) for one in feats]
    given = None if weights is None else [vector(one) for one in ([weights] if is_one else weights)]
    if given is not None and len(given) != len(arrays):
        raise ArgumentError(f"expected weights for each of {len(arrays)} arrays, got {len(given)}")
    return _core.feats_cmvn_stats(arrays, given)


def apply_cmvn(
    feats: typing.Any,
    stats: typing.Any,
    *,
    norm_vars: bool = False,
    norm_means: bool = True,
    skip_dims: str | Sequence[int] = "",
    reverse: bool = False,
) -> Floats:
    """Normalizes means and, with `norm_vars`, variances by statistics, as `apply-cmvn` does.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> feats = np.array([[1.0], [3.0]])
    >>> kt.feats.apply_cmvn(feats, kt.feats.cmvn_stats(feats)).tolist()
    [[-1.0], [1.0]]
    """
    if not norm_means:
        if norm_vars:
            raise ArgumentError("norm_vars does not go with norm_means=False: variances cannot be normalized without means")
        return matrix(feats).copy()
    dims = skip_dims if isinstance(skip_dims, str) else ":".join(str(int(dim)) for dim in skip_dims)
    sums = np.ascontiguousarray(stats, dtype=np.float64)
    if sums.ndim != 2:
        raise ArgumentError(f"expected stats as (2, dim + 1), got an array of {sums.ndim} dimensions")
    return _core.feats_apply_cmvn(matrix(feats), sums, norm_vars, dims, reverse)


def sliding_cmvn(
    feats: typing.Any,
    *,
    center: bool = False,
    cmn_window: int = 600,
    min_cmn_window: int = 100,
    norm_vars: bool = False,
    max_warnings: int = 5,
) -> Floats:
    """Normalizes means and, with `norm_vars`, variances over a sliding window, as `apply-cmvn-sliding` does.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> kt.feats.sliding_cmvn(np.array([[1.0], [3.0]]), cmn_window=300).tolist()
    [[-1.0], [1.0]]
    """
    words = _words(
        center=center,
        cmn_window=cmn_window,
        min_cmn_window=min_cmn_window,
        norm_vars=norm_vars,
        max_warnings=max_warnings,
    )
    return _core.feats_sliding_cmvn(words, matrix(feats))


def vad(
    feats: typing.Any,
    *,
    vad_energy_threshold: float = 5.0,
    vad_energy_mean_scale: float = 0.5,
    vad_frames_context: int = 0,
    vad_proportion_threshold: float = 0.6,
) -> Floats:
    """Decides by its energy, the first column, which frame is voiced (1) and which is not (0), as `compute-vad` does.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> kt.feats.vad(np.array([[20.0], [2.0]])).tolist()
    [1.0, 0.0]
    """
    energies = vector(matrix(feats)[:, 0] if np.size(feats) else [])
    return _core.feats_vad(
        energies, vad_energy_threshold, vad_energy_mean_scale, vad_frames_context, vad_proportion_threshold
    )


def spec_augment(
    feats: typing.Any,
    key: str = "",
    *,
    num_t_mask: int = 2,
    num_f_mask: int = 2,
    max_t: int = 50,
    max_f: int = 10,
    num_t_sub: int = 0,
    max_t_sub: int = 20,
    max_t_trim: int = 0,
    seed: int = 0,
    epoch: int = 0,
) -> Floats:
    """Changes a copy of the features at random, as `spec-augment-feats` does: the changes depend on `key`, `seed` and `epoch` alone.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> masked = kt.feats.spec_augment(np.ones((100, 40)), "utt1", epoch=1)
    >>> masked.shape, bool((masked == 0).any())
    ((100, 40), True)
    """
    changes = {
        "num_t_mask": num_t_mask,
        "num_f_mask": num_f_mask,
        "max_t": max_t,
        "max_f": max_f,
        "num_t_sub": num_t_sub,
        "max_t_sub": max_t_sub,
        "max_t_trim": max_t_trim,
    }
    for name, value in {**changes, "seed": seed, "epoch": epoch}.items():
        if not 0 <= value < 2**32:
            raise ArgumentError(f"expected {name} to be from 0 to {2**32 - 1}, got {value}")
    return _core.feats_spec_augment(matrix(feats), key, changes, seed, epoch)


def resample(samples: typing.Any, from_rate: float | None = None, to_rate: float | None = None) -> typing.Any:
    """Converts samples to another rate with the filter of `resample-wav`.

    int16 comes back as int16, rounded, as the tool writes it; everything else as float32. A `Wave` knows `from_rate`, and comes back as
    a `Wave`.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> kt.feats.resample(np.zeros(16000, dtype=np.int16), 16000, 8000).shape
    (8000,)
    """
    if to_rate is None:
        raise ArgumentTypeError("expected to_rate, got none")
    wave_rate = getattr(samples, "rate", None)
    array = plain(samples.array if wave_rate is not None else samples)
    source = from_rate if from_rate is not None else wave_rate
    if source is None:
        raise ArgumentTypeError("expected from_rate, got none")
    for rate in (source, to_rate):
        if not 1 <= rate < 2**32 or rate != int(rate):
            raise ArgumentError(f"expected a sample rate of whole Hz, got {rate}")
    made = array
    if source != to_rate:
        channels = floats(array)
        rows = [channels] if channels.ndim == 1 else list(channels.T)
        converted = [_core.feats_resample(np.ascontiguousarray(row), int(source), int(to_rate)) for row in rows]
        made = converted[0] if channels.ndim == 1 else np.stack(converted, axis=1)
        if array.dtype == np.int16:
            # Halves are rounded away from zero.
            made = np.clip(np.trunc(made + np.copysign(np.float32(0.5), made)), -32768, 32767).astype(np.int16)
    elif array.dtype != np.int16:
        made = floats(array)
    return samples._replace(rate=to_rate, array=made) if wave_rate is not None else made


def _of_waveform(
    kind: type[_Options],
    samples: typing.Any,
    rate: float | None,
    options: _Options | None,
    key: str,
    scale: float | None,
    overrides: dict[str, typing.Any],
) -> Floats:
    chosen = typing.cast(_FrameOptions, _chosen(kind, options, overrides))
    wave, its_rate = _prepared(chosen, samples, rate, scale, 5)
    if not _is_rate_chosen(options, overrides):
        chosen.sample_frequency = its_rate
    return _core.feats_of_samples(kind._kind, chosen.words(), wave, its_rate, key)


def _chosen(kind: type[_Options], options: _Options | None, overrides: dict[str, typing.Any]) -> _Options:
    """The options of a call, a copy."""
    if options is not None and not isinstance(options, kind):
        raise ArgumentTypeError(f"expected options to be {kind.__name__}, got {type(options).__name__}")
    return kind(**overrides) if options is None else kind(**{**vars(options), **overrides})


def _is_rate_chosen(options: ToolOptions | None, overrides: dict[str, typing.Any]) -> bool:
    """Whether the rate of the features was given, or may differ from that of the samples."""
    return options is not None or not {"sample_frequency", "allow_downsample", "allow_upsample"}.isdisjoint(overrides)


def _prepared(
    options: _FrameOptions, samples: typing.Any, rate: float | None, scale: float | None, depth: int
) -> tuple[Floats, float]:
    wave, its_rate = one_channel(samples, rate, options.sample_frequency, options.channel, scale, depth=depth)
    if len(wave) / its_rate < options.min_duration:
        raise ArgumentError(f"expected samples of {options.min_duration} s or more, got {len(wave) / its_rate} s")
    return wave, its_rate


def _words(**options: object) -> list[str]:
    return [word(name, value) for name, value in options.items()]


for _options in (FbankOptions, MfccOptions, PlpOptions, SpectrogramOptions, PitchOptions, ProcessPitchOptions):
    _options.__module__ = __name__
del _options
