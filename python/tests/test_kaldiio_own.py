"""The tests of kaldiio itself, with our module in the place of kaldiio.

They are run from KALDIIO_CHECKOUT, a checkout of kaldiio, or else from its source distribution, if pip can get that.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

# What its tests use of SoX: a WAV file is copied to a pipe, where its sizes are not known.
SOX = """\
import struct, sys
data = open(sys.argv[1], "rb").read()
at = data.index(b"data")
size = struct.unpack_from("<I", data, at + 4)[0]
head = b"RIFF" + struct.pack("<I", 0x7FFFF024) + data[8:at] + b"data" + struct.pack("<I", 0x7FFFF000)
sys.stdout.buffer.write(head + data[at + 8 : at + 8 + size])
"""


def own_tests(folder: pathlib.Path) -> pathlib.Path:
    named = os.environ.get("KALDIIO_CHECKOUT")
    if named:
        return pathlib.Path(named, "tests")
    # Else pip makes an environment for nothing but the version, which takes minutes.
    here = ["--no-build-isolation"] if importlib.util.find_spec("setuptools") else []
    words = "download --quiet --disable-pip-version-check --no-deps --no-binary :all: kaldiio==2.18.1 -d".split()
    try:
        got = subprocess.run([sys.executable, "-m", "pip", *words, folder, *here], capture_output=True, timeout=300)
    except subprocess.TimeoutExpired:
        pytest.skip("pip did not get the source of kaldiio in 5 minutes: set KALDIIO_CHECKOUT")
    archives = list(folder.glob("*.tar.gz"))
    if got.returncode != 0 or not archives:
        pytest.skip(f"pip cannot get the source of kaldiio: set KALDIIO_CHECKOUT. {got.stderr.decode()[-200:]}")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(folder)
    return next(folder.glob("kaldiio-*/tests"))


def test_kaldiios_own_tests_pass(tmp_path: pathlib.Path) -> None:
    (tmp_path / "source").mkdir()
    there = own_tests(tmp_path / "source")
    tests = tmp_path / "tests"
    shutil.copytree(there, tests)
    (tests / "__init__.py").touch()
    for path in tests.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        text = text.replace("from kaldiio", "from kaldi_tables.compat.kaldiio")
        text = text.replace("\nimport kaldiio", "\nfrom kaldi_tables.compat import kaldiio")
        path.write_text(text, encoding="utf-8")
    assert "import kaldiio\nfrom kaldiio" not in (tests / "test_mat_ark.py").read_text(encoding="utf-8")
    (tmp_path / "bin").mkdir()
    sox = tmp_path / "bin" / "sox"
    sox.write_text(f"#!{sys.executable}\n{SOX}")
    sox.chmod(0o755)
    # The source distribution leaves out its archives and sounds.
    has_arks = (tests / "arks").is_dir()
    left_out = [] if has_arks else ["-k", "not test_write_compressed_arks and not test_incorrect_header_wav"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *left_out, "tests"]
    path = f"{sox.parent}:{os.environ['PATH']}"
    root = str(pathlib.Path(__file__).resolve().parents[1])
    places = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), None if is_installed() else root]))
    run = subprocess.run(
        command, cwd=tmp_path, env={**os.environ, "PATH": path, "PYTHONPATH": places}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    passed = int(run.stdout.split(" passed")[0].split()[-1])
    assert passed >= (130 if has_arks else 115), run.stdout[-400:]


def is_installed() -> bool:
    import kaldi_tables

    return "site-packages" in str(kaldi_tables.__file__)
