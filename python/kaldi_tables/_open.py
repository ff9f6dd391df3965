"""`open` and `lookup`. What they return for each type of values stands in `_open.pyi`, which python/stubs.py makes."""

from __future__ import annotations

import os
import typing

from ._tables import Lookup, Reader, Source


def open(
    source: Source,
    type: str | None = None,
    *,
    dtype: typing.Any = None,
    mmap: bool = False,
    threads: int | None = None,
    permissive: bool = False,
) -> Reader[typing.Any]:
    """Opens a table to be read in sequence.

    `source` is an rspecifier (`ark:`, `scp:`, `shard:`), the name of an archive, a script file or a single value, which is found by
    looking, or a binary file object. `type` is the name of a type of values, or `bytes`; it is found by looking, too. `dtype` is
    `float32` or `float64`. With `mmap`, dense matrices and vectors are read-only views of the file. With `permissive`, entries that
    cannot be read are left out with a warning. Values of text and compressed ones are parsed on `threads` threads (None:
    `kaldi_tables.get_num_threads()`).

    >>> import kaldi_tables as kt
    >>> [(key, value.tolist()) for key, value in kt.open("ark:echo 'a [ 1 2 ]' |", "vector")]
    [('a', [1.0, 2.0])]
    """
    return Reader(source, type, dtype=dtype, mmap=mmap, threads=threads, permissive=permissive)


def lookup(
    source: str | os.PathLike[str],
    type: str | None = None,
    *,
    dtype: typing.Any = None,
    mmap: bool = False,
    segments: str | os.PathLike[str] | None = None,
    utt2spk: str | os.PathLike[str] | None = None,
    cache_files: int = 8,
) -> Lookup[typing.Any]:
    """Opens a script file, or an archive that is a file, for values by key.

    With `segments`, a segments file, `source` is a script of recordings, and the values are segments as `extract-segments` cuts them,
    however short they are. With `utt2spk`, keys are looked up in that map first, and iteration is over the keys of the map. Up to
    `cache_files` files stay open between the calls.

    >>> import kaldi_tables as kt, os, pathlib, tempfile
    >>> name = os.path.join(tempfile.mkdtemp(), "x.ark")
    >>> _ = pathlib.Path(name).write_text("a 1\\nb 2\\n")
    >>> values = kt.lookup("ark:" + name, "int32")
    >>> values["b"], list(values)
    (2, ['a', 'b'])
    """
    return Lookup(
        source, type, dtype=dtype, mmap=mmap, segments=segments, utt2spk=utt2spk, cache_files=cache_files
    )
