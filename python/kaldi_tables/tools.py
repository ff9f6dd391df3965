"""The command-line tools: where they are, and how they are run."""

from __future__ import annotations

import difflib
import functools
import importlib.metadata
import os
import subprocess
import sysconfig
import typing

from ._errors import MissingFileError

__all__ = ["names", "path", "run"]


def __dir__() -> list[str]:
    return list(__all__)


_PROGRAM = "kaldi-tables"


def _folders() -> typing.Iterator[str]:
    """Where an installer may have put the tools, the most probable folder first."""
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # pip install --target
    yield os.path.join(packages, "bin")
    # A virtual environment, --user, --prefix: the tools of the installation whose packages are here.
    roots = ("base", "platbase", "installed_base", "installed_platbase", "userbase")
    base = packages
    while base != os.path.dirname(base):
        base = os.path.dirname(base)
        for scheme in sysconfig.get_scheme_names():
            paths = sysconfig.get_paths(scheme, dict.fromkeys(roots, base))
            if packages in (paths["platlib"], paths["purelib"]):
                yield paths["scripts"]
    # What the installer has written down.
    try:
        files = importlib.metadata.distribution(_PROGRAM).files or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    yield from (os.path.normpath(os.path.dirname(file.locate())) for file in files if file.name == _PROGRAM)
    yield sysconfig.get_path("scripts")


@functools.lru_cache(maxsize=None)
def _folder() -> str:
    folders = list(dict.fromkeys(_folders()))
    for folder in folders:
        if os.access(os.path.join(folder, _PROGRAM), os.X_OK):
            return folder
    raise MissingFileError(f"the program {_PROGRAM} is in none of {', '.join(folders)}", file=_PROGRAM)


@functools.lru_cache(maxsize=None)
def _names() -> tuple[str, ...]:
    command = [path(_PROGRAM), "--print-args=false"]
    listing = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, text=True).stdout
    return tuple(sorted(line.split()[0] for line in listing.splitlines() if line.startswith("  ")))


def names() -> list[str]:
    """Returns the names of all tools, sorted.

    >>> import kaldi_tables as kt
    >>> [name for name in kt.tools.names() if name.startswith("copy-feats")]
    ['copy-feats', 'copy-feats-to-htk', 'copy-feats-to-sphinx']
    """
    return list(_names())


def path(name: str) -> str:
    """Returns the file of a tool, or of the program `kaldi-tables`, which has all of them.

    `MissingFileError` if there is no such tool.

    >>> import kaldi_tables as kt
    >>> kt.tools.path("copy-feats").endswith("/copy-feats")
    True
    """
    if name == _PROGRAM:
        return os.path.join(_folder(), _PROGRAM)
    if name not in _names():
        near = difflib.get_close_matches(name, _names(), 1)
        advice = f"; {near[0]} was probably meant" if near else ""
        raise MissingFileError(f"there is no tool {name}{advice}", file=name)
    return os.path.join(_folder(), name)


def run(
    name: str,
    *args: str | bytes | os.PathLike[str] | os.PathLike[bytes],
    check: bool = True,
    **subprocess_kwargs: typing.Any,
) -> subprocess.CompletedProcess[typing.Any]:
    """Runs a tool until it ends. Other arguments are those of `subprocess.run`.

    With `check`, `subprocess.CalledProcessError` if the exit status is not 0.

    >>> import kaldi_tables as kt
    >>> kt.tools.run("copy-vector", "--version", capture_output=True, text=True).stdout.split()[0]
    'copy-vector'
    """
    path(name)
    command = [path(_PROGRAM), *([] if name == _PROGRAM else [name]), *args]
    return subprocess.run(command, check=check, **subprocess_kwargs)
