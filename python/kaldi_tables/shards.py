"""Shards: tar files of samples, as WeNet and webdataset have them.

A sample is a `dict`: its key in ``"__key__"``, and the content of each of its files, as `bytes`, by the suffix of its name.

>>> import os, tempfile
>>> import kaldi_tables as kt
>>> folder = tempfile.mkdtemp()
>>> samples = [{"__key__": "utt1", "txt": "hello", "wav": b"RIFF..."}, {"__key__": "utt2", "txt": "world"}]
>>> names = kt.shards.write(folder, samples)
>>> [os.path.basename(name) for name in names]
['shards_000000000.tar']
>>> for sample in kt.shards.samples(os.path.join(folder, "data.list")):
...     print(sample["__key__"], sample["txt"])
utt1 b'hello'
utt2 b'world'
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Any, Union

from . import _core
from ._errors import ArgumentError, ArgumentTypeError, ClosedError

__all__ = ["Samples", "samples", "write"]


def __dir__() -> list[str]:
    return list(__all__)


Name = Union[str, "os.PathLike[str]"]

_LOG = logging.getLogger("kaldi_tables")


class Samples:
    """Samples of shards, in their order. Each iteration starts at the first one. Pickles."""

    def __init__(self, names: list[str], grouping: str, permissive: bool) -> None:
        self._names = names
        self._grouping = grouping
        self._permissive = permissive
        self._closed = False
        # The arguments are looked at now.
        self._start()

    def _start(self) -> Any:
        tell = _leave_out if self._permissive else None
        return _core.ShardSamples(self._names, self._grouping, tell)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        if self._closed:
            raise ClosedError("the samples are closed")
        return self._read()

    def _read(self) -> Iterator[dict[str, Any]]:
        samples = self._start()
        try:
            for sample in samples:
                if self._closed:
                    raise ClosedError("the samples are closed")
                yield sample
        finally:
            samples.close()

    def close(self) -> None:
        """Ends all iterations."""
        self._closed = True

    def __enter__(self) -> Samples:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"samples({self._names!r})"


def _leave_out(message: str) -> None:
    _LOG.warning("%s; the rest of the shard is left out", message)


def samples(list_or_tar: Name | Iterable[Name], *, grouping: str = "wenet", permissive: bool = False) -> Samples:
    """The samples of shards, as dictionaries.

    `list_or_tar` is a shard (``.tar``, ``.tar.gz``, ``.tgz``, ``.tar.zst``), a list of shards with a name on each line, or
    several of these. Names may be commands (``"curl -s https://host/a.tar |"``).

    `grouping` says which files are a sample: ``"wenet"`` divides names at their last dot, ``"webdataset"`` at the first one.
    Fields are in the order of the shard; ``"__url__"`` is the name of the shard.

    A shard that is damaged or cut is a `kaldi_tables.DataError`, after the samples before the damage. With
    `permissive`, the rest of the shard is left out, with a warning in the log.
    """
    if isinstance(list_or_tar, (str, os.PathLike)):
        names = [os.fspath(list_or_tar)]
    else:
        names = [os.fspath(name) for name in list_or_tar]
    return Samples(names, grouping, permissive)


def write(
    target_dir: Name,
    samples: Iterable[Mapping[str, Any]],
    *,
    list: Name | None = None,
    prefix: str = "shards",
    max_samples: int = 1000,
    max_bytes: int | None = None,
    compress: str | None = None,
    index: str | None = None,
    grouping: str = "wenet",
) -> list[str]:
    """Writes samples to shards ``PREFIX_000000000.tar`` and so on in a folder, and a list of them. Returns their names.

    A sample has its key in ``"__key__"``; contents are `bytes` and the like, or `str`, which is written as UTF-8. Other names
    that start with ``__`` are no files. A shard has at most `max_samples` samples and `max_bytes` bytes. `list` is the name of the
    list; by default ``data.list`` in the folder. ``compress="gzip"`` makes ``.tar.gz``, ``index="dali"`` writes an index next to
    each shard.

    A shard appears when it is complete, and the list when all are: after an exception there is no new list. Keys come once;
    a sample that `grouping` would read as another one is a `ValueError`.
    """
    if max_samples < 1 or (max_bytes is not None and max_bytes < 1):
        raise ArgumentError(f"expected 1 sample and 1 byte or more in a shard, got {max_samples} and {max_bytes}")
    if compress not in (None, "none", "gzip"):
        raise ArgumentError(f"expected compress to be None or 'gzip', got {compress!r}")
    if index not in (None, "dali"):
        raise ArgumentError(f"expected index to be None or 'dali', got {index!r}")
    folder = os.fspath(target_dir)
    count = len(samples) if isinstance(samples, Sized) else None
    name = os.path.join(folder, "data.list") if list is None else os.fspath(list)
    writer = _core.ShardWriter(
        folder, name, prefix, max_samples, max_bytes, compress == "gzip", index == "dali", grouping, count
    )
    seen: set[str] = set()
    for sample in samples:
        if not isinstance(sample, Mapping):
            raise ArgumentTypeError(f"expected samples that are dictionaries, got {type(sample).__name__}")
        key = sample.get("__key__")
        if not isinstance(key, str) or not key or any(char.isspace() for char in key):
            raise ArgumentError(f"expected a key without white space in __key__, got {key!r}")
        if key in seen:
            raise ArgumentError(f"expected each key once, got {key!r} again")
        seen.add(key)
        writer.put(key, [(field, _content(key, field, it)) for field, it in sample.items() if not field.startswith("__")])
    shards: Any = writer.finish()
    return shards  # type: ignore[no-any-return]


def _content(key: str, field: str, content: Any) -> bytes:
    """The bytes of a field."""
    if isinstance(content, str):
        return content.encode("utf-8", "surrogateescape")
    if isinstance(content, (bytes, bytearray, memoryview)):
        return bytes(content)
    raise ArgumentTypeError(f"{key}: expected bytes or str in the field {field!r}, got {type(content).__name__}")
