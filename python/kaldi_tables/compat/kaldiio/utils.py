"""Streams by their names, and dictionaries: what kaldiio has in `kaldiio.utils`."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, MutableMapping
from io import BufferedReader, RawIOBase, TextIOBase, TextIOWrapper
from typing import Any

from ..._errors import CommandError, DataError, Error, FileError, MissingFileError, MissingKeyError

default_encoding = "utf-8"


class _Command:
    """A file object on the output or the input of a command. `close` waits for the command, and raises if it has failed."""

    def __init__(self, command: str, mode: str) -> None:
        if mode not in ("r", "rb", "w", "wb"):
            raise TypeError(f"a command is opened with r, rb, w or wb, not with {mode!r}")
        self._command = command
        self._reads = mode.startswith("r")
        pipe = {"stdout": subprocess.PIPE} if self._reads else {"stdin": subprocess.PIPE}
        # A group of its own, so that all of it can be ended.
        self._process = subprocess.Popen(["/bin/sh", "-c", command], start_new_session=True, **pipe)  # type: ignore[call-overload]
        raw: Any = self._process.stdout if self._reads else self._process.stdin
        self._raw = raw
        self._stream: Any = raw if "b" in mode else _text(raw)
        self._pid = os.getpid()
        self._is_closed = False
        self.name = f"{command} |" if self._reads else f"| {command}"

    def close(self) -> None:
        """Waits for the command. If its output was read to the end, or if it had an input, its failure is an error."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._reads:
            at_end = self._stream.closed or not self._stream.read(1)
            self._stream.close()
            status = self._process.wait()
        else:
            at_end = True
            broken = None
            try:
                self._stream.close()
            except BrokenPipeError as error:
                broken = error
            status = self._process.wait()
            if broken is not None and status == 0:
                raise broken
        if status != 0 and at_end:
            raise self._failure(status)

    def stop(self) -> None:
        """Ends the command, which is not waited for any more."""
        if self._is_closed:
            return
        self._is_closed = True
        if self._pid == os.getpid():
            if self._process.poll() is None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        with contextlib.suppress(OSError, ValueError):
            self._stream.close()

    @property
    def closed(self) -> bool:
        return self._is_closed

    def __enter__(self) -> _Command:
        return self

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if error is None:
            self.close()
        else:
            status = self._ended() if isinstance(error, DataError) else 0
            self.stop()
            if status:
                # What the command has not written is not the fault of the data.
                raise self._failure(status) from error

    def _ended(self) -> int:
        """The status of a command whose output has ended; 0 if it has not."""
        if self._is_closed or not self._reads or not select.select([self._raw], [], [], 0)[0]:
            return 0
        return 0 if os.read(self._raw.fileno(), 1) else self._process.wait()

    def _failure(self, status: int) -> CommandError:
        message = f"the command {self._command!r} ended with status {status}"
        return CommandError(message, command=self._command, status=status)

    def __del__(self) -> None:
        # Nothing is there if the command could not be started.
        if not getattr(self, "_is_closed", True):
            self.stop()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stream)


def _text(raw: Any) -> TextIOWrapper:
    return TextIOWrapper(raw, encoding=default_encoding, errors="surrogateescape")


class _Standard:
    """Standard input or output, which stays open."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __enter__(self) -> Any:
        return self._stream

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._stream.writable():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._stream)


def is_command(name: str) -> bool:
    """Whether a name is a command: it starts or ends with `|`."""
    name = name.strip()
    return name.startswith("|") or name.endswith("|")


def open_like_kaldi(name: Any, mode: str = "r") -> Any:
    """Opens a file, standard input or output (``-``), or a command (``cat x |``, ``| cat > x``).

    A file object is returned as it is, or its buffer if `mode` is binary and it is a text stream.

    >>> with open_like_kaldi("echo hello |", "r") as stream:
    ...     stream.read()
    'hello\\n'
    """
    if not isinstance(name, (str, bytes, os.PathLike)):
        return name.buffer if "b" in mode and isinstance(name, TextIOBase) and hasattr(name, "buffer") else name
    is_path = not isinstance(name, str)
    name = os.fsdecode(name)
    if not is_path and is_command(name):
        command = name.strip()
        return _Command(command[1:] if command.startswith("|") else command[:-1], mode)
    if not is_path and name == "-":
        stream = sys.stdin if "r" in mode else sys.stdout
        return _Standard(getattr(stream, "buffer", stream) if "b" in mode else stream)
    return _open(name, mode)


def _open(name: Any, mode: str) -> Any:
    """Opens a file. Text that is not UTF-8 is read, and written again as it was."""
    if "b" in mode:
        return open(name, mode)
    return open(name, mode, encoding=default_encoding, errors="surrogateescape")


@contextlib.contextmanager
def open_or_fd(fname: Any, mode: str) -> Iterator[Any]:
    """Opens a file by its name, or gives a file object, which stays open."""
    if isinstance(fname, (str, bytes, os.PathLike)):
        with _open(fname, mode) as file:
            yield file
    else:
        yield open_like_kaldi(fname, mode)


def parse_specifier(specifier: str) -> dict[str, Any]:
    """The parts of a specifier: the names after ``ark`` and ``scp``, and whether each option is there.

    >>> parts = parse_specifier("ark,t,scp:file.ark,file.scp")
    >>> parts["ark"], parts["scp"], parts["t"], parts["f"]
    ('file.ark', 'file.scp', True, False)
    """
    types, colon, names = specifier.partition(":")
    if not colon:
        raise ValueError(f"expected a specifier such as ark,scp:out.ark,out.scp, got {specifier!r}")
    parts: dict[str, Any] = {"ark": None, "scp": None}
    parts.update(dict.fromkeys(("t", "o", "p", "f", "s", "cs"), False))
    words = types.split(",")
    kinds = [word for word in words if word in ("ark", "scp")]
    if not kinds:
        raise ValueError(f"expected ark or scp before the colon, got {specifier!r}")
    if len(kinds) != len(set(kinds)):
        raise ValueError(f"expected ark and scp once, got {specifier!r}")
    unknown = [word for word in words if word not in parts]
    if unknown:
        raise ValueError(f"expected the options t, o, p, f, s and cs, got {unknown[0]!r} in {specifier!r}")
    files = names.split(",", 1) if len(kinds) == 2 else [names]
    if len(files) != len(kinds):
        raise ValueError(f"expected two names with a comma between them after the colon, got {specifier!r}")
    parts.update(zip(kinds, files))
    parts.update({word: True for word in words if word not in kinds})
    return parts


class LazyLoader(MutableMapping[str, Any]):
    """A dictionary of names. A value is loaded from its name whenever it is asked for."""

    def __init__(self, loader: Callable[[str], Any]) -> None:
        self._dict: dict[str, str] = {}
        self._loader = loader

    def __repr__(self) -> str:
        return f"LazyLoader [{len(self)} keys]"

    def __getitem__(self, key: str) -> Any:
        try:
            name = self._dict[key]
        except KeyError:
            raise MissingKeyError(f"expected a key of the script file, got {key!r}", key=str(key)) from None
        with at_key(key):
            return self._loader(name)

    def __setitem__(self, key: str, value: str) -> None:
        self._dict[key] = value

    def __delitem__(self, key: str) -> None:
        del self._dict[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._dict)

    def __len__(self) -> int:
        return len(self._dict)

    def __contains__(self, key: object) -> bool:
        return key in self._dict


def of_key(error: Error, key: str) -> Error:
    """The same error, with the key."""
    if error.key is None:
        error.key = key
        error.message = f"{key}: {error.message}"
        error.args = (error.message,)
    return error


class at_key:
    """Adds the key to an error that is raised inside."""

    __slots__ = ("_key",)

    def __init__(self, key: str) -> None:
        self._key = key

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if isinstance(error, Error):
            of_key(error, self._key)
        elif error is not None and type(error) in (ValueError, TypeError, OverflowError):
            raise type(error)(f"{self._key}: {error}") from error
        elif isinstance(error, OSError) and error.filename is not None:
            kind_of = MissingFileError if isinstance(error, FileNotFoundError) else FileError
            name = os.fsdecode(error.filename)
            message = f"{self._key}: cannot open {name}: {error.strerror}"
            raise kind_of(message, file=name, key=self._key, errno=error.errno, strerror=error.strerror) from error


def seekable(f: Any) -> bool:
    """Whether a file object can seek."""
    return bool(f.seekable()) if hasattr(f, "seekable") else hasattr(f, "seek") and hasattr(f, "tell")


class LimitedSizeDict(MutableMapping[Any, Any]):
    """A dictionary of at most `maxsize` keys: a new one takes the place of the oldest."""

    def __init__(self, maxsize: int) -> None:
        if maxsize < 1:
            raise ValueError(f"expected a size of 1 or more, got {maxsize}")
        self._maxsize = maxsize
        self.data: OrderedDict[Any, Any] = OrderedDict()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dict(self.data)!r})"

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[key] = value
        while len(self.data) > self._maxsize:
            self.data.popitem(last=False)

    def __getitem__(self, item: Any) -> Any:
        return self.data[item]

    def __delitem__(self, key: Any) -> None:
        del self.data[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.data)

    def __len__(self) -> int:
        return len(self.data)


class FileCache(LimitedSizeDict):
    """Open files by their names. Pickles without the files."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._maxsize,)


class SharedFile:
    """An open file that is read at any place by several readers at a time, with no position of its own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._fd = os.open(name, os.O_RDONLY | os.O_CLOEXEC)

    def fileno(self) -> int:
        return self._fd

    def __del__(self) -> None:
        if (fd := getattr(self, "_fd", -1)) >= 0:
            os.close(fd)

    def at(self, offset: int) -> BufferedReader:
        """A file object that starts there."""
        return BufferedReader(_Positioned(self, offset))


class _Positioned(RawIOBase):
    """A position in a `SharedFile`."""

    def __init__(self, file: SharedFile, offset: int) -> None:
        self._shared = file
        self._offset = offset
        self.name = file.name

    def fileno(self) -> int:
        return self._shared.fileno()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = os.preadv(self._shared.fileno(), [buffer], self._offset)
        self._offset += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_CUR:
            offset += self._offset
        elif whence == os.SEEK_END:
            offset += os.fstat(self.fileno()).st_size
        if offset < 0:
            raise ValueError(f"expected an offset of 0 or more, got {offset}")
        self._offset = offset
        return offset

    def tell(self) -> int:
        return self._offset


class MultiFileDescriptor:
    """Several file objects, read one after the other."""

    def __init__(self, *fds: Any) -> None:
        self.fds = fds
        self.init_pos = [f.tell() for f in fds] if self.seekable() else None

    def seekable(self) -> bool:
        return all(seekable(f) for f in self.fds)

    def tell(self) -> int:
        if self.init_pos is None:
            raise OSError("a part of it has no position")
        return sum(f.tell() - start for f, start in zip(self.fds, self.init_pos))

    def seek(self, offset: int, from_what: int = 0) -> None:
        """Goes back to the start; there is no other place to go to."""
        if self.init_pos is None:
            raise OSError("a part of it cannot seek")
        if offset != 0 or from_what != 0:
            raise NotImplementedError(f"expected offset 0 from the start, got {offset} from {from_what}")
        for f, start in zip(self.fds, self.init_pos):
            f.seek(start)

    def _joined(self, take: Callable[[Any, int], Any], size: int, is_done: Callable[[Any], bool]) -> Any:
        found: Any = None
        for f in self.fds:
            part = take(f, -1 if size < 0 else size - (0 if found is None else len(found)))
            found = part if found is None else found + part
            if len(found) == size or is_done(found):
                break
        return b"" if found is None else found

    def read(self, size: int = -1) -> Any:
        return self._joined(lambda f, rest: f.read(rest), size, lambda _: False)

    def readline(self, size: int = -1) -> Any:
        return self._joined(
            lambda f, rest: f.readline(rest), size, lambda it: it.endswith("\n" if isinstance(it, str) else b"\n")
        )
