"""Data sets of PyTorch; left out if torch is not installed."""

from __future__ import annotations

import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import tool_runs

torch = pytest.importorskip("torch", reason="torch is not installed: kaldi_tables.torch is not tested")

from torch.utils.data import DataLoader  # noqa: E402

import kaldi_tables as kt  # noqa: E402


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("torch")
    matrices = {f"utt{at:02}": np.full((1 + at % 5, 3), at, np.float32) for at in range(41)}
    tool_runs.write_matrices(folder / "in.ark", matrices)
    tool_runs.run("copy-feats", f"ark:{folder}/in.ark", f"ark,scp:{folder}/a.ark,{folder}/a.scp")
    (folder / "chain.yaml").write_text("- shuffle: {shuffle_size: 9}\n- batch: {batch_size: 4}\n")
    return folder


KEYS = [f"utt{at:02}" for at in range(41)]


def keys(loader) -> list[str]:
    return [key for key, _ in loader]


def test_torch_is_imported_when_it_is_used():
    code = "import sys, kaldi_tables as kt; assert 'torch' not in sys.modules; kt.torch; assert 'torch' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


@pytest.mark.parametrize("source", ["ark:{}/a.ark", "scp:{}/a.scp"])
@pytest.mark.parametrize("context", ["fork", "spawn"])
@pytest.mark.parametrize("shuffle", [0, 7])
def test_workers_and_ranks_share_entries_without_loss(table, source, context, shuffle):
    name = source.format(table)
    every = []
    ranks = 2 if context == "fork" else 1
    for rank in range(ranks):
        data = kt.torch.TableDataset(name, shuffle=shuffle, rank=rank, world_size=ranks)
        loader = DataLoader(data, batch_size=None, num_workers=2, multiprocessing_context=context)
        for key, value in loader:
            assert isinstance(value, torch.Tensor) and value.dtype == torch.float32
            assert value.shape == (1 + int(key[3:]) % 5, 3) and (value == int(key[3:])).all()
            every.append(key)
    assert sorted(every) == KEYS


def test_a_shuffle_depends_on_seed_and_epoch(table):
    data = kt.torch.TableDataset(f"scp:{table}/a.scp", shuffle=10, seed=3)
    first = keys(data)
    assert first == keys(data) != KEYS and sorted(first) == KEYS
    data.set_epoch(1)
    assert data.epoch == 1 and keys(data) != first
    data.set_epoch(0)
    assert keys(data) == first == keys(kt.open(f"scp:{table}/a.scp").shuffle(10, 3))


def test_workers_that_persist_see_a_new_epoch(table):
    data = kt.torch.TableDataset(f"ark:{table}/a.ark", shuffle=10)
    loader = DataLoader(data, batch_size=None, num_workers=1, persistent_workers=True)
    first = keys(loader)
    data.set_epoch(1)
    second = keys(loader)
    assert first != second and sorted(second) == KEYS


def test_ranks_are_those_of_torch_distributed(table, tmp_path):
    code = f"""
import sys, torch, torch.distributed as dist, kaldi_tables as kt
from torch.utils.data import DataLoader
rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://{tmp_path}/meet", rank=rank, world_size=2)
data = kt.torch.TableDataset("ark:{table}/a.ark")
for context in (None, "spawn"):
    loader = DataLoader(data, batch_size=None, num_workers=1 if context else 0, multiprocessing_context=context)
    print(*(key for key, _ in loader))
"""
    (tmp_path / "rank.py").write_text(f"if __name__ == '__main__':\n{''.join('    ' + line + chr(10) for line in code.splitlines())}")
    command = [sys.executable, str(tmp_path / "rank.py")]
    ran = [subprocess.Popen([*command, str(rank)], stdout=subprocess.PIPE, text=True) for rank in range(2)]
    lines = [process.communicate(timeout=300)[0].splitlines() for process in ran]
    assert [process.returncode for process in ran] == [0, 0]
    for line in range(2):
        assert lines[0][line].split() == KEYS[::2] and lines[1][line].split() == KEYS[1::2]


def test_tensors_share_memory_with_the_arrays():
    array = np.zeros((2, 3), np.float32)
    kt.torch.to_tensors(array)[0, 0] = 5
    assert array[0, 0] == 5
    wave = kt.torch.to_tensors(kt.Wave(16000, np.zeros(4, np.int16)))
    assert isinstance(wave, kt.Wave) and isinstance(wave.array, torch.Tensor)
    mixed = kt.torch.to_tensors({"keys": ["a"], "feats": [np.zeros(2), (1, np.ones(3, np.int32))]})
    assert mixed["keys"] == ["a"] and mixed["feats"][1][1].dtype == torch.int32
    assert kt.torch.to_tensors("word") == "word"


def test_views_of_a_map_are_taken_without_warnings(table, recwarn):
    data = kt.torch.TableDataset(f"ark:{table}/a.ark", mmap=True)
    for key, value in DataLoader(data, batch_size=None):
        assert (value == int(key[3:])).all()
    assert not [warning for warning in recwarn if "writ" in str(warning.message)]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_lookup_is_read_by_position(table, workers):
    data = kt.torch.LookupDataset(f"scp:{table}/a.scp")
    assert len(data) == 41 and data.keys == KEYS
    key, value = data[-1]
    assert key == "utt40" and (value == 40).all()
    with pytest.raises(IndexError):
        data[41]
    batches = list(DataLoader(data, batch_size=8, shuffle=True, num_workers=workers, collate_fn=list))
    assert [len(batch) for batch in batches] == [8] * 5 + [1]
    assert sorted(key for batch in batches for key, _ in batch) == KEYS
    assert all((value == int(key[3:])).all() for batch in batches for key, value in batch)
    assert pickle.loads(pickle.dumps(data))[3][0] == "utt03"


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_of_a_feed_are_those_of_its_workers(table, workers):
    options = {"chain": table / "chain.yaml", "data_type": "table", "labels": "none"}
    source = f"scp:{table}/a.scp"
    data = kt.torch.FeedDataset(source, epoch=2, **options)
    got = list(DataLoader(data, batch_size=None, num_workers=workers))
    expected = list(kt.feed.batches(source, epoch=2, **options))
    assert sorted(batch["keys"] for batch in got) == sorted(batch["keys"] for batch in expected)
    assert sorted(key for batch in got for key in batch["keys"]) == KEYS
    assert all(isinstance(batch["feats"], torch.Tensor) and batch["feats"].ndim == 3 for batch in got)
    data.set_epoch(3)
    assert sorted(batch["keys"] for batch in data) != sorted(batch["keys"] for batch in expected)
    with pytest.raises(TypeError, match="num_workers"):
        kt.torch.FeedDataset(source, num_workers=2, **options)


def crossed(batch: dict) -> dict:
    """A batch as it comes out of a worker."""
    function, arguments = kt.torch._send(kt.torch._Batch(batch))
    return function(*arguments)


def test_a_buffer_is_used_again_when_all_tensors_of_its_batch_are_gone():
    batch = {
        "keys": ["a", "b"],
        "feats": torch.arange(24, dtype=torch.float32).reshape(2, 4, 3),
        "lengths": torch.tensor([4, 3], dtype=torch.int32),
        "target": torch.tensor([[1, 2]], dtype=torch.int64),
        "is_last": torch.tensor(True),
        "none": torch.zeros((0, 3)),
        "turned": torch.zeros((2, 3)).T,
    }
    first = crossed(batch)
    assert list(first) == list(batch) and first["keys"] == ["a", "b"]
    for name, value in batch.items():
        if name != "keys":
            assert first[name].dtype == value.dtype and first[name].shape == value.shape and (first[name] == value).all()
    buffers = kt.torch._buffers._buffers
    assert len(buffers) == 1 and crossed(batch)["keys"] == ["a", "b"]
    second = crossed(batch)
    assert len(buffers) == 2
    row, first = first["feats"][1], None
    row.fill_(7.0)
    third = crossed(batch)
    assert len(buffers) == 3 and (row == 7.0).all()
    assert (second["feats"] == batch["feats"]).all() and (third["feats"] == batch["feats"]).all()
    del row, second, third
    for _ in range(9):
        assert (crossed(batch)["feats"] == batch["feats"]).all()
    assert len(buffers) == 3
    # Short buffers that are free make way for a longer one.
    assert crossed({"feats": torch.ones(10_000)})["feats"].sum() == 10_000.0
    assert len(buffers) == 1


@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_batches_of_workers_stay_as_they_are(table, context):
    data = kt.torch.FeedDataset(f"scp:{table}/a.scp", chain=table / "chain.yaml", data_type="table", labels="none")
    kept = []
    for batch in DataLoader(data, batch_size=None, num_workers=2, multiprocessing_context=context):
        assert type(batch) is dict
        kept.append((batch["keys"], batch["feats"][:, 0], batch["feats"][:, 0].clone()))
    assert sorted(key for keys, _, _ in kept for key in keys) == KEYS
    for keys, part, copy in kept:
        assert torch.equal(part, copy) and part[:, 0].tolist() == [int(key[3:]) for key in keys]


def test_mistakes_are_errors(table):
    for wrong in ({"rank": 1}, {"rank": 2, "world_size": 2}, {"shuffle": -1}):
        with pytest.raises(ValueError):
            kt.torch.TableDataset(f"ark:{table}/a.ark", **wrong)
    with pytest.raises(FileNotFoundError):
        kt.torch.TableDataset(f"ark:{table}/missing.ark")
    with pytest.raises(FileNotFoundError):
        kt.torch.LookupDataset(f"scp:{table}/missing.scp")
