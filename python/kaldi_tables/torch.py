"""Data sets of PyTorch. Importing this module imports torch; `import kaldi_tables` does not.

A `DataLoader` with workers, in any number of ranks of `torch.distributed`, gets every entry once: entries are dealt to ranks, and then to
the workers of a rank. Tensors share memory with the arrays.
"""

# mypy: disable-error-code="import-not-found,misc"
# torch need not be installed.

from __future__ import annotations

import mmap
import os
import tempfile
import typing
import warnings
import weakref
from collections.abc import Iterator, Sequence
from multiprocessing.reduction import DupFd, ForkingPickler

import numpy as np
import torch
import torch.distributed
import torch.utils.data

import kaldi_tables as _kt

from . import feed as _feed
from ._errors import ArgumentError, ArgumentTypeError

__all__ = ["FeedDataset", "LookupDataset", "TableDataset", "to_tensors"]


def __dir__() -> list[str]:
    return list(__all__)


def to_tensors(value: typing.Any) -> typing.Any:
    """The arrays of a value, of a list, a dict or a `Wave` of them, as tensors; everything else as it is.

    They share memory, except arrays that are not aligned in memory (views of a map), which are copied.

    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> array = np.zeros(2, dtype=np.float32)
    >>> tensor = kt.torch.to_tensors(array)
    >>> tensor[0] = 1.0
    >>> array.tolist()
    [1.0, 0.0]
    """
    if isinstance(value, np.ndarray):
        if not value.flags.aligned:
            return torch.from_numpy(value.copy())
        if value.flags.writeable:
            return torch.from_numpy(value)
        with warnings.catch_warnings():
            # Views of a map are for reading; torch says so once a process.
            warnings.filterwarnings("ignore", message="The given NumPy array is not writ")
            return torch.from_numpy(value)
    if isinstance(value, _kt.Wave):
        return value._replace(array=to_tensors(value.array))
    if isinstance(value, list):
        return [to_tensors(one) for one in value]
    if isinstance(value, tuple):
        return tuple(to_tensors(one) for one in value)
    if isinstance(value, dict):
        return {name: to_tensors(one) for name, one in value.items()}
    return value


class _Batch(typing.Dict[str, typing.Any]):
    """A dict of tensors, which goes from a worker to the process of the `DataLoader` in a buffer of shared memory."""


class _Buffer:
    """Shared memory. Its first byte says whether a batch is in it."""

    def __init__(self, size: int) -> None:
        is_linux = hasattr(os, "memfd_create")
        self.file = open(os.memfd_create("batch"), "r+b") if is_linux else tempfile.TemporaryFile()
        self.file.truncate(size)
        self.bytes = np.frombuffer(mmap.mmap(self.file.fileno(), size), np.uint8)


class _Buffers:
    """The buffers of a worker.

    torch shares each tensor by itself: new pages, and a connection that hands over a descriptor. Here all tensors of a batch are in one
    buffer, and the next batch is written into it as soon as they are gone.
    """

    def __init__(self) -> None:
        self._buffers: list[_Buffer] = []

    def take(self, size: int) -> _Buffer:
        """A buffer of at least so many bytes, in which there is no batch."""
        for buffer in self._buffers:
            if not buffer.bytes[0] and len(buffer.bytes) >= size:
                break
        else:
            # Free ones are too short, and would be so for most batches. Memory that is never written costs nothing.
            self._buffers[:] = [buffer for buffer in self._buffers if buffer.bytes[0]]
            buffer = _Buffer(4 * size)
            self._buffers.append(buffer)
        buffer.bytes[0] = 1
        return buffer

    def forget(self) -> None:
        """Leaves them to the process that has forked this one."""
        self._buffers.clear()


_buffers = _Buffers()
os.register_at_fork(after_in_child=_buffers.forget)

# Tensors start in a buffer at multiples of this.
_ALIGNMENT = 64


def _send(batch: _Batch) -> tuple[typing.Any, ...]:
    """Puts the tensors of a batch into a buffer."""
    places, rest, end = [], dict(batch), _ALIGNMENT
    for name, value in batch.items():
        if isinstance(value, torch.Tensor) and value.device.type == "cpu" and value.is_contiguous():
            start, end = end, end + value.numel() * value.element_size()
            places.append((name, value.dtype, tuple(value.shape), start, end))
            end += -end % _ALIGNMENT
            # It keeps its place in the order.
            rest[name] = None
    buffer = _buffers.take(end)
    for name, _, _, start, stop in places:
        buffer.bytes[start:stop] = batch[name].numpy().reshape(-1).view(np.uint8)
    return _receive, (DupFd(buffer.file.fileno()), len(buffer.bytes), places, rest)


def _receive(
    duplicate: typing.Any, size: int, places: list[typing.Any], batch: dict[str, typing.Any]
) -> dict[str, typing.Any]:
    """The batch in a buffer."""
    descriptor = duplicate.detach()
    try:
        mapped = mmap.mmap(descriptor, size)
    finally:
        os.close(descriptor)
    array = np.frombuffer(mapped, np.uint8)
    # The tensors hold the array.
    weakref.finalize(array, _release, mapped, os.getpid()).atexit = False
    whole = torch.from_numpy(array)
    for name, dtype, shape, start, stop in places:
        batch[name] = whole[start:stop].view(dtype).reshape(shape)
    return batch


def _release(mapped: mmap.mmap, process: int) -> None:
    # A process that was forked has a copy of the tensors, and the buffer is not its own.
    if process == os.getpid():
        mapped[0] = 0


ForkingPickler.register(_Batch, _send)


class _Shared(torch.utils.data.IterableDataset[typing.Any]):
    """A stream whose items are shared among ranks and workers."""

    def __init__(self, epoch: int, rank: int | None, world_size: int | None) -> None:
        super().__init__()
        if (rank is None) != (world_size is None):
            raise ArgumentError("expected rank and world_size together, or neither")
        if rank is not None and world_size is not None and not 0 <= rank < world_size:
            raise ArgumentError(f"expected a number from 0 to {world_size - 1} of {world_size} ranks, got {rank}")
        self._rank, self._world_size = rank, world_size
        # In memory that processes share, so that workers that persist see a new epoch, too.
        shared: typing.Any = torch.tensor(epoch, dtype=torch.int64)
        self._epoch = shared.share_memory_()

    @property
    def epoch(self) -> int:
        """The pass over the data that is iterated next."""
        return int(self._epoch)

    def set_epoch(self, n: int) -> None:
        """Has the next iteration be that of pass `n`, in the workers, too."""
        self._epoch.fill_(n)

    def __getstate__(self) -> dict[str, typing.Any]:
        # torch.distributed is not initialized in a spawned worker.
        rank, world_size = self._ranks()
        return {**self.__dict__, "_rank": rank, "_world_size": world_size}

    def _ranks(self) -> tuple[int, int]:
        """The rank and the number of ranks: those of `torch.distributed` if none were given."""
        if self._rank is not None and self._world_size is not None:
            return self._rank, self._world_size
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            return torch.distributed.get_rank(), torch.distributed.get_world_size()
        return 0, 1

    def _share(self) -> dict[str, int]:
        """The rank, and the worker of this process."""
        rank, world_size = self._ranks()
        info = torch.utils.data.get_worker_info()
        worker, num_workers = (info.id, info.num_workers) if info is not None else (0, 1)
        return {"rank": rank, "world_size": world_size, "worker": worker, "num_workers": num_workers}


class TableDataset(_Shared):
    """The entries of a table in sequence: pairs of key and tensor.

    The options are those of `kaldi_tables.open`. With `shuffle`, entries are shuffled with that many in memory, by `seed` and the epoch,
    within the share of each worker. Give `batch_size=None` to the `DataLoader`, or a `collate_fn`. Without `rank` and `world_size` they are
    those of `torch.distributed`, if it is initialized when the workers start.

    >>> import kaldi_tables as kt
    >>> from torch.utils.data import DataLoader
    >>> data = kt.torch.TableDataset("ark:echo 'a [ 1 2 ]'; echo 'b [ 3 ]' |", "vector")
    >>> for key, vector in DataLoader(data, batch_size=None):
    ...     print(key, vector)
    a tensor([1., 2.])
    b tensor([3.])
    """

    def __init__(
        self,
        source: typing.Any,
        type: typing.Any = None,
        *,
        shuffle: int = 0,
        seed: int = 0,
        epoch: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        **options: typing.Any,
    ) -> None:
        super().__init__(epoch, rank, world_size)
        if shuffle < 0:
            raise ArgumentError(f"expected shuffle to be 0 or more, got {shuffle}")
        self.source, self._shuffle, self._seed = source, shuffle, seed
        self._reader = source if isinstance(source, _kt.Reader) else _kt.open(source, type, **options)

    def __iter__(self) -> Iterator[tuple[str, typing.Any]]:
        entries = self._reader.partition(**self._share())
        if self._shuffle:
            entries = entries.shuffle(self._shuffle, self._seed, self.epoch)
        return ((key, to_tensors(value)) for key, value in entries)


class FeedDataset(_Shared):
    """The batches of `kaldi_tables.feed.batches`, with its parameters: dicts of tensors, and `keys`.

    Ranks and workers are those of this process, so `rank`, `world_size`, `worker` and `num_workers` are not given; `rank` and `world_size` may be,
    both. Give `batch_size=None` to the `DataLoader`.
    """

    def __init__(
        self,
        data_list: typing.Any,
        *,
        epoch: int = 0,
        rank: int | None = None,
        world_size: int | None = None,
        **options: typing.Any,
    ) -> None:
        super().__init__(epoch, rank, world_size)
        for name in ("worker", "num_workers"):
            if name in options:
                raise ArgumentTypeError(f"{name} is that of the DataLoader's process: it cannot be given")
        self._batches = _feed.batches(data_list, **options)

    def __iter__(self) -> Iterator[dict[str, typing.Any]]:
        batches = self._batches.share(**self._share())
        batches.set_epoch(self.epoch)
        return (_Batch(to_tensors(batch)) for batch in batches)


class LookupDataset(torch.utils.data.Dataset[typing.Any]):
    """A table by position: pairs of key and tensor, in the order of the table, for samplers that choose them.

    The options are those of `kaldi_tables.lookup`. Position and length do not read values.

    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> ark = str(pathlib.Path(tempfile.mkdtemp()) / "a.ark")
    >>> kt.save_ark(ark, {"a": np.ones(3, "f"), "b": np.zeros(2, "f")})
    >>> data = kt.torch.LookupDataset("ark:" + ark)
    >>> len(data), data[1]
    (2, ('b', tensor([0., 0.])))
    """

    def __init__(self, source: typing.Any, type: typing.Any = None, **options: typing.Any) -> None:
        self._lookup = source if isinstance(source, _kt.Lookup) else _kt.lookup(source, type, **options)
        self.keys = list(self._lookup)

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, at: int) -> tuple[str, typing.Any]:
        key = self.keys[at]
        return key, to_tensors(self._lookup[key])

    def __getitems__(self, places: Sequence[int]) -> list[tuple[str, typing.Any]]:
        """The pairs at several places, for the batches of a `DataLoader`."""
        keys = [self.keys[at] for at in places]
        return [(key, to_tensors(value)) for key, value in zip(keys, self._lookup.get_many(keys))]
