"""Tables in sequence (`Reader`) and by key (`Lookup`)."""

from __future__ import annotations

import atexit
import collections.abc
import itertools
import os
import typing
import weakref

from . import _core
from ._compose import Composable
from ._errors import ArgumentError, ArgumentTypeError, ClosedError, Error
from ._threads import count_threads

_Value = typing.TypeVar("_Value", covariant=True)

Source = typing.Union[str, "os.PathLike[str]", typing.BinaryIO]

# Iterators that live: their commands are ended before the interpreter is.
_live: weakref.WeakSet[_core.TableIterator] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for iterator in list(_live):
        iterator.close()


# A forked child has nothing to do with the iterators of its parent.
os.register_at_fork(after_in_child=lambda: _live.clear())


def _is_object(source: typing.Any) -> bool:
    return not isinstance(source, str) and not hasattr(source, "__fspath__")


class Reader(Composable[typing.Tuple[str, _Value]]):
    """The entries of a table: an iterable of pairs of key and value.

    Each `iter()` starts at the first entry, with a handle of its own. A reader can be pickled: it is its source and its options.
    """

    def __init__(
        self,
        source: Source,
        type: str | None = None,
        *,
        dtype: typing.Any = None,
        mmap: bool = False,
        threads: int | None = None,
        permissive: bool = False,
        _has_keys: bool = True,
    ) -> None:
        self._source = source
        self._wanted = type
        self._options = {"dtype": dtype, "mmap": mmap, "permissive": permissive, "has_keys": _has_keys}
        self._threads = threads if threads is None else count_threads(threads)
        self._closed = False
        self._iterators: weakref.WeakSet[_core.TableIterator] = weakref.WeakSet()
        # The handle of the first iteration. A missing file is found now.
        self._first: _core.TableIterator | None = self._open()
        self._pid = os.getpid()
        self._was_taken = False
        self._found = type if type != "bytes" else None

    def _open(
        self, delivers: str = "values", share: tuple[int, int, int, int] = (0, 1, 0, 1)
    ) -> _core.TableIterator:
        threads = count_threads(self._threads)
        iterator = _core.TableIterator(
            self._source, self._wanted, delivers=delivers, share=share, threads=threads, **self._options
        )
        self._iterators.add(iterator)
        _live.add(iterator)
        return iterator

    def _comes_once(self) -> bool:
        return _is_object(self._source) or _core.is_stdin(typing.cast("str | os.PathLike[str]", self._source))

    def _take(
        self, delivers: str = "values", share: tuple[int, int, int, int] = (0, 1, 0, 1)
    ) -> _core.TableIterator:
        """A handle at the first entry."""
        if self._closed:
            raise ClosedError("the reader is closed")
        comes_once = self._comes_once()
        if comes_once and self._was_taken:
            name = getattr(self._source, "name", "a file object") if _is_object(self._source) else "standard input"
            raise Error(f"cannot read {name} a second time: it is a stream", file=str(name))
        self._was_taken = True
        first, self._first = self._first, None
        if first is not None and share == (0, 1, 0, 1) and self._pid == os.getpid():
            first.deliver_instead(delivers)
            return first
        if first is not None and not comes_once:
            first.close()
        return self._open(delivers, share)

    def __iter__(self) -> collections.abc.Iterator[tuple[str, _Value]]:
        return self._take()

    def _iter_share(
        self, rank: int, world_size: int, worker: int, num_workers: int
    ) -> collections.abc.Iterator[tuple[str, _Value]]:
        """The entries of a share. Of the values of others in files, only headers are read."""
        if self._comes_once():
            return itertools.islice(self, rank + world_size * worker, None, world_size * num_workers)
        return self._take(share=(rank, world_size, worker, num_workers))

    def shapes(self) -> collections.abc.Iterator[tuple[str, tuple[int, ...]]]:
        """Pairs of key and shape. Of binary matrices, vectors and waveforms in files, only headers are read.

        >>> import kaldi_tables as kt
        >>> list(kt.open("ark:echo 'a [ 1 2 ]' |", "vector").shapes())
        [('a', (2,))]
        """
        return self._take("shapes")

    def batched(self, n: int) -> collections.abc.Iterator[list[tuple[str, _Value]]]:
        """Lists of up to `n` pairs.

        >>> import kaldi_tables as kt
        >>> [len(pairs) for pairs in kt.open("ark:echo a 1; echo b 2; echo c 3 |", "int32").batched(2)]
        [2, 1]
        """
        if n < 1:
            raise ArgumentError(f"expected 1 pair or more, got {n}")
        return self._batches(self._take(), n)

    @staticmethod
    def _batches(iterator: _core.TableIterator, n: int) -> collections.abc.Iterator[list[tuple[str, typing.Any]]]:
        try:
            while pairs := iterator.read_many(n):
                yield pairs
        finally:
            iterator.close()

    def __len__(self) -> int:
        # `list(reader)` asks for it, too: a stream must not be read for that.
        if not _is_object(self._source):
            source = typing.cast("str | os.PathLike[str]", self._source)
            name = os.fspath(source)
            kind, colon, rest = name.partition(":")
            words = kind.split(",") if colon else []
            path = rest if "scp" in words else name
            is_stream = path.rstrip().endswith("|") or path == "-" or (os.path.exists(path) and not os.path.isfile(path))
            if not (is_stream or {"ark", "shard", "shar"} & set(words)):
                return _core.script_length(source)
        raise ArgumentTypeError("only script files have a length: an archive would have to be read for it")

    def __bool__(self) -> bool:
        return True

    @property
    def source(self) -> Source:
        """What was opened."""
        return self._source

    @property
    def type(self) -> str | None:
        """The type of the values, perhaps found by looking: at the first bytes of a stream. None if there are no values, or `bytes`."""
        if self._wanted is not None:
            return self._wanted
        if self._found is None and not self._closed:
            iterator = self._first if self._first is not None else None
            if iterator is not None:
                self._found = iterator.value_type
            elif not _is_object(self._source):
                probe = self._open()
                self._found = probe.value_type
                probe.close()
        return self._found

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._closed

    def close(self) -> None:
        """Ends all iterations over it, and their commands. Later ones raise `ClosedError`."""
        self._closed = True
        self._first = None
        for iterator in list(self._iterators):
            iterator.close()

    def __enter__(self) -> Reader[_Value]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Reader of {self._source!r}{', closed' if self._closed else ''}>"

    def __reduce__(self) -> tuple[typing.Any, ...]:
        if _is_object(self._source):
            raise ArgumentTypeError("a reader of a file object cannot be pickled: open it by name")
        return _reader, (self._source, self._wanted, self._options, self._threads, self._closed)


def _reader(
    source: Source, wanted: str | None, options: dict[str, typing.Any], threads: int | None, closed: bool
) -> Reader[typing.Any]:
    """A reader that was pickled. It opens its source when it is iterated."""
    reader: Reader[typing.Any] = Reader.__new__(Reader)
    reader._source, reader._wanted, reader._options, reader._threads = source, wanted, options, threads
    reader._closed, reader._first, reader._was_taken = closed, None, False
    reader._iterators, reader._pid = weakref.WeakSet(), os.getpid()
    reader._found = wanted if wanted != "bytes" else None
    return reader


class _Values(collections.abc.ValuesView[_Value]):
    """The values of a lookup, which are found by their numbers."""

    _mapping: Lookup[_Value]

    def __iter__(self) -> collections.abc.Iterator[_Value]:
        table = self._mapping._table
        return map(table.value_at, range(len(table)))


class _Items(collections.abc.ItemsView[str, _Value]):
    """The pairs of key and value of a lookup, which are found by their numbers."""

    _mapping: Lookup[_Value]

    def __iter__(self) -> collections.abc.Iterator[tuple[str, _Value]]:
        table = self._mapping._table
        return map(table.item_at, range(len(table)))


class Lookup(typing.Mapping[str, _Value]):
    """The values of a table by key. Nothing but an index is kept in memory. It can be pickled and used by threads at once."""

    def __init__(
        self,
        source: str | os.PathLike[str],
        type: str | None = None,
        *,
        dtype: typing.Any = None,
        mmap: bool = False,
        segments: str | os.PathLike[str] | None = None,
        utt2spk: str | os.PathLike[str] | None = None,
        cache_files: int = 8,
    ) -> None:
        if cache_files < 0:
            raise ArgumentError(f"expected to keep 0 files open or more, got {cache_files}")
        self._arguments = (source, type)
        self._options = {
            "dtype": dtype, "mmap": mmap, "segments": segments, "utt2spk": utt2spk, "cache_files": cache_files
        }
        self._closed = False
        self._table = _core.LookupTable(source, type, **self._options)

    def __getitem__(self, key: str) -> _Value:
        value: _Value = self._table.get(key)
        return value

    def values(self) -> _Values[_Value]:
        """The values, in the order of the keys."""
        return _Values(self)

    def items(self) -> _Items[_Value]:
        """Pairs of key and value, in their order."""
        return _Items(self)

    def __contains__(self, key: object) -> bool:
        return key in self._table

    def __len__(self) -> int:
        return len(self._table)

    def __bool__(self) -> bool:
        return self._closed or len(self._table) > 0

    def __iter__(self) -> collections.abc.Iterator[str]:
        index = 0
        while (key := self._table.key_at(index)) is not None:
            yield key
            index += 1

    def shape(self, key: str) -> tuple[int, ...]:
        """The shape of the value of a key, of which only the header is read if that is enough."""
        return self._table.shape(key)

    def get_many(self, keys: collections.abc.Iterable[str], threads: int | None = None) -> list[_Value]:
        """The values of keys in their order, read by several threads."""
        return self._table.get_many(keys, count_threads(threads))

    @property
    def source(self) -> str | os.PathLike[str]:
        """What was opened."""
        return self._arguments[0]

    @property
    def type(self) -> str | None:
        """The type of the values."""
        return self._arguments[1] or self._table.value_type

    @property
    def closed(self) -> bool:
        """Whether it is closed."""
        return self._closed

    def close(self) -> None:
        """Frees the index and closes the files. Values stay."""
        self._closed = True
        self._table.close()

    def __enter__(self) -> Lookup[_Value]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Lookup of {self._arguments[0]!r}{', closed' if self._closed else f', {len(self)} keys'}>"

    def __reduce__(self) -> tuple[typing.Any, ...]:
        return _lookup, (*self._arguments, self._options, self._closed)


def _lookup(source: str, type: str | None, options: dict[str, typing.Any], closed: bool) -> Lookup[typing.Any]:
    """A lookup that was pickled."""
    lookup: Lookup[typing.Any] = Lookup(source, type, **options)
    if closed:
        lookup.close()
    return lookup


def keys(source: Source, type: str | None = None) -> collections.abc.Iterator[str]:
    """The keys of a table, in its order.

    >>> import kaldi_tables as kt
    >>> list(kt.keys("ark:echo a 1; echo b 2 |"))
    ['a', 'b']
    """
    iterator = _core.TableIterator(source, type, delivers="keys")
    _live.add(iterator)
    return iterator


def shapes(source: Source, type: str | None = None) -> dict[str, tuple[int, ...]]:
    """The shapes of all values by key.

    >>> import kaldi_tables as kt
    >>> kt.shapes("ark:echo 'a [ 1 2 3 ]' |", "vector")
    {'a': (3,)}
    """
    return dict(_core.TableIterator(source, type, delivers="shapes"))


def load_ark(source: Source) -> Reader[typing.Any]:
    """Reads an archive in sequence, as `kaldiio.load_ark` does.

    >>> import kaldi_tables as kt
    >>> dict(kt.load_ark("ark:echo a 1 2 |"))
    {'a': array([1, 2], dtype=int32)}
    """
    if isinstance(source, str) and source and ":" not in source and not source.rstrip().endswith("|"):
        source = f"ark:{source}"
    return Reader(source)


def load_scp(name: str | os.PathLike[str], *, segments: str | os.PathLike[str] | None = None) -> Lookup[typing.Any]:
    """Opens a script file by key, as `kaldiio.load_scp` does.

    >>> import kaldi_tables as kt, os, pathlib, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = pathlib.Path(folder, "x.vec").write_text(" [ 1 2 ]\\n")
    >>> _ = pathlib.Path(folder, "x.scp").write_text(f"a {folder}/x.vec\\n")
    >>> kt.load_scp(os.path.join(folder, "x.scp"))["a"]
    array([1., 2.], dtype=float32)
    """
    name = os.fspath(name)
    return Lookup(name if name.startswith("scp") and ":" in name else f"scp:{name}", segments=segments)


def load_mat(rxfilename: str | os.PathLike[str]) -> typing.Any:
    """Reads one value: of a file, of an offset in an archive (`x.ark:5`), of a command; a range may follow (`x.mat[0:9]`).

    >>> import kaldi_tables as kt
    >>> kt.load_mat("echo '[ 1 2 ]' |")
    array([1., 2.], dtype=float32)
    """
    iterator = _core.TableIterator(os.fspath(rxfilename), None, has_keys=False)
    _live.add(iterator)
    try:
        return next(iterator)[1]
    finally:
        iterator.close()
