"""Shards: judged by tarfile, and by webdataset where tests/peers has installed it."""

from __future__ import annotations

import gc
import gzip
import io
import json
import logging
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tarfile
import time

import pytest
from held import children, held, left

import kaldi_tables as kt

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = [
    {"__key__": "utt1", "txt": "h\u00e4llo", "wav": b"RIFF" + bytes(600)},
    {"__key__": "d/utt2", "txt": b"", "json": bytearray(b"{}")},
    {"__key__": "\u4f60" + "k" * 120, "txt": memoryview(b"x" * 512)},
]


def contents(samples: object) -> list:
    """Samples without the name of their shard, with `bytes`."""
    return [
        {
            name: it if name == "__key__" else it.encode() if isinstance(it, str) else bytes(it)
            for name, it in sample.items()
            if name != "__url__"
        }
        for sample in samples
    ]


def tar(path: pathlib.Path, members: list, mode: str = "w") -> pathlib.Path:
    with tarfile.open(path, mode) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def test_what_is_written_is_read(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "new" / "folder"
    for options in ({}, {"compress": "gzip"}):
        names = kt.shards.write(folder / str(len(options)), SAMPLES, max_samples=2, **options)
        assert [os.path.basename(name) for name in names] == [
            f"shards_00000000{number}.tar" + (".gz" if options else "") for number in range(2)
        ]
        read = kt.shards.samples(folder / str(len(options)) / "data.list")
        assert contents(read) == contents(SAMPLES) == contents(read)
        assert [sample["__url__"] for sample in read] == [names[0], names[0], names[1]]
        assert contents(kt.shards.samples(names)) == contents(SAMPLES)
        assert contents(kt.shards.samples(pathlib.Path(names[1]))) == contents(SAMPLES[2:])


def test_tarfile_reads_what_is_written(tmp_path: pathlib.Path) -> None:
    (name,) = kt.shards.write(tmp_path, SAMPLES)
    expected = [
        (f"{sample['__key__']}.{field}", it.encode() if isinstance(it, str) else bytes(it))
        for sample in SAMPLES
        for field, it in sample.items()
        if field != "__key__"
    ]
    with tarfile.open(name) as archive:
        assert [(it.name, archive.extractfile(it).read()) for it in archive] == expected
    assert pathlib.Path(name).read_bytes() == tar(tmp_path / "theirs.tar", expected).read_bytes()


def test_tars_of_tarfile_are_read(tmp_path: pathlib.Path) -> None:
    members = [("a.txt", b"1"), ("a.wav", b"2"), ("b.c.txt", b"3")]
    for mode, name in (("w", "x.tar"), ("w:gz", "x.tar.gz"), ("w", "noname")):
        path = tar(tmp_path / name, members, mode)
        keys = [sample["__key__"] for sample in kt.shards.samples(path)]
        assert keys == ["a", "b.c"], name
        other = [dict(sample, __url__="") for sample in kt.shards.samples(str(path), grouping="webdataset")]
        assert other[1] == {"__key__": "b", "__url__": "", "c.txt": b"3"}
    assert [it["__key__"] for it in kt.shards.samples(f"cat {tmp_path}/x.tar |")] == ["a", "b.c"]


def test_an_index_and_sizes(tmp_path: pathlib.Path) -> None:
    many = ({"__key__": str(number), "txt": bytes(2000)} for number in range(10))
    names = kt.shards.write(tmp_path / "out", many, list=tmp_path / "my.list", prefix="s", max_bytes=20480, index="dali")
    assert len(names) == 2 and [os.path.basename(name) for name in names] == ["s_000000000.tar", "s_000000001.tar"]
    assert all(pathlib.Path(name).with_suffix(".idx").exists() and os.path.getsize(name) <= 20480 for name in names)
    assert (tmp_path / "my.list").read_text().split() == names
    with pytest.raises(kt.Error, match="needs a shard of"):
        kt.shards.write(tmp_path / "small", [{"__key__": "a", "txt": bytes(2000)}], max_bytes=1024)


def test_after_an_exception_there_is_no_list(tmp_path: pathlib.Path) -> None:
    def samples() -> object:
        yield from SAMPLES
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        kt.shards.write(tmp_path / "out", samples())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("sample", "kind"),
    [
        ({"txt": b""}, ValueError),
        ({"__key__": ""}, ValueError),
        ({"__key__": "a b", "txt": b""}, ValueError),
        ({"__key__": "utt1", "txt": b""}, ValueError),
        ({"__key__": "x", "a.txt": b""}, ValueError),
        ({"__key__": "x", "": b""}, ValueError),
        ({"__key__": "x", "a/b": b""}, ValueError),
        ({"__key__": "x", "txt": 5}, TypeError),
        ({"__key__": "x", "txt": None}, TypeError),
    ],
)
def test_samples_that_cannot_be_read_again_are_refused(tmp_path: pathlib.Path, sample: dict, kind: type) -> None:
    with pytest.raises(kind):
        kt.shards.write(tmp_path, [*SAMPLES[:1], sample])
    assert not (tmp_path / "data.list").exists()
    with pytest.raises(TypeError, match="dictionaries"):
        kt.shards.write(tmp_path, [5])


def test_groupings(tmp_path: pathlib.Path) -> None:
    sample = {"__key__": "a/b", "seg.json": b"1", "txt": b"2"}
    names = kt.shards.write(tmp_path, [sample], grouping="webdataset")
    assert contents(kt.shards.samples(names, grouping="webdataset")) == [sample]
    for wrong in ({"__key__": "a.b", "txt": b""}, {"__key__": "a", "TXT": b""}, {"__key__": "__x__/a", "txt": b""}):
        with pytest.raises(ValueError, match="expected a key without a dot"):
            kt.shards.write(tmp_path, [wrong], grouping="webdataset")
    for options in ({"grouping": "tar"}, {"compress": "zip"}, {"index": "x"}, {"max_samples": 0}, {"max_bytes": 0}):
        with pytest.raises(ValueError):
            kt.shards.write(tmp_path, [sample], **options)
    with pytest.raises(ValueError, match="expected grouping"):
        kt.shards.samples(names, grouping="tar")


def test_damage_is_an_error_with_its_place(tmp_path: pathlib.Path) -> None:
    good = tar(tmp_path / "good.tar", [("a.txt", b"1"), ("b.txt", b"2")])
    cut = tmp_path / "cut.tar"
    cut.write_bytes(good.read_bytes()[:1600])
    found = iter(kt.shards.samples([cut, good]))
    assert next(found)["__key__"] == "a"
    with pytest.raises(kt.DataError) as raised:
        list(found)
    assert raised.value.file == str(cut) and raised.value.offset is not None
    twice = tar(tmp_path / "twice.tar", [("a.txt", b"1"), ("a.txt", b"2")])
    with pytest.raises(kt.DataError) as raised:
        list(kt.shards.samples(twice))
    assert raised.value.key == "a"
    with pytest.raises(FileNotFoundError):
        list(kt.shards.samples(tmp_path / "none.tar"))
    with pytest.raises(kt.CommandError):
        list(kt.shards.samples(f"cat {good}; exit 3 |"))
    with pytest.raises(kt.DataError, match="no.list:1|expected the name of a shard"):
        (tmp_path / "no.list").write_text('{"key": "a", "wav": "b", "txt": "c"}\n')
        list(kt.shards.samples(tmp_path / "no.list"))


def test_permissive_leaves_out_the_damage(tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    good = tar(tmp_path / "good.tar", [("a.txt", b"1"), ("b.txt", b"2")])
    cut = tmp_path / "cut.tar"
    cut.write_bytes(good.read_bytes()[:1600])
    with caplog.at_level(logging.WARNING, "kaldi_tables"):
        found = [it["__key__"] for it in kt.shards.samples([cut, tmp_path / "none.tar", good], permissive=True)]
    assert found == ["a", "a", "b"]
    assert len(caplog.records) == 2 and "cut.tar" in caplog.text and "none.tar" in caplog.text


def test_samples_restart_close_and_pickle(tmp_path: pathlib.Path) -> None:
    names = kt.shards.write(tmp_path, SAMPLES)
    read = kt.shards.samples(names)
    first = iter(read)
    next(first)
    assert len(list(read)) == 3 and len(list(first)) == 2
    assert contents(pickle.loads(pickle.dumps(read))) == contents(SAMPLES)
    live = iter(read)
    next(live)
    with read:
        pass
    for use in (lambda: iter(read), lambda: next(live)):
        with pytest.raises(kt.ClosedError):
            use()


def test_a_gzip_of_a_broken_stream(tmp_path: pathlib.Path) -> None:
    data = gzip.compress(tar(tmp_path / "x.tar", [("a.txt", bytes(3000))]).read_bytes())
    for size in (len(data) // 2, len(data) - 4):
        (tmp_path / "x.tar.gz").write_bytes(data[:size])
        with pytest.raises(kt.DataError):
            list(kt.shards.samples(tmp_path / "x.tar.gz"))


WEBDATASET = """
import json, sys, webdataset
with webdataset.TarWriter(sys.argv[2]) as writer:
    for sample in webdataset.WebDataset(sys.argv[1:2], shardshuffle=False):
        print(json.dumps({name: it if isinstance(it, str) else it.decode("latin-1") for name, it in sample.items()}))
        writer.write({name: it for name, it in sample.items() if name in ("__key__", "txt", "json")})
"""


def test_webdataset_reads_what_is_written_and_the_reverse(tmp_path: pathlib.Path) -> None:
    python = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target")), "peers", "bin", "python")
    if not python.exists():
        pytest.skip("webdataset is not installed: scripts/peers.sh does that")
    samples = [{"__key__": f"d/u{number}", "txt": f"text {number}", "json": b"{}"} for number in range(5)]
    (name,) = kt.shards.write(tmp_path, samples)
    run = subprocess.run([python, "-c", WEBDATASET, name, tmp_path / "theirs.tar"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    found = [json.loads(line) for line in run.stdout.splitlines()]
    wanted = [(it["__key__"], it["txt"], "{}") for it in samples]
    assert [(it["__key__"], it["txt"], it["json"]) for it in found] == wanted
    assert contents(kt.shards.samples(tmp_path / "theirs.tar", grouping="webdataset")) == [
        {"__key__": it["__key__"], "txt": it["txt"].encode(), "json": b"{}"} for it in samples
    ]


def test_a_dropped_iterator_ends_its_command(tmp_path: pathlib.Path) -> None:
    path = tar(tmp_path / "x.tar", [("a.txt", b"1"), ("b.txt", b"2"), ("c.txt", b"3")])
    before = held()
    found = iter(kt.shards.samples(f"head -c 3072 {path}; sleep 1000 |"))
    assert next(found)["__key__"] == "a"
    assert len(children() - before) == 1
    started = time.monotonic()
    del found
    gc.collect()
    assert children() <= before and left(before) == set()
    assert time.monotonic() - started < 500


def test_ctrl_c_is_heard_in_a_silent_pipe(tmp_path: pathlib.Path) -> None:
    script = "import kaldi_tables as kt\nprint('now', flush=True)\nlist(kt.shards.samples('touch started; sleep 1000 |'))"
    child = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "started").exists():
        assert child.poll() is None
        time.sleep(0.02)
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=600)
    assert child.returncode != 0 and "KeyboardInterrupt" in said and time.monotonic() - started < 500
