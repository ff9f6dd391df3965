"""Archives of what is in memory, and what is in tables."""

from __future__ import annotations

import collections.abc
import os
import typing

from . import _core
from ._errors import ArgumentError, ArgumentTypeError

Name = typing.Union[str, "os.PathLike[str]"]
Target = typing.Union[Name, typing.BinaryIO]
Pairs = typing.Union["collections.abc.Mapping[str, typing.Any]", "collections.abc.Iterable[tuple[str, typing.Any]]"]


def _table(ark: Name, scp: Name | None, text: bool) -> str:
    """The wspecifier of an archive and its script file."""
    names = [os.fsdecode(ark)] + ([] if scp is None else [os.fsdecode(scp)])
    if scp is not None and "," in names[0]:
        raise ArgumentError(f"an archive with a script file has no comma in its name, got {names[0]!r}")
    kind = "ark" if scp is None else "ark,scp"
    return f"{kind}{',t' if text else ''}:{','.join(names)}"


def save_ark(
    ark: Target,
    entries: Pairs,
    scp: Name | None = None,
    *,
    text: bool = False,
    append: bool = False,
    compression: int | str | None = None,
) -> None:
    """Writes an archive of a mapping, or of pairs of key and value, and a script file that points into it.

    The files appear when they are complete. With `append`, entries are added to files that are there; if that fails, they are
    as before.

    >>> import numpy as np, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> ark, scp = os.path.join(folder, "a.ark"), os.path.join(folder, "a.scp")
    >>> save_ark(ark, {"utt1": np.ones((2, 3), np.float32)}, scp)
    >>> save_ark(ark, [("utt2", np.zeros((1, 3), np.float32))], scp, append=True)
    >>> [line.split()[0] for line in open(scp)]
    ['utt1', 'utt2']
    """
    if append:
        if not isinstance(ark, (str, os.PathLike)):
            raise ArgumentTypeError("only files are appended to; a file object is written where it stands")
        writer = _core.append(ark, scp, text, compression)
    elif isinstance(ark, (str, os.PathLike)):
        writer = _core.create(_table(ark, scp, text), compression=compression)
    elif scp is not None or text:
        raise ArgumentError("an archive in a file object is binary and has no script file")
    else:
        writer = _core.create(ark, compression=compression)
    with writer:
        writer.write_many(entries)


def info(source: Name) -> dict[str, typing.Any]:
    """What is in a table, as `table-info --json` says: the type of the values, their number and sizes.

    >>> import os, tempfile
    >>> ark = os.path.join(tempfile.mkdtemp(), "a.ark")
    >>> save_ark(ark, {"utt1": [1.5, 2.5]}, text=True)
    >>> info(ark)["type"], info(ark)["entries"]
    ('vector', 1)
    """
    import json

    found: dict[str, typing.Any] = json.loads(_core.inspect_info(source))
    return found


def check(source: Name) -> list[str]:
    """What is wrong with a table, as `table-check` says: a line for each fault, none if all is well.

    >>> import os, tempfile
    >>> ark = os.path.join(tempfile.mkdtemp(), "a.ark")
    >>> save_ark(ark, {"utt1": [1.5, 2.5]})
    >>> check(ark)
    []

    The same for what `create`, `save_mat` and `set_filesystem` write:

    >>> import fsspec  # doctest: +SKIP
    >>> kt.set_filesystem("memory", fsspec.filesystem("memory"))  # doctest: +SKIP
    >>> with kt.create(f"ark,t:{ark}.txt") as out:
    ...     out["utt1"] = [1, 2, 3]
    >>> open(f"{ark}.txt").read()
    'utt1 1 2 3 \\n'
    >>> kt.save_mat(f"{ark}.mat", [[1.5, 2.5]])
    >>> check(f"{ark}.txt") + check(f"{ark}.mat")
    []

    A cut archive has a fault:

    >>> _ = open(ark, "r+b").truncate(20)
    >>> len(check(ark))
    1
    """
    return _core.inspect_check(source)
