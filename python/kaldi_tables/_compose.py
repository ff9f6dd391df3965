"""Readers of readers: shuffled, sorted, in batches, shared among processes.

Each is an iterable that reads nothing before it is iterated, can be iterated again, and pickles if its parts do. What passes through are
the items of the reader: pairs of key and value, or lists of them after `batch`.
"""

from __future__ import annotations

import itertools
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence

from . import _core
from ._errors import ArgumentError

_Item = typing.TypeVar("_Item", covariant=True)
_Made = typing.TypeVar("_Made")


class Composable(typing.Generic[_Item]):
    """The methods that all readers have."""

    def __iter__(self) -> Iterator[_Item]:
        raise NotImplementedError

    def shuffle(self, buffer: int = 1000, seed: int = 0, epoch: int = 0, *, initial: int = 0) -> Composed[_Item]:
        """The items in random order, with `buffer` of them in memory: each new one replaces a random one, which comes next.

        0 reads all of them first. With `initial` the first one comes when that many have been read. The order is that of
        `table-shuffle --buffer-size=BUFFER --seed=SEED --epoch=EPOCH`.

        >>> import kaldi_tables as kt
        >>> words = kt.open("ark:echo a 1; echo b 2; echo c 3 |", "int32")
        >>> sorted(words.shuffle(2, seed=1))
        [('a', 1), ('b', 2), ('c', 3)]
        """
        return _Shuffled(
            self, buffer=_count("buffer", buffer), seed=seed, epoch=epoch, initial=_count("initial", initial)
        )

    def sort(
        self, buffer: int = 0, key: str | Callable[[typing.Any], typing.Any] = "key", *, reverse: bool = False
    ) -> Composed[_Item]:
        """The items sorted, `buffer` of them at a time (0: all together). Equal ones keep their order.

        `key` is "key" (by the bytes of the key, as `table-sort`), "length" (by `len(value)`), or a function of an item.
        """
        if not callable(key) and key not in _KEYS:
            raise ArgumentError(f"expected key to be 'key', 'length' or a function, got {key!r}")
        return _Sorted(self, buffer=_count("buffer", buffer), key=key, reverse=reverse)

    def batch(self, size: int, *, drop_last: bool = False) -> Composed[list[_Item]]:
        """Lists of `size` items; the last one may be shorter, and is left out with `drop_last`."""
        return _Batched(self, size=_count("size", size, least=1), drop_last=drop_last)

    def partition(self, rank: int = 0, world_size: int = 1, worker: int = 0, num_workers: int = 1) -> Composed[_Item]:
        """The items of one worker of one rank, dealt in turn to ranks, and then to the workers of a rank, as `table-split` does."""
        for among, index, count in (("ranks", rank, world_size), ("workers", worker, num_workers)):
            if not 0 <= index < count:
                raise ArgumentError(f"expected a number from 0 to {count - 1} of {count} {among}, got {index}")
        return _Share(self, rank=rank, world_size=world_size, worker=worker, num_workers=num_workers)

    def repeat(self, n: int | None = None) -> Composed[_Item]:
        """The items `n` times, or without end. A pass without items is the last one."""
        return _Repeated(self, n=None if n is None else _count("n", n))

    def map(self, fn: Callable[[_Item], _Made]) -> Composed[_Made]:
        """What `fn` makes of each item."""
        return _Mapped(self, fn=fn)

    def filter(self, fn: Callable[[_Item], typing.Any]) -> Composed[_Item]:
        """The items for which `fn` returns something true."""
        return _Filtered(self, fn=fn)

    def take(self, n: int) -> Composed[_Item]:
        """The first `n` items; later ones are not read."""
        return _Taken(self, n=_count("n", n))


def _count(name: str, value: int, least: int = 0) -> int:
    if value < least:
        raise ArgumentError(f"expected {name} to be {least} or more, got {value}")
    return value


def _key_bytes(item: typing.Any) -> bytes:
    return typing.cast(str, item[0]).encode("utf-8", "surrogateescape")


def _length(item: typing.Any) -> int:
    return len(item[1])


_KEYS = {"key": _key_bytes, "length": _length}


class Composed(Composable[_Item]):
    """A reader of the items of another one."""

    def __init__(self, source: Iterable[typing.Any], **options: typing.Any) -> None:
        self.source = source
        self.__dict__.update(options)

    def __repr__(self) -> str:
        options = [f"{name}={value!r}" for name, value in vars(self).items() if name != "source"]
        return f"<{type(self).__name__.lstrip('_')} of {self.source!r}{''.join(', ' + option for option in options)}>"

    def __enter__(self) -> Composed[_Item]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the reader at the source."""
        close = getattr(self.source, "close", None)
        if close is not None:
            close()


class _Shuffled(Composed[_Item]):
    buffer: int
    seed: int
    epoch: int
    initial: int

    def __iter__(self) -> Iterator[_Item]:
        return _core.ShuffledIterator(self.source, self.buffer, self.seed, self.epoch, self.initial)


class _Sorted(Composed[_Item]):
    buffer: int
    key: str | Callable[[typing.Any], typing.Any]
    reverse: bool

    def __iter__(self) -> Iterator[_Item]:
        key: typing.Any = self.key if callable(self.key) else _KEYS[self.key]
        items = iter(self.source)
        while window := list(itertools.islice(items, self.buffer or None)):
            window.sort(key=key, reverse=self.reverse)
            yield from window


class _Batched(Composed[_Item]):
    size: int
    drop_last: bool

    def __iter__(self) -> Iterator[typing.Any]:
        items = iter(self.source)
        while batch := list(itertools.islice(items, self.size)):
            if len(batch) == self.size or not self.drop_last:
                yield batch


class _Share(Composed[_Item]):
    rank: int
    world_size: int
    worker: int
    num_workers: int

    def __iter__(self) -> Iterator[_Item]:
        iter_share = getattr(self.source, "_iter_share", None)
        if iter_share is not None:
            return typing.cast(Iterator[_Item], iter_share(self.rank, self.world_size, self.worker, self.num_workers))
        start = self.rank + self.world_size * self.worker
        return itertools.islice(self.source, start, None, self.world_size * self.num_workers)


class _Repeated(Composed[_Item]):
    n: int | None

    def __iter__(self) -> Iterator[_Item]:
        for _ in itertools.count() if self.n is None else range(self.n):
            is_empty = True
            for item in self.source:
                is_empty = False
                yield item
            if is_empty:
                return


class _Mapped(Composed[_Item]):
    fn: Callable[[typing.Any], _Item]

    def __iter__(self) -> Iterator[_Item]:
        return map(self.fn, self.source)


class _Filtered(Composed[_Item]):
    fn: Callable[[typing.Any], typing.Any]

    def __iter__(self) -> Iterator[_Item]:
        return filter(self.fn, self.source)


class _Taken(Composed[_Item]):
    n: int

    def __iter__(self) -> Iterator[_Item]:
        return itertools.islice(self.source, self.n)


class _Interleaved(Composed[_Item]):
    weights: tuple[float, ...]

    def __iter__(self) -> Iterator[_Item]:
        # For each reader: the time of the middle of its next item, if an item takes 1 / weight.
        readers = [iter(reader) for reader in self.source]
        delivered = [0] * len(readers)
        running = list(range(len(readers)))
        while running:
            at = min(running, key=lambda at: (delivered[at] + 0.5) / self.weights[at])
            try:
                item = next(readers[at])
            except StopIteration:
                running.remove(at)
                continue
            delivered[at] += 1
            yield item

    def close(self) -> None:
        for reader in self.source:
            close = getattr(reader, "close", None)
            if close is not None:
                close()


def interleave(readers: Iterable[Iterable[_Made]], weights: Sequence[float] | None = None) -> Composed[_Made]:
    """Mixes readers: in each stretch every reader has its share by weight, to within one item. If one ends, the others go on.

    The order is not random; `shuffle` the result if it must not be regular. Weights are equal if none are given.

    >>> import kaldi_tables as kt
    >>> list(kt.interleave([["a", "b", "c", "d"], ["A", "B"]], [2, 1]))
    ['a', 'A', 'b', 'c', 'B', 'd']
    """
    parts = tuple(readers)
    shares = tuple(float(weight) for weight in (weights if weights is not None else [1.0] * len(parts)))
    if len(shares) != len(parts):
        raise ArgumentError(f"expected a weight for each of {len(parts)} readers, got {len(shares)}")
    for at, share in enumerate(shares):
        if not 0.0 < share < float("inf"):
            raise ArgumentError(f"expected the weight of reader {at} to be positive and finite, got {share}")
    return _Interleaved(parts, weights=shares)
