"""Modules that have the functions of other packages.

`kaldi_tables.compat.kaldiio` has those of kaldiio.
"""

from __future__ import annotations

import importlib as _importlib
from typing import Any

__all__ = ["kaldiio"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return _importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
