"""Arrays as the core takes them: float32, in C order."""

from __future__ import annotations

import typing
import warnings

import numpy as np

if typing.TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]


def one_channel(
    samples: typing.Any, rate: float | None, usual_rate: float, channel: int, scale: float | None, *, depth: int
) -> tuple[Floats, float]:
    """One channel of the samples, and their rate. Warnings are those of the caller `depth` calls up."""
    wave_rate = getattr(samples, "rate", None)
    array = np.asarray(samples.array if wave_rate is not None else samples)
    its_rate = float(rate if rate is not None else wave_rate if wave_rate is not None else usual_rate)
    if wave_rate is not None and its_rate != wave_rate:
        raise ValueError(f"expected rate to be that of the wave, {wave_rate}, got {rate}")
    if not 0.0 < its_rate < float("inf"):
        raise ValueError(f"expected rate to be positive, got {rate}")
    if array.ndim == 2:
        channels = array.shape[1]
        if not -1 <= channel < channels:
            raise ValueError(f"expected channel to be from -1 to {channels - 1}, got {channel}")
        if channel == -1 and channels > 1:
            warnings.warn(f"there are {channels} channels, and the first one is taken: pass channel=0", stacklevel=depth)
        array = array[:, max(channel, 0)]
    elif array.ndim != 1:
        raise ValueError(f"expected samples as (n,) or (n, channels), got an array of {array.ndim} dimensions")
    elif channel > 0:
        raise ValueError(f"expected channel to be -1 or 0 for one channel, got {channel}")
    wave = floats(array)
    if scale is not None:
        return wave * np.float32(scale), its_rate
    if array.dtype.kind == "f" and wave.size and wave.max() <= 1.0 and wave.min() >= -1.0 and wave.any():
        warnings.warn(
            "all samples are from -1 to 1, and samples are taken in 16-bit scale: pass scale=32768 (or scale=1 if they are right)",
            UserWarning,
            stacklevel=depth,
        )
    return wave, its_rate


def floats(array: npt.NDArray[typing.Any]) -> Floats:
    """Numbers as float32, in C order."""
    if array.dtype.kind not in "fi" and array.size:
        raise TypeError(f"expected an array of floats or signed integers, got {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float32)


def matrix(feats: typing.Any) -> Floats:
    """Features, `(frames, dim)`."""
    array = floats(np.asarray(feats))
    if array.ndim != 2:
        raise ValueError(f"expected features as (frames, dim), got an array of {array.ndim} dimensions")
    return array


def vector(values: typing.Any) -> Floats:
    """One number for each frame."""
    array = floats(np.asarray(values))
    if array.ndim != 1:
        raise ValueError(f"expected one number for each frame, got an array of {array.ndim} dimensions")
    return array
