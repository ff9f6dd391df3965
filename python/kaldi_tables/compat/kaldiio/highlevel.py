"""Reading and writing by specifiers: what kaldiio has in `kaldiio.highlevel`."""

from __future__ import annotations

import logging
import threading
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..._errors import ClosedError, Error
from ._write import Target, encode_key, encode_value
from .matio import _OneFile, _script_lines, load_ark, load_scp, load_scp_sequential, save_ark
from .utils import at_key, open_like_kaldi, parse_specifier

__all__ = [
    "ReadHelper",
    "WriteHelper",
    "load_ark",
    "load_scp_sequential",
    "open_like_kaldi",
    "parse_specifier",
    "save_ark",
]

_LOG = logging.getLogger("kaldi_tables")


def _ignored(parts: dict[str, Any], known: tuple[str, ...]) -> None:
    for option in parts:
        if parts[option] and option not in known:
            warnings.warn(f"the option {option} has no effect here", stacklevel=3)


class WriteHelper:
    """Writes an archive, and a script file, that get their names when the helper is closed.

    >>> import os, tempfile
    >>> import numpy as np
    >>> name = os.path.join(tempfile.mkdtemp(), "a.ark")
    >>> with WriteHelper(f"ark,t:{name}") as writer:
    ...     writer("utt1", np.array([1.5, 2.5]))
    ...     writer["utt2"] = np.array([3, 4], np.int32)
    >>> print(open(name).read(), end="")
    utt1  [ 1.5 2.5 ]
    utt2  [ 3 4 ]
    """

    def __init__(
        self, wspecifier: str, compression_method: int | None = None, write_function: str | None = None
    ) -> None:
        self.closed = True
        self._turn = threading.Lock()
        self.compression_method = compression_method
        self.write_function = write_function
        parts = parse_specifier(wspecifier)
        if parts["ark"] is None:
            raise ValueError("a script file is written with its archive only: ark,scp:out.ark,out.scp")
        _ignored(parts, ("scp", "ark", "t", "f"))
        self.text = parts["t"]
        self.flush = parts["f"]
        self.fark = Target(parts["ark"], self.flush)
        self.fscp = None
        if parts["scp"] is not None:
            if self.fark.tell() is None:
                self.fark.discard()
                raise TypeError(f"a script file needs an archive that is a file, got {parts['ark']!r}")
            try:
                self.fscp = Target(parts["scp"], self.flush)
            except BaseException:
                self.fark.discard()
                raise
        self.closed = False

    def __call__(self, key: str, array: Any) -> None:
        """Writes an entry."""
        if self.closed:
            raise RuntimeError("the WriteHelper is closed")
        word = encode_key(key)
        with at_key(key):
            pieces = encode_value(array, self.text, "<", self.compression_method, self.write_function)
        # Threads may use one helper: their entries come one after the other.
        with self._turn:
            self.fark.write(word)
            offset = self.fark.tell()
            for piece in pieces:
                self.fark.write(piece)
            if self.fscp is not None:
                self.fscp.write(word + f"{self.fark.name}:{offset}\n".encode("utf-8", "surrogateescape"))
            if self.flush:
                self.fark.flush()
                if self.fscp is not None:
                    self.fscp.flush()

    def __setitem__(self, key: str, value: Any) -> None:
        self(key, value)

    def __enter__(self) -> WriteHelper:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def close(self) -> None:
        """Gives the files their names, the archive first."""
        if self.closed:
            return
        self.closed = True
        try:
            self.fark.finish()
        except BaseException:
            if self.fscp is not None:
                self.fscp.discard()
            raise
        if self.fscp is not None:
            self.fscp.finish()

    def discard(self) -> None:
        """Ends without the files; old ones stay as they were."""
        if self.closed:
            return
        self.closed = True
        self.fark.discard()
        if self.fscp is not None:
            self.fscp.discard()

    def __del__(self) -> None:
        if getattr(self, "closed", True):
            return
        self.discard()
        message = f"a WriteHelper was never closed: {self.fark.name} is not written"
        # ResourceWarning is hidden by default.
        _LOG.warning(message)
        warnings.warn(message, ResourceWarning, source=self, stacklevel=2)


class ReadHelper:
    """Pairs of keys and values of an archive or a script file.

    >>> import os, tempfile
    >>> import numpy as np
    >>> name = os.path.join(tempfile.mkdtemp(), "a.ark")
    >>> save_ark(name, {"utt1": np.array([1, 2], np.int32)})
    >>> with ReadHelper(f"ark:cat {name} |") as reader:
    ...     for key, value in reader:
    ...         print(key, value)
    utt1 [1 2]
    """

    def __init__(self, wspecifier: str, segments: Any = None) -> None:
        self.closed = True
        self.segments = segments
        self.file: Any = None
        parts = parse_specifier(wspecifier)
        if parts["scp"] is not None and parts["ark"] is not None:
            raise RuntimeError(f"expected ark or scp, got both: {wspecifier!r}")
        _ignored(parts, ("scp", "ark", "p"))
        self.permissive = parts["p"]
        self.scp = parts["scp"] or False
        self._ark = parts["ark"]
        if not self.scp:
            if segments is not None:
                raise ValueError("segments go with a script file, not with an archive")
            self.file = open_like_kaldi(self._ark, "rb")
        self.closed = False

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        if self.closed:
            raise ClosedError("the ReadHelper is closed")
        return self._script() if self.scp else self._archive()

    def _archive(self) -> Iterator[tuple[str, Any]]:
        file, self.file = self.file, None
        with open_like_kaldi(self._ark, "rb") if file is None else file as file:
            try:
                yield from load_ark(file)
            except (Error, OSError, ValueError) as error:
                if not self.permissive:
                    raise
                _LOG.warning("%s; the rest of the archive is left out", error)

    def _script(self) -> Iterator[tuple[str, Any]]:
        for key, load in self._entries():
            try:
                with at_key(key):
                    value = load()
            except (Error, OSError, ValueError) as error:
                if not self.permissive:
                    raise
                _LOG.warning("%s; the entry is left out", error)
                continue
            yield key, value

    def _entries(self) -> Iterator[tuple[str, Callable[[], Any]]]:
        """Keys, and functions that load their values."""
        if self.segments is not None:
            table = load_scp(self.scp, segments=self.segments)
            for key in table:
                yield key, partial(table.__getitem__, key)
            return
        with _OneFile() as opened:
            for _, key, name in _script_lines(self.scp, None):
                yield key, partial(opened.load, name, "<")

    def __enter__(self) -> ReadHelper:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the archive, if it was not read."""
        self.closed = True
        file, self.file = self.file, None
        if file is not None:
            getattr(file, "stop", file.close)()
