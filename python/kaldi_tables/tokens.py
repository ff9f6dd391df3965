"""Token datasets of language models: an index (``.idx``) and a file of tokens (``.bin``), as Megatron and others have them.

>>> import os, tempfile
>>> import numpy as np
>>> import kaldi_tables as kt
>>> prefix = os.path.join(tempfile.mkdtemp(), "text")
>>> with kt.tokens.IndexedDatasetBuilder(prefix, np.uint16) as builder:
...     for document in [[1, 2, 3], [4, 5, 6, 7], [8, 9]]:
...         builder.add_item(document)
...         builder.end_document()
>>> dataset = kt.tokens.IndexedDataset(prefix)
>>> len(dataset), dataset.dtype
(3, dtype('uint16'))
>>> dataset.get(1, offset=1, length=2)
array([5, 6], dtype=uint16)
>>> dataset[:2]
[array([1, 2, 3], dtype=uint16), array([4, 5, 6, 7], dtype=uint16)]
"""

from __future__ import annotations

import mmap
import operator
import os
import threading
import warnings
from collections.abc import Sequence
from typing import Any, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import ArgumentError, ArgumentTypeError, ClosedError, DataError, RangeError

__all__ = ["IndexedDataset", "IndexedDatasetBuilder"]


def __dir__() -> list[str]:
    return list(__all__)


Tokens = npt.NDArray[Any]


class IndexedDataset(Sequence[Tokens]):
    """The sequences of a token dataset.

    `prefix` is the common start of the names of the two files, or the name of one. `dialect` is ``"megatron"``,
    ``"gpt-neox"``, ``"deepspeed"`` or ``"fairseq"``; without it, the files show it as far as they can.

    Arrays are read-only views of the map of the file, which live as long as they are used: nothing is copied. The place of a
    sequence is compared with its neighbours and with the file, so a damaged index is a `kaldi_tables.DataError` and gives no
    wrong tokens. A dataset pickles as its name, and may be used by several threads and by forked children. The files must not
    be cut while they are mapped: that ends the process, as with every map. Arrays of the index may be unaligned.
    """

    def __init__(self, prefix: str | os.PathLike[str], *, dialect: str | None = None) -> None:
        self._prefix = os.fsdecode(prefix)
        self._dialect = dialect
        self._index = _core.TokenIndex(self._prefix, dialect)
        name, self.dialect, self._documents, self._has_modes = self._index.form
        self.dtype: np.dtype[Any] = np.dtype(name)
        index, tokens = self._index.files
        self._map = _bytes_of(index)
        self._tokens = _whole(_bytes_of(tokens), self.dtype, tokens)

    @property
    def prefix(self) -> str:
        """The common start of the names of the files."""
        return self._prefix

    def __len__(self) -> int:
        return len(self._index)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Tokens: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tokens]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Tokens | list[Tokens]:
        """The tokens of a sequence, or a list of those of several."""
        if isinstance(index, slice):
            return [self._sequence(number) for number in range(*index.indices(len(self)))]
        return self._sequence(self._number(index))

    def get(self, index: SupportsIndex, offset: int = 0, length: int | None = None) -> Tokens:
        """Some tokens of a sequence: `length` of them from `offset` on, by default all that follow."""
        number = self._number(index)
        tokens = self._sequence(number)
        end = len(tokens) if length is None else offset + length
        if not 0 <= offset <= end <= len(tokens):
            asked = "tokens" if length is None else f"{length} tokens"
            raise ArgumentError(f"sequence {number} has {len(tokens)} tokens: there are no {asked} from {offset} on")
        return tokens[offset:end]

    def _number(self, index: SupportsIndex) -> int:
        number = operator.index(index)
        if not -len(self) <= number < len(self):
            raise IndexError(f"{self._prefix}: expected a sequence below {len(self)}, got {number}")
        return number % len(self)

    def _sequence(self, number: int) -> Tokens:
        start, end = self._index.place(number)
        return self._tokens[start:end]

    @property
    def sequence_lengths(self) -> npt.NDArray[np.int32]:
        """The number of tokens of each sequence: a read-only view of the index."""
        return self._array(0, 4 * len(self), np.int32)

    @property
    def sequence_pointers(self) -> npt.NDArray[np.int64]:
        """The byte of the ``.bin`` at which each sequence starts: a read-only view of the index."""
        return self._array(4 * len(self), 8 * len(self), np.int64)

    @property
    def document_indices(self) -> npt.NDArray[np.int64]:
        """The bounds of documents: document *i* has the sequences from ``[i]`` up to, not including, ``[i + 1]``.

        A read-only view of the index. In datasets of fairseq, which has no documents, each sequence is one.
        """
        if self._documents is None:
            bounds = np.arange(len(self) + 1, dtype=np.int64)
            bounds.flags.writeable = False
            return bounds
        return self._array(12 * len(self), 8 * (self._documents + 1), np.int64)

    @property
    def sequence_modes(self) -> npt.NDArray[np.int8] | None:
        """The mode of each sequence, if sequences have modes: a read-only view of the index."""
        if not self._has_modes or self._documents is None:
            return None
        return self._array(12 * len(self) + 8 * (self._documents + 1), len(self), np.int8)

    def _array(self, start: int, size: int, dtype: Any) -> npt.NDArray[Any]:
        start += 26 if self._documents is None else 34
        return self._map[start : start + size].view(dtype)

    def __repr__(self) -> str:
        return f"IndexedDataset({self._prefix!r}: {len(self)} sequences, {self.dtype})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _open, (self._prefix, self._dialect)


def _open(prefix: str, dialect: str | None) -> IndexedDataset:
    return IndexedDataset(prefix, dialect=dialect)


def _bytes_of(name: str) -> npt.NDArray[np.uint8]:
    """The map of a file."""
    with open(name, "rb") as file:
        if os.fstat(file.fileno()).st_size == 0:
            return np.frombuffer(b"", np.uint8)
        return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)


def _whole(data: npt.NDArray[np.uint8], dtype: np.dtype[Any], name: str) -> Tokens:
    """All tokens of a file."""
    if len(data) % dtype.itemsize:
        raise DataError(f"{name}: expected tokens of {dtype.itemsize} bytes, found {len(data)} bytes", file=name)
    return data.view(dtype)


class IndexedDatasetBuilder:
    """Writes a token dataset. The files get their names at the end of the ``with`` block, or when `close` is called.

    `dtype` is the type of the tokens, of NumPy or by its name. With ``multimodal=True``, every sequence has a mode. After an
    exception there are no files, and old ones stay as they were.
    """

    def __init__(
        self,
        prefix: str | os.PathLike[str],
        dtype: npt.DTypeLike = np.int32,
        *,
        dialect: str = "megatron",
        multimodal: bool = False,
    ) -> None:
        self._builder: Any = None
        # Threads may use one builder.
        self._turn = threading.Lock()
        self._prefix = os.fsdecode(prefix)
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self._builder = _core.TokenBuilder(self._prefix, self.dtype.name, dialect, multimodal)

    def _open(self) -> Any:
        if self._builder is None:
            raise ClosedError(f"the builder of {self._prefix} is closed")
        return self._builder

    def add_item(self, array: Any, mode: int = 0) -> None:
        """Appends a sequence: an array of one dimension, a tensor, or a list of numbers.

        `OverflowError` if a token does not fit the type of the dataset; the sequence is then left out.
        """
        builder = self._open()
        tokens = np.asarray(array)
        if tokens.ndim != 1:
            raise ArgumentError(f"expected tokens in 1 dimension, got {tokens.ndim}")
        if tokens.size == 0 or (self.dtype.kind == "f" and tokens.dtype.kind in "fiu"):
            tokens = tokens.astype(self.dtype)
        if tokens.dtype == np.object_:
            raise RangeError(f"expected tokens that fit {self.dtype}, got others")
        if tokens.dtype.kind not in "iu" and tokens.dtype != self.dtype:
            raise ArgumentTypeError(f"expected tokens of {self.dtype}, got {tokens.dtype}")
        if not -128 <= mode <= 127:
            raise RangeError(f"expected a mode from -128 to 127, got {mode}")
        little = np.ascontiguousarray(tokens, tokens.dtype.newbyteorder("<"))
        with self._turn:
            builder.add(little.view(np.uint8), tokens.dtype.name, mode)

    def end_document(self) -> None:
        """Ends a document: the sequences since the last one."""
        self._open().end_document()

    def close(self) -> None:
        """Gives the files their names. Twice is fine."""
        builder, self._builder = self._builder, None
        if builder is not None:
            builder.finish()

    def discard(self) -> None:
        """Ends without the files; old ones stay as they were."""
        builder, self._builder = self._builder, None
        if builder is not None:
            builder.discard()

    @property
    def closed(self) -> bool:
        """Whether it was closed or discarded."""
        return self._builder is None

    def __enter__(self) -> IndexedDatasetBuilder:
        self._open()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        if getattr(self, "_builder", None) is not None:
            self.discard()
            message = f"an IndexedDatasetBuilder was never closed: {self._prefix} is not written"
            warnings.warn(message, ResourceWarning, source=self, stacklevel=2)

    def __reduce__(self) -> Any:
        raise ArgumentTypeError("an IndexedDatasetBuilder cannot be pickled: it writes files")
