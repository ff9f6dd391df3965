"""Options as dataclasses, and as the words of a command line."""

from __future__ import annotations

import dataclasses
import difflib
import numbers
import operator
import os
import typing

from . import _core
from ._errors import ArgumentError, ArgumentTypeError

_Options = typing.TypeVar("_Options", bound="ToolOptions")


def closest(name: str, names: typing.Iterable[str]) -> str:
    """The end of a message about an unknown name: which one was probably meant."""
    close = difflib.get_close_matches(name, list(names), n=1)
    return f": did you mean {close[0]!r}?" if close else ""


class ToolOptions:
    """What dataclasses of options have in common."""

    # What the core calls this kind, and options of the tool that are about its tables.
    _kind: typing.ClassVar[str]
    _elsewhere: typing.ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def names(cls) -> list[str]:
        """The names of the options."""
        return [field.name for field in dataclasses.fields(cls)]  # type: ignore[arg-type]

    @classmethod
    def _check(cls, names: typing.Iterable[str]) -> None:
        known = cls.names()
        for name in names:
            if name not in known:
                raise ArgumentTypeError(f"{cls.__name__} has no option {name!r}{closest(name, known)}")

    def __setattr__(self, name: str, value: object) -> None:
        self._check([name])
        super().__setattr__(name, value)

    @classmethod
    def from_config(cls: type[_Options], path: str | os.PathLike[str]) -> _Options:
        """Reads a file as the tool reads it with `--config`: lines of `--name=value`.

        Options that have no effect on the values (`--verbose`, `--write-utt2dur`) are left out.
        """
        types: dict[str, typing.Any] = {field.name: type(field.default) for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
        given: dict[str, typing.Any] = {}
        for option, text in _core.feats_config(cls._kind, path):
            name = option.replace("-", "_")
            if name in cls._elsewhere:
                raise ArgumentError(f"{os.fspath(path)}: --{option} is about tables; it has no meaning for an array")
            if name in types:
                given[name] = text == "true" if types[name] is bool else types[name](text)
        return cls(**given)

    def words(self) -> list[str]:
        """The options that are not the defaults, as words of a command line."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        values = ((field, getattr(self, field.name)) for field in fields)
        return [word(field.name, value) for field, value in values if value != field.default]


def word(name: str, value: object) -> str:
    """`--name=value`."""
    option = "--" + name.replace("_", "-")
    if isinstance(value, str):
        return f"{option}={value}"
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return f"{option}={'true' if value else 'false'}"
    if isinstance(value, os.PathLike):
        return f"{option}={os.fspath(value)}"
    if isinstance(value, numbers.Integral):
        return f"{option}={operator.index(value)}"
    if isinstance(value, numbers.Real):
        return f"{option}={float(value)!r}"
    raise ArgumentTypeError(f"expected {name} to be a number, a bool or a str, got {type(value).__name__}")


def with_advice(kind: type[_Options]) -> type[_Options]:
    """Has a dataclass say which option was probably meant."""
    init = kind.__init__

    def checked(self: _Options, *args: object, **options: object) -> None:
        self._check(options)
        init(self, *args, **options)

    checked.__wrapped__ = init  # type: ignore[attr-defined]
    checked.__doc__ = init.__doc__
    kind.__init__ = checked  # type: ignore[method-assign, assignment]
    return kind
