"""`kaldi_tables.compat.kaldiio` with damaged archives, failing commands, exceptions, threads and processes."""

from __future__ import annotations

import gc
import io
import os
import pathlib
import pickle
import struct
import threading
import time

import numpy as np
import pytest
from held import children, held
from hypothesis import given, settings
from hypothesis import strategies as st
from kaldiio_values import FLOATS, INTS, WAVES, same, same_tables

import kaldi_tables as kt
from kaldi_tables.compat import kaldiio as ours


def test_segments_read_only_their_bytes(tmp_path: pathlib.Path) -> None:
    # A file of 3 GB that takes no room.
    with open(tmp_path / "long.wav", "wb") as file:
        head, _ = __import__("kaldi_tables.compat.kaldiio.wavio", fromlist=["x"]).encode_wav(100, np.zeros(1, np.int16))
        file.write(head[:4] + struct.pack("<I", 3_000_000_036) + head[8:40] + struct.pack("<I", 3_000_000_000))
        file.seek(44 + 2 * 100 * 1_000_000)
        file.write(struct.pack("<4h", 1, 2, 3, 4))
        file.truncate(3_000_000_044)
    table = ours.load_scp(io.StringIO(f"w {tmp_path}/long.wav\n"), segments=io.StringIO("s w 1000000 1000000.04\n"))
    same(table["s"], (100, np.array([1, 2, 3, 4], np.int16)))


def test_damage_is_a_value_error_with_key_and_place(tmp_path: pathlib.Path) -> None:
    name = tmp_path / "a.ark"
    values = {"key1": FLOATS["f32"], "key2": INTS["ints"], "key3": WAVES["mono"], "key4": FLOATS["v64"]}
    ours.save_ark(str(name), values)
    data = name.read_bytes()
    ends = [0]
    for key in values:
        ours.save_ark(str(tmp_path / "one"), {key: values[key]})
        ends.append(ends[-1] + os.path.getsize(tmp_path / "one"))
    for cut in range(len(data)):
        name.write_bytes(data[:cut])
        found = []
        try:
            for key, _ in ours.load_ark(str(name)):
                found.append(key)
            assert cut in ends
        except kt.DataError as error:
            assert cut not in ends and error.file == str(name) and error.offset is not None
            inside = cut - ends[len(found)]
            assert error.key == (f"key{len(found) + 1}" if inside > 4 else None), cut
        assert found == list(values)[: sum(end <= cut for end in ends[1:])]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_changed_bytes_never_do_harm(data: st.DataObject) -> None:
    buffer = io.BytesIO()
    values = {"a": FLOATS["f32"], "b": INTS["ints"], "c": WAVES["mono"], "d": FLOATS["v32"]}
    ours.save_ark(buffer, values)
    ours.save_ark(buffer, {"e": FLOATS["f32"]}, compression_method=2)
    ours.save_ark(buffer, {"f": FLOATS["f32"]}, text=True)
    damaged = bytearray(buffer.getvalue())
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        for _ in ours.load_ark(io.BytesIO(bytes(damaged))):
            pass
    except (kt.DataError, MemoryError):
        pass


def test_huge_claims_take_no_memory(tmp_path: pathlib.Path) -> None:
    name = tmp_path / "a.ark"
    for head in (b"FM \4" + struct.pack("<i", 2**31 - 1) + b"\4" + struct.pack("<i", 2**31 - 1), b"\4" + struct.pack("<i", 2**31 - 1)):
        name.write_bytes(b"a \0B" + head + bytes(100))
        with pytest.raises(kt.DataError, match="expected .* bytes, found the end"):
            list(ours.load_ark(str(name)))
        with pytest.raises(kt.DataError), ours.open_like_kaldi(f"cat {name} |", "rb") as file:
            list(ours.load_ark(file))
    name.write_bytes(b"a \0B<Nnet3ChainEg> " + bytes(10))
    with pytest.raises(kt.DataError, match="an example that kaldi_tables.open reads"):
        list(ours.load_ark(str(name)))
    for head in (b"<NumIo> \4", b"<NumIo> \4\1\0\0\0<NnetIo> i <I1V> \4"):
        name.write_bytes(b"a \0B<Nnet3Eg> " + head + b"\xff\xff\xff\x7f" + bytes(100))
        with pytest.raises(kt.DataError):
            list(ours.load_ark(str(name)))


def test_failed_commands_raise(tmp_path: pathlib.Path) -> None:
    name = str(tmp_path / "a.ark")
    ours.save_ark(name, FLOATS)
    for command in (f"cat {name}; exit 3", "exit 3", f"head -c 50 {name}; exit 3"):
        with pytest.raises(kt.CommandError) as raised:
            list(ours.ReadHelper(f"ark:{command} |"))
        assert raised.value.status == 3 and raised.value.command.startswith(command)
    with pytest.raises(kt.CommandError):
        ours.load_mat("cat /no/such/file 2> /dev/null |")
    with pytest.raises(kt.CommandError):
        with ours.open_like_kaldi("echo x; false |", "r") as file:
            assert file.read() == "x\n"
    with pytest.raises(kt.CommandError):
        with ours.open_like_kaldi("| cat > /dev/null; exit 2", "w") as file:
            file.write("x")
    with pytest.raises(kt.CommandError), ours.WriteHelper("ark:| cat > /dev/null; exit 2") as writer:
        writer("a", FLOATS["f32"])
    # A command whose output is not read to the end may end as it likes.
    with ours.open_like_kaldi("yes |", "r") as file:
        assert file.readline() == "y\n"


def test_a_dropped_iterator_ends_its_command(tmp_path: pathlib.Path) -> None:
    ours.save_ark(str(tmp_path / "a.ark"), FLOATS)
    before = held()
    found = iter(ours.ReadHelper(f"ark:cat {tmp_path}/a.ark; sleep 1000 |"))
    next(found)
    assert len(children() - before) == 1
    started = time.monotonic()
    del found
    gc.collect()
    assert children() <= before and time.monotonic() - started < 500
    reader = ours.ReadHelper("ark:sleep 1000 |")
    reader.close()
    assert children() <= before
    with pytest.raises(kt.ClosedError):
        iter(reader)


def test_write_helper_is_atomic(tmp_path: pathlib.Path) -> None:
    spec = f"ark,scp:{tmp_path}/a.ark,{tmp_path}/a.scp"
    with pytest.raises(KeyError, match="mine"), ours.WriteHelper(spec) as writer:
        writer("a", FLOATS["f32"])
        raise KeyError("mine")
    assert list(tmp_path.iterdir()) == []
    with ours.WriteHelper(spec) as writer:
        writer["a"] = FLOATS["f32"]
        with pytest.raises(ValueError, match="b: expected an array of float32"):
            writer("b", np.zeros(3, np.int64))
        writer("c", FLOATS["v32"])
        assert list(tmp_path.iterdir()) == []
    same_tables(ours.load_scp(f"{tmp_path}/a.scp"), {"a": FLOATS["f32"], "c": FLOATS["v32"]})
    with pytest.raises(RuntimeError, match="closed"):
        writer("d", FLOATS["f32"])
    old = (tmp_path / "a.ark").read_bytes()
    writer = ours.WriteHelper(spec)
    writer("z", FLOATS["f32"])
    with pytest.warns(ResourceWarning, match="never closed"):
        del writer
        gc.collect()
    assert (tmp_path / "a.ark").read_bytes() == old
    with ours.WriteHelper(f"ark,f:{tmp_path}/f.ark") as writer:
        writer("a", FLOATS["f32"])
        same_tables(ours.load_ark(f"{tmp_path}/f.ark"), {"a": FLOATS["f32"]})
    with pytest.raises(ValueError):
        ours.save_ark(f"{tmp_path}/a.ark", {"a": FLOATS["f32"], "b": np.zeros(3, np.int64)})
    assert (tmp_path / "a.ark").read_bytes() == old


def test_permissive_scripts_leave_out_bad_entries(tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    ark = str(tmp_path / "a.ark")
    ours.save_ark(ark, FLOATS)
    script = tmp_path / "a.scp"
    script.write_text(f"a {ark}:4\nb {ark}:5\nc /no/such/file\nd false |\ne {ark}:4\n")
    assert [key for key, _ in ours.ReadHelper(f"scp,p:{script}")] == ["a", "e"]
    assert [record.getMessage()[:3] for record in caplog.records] == ["b: ", "c: ", "d: "]
    with pytest.raises(kt.DataError) as raised:
        list(ours.ReadHelper(f"scp:{script}"))
    assert raised.value.key == "b"
    pathlib.Path(ark).write_bytes(pathlib.Path(ark).read_bytes()[:200])
    assert [key for key, _ in ours.ReadHelper(f"ark,p:{ark}")] == ["f32"]


def test_lookups_pickle_and_share_no_positions(tmp_path: pathlib.Path) -> None:
    values = {f"k{number}": np.full((20, 30), number, np.float32) for number in range(100)}
    scp = str(tmp_path / "a.scp")
    ours.save_ark(str(tmp_path / "a.ark"), values, scp=scp)
    table = ours.load_scp(scp, max_cache_fd=2)
    table["k0"]
    same(pickle.loads(pickle.dumps(table))["k7"], values["k7"])
    wrong: list = []

    def read() -> None:
        wrong.extend(key for key in values if not (table[key] == values[key]).all())

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    child = os.fork()
    if child == 0:
        os._exit(0 if all((table[key] == values[key]).all() for key in values) else 1)
    for thread in threads:
        thread.join()
    assert wrong == [] and os.waitpid(child, 0)[1] == 0
    before = held()
    for number in range(50):
        pathlib.Path(tmp_path / f"{number}.ark").write_bytes(pathlib.Path(tmp_path / "a.ark").read_bytes())
        table[f"n{number}"] = f"{tmp_path}/{number}.ark:3"
        table[f"n{number}"]
    assert len(held() - before) <= 2


def test_outputs_are_commands_and_keys_are_bytes(tmp_path: pathlib.Path) -> None:
    ours.save_ark(f"| gzip > {tmp_path}/a.gz", FLOATS)
    same_tables(ours.load_ark(f"gunzip < {tmp_path}/a.gz |"), FLOATS)
    with pytest.raises(kt.CommandError):
        ours.save_ark("| exit 3", FLOATS)
    key = b"caf\xe9".decode("utf-8", "surrogateescape")
    ours.save_ark(f"{tmp_path}/a.ark", {key: INTS["ints"]}, scp=f"{tmp_path}/a.scp")
    assert (tmp_path / "a.ark").read_bytes().startswith(b"caf\xe9 \0B")
    assert list(dict(ours.load_ark(f"{tmp_path}/a.ark"))) == [key]
    assert list(ours.load_scp(f"{tmp_path}/a.scp")) == [key]


def test_threads_write_whole_entries(tmp_path: pathlib.Path) -> None:
    values = {f"{name}{number}": np.full(50, number, np.float32) for name in "abcd" for number in range(100)}
    with ours.WriteHelper(f"ark,scp:{tmp_path}/a.ark,{tmp_path}/a.scp") as writer:
        parts = [[(key, value) for key, value in values.items() if key[0] == name] for name in "abcd"]
        threads = [threading.Thread(target=lambda part=part: [writer(*entry) for entry in part]) for part in parts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = ours.load_scp(f"{tmp_path}/a.scp")
    assert len(found) == 400 and all((found[key] == value).all() for key, value in values.items())


def test_forked_children_write_nothing(tmp_path: pathlib.Path) -> None:
    piped = ours.WriteHelper(f"ark:| cat > {tmp_path}/p")
    named = ours.WriteHelper(f"ark,scp:{tmp_path}/x.ark,{tmp_path}/x.scp")
    builder = kt.tokens.IndexedDatasetBuilder(tmp_path / "t", np.int32)
    for writer in (piped, named):
        writer("a", FLOATS["f32"])
    child = os.fork()
    if child == 0:
        refused = 0
        for writer in (piped, named, builder):
            try:
                writer.close()
            except kt.Error:
                refused += 1
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    for writer in (piped, named):
        writer("b", FLOATS["v32"])
        writer.close()
    builder.add_item([1])
    builder.end_document()
    builder.close()
    same_tables(ours.load_ark(f"{tmp_path}/p"), {"a": FLOATS["f32"], "b": FLOATS["v32"]})
    same_tables(ours.load_scp(f"{tmp_path}/x.scp"), {"a": FLOATS["f32"], "b": FLOATS["v32"]})
    assert len(kt.tokens.IndexedDataset(tmp_path / "t")) == 1
