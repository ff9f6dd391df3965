"""Kaldi's tables in Python: archives and script files, read and written."""

from __future__ import annotations

import importlib as _importlib
import typing as _typing

from . import _core
from ._core import Writer, __version__, create, save_mat, set_filesystem
from ._errors import (
    ArgumentError,
    ArgumentTypeError,
    ClosedError,
    CommandError,
    DataError,
    Error,
    FileError,
    MissingFileError,
    MissingKeyError,
    RangeError,
    SpecifierError,
)
from ._examples import ChainExample, ChainOutput, Example, Fst, Io, SparseRows
from ._open import lookup, open
from ._tables import Lookup, Reader, keys, load_ark, load_mat, load_scp, shapes
from ._threads import get_num_threads, set_num_threads
from ._values import Lattice, Posterior, SparseMatrix, Wave
from ._write import check, info, save_ark

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "ChainExample",
    "ChainOutput",
    "ClosedError",
    "CommandError",
    "DataError",
    "Error",
    "Example",
    "FileError",
    "Fst",
    "Io",
    "Lattice",
    "Lookup",
    "MissingFileError",
    "MissingKeyError",
    "Posterior",
    "RangeError",
    "Reader",
    "SparseMatrix",
    "SparseRows",
    "SpecifierError",
    "Wave",
    "Writer",
    "__version__",
    "check",
    "create",
    "get_num_threads",
    "info",
    "keys",
    "load_ark",
    "load_mat",
    "load_scp",
    "lookup",
    "open",
    "save_ark",
    "save_mat",
    "set_filesystem",
    "set_num_threads",
    "shapes",
]

# Submodules that are loaded when they are used first.
_SUBMODULES = ("compat", "feats", "feed", "shards", "tokens", "tools", "torch")
# Names that are loaded when they are used first, and where they are.
_LAZY = {"Plan": "_plan", "interleave": "_compose"}

if _typing.TYPE_CHECKING:
    from . import compat as compat
    from . import feats as feats
    from . import feed as feed
    from . import shards as shards
    from . import tokens as tokens
    from . import tools as tools
    from ._compose import interleave as interleave
    from ._plan import Plan as Plan


def __getattr__(name: str) -> _typing.Any:
    if name in _SUBMODULES:
        return _importlib.import_module(f".{name}", __name__)
    if name in _LAZY:
        return getattr(_importlib.import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *_SUBMODULES, *_LAZY])
