"""One value of an archive, in any of the forms that kaldiio has."""

from __future__ import annotations

import io
import pickle
import re
import struct
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from ... import _core
from ..._errors import DataError, Error
from ._examples import read_example
from ._stream import Stream
from .wavio import read_samples

# How values start that are neither binary nor text.
_MAGICS = (b"RIFF", b"fLaC", b"NPY", b"PKL", b"AUDIO")
_NATIVE = "<" if sys.byteorder == "little" else ">"
_DENSE = {
    b"\0B" + name + b" ": (np.dtype(kind), struct.Struct("=" + "Bi" * count), count)
    for name, kind, count in ((b"FM", "f4", 2), (b"DM", "f8", 2), (b"FV", "f4", 1), (b"DV", "f8", 1))
}
_INT_RECORD = {order: np.dtype([("size", "u1"), ("value", order + "i4")]) for order in "<>"}


def check_endian(endian: str) -> None:
    """Refuses anything but the two byte orders."""
    if endian not in ("<", ">"):
        raise ValueError(f"expected endian to be '<' or '>', got {endian!r}")


def read_value(
    stream: Stream, endian: str = "<", audio_loader: Any = "soundfile", load_kwargs: dict[str, Any] | None = None
) -> Any:
    """Reads the value that the stream is at."""
    if endian == _NATIVE and (dense := stream.dense(_DENSE)) is not None:
        return dense
    start = stream.offset
    head = stream.read(1)
    if not head:
        raise stream.error("expected a value, found the end")
    if head == b"\0":
        head += stream.read(1)
        if head != b"\0B":
            raise stream.error(f"expected the binary marker \\0B, found {head!r}", start)
        return read_binary(stream, endian)
    while head not in _MAGICS and any(magic.startswith(head) for magic in _MAGICS):
        byte = stream.read(1)
        if not byte:
            break
        head += byte
    kwargs = load_kwargs or {}
    try:
        if head == b"RIFF":
            stream.unread(head)
            return read_samples(stream)
        if head == b"fLaC":
            return _sound(audio_loader, head + stream.read(), {})
        if head == b"NPY":
            return np.load(io.BytesIO(_counted(stream)), **kwargs)
        if head == b"PKL":
            return pickle.load(stream, **kwargs)
        if head == b"AUDIO":
            return _sound(audio_loader, _counted(stream), kwargs)
    except (Error, ImportError, TypeError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        raise stream.error(f"cannot read a value that starts with {head!r}: {error}", start) from error
    return _text(stream, head, start)


def _counted(stream: Stream) -> bytes:
    """Bytes after their number, and after the number of the bytes of that."""
    width = stream.exactly(1)[0]
    return stream.exactly(int.from_bytes(stream.exactly(int(width)).tobytes(), "little")).tobytes()


def _sound(loader: Any, data: bytes, kwargs: dict[str, Any]) -> tuple[int, Any]:
    """Sound that `soundfile`, or a function like `soundfile.read`, decodes."""
    if loader == "soundfile":
        import soundfile  # type: ignore[import-untyped]

        loader = soundfile.read
    elif not callable(loader):
        raise TypeError(f"expected audio_loader to be 'soundfile' or a function, got {loader!r}")
    first, second = loader(io.BytesIO(data), **kwargs)
    if isinstance(first, np.ndarray):
        first, second = second, first
    if not isinstance(second, np.ndarray):
        raise TypeError(f"expected an array and a rate of audio_loader, got {type(first)} and {type(second)}")
    return int(first), second


def read_binary(stream: Stream, endian: str) -> Any:
    """Reads what follows the binary marker: an array, or the list that a training example is."""
    start = stream.offset
    first = stream.read(1)
    if first == b"\4":
        return _integers(stream, endian)
    token = first
    while token and not token.endswith(b" ") and len(token) < 24:
        byte = stream.read(1)
        if not byte:
            break
        token += byte
    kind = token[:-1] if token.endswith(b" ") else token
    if kind in (b"CM", b"CM2", b"CM3"):
        return _compressed(stream, kind, endian)
    if kind == b"<Nnet3Eg>":
        return read_example(stream, endian)
    if kind not in (b"FM", b"DM", b"FV", b"DV"):
        what = " (an example that kaldi_tables.open reads)" if kind == b"<Nnet3ChainEg>" else ""
        raise stream.error(f"expected one of FM, FV, DM, DV, CM, CM2 and CM3, found {kind!r}{what}", start)
    dtype = np.dtype(np.float32 if kind.startswith(b"F") else np.float64)
    shape = [_size(stream, endian) for _ in range(2 if kind.endswith(b"M") else 1)]
    count = 1
    for size in shape:
        count *= size
    array = stream.exactly(count * dtype.itemsize).view(dtype.newbyteorder(endian))  # type: ignore[arg-type]
    return array.astype(dtype, copy=False).reshape(shape)


def _size(stream: Stream, endian: str) -> int:
    """A number of rows or columns after the byte 4."""
    start = stream.offset
    bytes_ = stream.exactly(5).tobytes()
    size: int = struct.unpack(endian + "i", bytes_[1:])[0]
    if bytes_[0] != 4 or size < 0:
        raise stream.error(f"expected a size, found {bytes_!r}: was the archive written with another endian?", start)
    return size


def _integers(stream: Stream, endian: str) -> npt.NDArray[np.int32]:
    """A vector of integers, whose first byte is read."""
    start = stream.offset
    count: int = struct.unpack(endian + "i", stream.exactly(4).tobytes())[0]
    if count < 0:
        raise stream.error(f"expected the length of a vector of integers, found {count}", start)
    records = stream.exactly(5 * count).view(_INT_RECORD[endian])
    if (records["size"] != 4).any():
        raise stream.error("expected integers of 4 bytes, found others", start + 4)
    return records["value"].astype(np.int32)


def _compressed(stream: Stream, kind: bytes, endian: str) -> npt.NDArray[np.float32]:
    """A compressed matrix after its token."""
    start = stream.offset
    numbers = stream.exactly(16).tobytes()
    least, span, rows, cols = struct.unpack(endian + "ffii", numbers)
    if rows < 0 or cols < 0:
        raise stream.error(f"expected the size of a matrix, found {rows} x {cols}", start + 8)
    columns = stream.exactly(8 * cols if kind == b"CM" else 0)
    data = stream.exactly(rows * cols * (2 if kind == b"CM2" else 1))
    if endian == ">":
        numbers = struct.pack("<ffii", least, span, rows, cols)
        columns = columns.view(">u2").astype("<u2").view(np.uint8)
        data = data.view(">u2").astype("<u2").view(np.uint8) if kind == b"CM2" else data
    if rows * cols == 0:
        return np.zeros((rows, cols), np.float32)
    whole = b"".join((b"\0B", kind, b" ", numbers, columns.tobytes(), data.tobytes()))
    try:
        return _core.expand_matrix(whole)
    except DataError as error:
        raise stream.error(str(error), start) from error


def _text(stream: Stream, head: bytes, start: int) -> npt.NDArray[Any]:
    """A vector or matrix in text, of which the first bytes are read. One of several lines is a matrix."""
    lines = [head if head.endswith(b"\n") else head + stream.readline()]
    is_open = lines[0].lstrip(b" \t").startswith(b"[")
    while is_open and b"]" not in lines[-1]:
        line = stream.readline()
        if not line:
            raise stream.error("expected ] after the numbers, found the end", start)
        lines.append(line)
    text = b"".join(lines)
    if is_open:
        text, _, after = text.partition(b"[")[2].partition(b"]")
        if after.strip():
            raise stream.error(f"expected the end of the line after ], found {after.strip()[:40]!r}", start)
    is_matrix = is_open and b"\n" in text
    try:
        return _numbers(text, is_matrix, np.float32 if is_open else np.int32)
    except ValueError as error:
        raise stream.error(str(error), start) from error


def _numbers(text: bytes, is_matrix: bool, empty: npt.DTypeLike) -> npt.NDArray[Any]:
    """Numbers in text: int32 if all are such integers, else float32. `empty` is the type of none at all."""
    if not text.strip():
        return np.empty((0, 0) if is_matrix else 0, empty)
    if re.fullmatch(rb"[-+0-9\s]*", text):
        numbers = [int(word) for word in text.split()]
        if -(1 << 31) <= min(numbers) and max(numbers) < 1 << 31:
            array = np.array(numbers, np.int32)
            return array.reshape(_lengths(text), -1) if is_matrix else array
    return _core.parse_floats(text, is_matrix)


def _lengths(text: bytes) -> int:
    """The number of rows, which have the same length."""
    lengths = [count for line in text.split(b"\n") if (count := len(line.split()))]
    if len(set(lengths)) != 1:
        raise DataError(f"expected rows of one length, found {min(lengths)} and {max(lengths)} numbers")
    return len(lengths)
