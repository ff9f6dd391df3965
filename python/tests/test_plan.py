"""The pieces of plans of table-jobs, and the examples of docs/clusters.md on the engines that are installed."""

from __future__ import annotations

import os
import pathlib
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
import tool_runs

import kaldi_tables as kt


@pytest.fixture
def planned(tmp_path, monkeypatch) -> dict[str, np.ndarray]:
    """A plan D of four pieces in the current folder; relative names in the list."""
    monkeypatch.chdir(tmp_path)
    matrices = {f"utt{at:02}": np.full((3 + at, 2), at, np.float32) for at in range(10)}
    tool_runs.write_matrices(tmp_path / "a.ark", matrices)
    tool_runs.run("copy-feats", "ark:a.ark", "ark,scp:b.ark,feats.scp")
    plan("D", "scp:feats.scp")
    return matrices


def plan(folder: str, source: str, *words: str) -> None:
    tool_runs.run("table-jobs", "--nj=4", "--dry-run", f"--dir={folder}", *words, "--", "copy-feats", source, "ark:x.ark")


def test_pieces_are_the_table_in_order(planned):
    plan = kt.Plan("D")
    assert len(plan) == 4 and sum(len(piece) for piece in plan) == 10
    assert plan.command[-2:] == ["scp:feats.scp", "ark:x.ark"]
    entries = [entry for piece in plan for entry in piece]
    assert [key for key, _ in entries] == list(planned)
    assert all(np.array_equal(value, planned[key]) for key, value in entries)
    assert [piece.number for piece in plan] == [1, 2, 3, 4] and plan[-1].number == 4
    assert [piece.number for piece in plan[1:3]] == [2, 3]
    assert plan[0].lists() == ["scp:feats.scp"]
    assert plan[0].lines() == pathlib.Path("feats.scp").read_text().splitlines()[: len(plan[0])]
    for place in (4, -5):
        with pytest.raises(IndexError):
            plan[place]


def test_a_piece_is_read_from_another_folder_and_by_another_process(planned, tmp_path, monkeypatch):
    piece = kt.Plan(tmp_path / "D")[1]
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path / "else")
    expected = [key for key, _ in piece]
    assert len(expected) == len(piece)
    code = "import pickle, sys, kaldi_tables; print(*(key for key, _ in pickle.load(sys.stdin.buffer)))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, input=pickle.dumps(piece), check=True, capture_output=True, env=environment)
    assert ran.stdout.decode().split() == expected
    assert [key for batch in piece.batch(2) for key, _ in batch] == expected


def test_lists_of_other_kinds(planned, tmp_path):
    script = "".join(f"utt{at:02} head -c 1000 {tmp_path / 'one.mat'} |\n" for at in range(5))
    tool_runs.run("copy-matrix", "ark:a.ark", f"scp:{_single(tmp_path)}")
    pathlib.Path("pipes.scp").write_text(script)
    plan("P", "scp:pipes.scp")
    assert [value.shape for piece in kt.Plan("P") for _, value in piece] == [(3, 2)] * 5
    plan("A", "ark:a.ark")
    assert [key for piece in kt.Plan("A") for key, _ in piece] == list(planned)


def _single(folder: pathlib.Path) -> str:
    """A script file that writes the first matrix into a file of its own."""
    (folder / "out.scp").write_text("".join(f"utt{at:02} {folder}/{'one' if at == 0 else at}.mat\n" for at in range(10)))
    return f"{folder}/out.scp"


def test_mistakes_are_errors(planned, tmp_path):
    with pytest.raises(FileNotFoundError, match="no plan of table-jobs"):
        kt.Plan("missing")
    piece = kt.Plan("D")[0]
    with open("feats.scp", "a") as script:
        script.write("one more:1\n")
    with pytest.raises(kt.DataError, match="has changed"):
        list(piece)


def example(engine: str) -> str:
    text = (tool_runs.ROOT / "docs" / "clusters.md").read_text()
    return re.search(rf"^{engine}[^\n]*:\n\n```python\n(.*?)```", text, re.MULTILINE | re.DOTALL)[1]


@pytest.mark.parametrize("engine", ["Ray", "Dask", "Spark"])
def test_the_example_of_the_documentation_runs(engine, planned):
    package = {"Ray": "ray", "Dask": "dask", "Spark": "pyspark"}[engine]
    pytest.importorskip(package, reason=f"{package} is not installed: the example of {engine} is not run")
    settings = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    pathlib.Path("example.py").write_text(example(engine))
    ran = subprocess.run([sys.executable, "example.py"], capture_output=True, text=True, env=settings, timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split()[-1] == str(sum(len(value) for value in planned.values()))
