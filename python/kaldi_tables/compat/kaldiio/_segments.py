"""Parts of recordings, of which only the samples that are needed are read."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._stream import Stream
from .utils import SharedFile
from .wavio import read_header, shape


def read_part(name: str, offset: int, start: float, end: float) -> tuple[int, npt.NDArray[Any]] | None:
    """The samples from `start` to `end`, in seconds, of a WAV file of 8 or 16 bits; None if it is something else.

    An `end` of -1 is the end of the file.
    """
    stream = Stream(SharedFile(name).at(offset))
    head = stream.read(4)
    stream.unread(head)
    if head != b"RIFF" or start < 0 or (end < 0 and end != -1):
        return None
    header = read_header(stream)
    if header.dtype is None or header.size is None:
        return None
    frame = np.dtype(header.dtype).itemsize * header.channels
    count = header.size // frame
    first = min(int(start * header.rate), count)
    last = count if end == -1 else min(int(end * header.rate), count)
    stream.seek(stream.offset + first * frame)
    return header.rate, shape(stream.exactly(max(last - first, 0) * frame), header)
