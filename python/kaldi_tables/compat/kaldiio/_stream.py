"""Bytes of a file object, taken one value at a time."""

from __future__ import annotations

import os
import stat
from typing import Any

import numpy as np
import numpy.typing as npt

from ..._errors import DataError

# Sizes in headers are claims: more than this is read in pieces, if the length of the file is not known.
PIECE = 1 << 24


def name_of(file: Any) -> str | None:
    """The name of a file object, if it has one."""
    name = getattr(file, "name", None)
    return os.fsdecode(name) if isinstance(name, (str, bytes)) else None


class Stream:
    """Reads values from a file object. Of the object, not more is taken than the values have."""

    def __init__(self, file: Any, name: str | None = None, start: int | None = None) -> None:
        self._file = getattr(file, "buffer", file) if hasattr(file, "encoding") else file
        self.name = name_of(file) if name is None else name
        self._held = b""
        self._can_peek = hasattr(self._file, "peek")
        self._can_fill = hasattr(self._file, "readinto")
        self._start = (self._position() or 0) if start is None else start
        self._taken = 0

    def _position(self) -> int | None:
        try:
            position: int = self._file.tell()
        except (AttributeError, OSError, ValueError):
            return None
        return position

    def _length_of_file(self) -> int | None:
        try:
            status = os.fstat(self._file.fileno())
        except (AttributeError, OSError, ValueError):
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    @property
    def offset(self) -> int:
        """Where the next byte is in the file."""
        return self._start + self._taken

    def seek(self, offset: int) -> None:
        """Goes to another place of the file."""
        self._file.seek(offset)
        self._held = b""
        self._start, self._taken = offset, 0

    @property
    def has_held(self) -> bool:
        """Whether bytes were given back."""
        return bool(self._held)

    def error(self, message: str, offset: int | None = None) -> DataError:
        """An error at this offset."""
        offset = self.offset if offset is None else offset
        place = f"{offset}" if self.name is None else f"{self.name}:{offset}"
        return DataError(f"{place}: {message}", file=self.name, offset=offset)

    def read(self, size: int = -1) -> bytes:
        """The next bytes; fewer only at the end."""
        parts = []
        if self._held:
            held, self._held = (self._held, b"") if size < 0 else (self._held[:size], self._held[size:])
            parts.append(held)
            size = size if size < 0 else size - len(held)
        while size != 0:
            part = self._file.read(size)
            if not part:
                break
            if isinstance(part, str):
                raise TypeError("expected a binary file object, got one of text: open the file with mode rb")
            parts.append(part)
            size = size if size < 0 else size - len(part)
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        self._taken += len(data)
        return data

    def readline(self, size: int = -1) -> bytes:
        """The next line, with its end."""
        if self._held or not hasattr(self._file, "readline"):
            line = b""
            while not line.endswith(b"\n") and len(line) != size and (byte := self.read(1)):
                line += byte
                if not self._held and hasattr(self._file, "readline") and size < 0 and byte != b"\n":
                    return line + self.readline()
            return line
        line = self._file.readline(size)
        self._taken += len(line)
        return bytes(line)

    def unread(self, data: bytes) -> None:
        """Gives bytes back, which are read next."""
        self._held = data + self._held
        self._taken -= len(data)

    def exactly(self, size: int) -> npt.NDArray[np.uint8]:
        """The next `size` bytes, in memory of their own."""
        if size > PIECE:
            length = self._length_of_file()
            if length is None or size > length - self.offset:
                return self._in_pieces(size)
        data = np.empty(size, np.uint8)
        if self._held or not self._can_fill:
            found = self.read(size)
            data[: len(found)] = np.frombuffer(found, np.uint8)
            there = len(found)
        else:
            there, view = 0, data.data
            while there < size:
                count = self._file.readinto(view[there:])
                if not count:
                    break
                there += count
            self._taken += there
        if there < size:
            raise self.error(f"expected {size} bytes, found the end after {there}")
        return data

    def _in_pieces(self, size: int) -> npt.NDArray[np.uint8]:
        data = bytearray()
        while len(data) < size:
            piece = self.read(min(PIECE, size - len(data)))
            if not piece:
                raise self.error(f"expected {size} bytes, found the end after {len(data)}")
            data += piece
        return np.frombuffer(data, np.uint8)

    def expect(self, expected: bytes, what: str) -> None:
        """Takes these bytes."""
        found = self.read(len(expected))
        if found != expected:
            raise self.error(f"expected {what}, found {found!r}", self.offset - len(found))

    def dense(self, forms: dict[bytes, tuple[Any, Any, int]]) -> npt.NDArray[Any] | None:
        """A dense matrix or vector of one of these forms, if nothing is odd about it: the quick way of most archives.

        A form has the type of the numbers, the `struct` of the sizes with their bytes 4, and how many sizes there are.
        """
        if not self._can_peek or self._held:
            return None
        there = self._file.peek(15)
        form = forms.get(there[:5])
        if form is None or len(there) < 15:
            return None
        dtype, sizes, count = form
        rows, cols = (numbers := sizes.unpack_from(there, 5))[1], numbers[3] if count == 2 else 1
        size = rows * cols * dtype.itemsize
        if numbers[0] != 4 or numbers[-2] != 4 or rows <= 0 or cols <= 0 or size > PIECE:
            return None
        array = np.empty((rows, cols) if count == 2 else rows, dtype)
        self._file.read(5 + sizes.size)
        # A buffered file object reads all, unless it ends.
        found = self._file.readinto(array)
        self._taken += 5 + sizes.size + found
        if found != size:
            raise self.error(f"expected {size} bytes, found the end after {found}")
        return array

    def until_space(self) -> bytes | None:
        """The bytes up to the next space and the space, or up to the end. `None` if the stream has ended."""
        word: bytes = b""
        while True:
            if self._can_peek and not self._held:
                there = self._file.peek()
                if there:
                    end = there.find(b" ")
                    part: bytes = self._file.read(len(there) if end < 0 else end + 1)
                    self._taken += len(part)
                    word += part
                    if end >= 0:
                        return word
                    continue
            byte = self.read(1)
            word += byte
            if byte in (b" ", b""):
                return word or None
