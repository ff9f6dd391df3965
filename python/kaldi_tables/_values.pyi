from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

_Pair = tuple[int, float]

class Wave(NamedTuple):
    rate: int
    array: npt.NDArray[Any]

class _Arrays:
    def _parts(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object) -> bool: ...

class Posterior(_Arrays, Sequence[list[_Pair]]):
    offsets: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]
    def __init__(self, frames: Iterable[Iterable[_Pair]] = ()) -> None: ...
    @classmethod
    def from_arrays(cls, offsets: npt.ArrayLike, ids: npt.ArrayLike, weights: npt.ArrayLike) -> Posterior: ...
    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int) -> list[_Pair]: ...
    @overload
    def __getitem__(self, index: slice) -> list[list[_Pair]]: ...
    def __iter__(self) -> Iterator[list[_Pair]]: ...
    def tolist(self) -> list[list[_Pair]]: ...

class SparseMatrix(_Arrays):
    shape: tuple[int, int]
    offsets: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    data: npt.NDArray[np.float32]
    def __init__(
        self, shape: tuple[int, int], offsets: npt.ArrayLike, indices: npt.ArrayLike, data: npt.ArrayLike
    ) -> None: ...
    @classmethod
    def from_arrays(
        cls, shape: tuple[int, int], offsets: npt.ArrayLike, indices: npt.ArrayLike, data: npt.ArrayLike
    ) -> SparseMatrix: ...
    @classmethod
    def from_array(cls, array: npt.ArrayLike) -> SparseMatrix: ...
    def toarray(self) -> npt.NDArray[np.float32]: ...
    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]: ...
