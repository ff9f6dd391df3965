"""WAV files: what kaldiio has in `kaldiio.wavio`."""

from __future__ import annotations

import io
import os
import struct
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ... import _core
from ..._errors import DataError
from ._stream import Stream

# A size that a program has written which did not know it, since its output was a pipe.
_UNKNOWN = (0, 0x7FFFF000, 0xFFFFFFFF)
_PCM, _EXTENSIBLE = 1, 0xFFFE
_NAME = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 _-")


class Header(NamedTuple):
    """What precedes the samples of a WAV file."""

    rate: int
    channels: int
    # uint8 or int16; None if the samples are others.
    dtype: npt.DTypeLike | None
    # The bytes of the header, which end where the samples start.
    head: bytes
    # Bytes of samples; None if they go on to the end of the stream.
    size: int | None
    # The length of the file, as its first number says.
    claimed: int


def read_header(stream: Stream) -> Header:
    """Reads up to the first sample."""
    start = stream.offset
    head = stream.read(12)
    if head[:4] != b"RIFF" or head[8:] != b"WAVE":
        raise stream.error(f"expected a WAV file, found {head!r}", start)
    claimed = int.from_bytes(head[4:8], "little")
    form: bytes | None = None
    while True:
        chunk = stream.read(8)
        if len(chunk) < 8:
            raise stream.error("expected a chunk named data, found the end of the file")
        head += chunk
        size = int.from_bytes(chunk[4:], "little")
        if chunk[:4] == b"data":
            break
        if size > 1 << 20:
            raise stream.error(f"expected a chunk named data, found one of {size} bytes named {chunk[:4]!r}")
        content = stream.exactly(size + size % 2).tobytes()
        head += content
        if chunk[:4] == b"fmt ":
            form = content
    if form is None or len(form) < 16:
        raise stream.error("expected a chunk named fmt before the samples, found none", start)
    code, channels, rate, _, _, bits = struct.unpack("<HHIIHH", form[:16])
    if code == _EXTENSIBLE and len(form) >= 26:
        (code,) = struct.unpack("<H", form[24:26])
    if channels == 0:
        raise stream.error("expected 1 channel or more, found 0", start)
    known: dict[int, npt.DTypeLike] = {8: np.uint8, 16: np.int16}
    is_endless = size in _UNKNOWN or (claimed in (0, 0xFFFFFFFF))
    return Header(rate, channels, known.get(bits) if code == _PCM else None, head, None if is_endless else size, claimed + 8)


def shape(data: npt.NDArray[np.uint8], header: Header) -> npt.NDArray[Any]:
    """Samples from their bytes."""
    frame = np.dtype(header.dtype).itemsize * header.channels
    little: npt.NDArray[Any] = data[: len(data) // frame * frame].view(np.dtype(header.dtype).newbyteorder("<"))
    array: npt.NDArray[Any] = little.astype(header.dtype, copy=False)
    return array if header.channels == 1 else array.reshape(-1, header.channels)


def read_samples(stream: Stream) -> tuple[int, npt.NDArray[Any]]:
    """Reads a WAV file to its end, which is the end of the stream if its size is not known."""
    header = read_header(stream)
    start = stream.offset
    if header.size is None:
        data = np.frombuffer(bytearray(stream.read()), np.uint8)
    else:
        try:
            data = stream.exactly(header.size)
        except DataError as error:
            raise stream.error(f"expected {header.size} bytes of samples, found fewer", start) from error
        _skip_chunks(stream, header, len(header.head) + header.size)
    if header.dtype is None:
        return _decode(stream, header.head + data.tobytes(), start)
    return header.rate, shape(data, header)


def _skip_chunks(stream: Stream, header: Header, at: int) -> None:
    """Skips what follows the samples: chunks that the size of the file has room for."""
    if header.size is not None and header.size % 2 and header.claimed > at:
        pad = stream.read(1)
        if pad != b"\0":
            stream.unread(pad)
        else:
            at += 1
    while header.claimed >= at + 8:
        chunk = stream.read(8)
        size = int.from_bytes(chunk[4:], "little")
        if len(chunk) < 8 or not _NAME.issuperset(chunk[:4]) or at + 8 + size > header.claimed:
            stream.unread(chunk)
            return
        stream.read(size + size % 2)
        at += 8 + size + size % 2


def _decode(stream: Stream, data: bytes, start: int) -> tuple[int, npt.NDArray[Any]]:
    """Other samples than those of 8 and 16 bits, as 16 bits."""
    try:
        return read_samples(Stream(io.BytesIO(_core.wave_of_16_bits(data))))
    except DataError as error:
        raise stream.error(str(error), start) from error


def read_wav(fd: Any, return_size: bool = False) -> Any:
    """Reads a WAV file from a file object or by its name: the rate, and samples as uint8 or int16.

    With `return_size`, there is also the length of a file that has these samples and the shortest header.
    """
    if isinstance(fd, (str, bytes, os.PathLike)):
        with open(fd, "rb") as file:
            return read_wav(file, return_size)
    rate, array = read_samples(Stream(fd))
    return ((rate, array), 44 + array.nbytes) if return_size else (rate, array)


def encode_wav(rate: int, array: npt.NDArray[Any]) -> tuple[bytes, npt.NDArray[np.uint8]]:
    """The header and the samples of a WAV file."""
    if not isinstance(array, np.ndarray) or array.dtype not in (np.uint8, np.int16):
        kind = getattr(array, "dtype", type(array).__name__)
        raise ValueError(f"expected samples of uint8 or int16, got {kind}")
    if array.ndim not in (1, 2):
        raise ValueError(f"expected samples in 1 or 2 dimensions, got {array.ndim}")
    width = array.dtype.itemsize
    channels = array.shape[1] if array.ndim == 2 else 1
    if not (0 < channels < 1 << 15 and 0 < rate < 1 << 32):
        raise ValueError(f"expected a rate and channels above 0, got {rate} and {channels}")
    size = array.nbytes
    if size > 0xFFFFFFFF - 36:
        raise ValueError(f"expected samples of less than 4 GB, got {size} bytes")
    frame = channels * width
    form = struct.pack("<HHIIHH", _PCM, channels, int(rate), int(rate) * frame, frame, 8 * width)
    head = b"RIFF" + struct.pack("<I", 36 + size) + b"WAVEfmt " + struct.pack("<I", 16) + form
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return head + b"data" + struct.pack("<I", size), little.reshape(-1).view(np.uint8)


def write_wav(fd: Any, rate: int, array: npt.NDArray[Any]) -> int:
    """Writes a WAV file to a file object or by its name. Returns its length."""
    head, samples = encode_wav(rate, array)
    if isinstance(fd, (str, bytes, os.PathLike)):
        with open(fd, "wb") as file:
            file.write(head + samples.tobytes())
    else:
        fd.write(head + samples.tobytes())
    return len(head) + len(samples)
