"""Values that are more than an array, a number or a list: waveforms, posteriors, sparse matrices."""

from __future__ import annotations

import base64
import io
import typing
import wave
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from ._errors import ArgumentError, ArgumentTypeError, RangeError

Pair = typing.Tuple[int, float]


# Seconds of sound in a page, at most.
_PLAYED = 120


class Wave(typing.NamedTuple):
    """Sound: the sampling rate in Hz, and the samples.

    ``array`` has the shape ``(samples,)`` if there is one channel, else ``(samples, channels)``. Samples are in the
    16-bit scale, -32768 to 32767.

    >>> wave = Wave(8000, np.zeros(4, np.int16))
    >>> wave.rate, wave.array.shape
    (8000, (4,))
    >>> wave == Wave(8000, np.zeros(4, np.int16))
    True
    """

    rate: int
    array: NDArray[typing.Any]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, tuple) or len(other) != 2:
            return NotImplemented
        return bool(self.rate == other[0]) and np.array_equal(self.array, other[1])

    def _repr_html_(self) -> str:
        """A player for notebooks, with the first minutes of the sound as 16-bit samples."""
        samples = np.asarray(self.array)[: int(_PLAYED * self.rate)]
        channels = 1 if samples.ndim == 1 else samples.shape[1]
        with io.BytesIO() as buffer:
            with wave.open(buffer, "wb") as file:
                file.setnchannels(channels)
                file.setsampwidth(2)
                file.setframerate(int(self.rate))
                # As the tools do: fractions are dropped, and what 16 bits cannot hold is clipped.
                file.writeframes(np.clip(np.trunc(np.nan_to_num(samples)), -32768, 32767).astype("<i2").tobytes())
            sound = base64.b64encode(buffer.getvalue()).decode()
        duration = len(self.array) / self.rate
        words = f"{duration:.2f} s, {self.rate:g} Hz, {channels} channel{'s' if channels != 1 else ''}"
        if duration > _PLAYED:
            words += f"; the player has the first {_PLAYED} s"
        return f'<div>{words}<br><audio controls src="data:audio/wav;base64,{sound}"></audio></div>'

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal


class _Arrays:
    """A value that is made of arrays: what is equal, and how it is copied and pickled."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def _parts(self) -> tuple[typing.Any, ...]:
        """The arguments of ``from_arrays``."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(np.array_equal(own, their) for own, their in zip(self._parts(), other._parts()))


def _offsets(offsets: ArrayLike, total: int) -> NDArray[np.int64]:
    """Offsets as int64, after a check: they start at 0, ascend, and end at ``total``."""
    ends = np.ascontiguousarray(offsets, dtype=np.int64)
    if ends.ndim != 1 or len(ends) == 0 or ends[0] != 0 or ends[-1] != total or (np.diff(ends) < 0).any():
        raise ArgumentError(f"expected offsets that ascend from 0 to {total}")
    return ends


def _column(values: ArrayLike, dtype: DTypeLike) -> NDArray[typing.Any]:
    """A one-dimensional array of ``dtype``; integers must fit."""
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, dtype)
    if array.ndim != 1:
        raise ArgumentError(f"expected an array of one dimension, got {array.ndim}")
    if dtype is np.int32:
        if array.dtype.kind not in "iu":
            raise ArgumentTypeError(f"expected integers, got {array.dtype}")
        limits = np.iinfo(np.int32)
        if array.min() < limits.min or array.max() > limits.max:
            raise RangeError("an index is beyond int32")
    return np.ascontiguousarray(array, dtype=dtype)


class Posterior(_Arrays, Sequence[typing.List[Pair]]):
    """For each frame, indices with their weights: a sequence of frames, and a frame is a list of pairs.

    ``offsets`` (int64, one more than frames), ``ids`` (int32) and ``weights`` (float32) hold the same as arrays: the
    pairs of frame ``i`` are those from ``offsets[i]`` to ``offsets[i + 1]``.

    >>> post = Posterior([[(3, 1.0)], [], [(4, 0.25), (5, 0.75)]])
    >>> len(post), post[2]
    (3, [(4, 0.25), (5, 0.75)])
    >>> post.offsets.tolist(), post.ids.tolist()
    ([0, 1, 1, 3], [3, 4, 5])
    """

    __slots__ = ("offsets", "ids", "weights")

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    weights: NDArray[np.float32]

    def __init__(self, frames: Iterable[Iterable[Pair]] = ()) -> None:
        lists = [list(frame) for frame in frames]
        pairs = [pair for frame in lists for pair in frame]
        if any(len(pair) != 2 for pair in pairs):
            raise ArgumentError("expected frames of pairs: an index and its weight")
        self.offsets = np.cumsum([0] + [len(frame) for frame in lists], dtype=np.int64)
        self.ids = _column([index for index, _ in pairs], np.int32)
        self.weights = _column([weight for _, weight in pairs], np.float32)

    @classmethod
    def from_arrays(cls, offsets: ArrayLike, ids: ArrayLike, weights: ArrayLike) -> Posterior:
        """Makes a posterior of its three arrays. Arrays of the right type are not copied.

        >>> Posterior.from_arrays([0, 1, 2], [7, 8], [1.0, 0.5]).tolist()
        [[(7, 1.0)], [(8, 0.5)]]
        """
        posterior = cls.__new__(cls)
        posterior.ids = _column(ids, np.int32)
        posterior.weights = _column(weights, np.float32)
        if len(posterior.ids) != len(posterior.weights):
            raise ArgumentError(f"{len(posterior.ids)} ids, but {len(posterior.weights)} weights")
        posterior.offsets = _offsets(offsets, len(posterior.ids))
        return posterior

    def __reduce__(self) -> tuple[typing.Any, ...]:
        return type(self).from_arrays, self._parts()

    def _parts(self) -> tuple[typing.Any, ...]:
        return self.offsets, self.ids, self.weights

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @typing.overload
    def __getitem__(self, index: int) -> list[Pair]: ...

    @typing.overload
    def __getitem__(self, index: slice) -> list[list[Pair]]: ...

    def __getitem__(self, index: int | slice) -> list[Pair] | list[list[Pair]]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = index.__index__()
        if at < 0:
            at += len(self)
        if not 0 <= at < len(self):
            raise IndexError(f"frame {index} of {len(self)}")
        pairs = slice(self.offsets[at], self.offsets[at + 1])
        return list(zip(self.ids[pairs].tolist(), self.weights[pairs].tolist()))

    def __iter__(self) -> Iterator[list[Pair]]:
        return iter(self.tolist())

    def tolist(self) -> list[list[Pair]]:
        """All frames as lists of pairs.

        >>> Posterior([[(1, 0.5)], []]).tolist()
        [[(1, 0.5)], []]
        """
        pairs = list(zip(self.ids.tolist(), self.weights.tolist()))
        ends = self.offsets.tolist()
        return [pairs[start:end] for start, end in zip(ends, ends[1:])]

    def __repr__(self) -> str:
        if len(self) > 6 or len(self.ids) > 20:
            return f"<Posterior of {len(self)} frames, {len(self.ids)} pairs>"
        return f"Posterior({self.tolist()})"


class SparseMatrix(_Arrays):
    """A matrix that keeps only the elements that are not zero, row after row (as ``csr_matrix`` of SciPy).

    The elements of row ``i`` are ``data[offsets[i]:offsets[i + 1]]`` (float32), in the columns ``indices`` (int32) of
    the same places.

    >>> matrix = SparseMatrix((2, 4), [0, 1, 3], [3, 0, 2], [0.5, 1.0, 2.0])
    >>> matrix.toarray()
    array([[0. , 0. , 0. , 0.5],
           [1. , 0. , 2. , 0. ]], dtype=float32)
    >>> SparseMatrix.from_array(matrix.toarray()) == matrix
    True
    """

    __slots__ = ("shape", "offsets", "indices", "data")

    shape: tuple[int, int]
    offsets: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float32]

    def __init__(self, shape: tuple[int, int], offsets: ArrayLike, indices: ArrayLike, data: ArrayLike) -> None:
        rows, columns = (int(size) for size in shape)
        if rows < 0 or columns < 0:
            raise ArgumentError(f"expected numbers of rows and columns, got {rows} and {columns}")
        self.shape = (rows, columns)
        self.indices = _column(indices, np.int32)
        self.data = _column(data, np.float32)
        if len(self.indices) != len(self.data):
            raise ArgumentError(f"{len(self.indices)} indices, but {len(self.data)} numbers")
        self.offsets = _offsets(offsets, len(self.indices))
        if len(self.offsets) != rows + 1:
            raise ArgumentError(f"expected {rows + 1} offsets for {rows} rows, got {len(self.offsets)}")
        if len(self.indices) and not (0 <= self.indices.min() and self.indices.max() < columns):
            raise ArgumentError(f"an index is not within {columns} columns")

    @classmethod
    def from_arrays(
        cls, shape: tuple[int, int], offsets: ArrayLike, indices: ArrayLike, data: ArrayLike
    ) -> SparseMatrix:
        """The same as the class itself.

        >>> SparseMatrix.from_arrays((1, 3), [0, 1], [2], [1.0]).toarray().tolist()
        [[0.0, 0.0, 1.0]]
        """
        return cls(shape, offsets, indices, data)

    @classmethod
    def from_array(cls, array: ArrayLike) -> SparseMatrix:
        """Keeps the elements of a dense matrix that are not zero.

        >>> SparseMatrix.from_array([[0, 2.0], [0, 0]]).offsets.tolist()
        [0, 1, 1]
        """
        dense = np.asarray(array, dtype=np.float32)
        if dense.ndim != 2:
            raise ArgumentError(f"expected an array of two dimensions, got {dense.ndim}")
        rows, columns = np.nonzero(dense)
        offsets = np.searchsorted(rows, np.arange(dense.shape[0] + 1))
        return cls((dense.shape[0], dense.shape[1]), offsets, columns, dense[rows, columns])

    def __reduce__(self) -> tuple[typing.Any, ...]:
        return type(self).from_arrays, self._parts()

    def _parts(self) -> tuple[typing.Any, ...]:
        return self.shape, self.offsets, self.indices, self.data

    def toarray(self) -> NDArray[np.float32]:
        """All elements as a dense float32 array.

        >>> SparseMatrix((1, 2), [0, 1], [1], [3.0]).toarray().tolist()
        [[0.0, 3.0]]
        """
        dense = np.zeros(self.shape, np.float32)
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.offsets))
        np.add.at(dense, (rows, self.indices), self.data)
        return dense

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[typing.Any]:
        if copy is False:
            raise ArgumentError("a sparse matrix becomes an array by a copy only")
        return self.toarray() if dtype is None else self.toarray().astype(dtype)

    def __repr__(self) -> str:
        return f"<SparseMatrix of {self.shape[0]} by {self.shape[1]}, {len(self.data)} elements>"


class BestPath(typing.NamedTuple):
    """The best path of a lattice: its words, its transition-ids (one for each frame), and its costs."""

    words: NDArray[np.int32]
    alignment: NDArray[np.int32]
    graph_cost: float
    acoustic_cost: float


class CtmWord(typing.NamedTuple):
    """A word with its times in seconds, and its probability."""

    start: float
    duration: float
    word: int
    confidence: float


class Lattice(_Arrays):
    """A lattice, or an FST with one cost, as arrays. ``type`` is ``"compact-lattice"``, ``"lattice"`` or ``"fst"``.

    Each arc has an element in ``sources`` and ``targets`` (the states that it leaves and reaches), ``inputs`` and ``outputs``
    (labels; in a compact lattice both are the word, in a plain one a transition-id and the word), ``graph_costs`` and
    ``acoustic_costs``. Each state has one in ``final_graph_costs`` and ``final_acoustic_costs``; both are infinite if it is not final.
    ``start`` is the start state, -1 for none. In a compact lattice, ``ids[offsets[i]:offsets[i + 1]]`` are the transition-ids
    of arc ``i``, and of the final states after all arcs. An FST has no acoustic costs.

    >>> lattice = Lattice("compact-lattice", 0, [0, 0], [1, 1], [5, 6], [5, 6], [1.5, 1.25], [np.inf, 0],
    ...                   [-20, -18], [np.inf, 0], [0, 2, 4, 4, 4], [3, 4, 3, 4])
    >>> lattice.best_path().words.tolist()
    [5]
    >>> lattice
    <Lattice of 2 states, 2 arcs (compact-lattice)>
    """

    __slots__ = (
        "type",
        "start",
        "sources",
        "targets",
        "inputs",
        "outputs",
        "graph_costs",
        "final_graph_costs",
        "acoustic_costs",
        "final_acoustic_costs",
        "offsets",
        "ids",
    )

    type: str
    start: int
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    inputs: NDArray[np.int32]
    outputs: NDArray[np.int32]
    graph_costs: NDArray[np.float32]
    final_graph_costs: NDArray[np.float32]
    acoustic_costs: NDArray[np.float32]
    final_acoustic_costs: NDArray[np.float32]
    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]

    def __init__(
        self,
        type: str,
        start: int,
        sources: ArrayLike,
        targets: ArrayLike,
        inputs: ArrayLike,
        outputs: ArrayLike,
        graph_costs: ArrayLike,
        final_graph_costs: ArrayLike,
        acoustic_costs: ArrayLike = (),
        final_acoustic_costs: ArrayLike = (),
        offsets: ArrayLike = (0,),
        ids: ArrayLike = (),
    ) -> None:
        if type not in ("compact-lattice", "lattice", "fst"):
            raise ArgumentError(f"expected compact-lattice, lattice or fst as the type, got {type!r}")
        self.type = type
        self.start = int(start)
        self.sources = _column(sources, np.int32)
        self.targets = _column(targets, np.int32)
        self.inputs = _column(inputs, np.int32)
        self.outputs = _column(outputs, np.int32)
        self.graph_costs = _column(graph_costs, np.float32)
        self.final_graph_costs = _column(final_graph_costs, np.float32)
        self.acoustic_costs = _column(acoustic_costs, np.float32)
        self.final_acoustic_costs = _column(final_acoustic_costs, np.float32)
        self.ids = _column(ids, np.int32)
        self.offsets = _offsets(offsets, len(self.ids))

    @classmethod
    def from_arrays(cls, *parts: typing.Any) -> Lattice:
        """The same as the class itself.

        >>> Lattice.from_arrays("fst", 0, [], [], [], [], [], [0.5]).num_states
        1
        """
        return cls(*parts)

    def __reduce__(self) -> tuple[typing.Any, ...]:
        return self.from_arrays, self._parts()

    def _parts(self) -> tuple[typing.Any, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)

    @property
    def num_states(self) -> int:
        """The number of states."""
        return len(self.final_graph_costs)

    @property
    def num_arcs(self) -> int:
        """The number of arcs."""
        return len(self.sources)

    def best_path(self, acoustic_scale: float = 1.0, lm_scale: float = 1.0) -> BestPath | None:
        """The path of least cost, as ``lattice-best-path`` finds it, with scaled costs; None if there is none.

        >>> lattice = Lattice("lattice", 0, [0], [1], [3], [5], [1.5], [np.inf, 0], [2], [np.inf, 0])
        >>> path = lattice.best_path(acoustic_scale=0.5)
        >>> path.words.tolist(), path.alignment.tolist(), path.graph_cost, path.acoustic_cost
        ([5], [3], 1.5, 1.0)
        """
        path = _core.lattice_best_path(self, acoustic_scale, lm_scale)
        return None if path is None else BestPath(*path)

    def to_ctm(
        self, frame_shift: float = 0.01, acoustic_scale: float = 1.0, lm_scale: float = 1.0, mbr: bool = True
    ) -> list[CtmWord]:
        """Words with times and confidences, as ``lattice-to-ctm-conf`` finds them: those of least expected error, or with
        ``mbr=False`` those of the best path.

        The lattice should be aligned with words before (``lattice-align-words``), as times are those of arcs.

        >>> lattice = Lattice("compact-lattice", 0, [0], [1], [5], [5], [1.5], [np.inf, 0],
        ...                   [2], [np.inf, 0], [0, 2, 2, 2], [3, 4])
        >>> lattice.to_ctm()
        [CtmWord(start=0.0, duration=0.02, word=5, confidence=1.0)]
        """
        words = _core.lattice_words(self, acoustic_scale, lm_scale, mbr)
        return [
            CtmWord(frame_shift * begin, frame_shift * (end - begin), word, confidence)
            for begin, end, word, confidence in words
        ]

    def __repr__(self) -> str:
        return f"<Lattice of {self.num_states} states, {self.num_arcs} arcs ({self.type})>"
