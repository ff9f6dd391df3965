"""The source distribution: whatever is compiled is in it."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys
import tarfile

import pytest
import tool_runs


def compiled() -> set[pathlib.Path]:
    """The files of the checkout that the compiler has read for the program and the module, as it has noted them."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", "target"))
    notes = [note for name in ("kaldi-tables.d", "lib_core.d") for note in (tool_runs.ROOT / target).glob(f"*/{name}")]
    words = [word for note in notes for line in note.read_text().splitlines() for word in line.split(": ", 1)[1].split(" ")]
    return {pathlib.Path(word) for word in words if pathlib.Path(word).is_relative_to(tool_runs.ROOT)}


def test_the_source_distribution_has_what_is_compiled(tmp_path):
    if not importlib.util.find_spec("maturin"):
        pytest.skip("maturin is not installed: the source distribution is not looked into")
    files = {path.relative_to(tool_runs.ROOT) for path in compiled() if path.exists() and "target" not in path.parts}
    if not files:
        pytest.skip("nothing was built in this checkout: the source distribution is not looked into")
    code = "import sys, kaldi_tables_build; kaldi_tables_build.build_sdist(sys.argv[1])"
    backend = tool_runs.ROOT / "python" / "backend"
    # The program maturin is beside this Python.
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    command = [sys.executable, "-c", code, str(tmp_path)]
    made = subprocess.run(command, cwd=backend, env={**os.environ, "PATH": path}, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {pathlib.Path(*pathlib.Path(name).parts[1:]) for name in packed.getnames()}
        project = packed.extractfile(f"{archive.name.removesuffix('.tar.gz')}/pyproject.toml").read().decode()
    needed = {pathlib.Path(name) for name in ("Cargo.lock", "python/README.md", "python/backend/kaldi_tables_build.py")}
    python = {path.relative_to(tool_runs.ROOT) for path in (tool_runs.ROOT / "python" / "kaldi_tables").rglob("*.py*")}
    needed |= {path for path in python if path.suffix in (".py", ".pyi")}
    assert not (files | needed) - names
    assert 'backend-path = ["python/backend"]' in project
    assert not [name for name in names if name.suffix == ".so" or "target" in name.parts]


def test_the_stub_of_open_and_lookup_is_that_of_the_types():
    script = tool_runs.ROOT / "python" / "stubs.py"
    # Isolated: the module is the installed one, not the one beside the script.
    checked = subprocess.run([sys.executable, "-I", str(script), "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
