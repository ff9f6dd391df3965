"""Writes kaldi_tables/_open.pyi: the types of `open` and `lookup` for each type of values. With --check, compares it.

What values are in Python stands in the rows of src/values/types.rs, which the installed module knows: python -I python/stubs.py
"""

import pathlib
import sys

from kaldi_tables import _core

STUB = pathlib.Path(__file__).parent / "kaldi_tables" / "_open.pyi"

HEAD = '''\
# Made by python/stubs.py.
import os
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ._examples import ChainExample, Example
from ._tables import Lookup, Reader, Source
from ._values import Lattice, Posterior, Wave
'''

OPTIONS = {
    "open": "threads: int | None = None, permissive: bool = False",
    "lookup": "segments: str | os.PathLike[str] | None = None, utt2spk: str | os.PathLike[str] | None = None, cache_files: int = 8",
}


def overload(name: str, value_type: str, value: str) -> str:
    source, returned = ("Source", "Reader") if name == "open" else ("str | os.PathLike[str]", "Lookup")
    parameters = f"source: {source}, type: {value_type}, *, dtype: Any = None, mmap: bool = False, {OPTIONS[name]}"
    return f"@overload\ndef {name}({parameters}) -> {returned}[{value}]: ...\n"


def stub() -> str:
    names: dict[str, list[str]] = {}
    for name, annotation in [*_core.value_annotations(), ("bytes", "bytes")]:
        names.setdefault(annotation, []).append(f'"{name}"')
    types = [(f"Literal[{', '.join(words)}]", value) for value, words in names.items()]
    types.append(("str | None = None", "Any"))
    return HEAD + "\n" + "".join(overload(name, *value) for name in OPTIONS for value in types)


if sys.argv[1:] == ["--check"]:
    if STUB.read_text() != stub():
        sys.exit(f"{STUB} is not what python/stubs.py writes")
elif sys.argv[1:]:
    sys.exit(__doc__)
else:
    STUB.write_text(stub())
