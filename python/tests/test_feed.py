"""Batches against those that feed-batches writes."""

from __future__ import annotations

import gc
import json
import pathlib
import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
import tool_runs
from held import held, left

import kaldi_tables as kt

CONF = """
filter_conf: {max_length: 40960, min_length: 0, token_max_length: 200, token_min_length: 1}
resample_conf: {resample_rate: 16000}
speed_perturb: true
fbank_conf: {num_mel_bins: 23, frame_shift: 10, frame_length: 25, dither: 0.1}
spec_aug: true
spec_aug_conf: {num_t_mask: 1, num_f_mask: 1, max_t: 5, max_f: 3}
shuffle: true
shuffle_conf: {shuffle_size: 10}
sort: true
sort_conf: {sort_size: 8}
batch_conf: {batch_type: static, batch_size: 4}
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("feed")
    lines = []
    for at in range(30):
        tool_runs.write_wave(folder / f"{at}.wav", 16000, tool_runs.noise(3000 + 157 * at, at))
        lines.append(json.dumps({"key": f"utt{at:02}", "wav": str(folder / f"{at}.wav"), "txt": "abc"[: at % 3 + 1]}))
    (folder / "data.list").write_text("\n".join(lines) + "\n")
    (folder / "units.txt").write_text("<blank> 0\n<unk> 1\na 2\nb 3\nc 4\n<sos/eos> 5\n")
    (folder / "train.yaml").write_text(CONF)
    return folder


def options(data: pathlib.Path, **others):
    return {"conf": data / "train.yaml", "symbols": data / "units.txt", **others}


def of_tool(data: pathlib.Path, folder: pathlib.Path, source="data.list", **options) -> list[dict]:
    words = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    tool_runs.run("feed-batches", "--format=npz", *words, data / source, folder)
    batches = []
    for path in sorted(folder.glob("batch-*.npz")):
        with np.load(path) as arrays:
            batches.append({name: arrays[name] for name in arrays.files})
    return batches


def same(got: list[dict], expected: list[dict]) -> None:
    assert len(got) == len(expected) > 0
    for one, other in zip(got, expected):
        assert set(one) == set(other)
        assert isinstance(one["keys"], list) and one["keys"] == other["keys"].tolist()
        for name in set(one) - {"keys"}:
            assert one[name].dtype == other[name].dtype and one[name].shape == other[name].shape
            assert one[name].tobytes() == other[name].tobytes(), name


@pytest.mark.parametrize(
    "others",
    [
        {},
        {"epoch": 3, "seed": 7},
        {"rank": 1, "world_size": 2, "worker": 1, "num_workers": 2},
        {"split": "cv"},
        {"initial": 3, "skip_batches": 2},
        {"world_size": 3, "even": "repeat"},
        {"shuffle_compat": "python", "epoch": 2},
        {"labels": "none"},
    ],
)
def test_batches_are_those_of_the_tool(data, tmp_path, others):
    given = options(data, **others)
    if others.get("labels") == "none":
        del given["symbols"]
    expected = of_tool(data, tmp_path / "batches", **given)
    batches = kt.feed.batches(data / "data.list", **given)
    same(list(batches), expected)
    same(list(kt.feed.batches(str(data / "data.list"), threads=3, **given)), expected)
    if not others:
        first = expected[0]
        assert first["feats"].dtype == np.float32 and first["feats_lengths"].dtype == np.int32
        assert first["target"].dtype == np.int64 and first["target_lengths"].dtype == np.int32


def test_the_options_are_those_of_the_tool():
    import inspect

    parameters = inspect.signature(kt.feed.batches).parameters
    ours = {name: each.default for name, each in parameters.items() if name not in ("data_list", "threads")}
    tools = {name.replace("-", "_"): default for name, default in kt._core.feed_options()}
    assert set(tools) - {"dry_run", "part"} == set(ours) - {"split"}
    for name, default in ours.items():
        text = tools["part" if name == "split" else name]
        assert text.lower() == ("" if default is None else str(default).lower()), name


def test_the_memory_of_a_batch_is_not_used_again_while_somebody_has_a_part_of_it(data):
    kept = []
    for batch in kt.feed.batches(data / "data.list", threads=2, **options(data)):
        feats = batch["feats"]
        assert feats.flags.writeable and feats.flags.c_contiguous
        kept.append((feats[0, 1:3], feats[0, 1:3].copy()))
        feats[-1] = 0.0
        del batch, feats
    gc.collect()
    assert len(kept) > 5 and all(np.array_equal(part, copy) for part, copy in kept)


def test_an_epoch_has_its_own_batches_and_comes_again(data):
    batches = kt.feed.batches(data / "data.list", **options(data))
    first = [batch["keys"] for batch in batches]
    assert first == [batch["keys"] for batch in batches]
    batches.set_epoch(1)
    assert batches.epoch == 1
    second = [batch["keys"] for batch in batches]
    assert first != second and sorted(sum(first, [])) == sorted(sum(second, []))
    assert [batch["keys"] for batch in pickle.loads(pickle.dumps(batches))] == second
    assert second == [batch["keys"] for batch in kt.feed.batches(data / "data.list", **options(data, epoch=1))]


def test_the_chain_is_described_as_by_the_tool(data):
    given = [f"--{name}={value}" for name, value in options(data).items()]
    expected = tool_runs.run("feed-batches", *given, "--dry-run", data / "data.list", "-").stdout.decode()
    assert kt.feed.batches(data / "data.list", **options(data)).chain() == expected


def test_a_table_is_a_data_list(data, tmp_path):
    matrices = {f"utt{at}": np.full((5 + at, 3), at, np.float32) for at in range(7)}
    tool_runs.write_matrices(tmp_path / "a.ark", matrices)
    tool_runs.run("copy-feats", f"ark:{tmp_path}/a.ark", f"ark,scp:{tmp_path}/b.ark,{tmp_path}/b.scp")
    (tmp_path / "chain.yaml").write_text("- batch: {batch_size: 3}\n")
    batches = kt.feed.batches(f"scp:{tmp_path}/b.scp", chain=tmp_path / "chain.yaml", data_type="table", labels="none")
    got = list(batches)
    assert [len(batch["keys"]) for batch in got] == [3, 3, 1]
    assert set(got[0]) == {"keys", "feats", "feats_lengths"} and got[0]["feats"].shape == (3, 7, 3)
    for batch in got:
        for key, feats, length in zip(batch["keys"], batch["feats"], batch["feats_lengths"]):
            assert np.array_equal(feats[:length], matrices[key]) and not feats[length:].any()


def test_text_may_be_inside_of_json_in_shards(data, tmp_path):
    lines = [json.loads(line) for line in (data / "data.list").read_text().splitlines()]
    samples = [
        {"__key__": it["key"], "wav": pathlib.Path(it["wav"]).read_bytes(), "json": json.dumps({"info": {"words": it["txt"]}})}
        for it in lines
    ]
    (name,) = kt.shards.write(tmp_path, samples)
    shards = {"data_type": "shard", "text_field": "json.info.words"}
    raw = list(kt.feed.batches(data / "data.list", **options(data, split="cv")))
    got = list(kt.feed.batches(tmp_path / "data.list", **options(data, split="cv", **shards)))
    assert [batch["keys"] for batch in got] == [batch["keys"] for batch in raw]
    for ours, theirs in zip(got, raw):
        assert np.array_equal(ours["target"], theirs["target"]) and np.array_equal(ours["feats"], theirs["feats"])
    for field, message in (("json.words", r"expected an entry \"words\" for json\.words"), ("lab", "expected a text, got none")):
        with pytest.raises(kt.Error, match=message):
            list(kt.feed.batches(name, **options(data, data_type="shard", text_field=field, on_error="fail")))
    with pytest.raises(ValueError, match="`text_field` with `data_type = shard` or `data_type = shar` only"):
        list(kt.feed.batches(data / "data.list", **options(data, text_field="json.text")))


def test_mistakes_are_errors(data, tmp_path, caplog, capfd):
    for wrong, error, message in (
        ({"world_size": 2, "rank": 2}, ValueError, "ranks"),
        ({"split": "test"}, ValueError, "train or cv"),
        ({"chain": data / "train.yaml"}, ValueError, "one of `conf` and `chain`"),
        ({"conf": tmp_path / "missing"}, FileNotFoundError, "missing"),
        ({"text": data / "units.txt"}, ValueError, "`data_type = table`"),
    ):
        with pytest.raises(error, match=message):
            list(kt.feed.batches(data / "data.list", **options(data, **wrong)))
    with pytest.raises(kt.MissingFileError):
        list(kt.feed.batches(tmp_path / "no.list", **options(data)))
    with pytest.raises(TypeError, match="spilt"):
        kt.feed.batches(data / "data.list", spilt="cv")
    (tmp_path / "bad.list").write_text((data / "data.list").read_text() + '{"key": "x", "wav": "/missing", "txt": "a"}\n')
    got = list(kt.feed.batches(tmp_path / "bad.list", **options(data)))
    assert sum(len(batch["keys"]) for batch in got) == 30
    records = [record for record in caplog.records if "x: " in record.message]
    assert [(record.name, record.levelname) for record in records] == [("kaldi_tables", "WARNING")]
    assert capfd.readouterr().err == ""
    with pytest.raises(kt.DataError, match="x: "):
        list(kt.feed.batches(tmp_path / "bad.list", **options(data, on_error="fail")))


def test_an_iterator_can_be_left_and_closed(data):
    before = held()
    for _ in range(5):
        batches = iter(kt.feed.batches(data / "data.list", **options(data)))
        assert len(next(batches)["keys"]) == 4
        batches.close()
        batches.close()
        assert list(batches) == []
        next(iter(kt.feed.batches(data / "data.list", **options(data))))
    assert left(before) == set()


def test_a_forked_child_iterates_anew_and_leaves_the_iterator_of_its_parent(data):
    code = f"""
import os, kaldi_tables as kt
batches = kt.feed.batches({str(data / "data.list")!r}, conf={str(data / "train.yaml")!r}, symbols={str(data / "units.txt")!r})
expected = [batch["keys"] for batch in batches]
iterator = iter(batches)
next(iterator)
if os.fork() == 0:
    try:
        next(iterator)
    except kt.Error as error:
        assert "another process" in str(error)
    else:
        os._exit(3)
    os._exit(0 if [batch["keys"] for batch in batches] == expected else 4)
_, status = os.wait()
assert status == 0, status
assert [batch["keys"] for batch in iterator] == expected[1:]
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_ctrl_c_ends_the_wait_for_a_silent_command(tmp_path):
    (tmp_path / "slow.scp").write_text("utt1 exec sleep 400 2> /dev/null |\n")
    (tmp_path / "chain.yaml").write_text("- batch: {batch_size: 1}\n")
    code = f"""
import os, signal, threading, kaldi_tables as kt
batches = kt.feed.batches("scp:{tmp_path}/slow.scp", chain="{tmp_path}/chain.yaml", data_type="table", labels="none")
try:
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    list(batches)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(0)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert ran.stdout == "interrupted\n", ran.stderr


def test_the_interpreter_ends_while_batches_are_computed(data):
    code = f"""
import kaldi_tables as kt
kept = iter(kt.feed.batches({str(data / "data.list")!r}, conf={str(data / "train.yaml")!r}, symbols={str(data / "units.txt")!r}, threads=3))
print(len(next(kept)["keys"]))
"""
    for _ in range(3):
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "4\n", "")


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("source", ["scp:silent.scp", "scp:cat silent.scp; sleep 1000 |", "sleep 1000 |"])
def test_an_iterator_that_is_dropped_ends_silent_commands(tmp_path, monkeypatch, source, threads):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "silent.scp").write_text("".join(f"utt{at} touch started; exec sleep 1000 |\n" for at in range(50)))
    (tmp_path / "chain.yaml").write_text("- batch: {batch_size: 2}\n")
    before = held()
    data_type = "table" if source.startswith("scp") else "raw"
    iterator = iter(kt.feed.batches(source, chain="chain.yaml", data_type=data_type, labels="none", threads=threads))
    for _ in range(100):
        if held() - before:
            break
        time.sleep(0.01)
    del iterator
    gc.collect()
    assert left(before) == set()
