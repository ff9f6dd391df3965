"""The exceptions of the package."""

from __future__ import annotations

import typing


def _rebuild(kind: type[Error], state: dict[str, typing.Any]) -> Error:
    error = kind.__new__(kind)
    error._set(**state)
    return error


class Error(Exception):
    """A failure. `file`, `key`, `offset` and `line` say where; each is None if it is unknown."""

    message: str
    file: str | None
    key: str | None
    offset: int | None
    line: int | None

    def __init__(self, message: str = "", **places: typing.Any) -> None:
        super().__init__()
        self._set(message, **places)

    def _set(
        self,
        message: str = "",
        *,
        file: str | None = None,
        key: str | None = None,
        offset: int | None = None,
        line: int | None = None,
    ) -> None:
        self.args = (message,)
        self.message = message
        self.file, self.key, self.offset, self.line = file, key, offset, line

    def _state(self) -> dict[str, typing.Any]:
        names = ("message", "file", "key", "offset", "line")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[typing.Any, ...]:
        return _rebuild, (type(self), self._state())


class FileError(Error, OSError):
    """A file or stream that cannot be opened, read or written, with `errno` and `filename`."""

    def _set(self, message: str = "", *, errno: int | None = None, strerror: str | None = None, **places: typing.Any) -> None:
        super()._set(message, **places)
        self.errno, self.strerror, self.filename = errno, strerror, self.file

    def _state(self) -> dict[str, typing.Any]:
        return {**super()._state(), "errno": self.errno, "strerror": self.strerror}


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there."""


class DataError(Error, ValueError):
    """Data that are damaged, cut off, or of another type."""


class SpecifierError(Error, ValueError):
    """A name that is no valid name of a table or a stream."""


class MissingKeyError(Error, KeyError):
    """A key that a table does not have."""


class CommandError(Error):
    """A command that could not be run or that failed, with `command` and `status`, its exit status (negative: the number of a
    signal)."""

    command: str
    status: int | None

    def _set(self, message: str = "", *, command: str = "", status: int | None = None, **places: typing.Any) -> None:
        super()._set(message, **places)
        self.command, self.status = command, status

    def _state(self) -> dict[str, typing.Any]:
        return {**super()._state(), "command": self.command, "status": self.status}


class ArgumentError(Error, ValueError):
    """An argument that makes no sense."""


class ArgumentTypeError(Error, TypeError):
    """An argument or a value of another type than is expected."""


class RangeError(Error, OverflowError):
    """A number that the format of a file cannot hold."""


class ClosedError(Error, ValueError):
    """A reader, lookup or writer that is used after it was closed."""


for _error in list(globals().values()):
    if isinstance(_error, type) and issubclass(_error, Error):
        _error.__module__ = "kaldi_tables"
