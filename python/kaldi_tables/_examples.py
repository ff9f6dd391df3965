"""Training examples of nnet3 and of chain models, as archives named `egs` have them."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import ArgumentError, ArgumentTypeError, MissingKeyError
from ._values import _column


class SparseRows(typing.NamedTuple):
    """The rows of a sparse matrix: of row ``i``, the next ``lengths[i]`` of ``index`` and ``weight``.

    ``dim`` is the number of columns.

    >>> rows = SparseRows(4, [1, 2], [3, 0, 2], [1.0, 0.5, 0.5])
    >>> rows.dim, rows.lengths
    (4, [1, 2])
    """

    dim: int
    lengths: NDArray[np.int32]
    index: NDArray[np.int32]  # type: ignore[assignment]
    weight: NDArray[np.float32]


class Fst(typing.NamedTuple):
    """An acceptor: of state ``s``, the elements from ``offsets[s]`` to ``offsets[s + 1]``.

    An element is an arc with ``label`` (a pdf + 1), ``weight`` and ``next`` state; the weight of a final state is the first element of
    the state, with -1 as label and next state. ``start`` is the first state, -1 if there is none.
    """

    start: int
    offsets: NDArray[np.int32]
    label: NDArray[np.int32]
    weight: NDArray[np.float32]
    next: NDArray[np.int32]


def _numbered(t: int | ArrayLike, indexes: ArrayLike | None, rows: int) -> NDArray[np.int32]:
    """The indexes of rows, given as such or by their frames."""
    if indexes is not None:
        array = np.asarray(indexes)
        if array.size == 0:
            array = array.astype(np.int32).reshape(0, 3)
        if array.ndim != 2 or array.shape[1] != 3:
            raise ArgumentError(f"expected indexes of the shape (rows, 3): n, t, x; got {array.shape}")
        return _column(array.ravel(), np.int32).reshape(-1, 3).copy()
    frames = np.arange(t, t + rows) if isinstance(t, (int, np.integer)) else np.asarray(t)
    found = np.zeros((len(frames), 3), np.int32)
    found[:, 1] = _column(frames, np.int32)
    return found


def _sparse(rows: typing.Iterable[typing.Any]) -> SparseRows:
    dim, lengths, index, weight = rows
    found = SparseRows(int(dim), _column(lengths, np.int32), _column(index, np.int32), _column(weight, np.float32))
    if found.lengths.min(initial=0) < 0 or not found.lengths.sum() == len(found.index) == len(found.weight):
        raise ArgumentError(
            f"expected lengths that add up to the elements, got {len(found.index)} of index and {len(found.weight)} of weight"
        )
    if len(found.index) and not (0 <= found.index.min() and found.index.max() < found.dim):
        raise ArgumentError(f"expected an index from 0 to {found.dim - 1}, got {found.index.min()} to {found.index.max()}")
    return found


def _acceptor(start: int, offsets: ArrayLike, label: ArrayLike, weight: ArrayLike, next: ArrayLike) -> Fst:
    offsets, label, next = (_column(part, np.int32) for part in (offsets, label, next))
    return Fst(int(start), offsets, label, _column(weight, np.float32), next)


def _same(one: typing.Any, other: typing.Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(_same(*pair) for pair in zip(one, other))
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(*pair) for pair in zip(one, other))
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return type(one) is type(other) and np.array_equal(one, other)
    return bool(one == other)


class _Parts:
    """What is made of arrays, and equal if they are."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        names: tuple[str, ...] = self.__slots__
        return all(_same(getattr(self, name), getattr(other, name)) for name in names)


class Io(_Parts):
    """An input or output of an example: a name, rows of numbers, and an index for each row.

    The rows are a ``matrix``, or the ``labels`` of ``dim`` classes (one for each row), or ``sparse`` rows. ``t`` is the first frame, or
    a frame for each row; ``indexes`` are all three numbers (n, t, x) of each row. With ``compress``, a matrix is written with a byte for
    each number, as Kaldi's programs do it.

    >>> io = Io("input", [[1.0, 2.0], [3.0, 4.0]], t=-1)
    >>> io.t, io.matrix.shape, io.stored
    (array([-1,  0], dtype=int32), (2, 2), 'full')
    >>> output = Io("output", labels=[7], dim=10)
    >>> output.labels, output.stored, output.matrix.shape
    (array([7], dtype=int32), 'sparse', (1, 10))
    """

    __slots__ = ("name", "indexes", "_rows", "_stored")

    name: str
    indexes: NDArray[np.int32]
    # A matrix, sparse rows, or the bytes of a compressed matrix.
    _rows: NDArray[np.float32] | SparseRows | bytes
    # What was read, until indexes and rows are asked for, which are missing before.
    _stored: _core.StoredIo | None

    def __init__(
        self,
        name: str,
        matrix: ArrayLike | None = None,
        *,
        t: int | ArrayLike = 0,
        indexes: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        dim: int | None = None,
        sparse: Sequence[typing.Any] | None = None,
        compress: bool = False,
    ) -> None:
        if sum(given is not None for given in (matrix, labels, sparse)) != 1:
            raise ArgumentTypeError("expected one of matrix, labels and sparse")
        if (labels is None) != (dim is None):
            raise ArgumentTypeError("expected labels and dim together")
        self.name, self._stored = name, None
        if matrix is not None:
            self.matrix = matrix
            if compress and len(self):
                self._rows = _core.compress_matrix(typing.cast("NDArray[np.float32]", self._rows), 1)
        elif labels is not None:
            index = _column(labels, np.int32)
            ones = np.ones(len(index), np.int32)
            self._rows = _sparse((dim, ones, index, ones))
        else:
            self._rows = _sparse(typing.cast("Sequence[typing.Any]", sparse))
        self.indexes = _numbered(t, indexes, len(self))
        if len(self.indexes) != len(self):
            raise ArgumentError(f"expected {len(self)} indexes, one for each row, got {len(self.indexes)}")

    def __getattr__(self, name: str) -> typing.Any:
        stored = self._stored if name in ("indexes", "_rows") else None
        if stored is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name == "indexes":
            self.indexes = stored.indexes()
        else:
            rows = stored.rows()
            self._rows = SparseRows(*rows) if isinstance(rows, tuple) else rows
            self._end_stored()
        return getattr(self, name)

    def _end_stored(self) -> None:
        """Keeps the indexes of what was read, and not its rows."""
        if self._stored is not None:
            _, self._stored = self.indexes, None

    def __len__(self) -> int:
        if isinstance(self._rows, bytes):
            return int.from_bytes(self._rows[self._rows.index(b" ") + 9 :][:4], "little")
        return len(self._rows.lengths) if isinstance(self._rows, SparseRows) else len(self._rows)

    @property
    def t(self) -> NDArray[np.int32]:
        """The frame of each row: a view of ``indexes``."""
        return self.indexes[:, 1]

    @property
    def stored(self) -> str:
        """How the rows are stored: ``full``, ``compressed`` or ``sparse``."""
        if isinstance(self._rows, bytes):
            return "compressed"
        return "sparse" if isinstance(self._rows, SparseRows) else "full"

    @property
    def matrix(self) -> NDArray[np.float32]:
        """All numbers. Of a compressed or sparse matrix it is a new array; one that is set is stored in full."""
        stored = self._stored
        if stored is not None and (expanded := stored.expanded()) is not None:
            return expanded
        if isinstance(self._rows, bytes):
            return _core.expand_matrix(self._rows)
        if not isinstance(self._rows, SparseRows):
            return self._rows
        dim, lengths, index, weight = self._rows
        dense = np.zeros((len(lengths), dim), np.float32)
        dense[np.repeat(np.arange(len(lengths)), lengths), index] = weight
        return dense

    @matrix.setter
    def matrix(self, matrix: ArrayLike) -> None:
        array = np.ascontiguousarray(matrix, dtype=np.float32)
        if array.size == 0:
            array = array.reshape(0, 0)
        if array.ndim != 2:
            raise ArgumentError(f"expected a matrix of two dimensions, got {array.ndim}")
        self._rows = array
        self._end_stored()

    @property
    def sparse(self) -> SparseRows | None:
        """The rows as ``dim``, ``lengths``, ``index`` and ``weight``; ``None`` if they are not stored so."""
        return self._rows if isinstance(self._rows, SparseRows) else None

    @property
    def labels(self) -> NDArray[np.int32]:
        """The label of each row, where each row has one entry."""
        stored = self._stored
        if stored is not None and (labels := stored.labels()) is not None:
            return labels
        if not isinstance(self._rows, SparseRows):
            raise ArgumentError(f"{self.name!r} has numbers, not labels: it is {self.stored}")
        is_odd = self._rows.lengths != 1
        if is_odd.any():
            odd = is_odd.argmax()
            raise ArgumentError(
                f"expected one label for each row of {self.name!r}, got {self._rows.lengths[odd]} in row {odd}"
            )
        return self._rows.index

    def __repr__(self) -> str:
        columns = self._rows.dim if isinstance(self._rows, SparseRows) else self.matrix.shape[1]
        return f"<Io {self.name!r}: {len(self)} by {columns}, {self.stored}>"


class _Named(_Parts):
    """Inputs and outputs by their names. A name may come twice: the first one counts."""

    __slots__ = ()

    def _all(self) -> list[typing.Any]:
        raise NotImplementedError

    def keys(self) -> list[str]:
        """The names, in their order."""
        return [io.name for io in self._all()]

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self._all())

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __getitem__(self, name: str) -> typing.Any:
        for io in self._all():
            if io.name == name:
                return io
        raise MissingKeyError(f"the example has no {name!r}; it has {', '.join(map(repr, self.keys()))}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self.keys())}>"


class Example(_Named):
    """A training example of nnet3: ``io`` is the list of its inputs and outputs, which may be changed.

    >>> example = Example([Io("input", np.zeros((3, 2)), t=-1), Io("output", labels=[4], dim=9)])
    >>> example.keys(), example["output"].labels
    (['input', 'output'], array([4], dtype=int32))
    >>> example["output"].name = "output-0"
    >>> example
    <Example of input, output-0>
    """

    __slots__ = ("io",)

    io: list[Io]

    def __init__(self, io: Iterable[Io]) -> None:
        self.io = list(io)

    def _all(self) -> list[Io]:
        return self.io

    if typing.TYPE_CHECKING:

        def __getitem__(self, name: str) -> Io: ...


class ChainOutput(_Parts):
    """An output of a chain model: acceptors of pdfs for sequences of equal length, and weights of their frames.

    ``indexes`` are all sequences of the first frame, then those of the next one. There is one acceptor, or with ``end_to_end`` one for
    each sequence. ``deriv_weights`` has a number for each index, or none.
    """

    __slots__ = (
        "name",
        "indexes",
        "weight",
        "sequences",
        "frames",
        "label_dim",
        "end_to_end",
        "fsts",
        "alignment_pdfs",
        "deriv_weights",
    )

    name: str
    indexes: NDArray[np.int32]
    weight: float
    sequences: int
    frames: int
    label_dim: int
    end_to_end: bool
    fsts: list[Fst]
    alignment_pdfs: NDArray[np.int32]
    deriv_weights: NDArray[np.float32]

    def __init__(
        self,
        name: str,
        fsts: Iterable[Fst],
        *,
        frames: int,
        label_dim: int,
        sequences: int = 1,
        t: int | ArrayLike = 0,
        indexes: ArrayLike | None = None,
        weight: float = 1.0,
        end_to_end: bool = False,
        alignment_pdfs: ArrayLike = (),
        deriv_weights: ArrayLike = (),
    ) -> None:
        self.name = name
        self.fsts = [_acceptor(*fst) for fst in fsts]
        self.weight, self.sequences, self.frames = float(weight), int(sequences), int(frames)
        self.label_dim, self.end_to_end = int(label_dim), bool(end_to_end)
        self.alignment_pdfs = _column(alignment_pdfs, np.int32)
        self.deriv_weights = _column(deriv_weights, np.float32)
        if indexes is None:
            steps = np.arange(t, t + self.frames) if isinstance(t, (int, np.integer)) else np.asarray(t)
            n = np.tile(np.arange(self.sequences), len(steps))
            indexes = np.stack([n, np.repeat(steps, self.sequences), np.zeros_like(n)], axis=1)
        self.indexes = _numbered(0, indexes, 0)

    @classmethod
    def _of(cls, name: str, fsts: list[tuple[typing.Any, ...]], rest: dict[str, typing.Any]) -> ChainOutput:
        """From what was read."""
        output = cls.__new__(cls)
        output.name, output.fsts = name, [Fst(*fst) for fst in fsts]
        for part, value in rest.items():
            setattr(output, part, value)
        return output

    @property
    def t(self) -> NDArray[np.int32]:
        """The frame of each index."""
        return self.indexes[:, 1]

    def __repr__(self) -> str:
        return f"<ChainOutput {self.name!r}: {self.sequences} of {self.frames} frames, {self.label_dim} pdfs>"


class ChainExample(_Named):
    """A training example of a chain model: ``inputs`` are a list of `Io`, ``outputs`` of `ChainOutput`.

    >>> fst = Fst(0, [0, 1, 2, 3], [3, 1, -1], [0.0, 0.0, 0.0], [1, 2, -1])
    >>> output = ChainOutput("output", [fst], frames=2, label_dim=8)
    >>> example = ChainExample([Io("input", np.zeros((4, 2)), t=-1)], [output])
    >>> example["output"].t, example.keys()
    (array([0, 1], dtype=int32), ['input', 'output'])
    """

    __slots__ = ("inputs", "outputs")

    inputs: list[Io]
    outputs: list[ChainOutput]

    def __init__(self, inputs: Iterable[Io], outputs: Iterable[ChainOutput]) -> None:
        self.inputs, self.outputs = list(inputs), list(outputs)

    def _all(self) -> list[Io | ChainOutput]:
        return [*self.inputs, *self.outputs]
