"""Arrays as the core takes them: float32, in C order."""

from __future__ import annotations

import typing
import warnings

import numpy as np

from ._errors import ArgumentError, ArgumentTypeError

if typing.TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]


def one_channel(
    samples: typing.Any, rate: float | None, usual_rate: float, channel: int, scale: float | None, *, depth: int
) -> tuple[Floats, float]:
    """One channel of the samples, and their rate. Warnings are those of the caller `depth` calls up."""
    wave_rate = getattr(samples, "rate", None)
    array = plain(samples.array if wave_rate is not None else samples)
    its_rate = float(rate if rate is not None else wave_rate if wave_rate is not None else usual_rate)
    if wave_rate is not None and its_rate != wave_rate:
        raise ArgumentError(f"expected rate to be that of the wave, {wave_rate}, got {rate}")
    if not 0.0 < its_rate < float("inf"):
        raise ArgumentError(f"expected rate to be positive, got {rate}")
    if array.ndim == 2 and wave_rate is None and (array.shape[0] == 1 or 1 < array.shape[0] < array.shape[1]):
        # Of one channel, there is no doubt what (1, n) means.
        if array.shape[0] > 1:
            raise ArgumentError(f"expected samples as (n,) or (n, channels), got an array of {array.shape}: pass its transpose")
        array = array.T
    if array.ndim == 2:
        channels = array.shape[1]
        if channels == 0:
            raise ArgumentError(f"expected 1 channel or more, got an array of {array.shape}")
        if not -1 <= channel < channels:
            raise ArgumentError(f"expected channel to be from -1 to {channels - 1}, got {channel}")
        if channel == -1 and channels > 1:
            warnings.warn(f"there are {channels} channels, and the first one is taken: pass channel=0", stacklevel=depth)
        array = array[:, max(channel, 0)]
    elif array.ndim != 1:
        raise ArgumentError(f"expected samples as (n,) or (n, channels), got an array of {array.ndim} dimensions")
    elif channel > 0:
        raise ArgumentError(f"expected channel to be -1 or 0 for one channel, got {channel}")
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


def plain(values: typing.Any) -> npt.NDArray[typing.Any]:
    """An array without a mask. Masked elements are refused: what is below them is no value."""
    if np.ma.is_masked(values):
        raise ArgumentError("some elements are masked: fill them first, for example by array.filled(0)")
    return np.asarray(values)


def floats(array: npt.NDArray[typing.Any]) -> Floats:
    """Numbers as float32, in C order."""
    if array.dtype.kind not in "fi" and array.size:
        raise ArgumentTypeError(f"expected an array of floats or signed integers, got {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float32)


def matrix(feats: typing.Any) -> Floats:
    """Features, `(frames, dim)`."""
    array = floats(plain(feats))
    if array.ndim != 2:
        raise ArgumentError(f"expected features as (frames, dim), got an array of {array.ndim} dimensions")
    return array


def vector(values: typing.Any) -> Floats:
    """One number for each frame."""
    array = floats(plain(values))
    if array.ndim != 1:
        raise ArgumentError(f"expected one number for each frame, got an array of {array.ndim} dimensions")
    return array
