"""Log lines of the core as records of `logging.getLogger("kaldi_tables")`."""

from __future__ import annotations

import logging

_LOGGER = logging.getLogger("kaldi_tables")
_LEVELS = {"ERROR": logging.ERROR, "WARNING": logging.WARNING, "LOG": logging.INFO}


def deliver(lines: bytes) -> None:
    """Logs lines such as `WARNING (program[0.1.0]:function():file.rs:12) text`."""
    for line in lines.decode("utf-8", "replace").splitlines():
        severity, opened, rest = line.partition(" (")
        _, closed, text = rest.partition(") ")
        if opened and closed:
            _LOGGER.log(_LEVELS.get(severity, logging.DEBUG), "%s", text)
        else:
            _LOGGER.info("%s", line)
