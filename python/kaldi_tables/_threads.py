"""How many threads the core uses."""

from __future__ import annotations

import operator
import os
import sys

from ._errors import ArgumentError

_chosen: int | None = None


def set_num_threads(n: int) -> None:
    """Has later calls use up to `n` threads.

    >>> import kaldi_tables as kt
    >>> kt.set_num_threads(2)
    >>> kt.get_num_threads()
    2
    """
    global _chosen
    _chosen = count_threads(n)


def count_threads(threads: int | None) -> int:
    """The number of threads of a call: what was given, or the usual one."""
    if threads is None:
        return get_num_threads()
    if operator.index(threads) < 1:
        raise ArgumentError(f"expected 1 thread or more, got {threads}")
    return operator.index(threads)


def get_num_threads() -> int:
    """How many threads a call uses.

    Without `set_num_threads` as the tools: the processors of the process, at most `OMP_NUM_THREADS`. It is 1 in a process that
    `multiprocessing` or the `DataLoader` of torch has started.
    """
    if _chosen is not None:
        return _chosen
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        return 1
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = os.environ.get("OMP_NUM_THREADS", "").strip()
    return min(processors, int(wanted)) if wanted.isdigit() and int(wanted) > 0 else processors
