"""What this process holds: descriptors, threads and children."""

from __future__ import annotations

import os
import pathlib
import time


def held() -> set[str]:
    """The open descriptors, the threads and the children of this process. Its other threads may end in the meantime."""
    threads = os.listdir("/proc/self/task")
    found = {f"descriptor {number}" for number in os.listdir("/proc/self/fd")} | {f"thread {number}" for number in threads}
    for thread in threads:
        try:
            children = pathlib.Path(f"/proc/self/task/{thread}/children").read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        found |= {f"child {number}" for number in children}
    return found


def children() -> set[str]:
    """The children of this process."""
    return {name for name in held() if name.startswith("child")}


def left(before: set[str]) -> set[str]:
    """What this process holds beyond what it held before, after two minutes at most: threads and descriptors end in their own time."""
    deadline = time.monotonic() + 120
    while (more := held() - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    return more
