"""Training examples in an archive, as lists of dicts."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from ._stream import Stream


def read_example(stream: Stream, endian: str) -> list[dict[str, Any]]:
    """Reads what follows `<Nnet3Eg> `: for each input and output its name, indexes (n, t, x) and matrix."""
    _expect(stream, b"<NumIo>")
    found = []
    for _ in range(_number(stream, endian)):
        _expect(stream, b"<NnetIo>")
        name = _token(stream)
        _expect(stream, b"<I1V>")
        index = _indexes(stream, endian)
        found.append({"name": name.decode(), "index": index, "matrix": _matrix(stream, endian)})
        _expect(stream, b"</NnetIo>")
    _expect(stream, b"</Nnet3Eg>")
    return found


def _token(stream: Stream) -> bytes:
    token = b""
    start = stream.offset
    while not token.endswith(b" "):
        byte = stream.read(1)
        if not byte or len(token) > 1000:
            raise stream.error(f"expected a word and a space, found {token[:40]!r}", start)
        token += byte
    return token[:-1]


def _expect(stream: Stream, token: bytes) -> None:
    start = stream.offset
    found = _token(stream)
    if found != token:
        raise stream.error(f"expected {token.decode()}, found {found[:40]!r}", start)


def _number(stream: Stream, endian: str) -> int:
    """A number of 0 or more after the byte 4."""
    start = stream.offset
    number: int = _any(stream, endian)
    if number < 0:
        raise stream.error(f"expected a number of 0 or more, found {number}", start)
    return number


def _any(stream: Stream, endian: str, kind: str = "i") -> Any:
    start = stream.offset
    size = stream.exactly(1)[0]
    if size != 4:
        raise stream.error(f"expected the size 4 of a number, found {size}", start)
    return struct.unpack(endian + kind, stream.exactly(4).tobytes())[0]


def _indexes(stream: Stream, endian: str) -> list[tuple[int, int, int]]:
    count = _number(stream, endian)
    n = t = x = 0
    found = []
    for _ in range(count):
        start = stream.offset
        code = int(stream.exactly(1).view(np.int8)[0])
        if code == 127:
            n, t, x = (_any(stream, endian) for _ in range(3))
        elif -125 < code < 125:
            t = (t + code + 2**31) % 2**32 - 2**31
        else:
            raise stream.error(f"expected the code of an index, found {code}", start)
        found.append((n, t, x))
    return found


def _matrix(stream: Stream, endian: str) -> npt.NDArray[Any]:
    from ._read import read_binary

    start = stream.offset
    head = stream.read(1)
    stream.unread(head)
    if head != b"S":
        matrix: npt.NDArray[Any] = read_binary(stream, endian)
        return matrix
    _expect(stream, b"SM")
    rows = []
    for _ in range(_number(stream, endian)):
        _expect(stream, b"SV")
        dim, count = _number(stream, endian), _number(stream, endian)
        rows.append((dim, [(_any(stream, endian), _any(stream, endian, "f")) for _ in range(count)]))
    dims = {dim for dim, _ in rows}
    if len(dims) > 1 or any(not 0 <= index < dim for dim, row in rows for index, _ in row):
        raise stream.error("expected a sparse matrix with rows of one dimension, and indexes below it", start)
    dense = np.zeros((len(rows), max(dims, default=0)), np.float32)
    for to, (_, row) in zip(dense, rows):
        for index, value in row:
            to[index] = value
    return dense
