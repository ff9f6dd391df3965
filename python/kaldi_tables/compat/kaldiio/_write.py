"""Values as bytes, in any of the forms that kaldiio has, and the files that they go to."""

from __future__ import annotations

import io
import os
import pickle
import re
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from .utils import is_command
from .wavio import encode_wav

Pieces = list[Any]

_KEY = re.compile(r"[^\s\0]+")


def as_array(value: Any) -> npt.NDArray[Any]:
    """An array, which tensors and the like are made into."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__array__"):
        return np.asarray(value)
    raise TypeError(f"expected an array, got {type(value).__name__}")


def _size(number: int, endian: str) -> bytes:
    if number >= 1 << 31:
        raise ValueError(f"expected at most 2147483647 rows, columns or elements, got {number}")
    return b"\4" + struct.pack(endian + "i", number)


def encode_array(value: Any, endian: str = "<", compression_method: int | None = None) -> Pieces:
    """A matrix or a vector in binary form."""
    array = as_array(value)
    if compression_method is not None:
        if array.ndim != 2:
            raise ValueError(f"expected a matrix to compress, got an array of {array.ndim} dimensions")
        return [_compressed(array, endian, int(compression_method))]
    if array.dtype == np.int32:
        if array.ndim != 1:
            raise ValueError(f"expected integers in 1 dimension, got {array.ndim}")
        records = np.empty(len(array), [("size", "u1"), ("value", endian + "i4")])
        records["size"], records["value"] = 4, array
        return [b"\0B", _size(len(array), endian), records.tobytes()]
    if array.dtype not in (np.float32, np.float64):
        raise ValueError(f"expected an array of float32, float64 or int32, got {array.dtype}")
    if array.ndim not in (1, 2):
        raise ValueError(f"expected an array of 1 or 2 dimensions, got {array.ndim}")
    token = ("F" if array.dtype == np.float32 else "D") + ("V " if array.ndim == 1 else "M ")
    head = b"\0B" + token.encode() + b"".join(_size(size, endian) for size in array.shape)
    if array.dtype.str[0] != endian:
        array = array.astype(array.dtype.newbyteorder(endian))  # type: ignore[arg-type]
    if array.nbytes < 1 << 16:
        return [head, array.tobytes()]
    return [head, np.ascontiguousarray(array).reshape(-1).view(np.uint8)]


def _compressed(array: npt.NDArray[Any], endian: str, method: int) -> bytes:
    """A compressed matrix; one without elements is not compressed."""
    if not 1 <= method <= 7:
        raise ValueError(f"expected a compression method from 1 to 7, got {method}")
    if array.dtype.kind not in "fiu":
        raise ValueError(f"expected a matrix of numbers, got {array.dtype}")
    if array.size == 0:
        pieces = encode_array(np.zeros(array.shape, np.float32), endian)
        return b"".join(bytes(piece) for piece in pieces)
    data = _core.compress_matrix(np.ascontiguousarray(array, np.float32), method)
    if endian == "<":
        return data
    at = data.index(b" ") + 1
    kind = data[2 : at - 1]
    least, span, rows, cols = struct.unpack("<ffii", data[at : at + 16])
    rest = np.frombuffer(data[at + 16 :], np.uint8)
    wide = 8 * cols if kind == b"CM" else len(rest) if kind == b"CM2" else 0
    swapped = rest[:wide].view("<u2").astype(">u2").tobytes()
    return data[:at] + struct.pack(">ffii", least, span, rows, cols) + swapped + rest[wide:].tobytes()


def encode_text(value: Any, digit: str = "") -> bytes:
    """A matrix or a vector in text form. `digit` is the format of a number; without it, numbers keep all their digits."""
    array = as_array(value)
    if array.ndim not in (1, 2) or array.dtype.kind not in "fiu":
        raise ValueError(f"expected numbers in 1 or 2 dimensions, got {array.dtype} in {array.ndim}")
    rows = array.tolist()

    def line(row: list[Any]) -> str:
        words = map(repr, row) if digit in ("", "<", ">") else (format(number, digit) for number in row)
        return "".join(f"{word} " for word in words)

    if array.ndim == 1:
        return f" [ {line(rows)}]\n".encode()
    return (" [" + "".join(f"\n  {line(row)}" for row in rows) + "]\n").encode()


def _counted(magic: bytes, data: bytes) -> Pieces:
    """Bytes after the name of their form, the number of the bytes of their number, and their number."""
    width = (len(data).bit_length() + 7) // 8
    return [magic, bytes([width]), len(data).to_bytes(width, "little"), data]


def encode_value(
    value: Any,
    text: bool = False,
    endian: str = "<",
    compression_method: int | None = None,
    write_function: str | None = None,
    write_kwargs: dict[str, Any] | None = None,
) -> Pieces:
    """A value of an archive, after its key."""
    kwargs = dict(write_kwargs or {})
    function = None if write_function is None else write_function.lower()
    if function == "pickle":
        return [b"PKL", pickle.dumps(value, **kwargs)]
    if function == "numpy":
        buffer = io.BytesIO()
        np.save(buffer, value, **kwargs)
        return _counted(b"NPY", buffer.getvalue())
    if function == "soundfile":
        return _counted(b"AUDIO", _sound(value, kwargs))
    if function is not None:
        raise RuntimeError(f"expected write_function to be soundfile, pickle or numpy, got {write_function!r}")
    if isinstance(value, (list, tuple)):
        if len(value) != 2:
            raise ValueError(f"expected a rate and an array of samples, got {len(value)} items")
        return list(encode_wav(*value))
    return [encode_text(value)] if text else encode_array(value, endian, compression_method)


def _sound(value: Any, kwargs: dict[str, Any]) -> bytes:
    """Sound as `soundfile` writes it; a WAV file if there is no other format."""
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"expected a rate and an array of samples, got {type(value).__name__}")
    if len(value) != 2:
        raise ValueError(f"expected a rate and an array of samples, got {len(value)} items")
    rate, array = value if isinstance(value[1], np.ndarray) else reversed(value)
    if not isinstance(array, np.ndarray) or not isinstance(rate, (int, np.integer)):
        raise ValueError(f"expected a rate and an array of samples, got {type(rate)} and {type(array)}")
    import soundfile  # type: ignore[import-untyped]

    buffer = io.BytesIO()
    soundfile.write(buffer, array, int(rate), **{"format": "wav", **kwargs})
    return buffer.getvalue()


def encode_key(key: str) -> bytes:
    """A key and the space after it."""
    if not isinstance(key, str):
        raise TypeError(f"expected a key of type str, got {type(key).__name__}")
    if _KEY.fullmatch(key) is None:
        raise ValueError(f"expected a key without white space, got {key!r}")
    return key.encode("utf-8", "surrogateescape") + b" "


class Target:
    """A file that appears under its name when `finish` has completed it; or a command, or standard output.

    With `in_place`, a file is written under its own name.
    """

    def __init__(self, name: Any, in_place: bool = False) -> None:
        self.name: str = os.fsdecode(name)
        self._standard: Any = None
        if name == "-":
            self._standard = getattr(sys.stdout, "buffer", sys.stdout)
            return
        plain = self.name.strip() if isinstance(name, str) and is_command(self.name) else self.name
        if isinstance(name, os.PathLike) and not os.path.isabs(plain):
            plain = os.path.join(".", plain)
        self._output = _core.Output(plain, in_place)

    def write(self, data: Any) -> None:
        (self._standard or self._output).write(data)

    def tell(self) -> int | None:
        """The place of the next byte; None if nobody can seek there."""
        return None if self._standard else self._output.position()

    def flush(self) -> None:
        (self._standard or self._output).flush()

    def finish(self) -> None:
        if self._standard:
            self._standard.flush()
        else:
            self._output.finish()

    def discard(self) -> None:
        if not self._standard:
            self._output.discard()


@contextmanager
def written(name: Any, in_place: bool = False) -> Iterator[Target]:
    """A `Target` that is finished at the end, or discarded after an exception."""
    target = Target(name, in_place)
    try:
        yield target
    except BaseException:
        target.discard()
        raise
    target.finish()


@contextmanager
def appended(name: Any) -> Iterator[Any]:
    """A file object at the end of a file. After an exception, the file has its old length."""
    is_new = not os.path.exists(name)
    with open(name, "ab") as file:
        length = file.tell()
        try:
            yield file
            file.flush()
        except BaseException:
            if file.seekable():
                file.truncate(length)
            if is_new:
                os.unlink(name)
            raise
