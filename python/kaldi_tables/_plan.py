"""The pieces of a plan of `table-jobs`."""

from __future__ import annotations

import os
import shlex
import tempfile
import typing
from collections.abc import Iterator, Sequence

from . import _core
from ._compose import Composable


class Piece(Composable[typing.Tuple[str, typing.Any]]):
    """The entries of a piece: an iterable of pairs of key and value. It pickles, and is read on any machine that sees the files."""

    def __init__(self, folder: str, number: int, entries: int, type: typing.Any, options: dict[str, typing.Any]) -> None:
        #: The number of the piece, as for `table-jobs --piece`: from 1 on.
        self.number = number
        self._folder = folder
        self._entries = entries
        self._type = type
        self._options = options

    def __len__(self) -> int:
        return self._entries

    def __repr__(self) -> str:
        return f"<piece {self.number} of {self._folder}: {self._entries} entries>"

    def __iter__(self) -> Iterator[tuple[str, typing.Any]]:
        return self.read()

    def lists(self) -> list[str]:
        """The lists that are dealt, as the command names them. The first one is iterated."""
        return [name for name, *_ in _core.jobs_shares(self._folder, self.number)]

    def lines(self, list: int = 0) -> list[str]:
        """The lines of the piece in a list, of which there may be several (`--follow`)."""
        _, _, path, start, end = _core.jobs_shares(self._folder, self.number)[list]
        with open(path, "rb") as file:
            file.seek(start)
            return file.read(end - start).decode("utf-8", "surrogateescape").splitlines()

    def read(self, list: int = 0) -> Iterator[tuple[str, typing.Any]]:
        """The entries of the piece in a list. Those of a list that is no table are lines: the key, and the rest."""
        from . import open as open_table

        _, prefix, _, _, _ = _core.jobs_shares(self._folder, self.number)[list]
        lines = [line.split(None, 1) for line in self.lines(list)]
        if not prefix:
            for key, *rest in lines:
                yield key, rest[0] if rest else ""
            return
        _, home, _ = _core.jobs_plan(self._folder)
        is_script = "scp" in prefix.rstrip(":").split(",")
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", errors="surrogateescape", prefix="kaldi-tables-") as script:
            for key, *rest in lines:
                value = rest[0] if rest else ""
                script.write(f"{key} {_from_folder(value, os.fspath(home)) if is_script else value}\n")
            script.flush()
            with open_table(prefix + script.name, self._type, **self._options) as reader:
                yield from reader


class Plan(Sequence[Piece]):
    """The pieces that `table-jobs --dry-run --dir=DIR ... -- COMMAND` has planned: `plan[i]` are the entries of a piece,
    in the order of the list.

    `type` and the options are those of `kaldi_tables.open`. A plan and its pieces pickle, so each may be read on another machine.
    """

    def __init__(self, dir: str | os.PathLike[str], type: typing.Any = None, **options: typing.Any) -> None:
        self._folder = os.path.abspath(os.fspath(dir))
        self._type, self._options = type, options
        self.command: list[str]
        self.command, _, self._pieces = _core.jobs_plan(self._folder)

    def __len__(self) -> int:
        return len(self._pieces)

    @typing.overload
    def __getitem__(self, at: int) -> Piece: ...

    @typing.overload
    def __getitem__(self, at: slice) -> list[Piece]: ...

    def __getitem__(self, at: int | slice) -> Piece | list[Piece]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        place = at + len(self) if at < 0 else at
        if not 0 <= place < len(self):
            raise IndexError(f"expected the number of one of {len(self)} pieces, got {at}")
        return Piece(self._folder, *self._pieces[place], self._type, self._options)

    def __repr__(self) -> str:
        return f"kaldi_tables.Plan({self._folder!r})"


def _from_folder(name: str, folder: str) -> str:
    """The name of a script file's line, as it is read in the folder of the command."""
    if name.rstrip().endswith("|"):
        return f"cd {shlex.quote(folder)} && {name}"
    if name.startswith("/") or "://" in name or name.startswith("-"):
        return name
    return f"{folder.rstrip('/')}/{name}"
