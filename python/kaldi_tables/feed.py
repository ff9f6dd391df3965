"""Padded batches for training, as `feed-batches` makes them."""

from __future__ import annotations

import os
import typing
from collections.abc import Iterator

from . import _core
from ._options import word
from ._threads import count_threads

__all__ = ["Batches", "batches"]


def __dir__() -> list[str]:
    return list(__all__)


_Name = typing.Union[str, "os.PathLike[str]"]


class Batches:
    """The batches of a data list, which `batches` returns. It can be iterated again and again, and pickles."""

    def __init__(self, data_list: _Name, options: dict[str, typing.Any], threads: int | None) -> None:
        self._data_list = data_list
        self._options = options
        self._threads = threads

    def __iter__(self) -> Iterator[dict[str, typing.Any]]:
        return _core.feed_batches(_words(self._options), self._data_list, count_threads(self._threads))

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        return f"kaldi_tables.feed.batches({self._data_list!r}{options})"

    @property
    def epoch(self) -> int:
        """The pass over the data that is iterated next."""
        return typing.cast(int, self._options.get("epoch", 0))

    def set_epoch(self, n: int) -> None:
        """Has the next iteration make the batches of pass `n`: another order, and other changes at random."""
        self._options["epoch"] = n

    def share(self, *, rank: int, world_size: int, worker: int, num_workers: int) -> Batches:
        """The same batches, for one worker of one rank."""
        share = {"rank": rank, "world_size": world_size, "worker": worker, "num_workers": num_workers}
        return Batches(self._data_list, {**self._options, **share}, self._threads)

    def chain(self) -> str:
        """The chain of stages with all its parameters, in YAML (`feed-batches --dry-run`)."""
        return _core.feed_chain(_words(self._options))


def batches(
    data_list: _Name,
    *,
    conf: _Name | None = None,
    chain: _Name | None = None,
    data_type: str = "raw",
    text: _Name | None = None,
    text_field: str | None = None,
    symbols: _Name | None = None,
    bpe_model: _Name | None = None,
    non_lang_syms: _Name | None = None,
    case: str | None = None,
    cmvn: _Name | None = None,
    labels: str = "text",
    epoch: int = 0,
    seed: int = 0,
    rank: int = 0,
    world_size: int = 1,
    worker: int = 0,
    num_workers: int = 1,
    split: str = "train",
    initial: int = 0,
    skip_batches: int = 0,
    even: str = "none",
    on_error: str = "skip",
    max_bad: int | None = None,
    shuffle_compat: str = "none",
    allow_commands: bool = False,
    threads: int | None = None,
) -> Batches:
    """The batches that `feed-batches` makes of a data list with the options of the same names (`split` is its `--part`).

    Each is a dict: `keys`, a list of str; `feats`, float32 `(n, longest, dim)`; `feats_lengths`, int32; and if there are labels `target`,
    int64 `(n, most)`, and `target_lengths`, int32. The padding is 0.0 and -1; the longest utterance comes first. They are computed on
    `threads` threads (None: `kaldi_tables.get_num_threads()`) without the GIL. What is wrong with the options is raised when the
    batches are iterated.

    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> import kaldi_tables as kt
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> kt.save_ark(str(folder / "feats.ark"), {"a": np.ones((9, 2), "f"), "b": np.ones((5, 2), "f")}, scp=str(folder / "feats.scp"))
    >>> _ = (folder / "chain.yaml").write_text("- batch: {batch_size: 2}\\n")
    >>> source = "scp:" + str(folder / "feats.scp")
    >>> for batch in kt.feed.batches(source, chain=folder / "chain.yaml", data_type="table", labels="none"):
    ...     print(batch["keys"], batch["feats"].shape, batch["feats_lengths"])
    ['a', 'b'] (2, 9, 2) [9 5]
    """
    given = dict(locals())
    given["part"] = given.pop("split")
    for name in ("data_list", "threads"):
        del given[name]
    options = {name: value for name, value in given.items() if value is not None}
    return Batches(data_list, options, threads)


def _words(options: dict[str, typing.Any]) -> list[str]:
    return [word(name, value) for name, value in options.items()]
