"""Values for the tests of `kaldi_tables.compat.kaldiio`, and how they are compared."""

from __future__ import annotations

import numpy as np

RNG = np.random.default_rng(22)
FLOATS = {
    "f32": RNG.standard_normal((7, 3)).astype(np.float32),
    "f64": RNG.standard_normal((4, 5)),
    "v32": RNG.standard_normal(6).astype(np.float32),
    "v64": RNG.standard_normal(3),
    "empty": np.zeros((0, 0), np.float32),
    "wide": np.zeros((0, 9), np.float64),
    "none": np.zeros(0, np.float32),
}
INTS = {"ints": np.array([1, -2, 2**31 - 1, -(2**31)], np.int32), "no-ints": np.zeros(0, np.int32)}
WAVES = {
    "mono": (8000, np.arange(-50, 50, dtype=np.int16)),
    "stereo": (44100, np.arange(100, dtype=np.int16).reshape(-1, 2)),
    "bytes": (16000, np.arange(101, dtype=np.uint8)),
}
ALL = {**FLOATS, **INTS, **WAVES}


def same(one: object, other: object) -> None:
    if isinstance(one, tuple):
        assert isinstance(other, tuple) and one[0] == other[0]
        one, other = one[1], other[1]
    assert isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
    assert one.dtype.newbyteorder("=") == other.dtype.newbyteorder("=") and one.shape == other.shape
    np.testing.assert_array_equal(one, other)


def same_tables(one: object, other: object) -> None:
    one, other = dict(one), dict(other)
    assert list(one) == list(other)
    for key in one:
        same(one[key], other[key])
