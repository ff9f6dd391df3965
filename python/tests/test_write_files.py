"""Files of tables: when they appear, threads, forks, full disks, `save_ark`, `save_mat`, `info`, `check`."""

from __future__ import annotations

import copy
import io
import os
import pickle
import subprocess
import sys
import threading

import kaldi_tables as kt
import numpy as np
import pytest
import tool_runs
from test_write import MATRIX, VECTOR, written


def test_files_appear_at_the_end_of_the_block(tmp_path):
    ark, scp = tmp_path / "a.ark", tmp_path / "a.scp"
    with kt.create(f"ark,scp:{ark},{scp}") as writer:
        writer["a"] = MATRIX
        writer.flush()
        writer.write("b", np.zeros((200, 300), np.float32))
        writer.write_many([("c", MATRIX), ("d", MATRIX)])
        assert os.listdir(tmp_path) == []
    assert writer.closed
    found = tool_runs.matrices(ark)
    assert list(found) == ["a", "b", "c", "d"] and found["d"].tolist() == MATRIX.tolist()
    for line in scp.read_text().splitlines():
        key, place = line.split()
        name, offset = place.rsplit(":", 1)
        assert name == str(ark)
        assert ark.read_bytes()[: int(offset)].endswith(f"{key} ".encode())


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, GeneratorExit, SystemExit])
def test_a_block_that_ends_by_an_exception_discards(tmp_path, error):
    (tmp_path / "a.ark").write_bytes(b"old")
    with pytest.raises(error), kt.create(f"ark,scp:{tmp_path}/a.ark,{tmp_path}/a.scp") as writer:
        writer["a"] = np.zeros((500, 500), np.float32)
        raise error("stop")
    assert os.listdir(tmp_path) == ["a.ark"] and (tmp_path / "a.ark").read_bytes() == b"old"
    assert writer.closed


def test_an_unclosed_writer_discards_with_a_warning(tmp_path):
    with pytest.warns(ResourceWarning, match=r"a\.ark"):
        writer = kt.create(tmp_path / "a.ark")
        writer["a"] = MATRIX
        del writer
    assert os.listdir(tmp_path) == []


def test_discard_and_close_twice(tmp_path):
    writer = kt.create(tmp_path / "a.ark")
    writer["a"] = MATRIX
    writer.discard()
    writer.discard()
    writer.close()
    assert os.listdir(tmp_path) == []
    for use in (lambda: writer.write("a", MATRIX), writer.flush, writer.__enter__, lambda: writer.write_many([("a", MATRIX)])):
        with pytest.raises(kt.ClosedError):
            use()
    writer = kt.create(tmp_path / "b.ark")
    writer.close()
    writer.close()
    writer.discard()
    assert os.listdir(tmp_path) == ["b.ark"]


def test_a_writer_is_not_pickled_or_copied(tmp_path):
    with kt.create(tmp_path / "a.ark") as writer:
        for copied in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled"):
                copied(writer)


@pytest.mark.parametrize("name", ["zz:x", "scp,ark:a,b", "ark,scp:a", "", "ark, t:x", "t:x"])
def test_no_name_of_a_table(name):
    with pytest.raises(kt.SpecifierError):
        kt.create(name)


def test_names_that_are_plain(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("x.ark", "./a:b", f"{tmp_path}/c:d"):
        with kt.create(name) as writer:
            writer["k"] = MATRIX
    assert sorted(os.listdir()) == ["a:b", "c:d", "x.ark"]
    with pytest.raises(TypeError):
        kt.create(5)
    with pytest.raises(TypeError, match="for bytes"):
        kt.create(io.StringIO())


def test_a_folder_that_is_missing(tmp_path):
    with pytest.raises(kt.MissingFileError) as caught:
        kt.create(tmp_path / "no" / "a.ark")
    assert isinstance(caught.value, FileNotFoundError) and caught.value.filename == str(tmp_path / "no" / "a.ark")


def test_scripts_name_the_files(tmp_path):
    (tmp_path / "a.scp").write_text(f"a {tmp_path}/1\nb {tmp_path}/2\n")
    with kt.create(f"scp:{tmp_path}/a.scp") as writer:
        writer["b"] = [1, 2]
        with pytest.raises(kt.MissingKeyError):
            writer["c"] = [1]
        writer["a"] = [3]
    assert (tmp_path / "2").read_bytes() == written({"k": [1, 2]})[2:]


def test_commands(tmp_path):
    with kt.create(f"ark:| cat > {tmp_path}/a.ark") as writer:
        writer["a"] = MATRIX
    assert (tmp_path / "a.ark").read_bytes() == written({"a": MATRIX})
    writer = kt.create("ark:| cat > /dev/null; exit 3")
    writer["a"] = MATRIX
    with pytest.raises(kt.CommandError) as caught:
        writer.close()
    assert caught.value.status == 3 and "exit 3" in caught.value.command


def test_ctrl_c_is_heard_while_a_command_reads_nothing(tmp_path):
    code = f"""
import os, signal, threading
import numpy as np, kaldi_tables as kt
try:
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with kt.create("ark:| exec sleep 400") as writer:
        for at in range(100):
            writer[f"k{{at}}"] = np.zeros((1000, 1000), np.float32)
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=300)
    assert done.stdout == b"interrupted\n", done.stderr


def test_file_objects(tmp_path):
    class Slow(io.RawIOBase):
        """Takes 1000 bytes at a time."""

        def __init__(self):
            self.bytes = b""

        def write(self, data):
            self.bytes += bytes(data[:1000])
            return min(1000, len(data))

    slow, values = Slow(), {f"k{at}": np.full((30, 40), at, np.float32) for at in range(50)}
    with kt.create(slow) as writer:
        writer.write_many(values)
    assert slow.bytes == written(values)
    with open(tmp_path / "a.ark", "wb") as file:
        with kt.create(file) as writer:
            writer["a"] = MATRIX
            writer.flush()
            assert (tmp_path / "a.ark").read_bytes() == written({"a": MATRIX})
        file.write(b"more")

    class Broken:
        def write(self, data):
            raise ZeroDivisionError

    writer = kt.create(Broken())
    writer["a"] = MATRIX
    with pytest.raises(ZeroDivisionError):
        writer.flush()
    with pytest.raises(kt.Error, match="after an error"):
        writer["b"] = MATRIX
    writer.discard()


@pytest.mark.parametrize("options", ["", ",t"])
@pytest.mark.parametrize("threads", [1, 3])
def test_many_values_are_written_in_order(tmp_path, options, threads):
    def values():
        buffer = np.zeros((200, 40), np.float32)
        for at in range(200):
            # The same memory again and again.
            buffer[:] = at
            yield f"k{at}", buffer

    path = tmp_path / "a.ark"
    with kt.create(f"ark{options}:{path}", compression=3 if options else None, threads=threads) as writer:
        writer.write_many(values())
    expected = tmp_path / "b.ark"
    with kt.create(f"ark{options}:{expected}", compression=3 if options else None) as writer:
        for key, value in values():
            writer[key] = value
    assert path.read_bytes() == expected.read_bytes()


@pytest.mark.parametrize("options", ["", ",t"])
def test_entries_before_an_error_are_written(tmp_path, options):
    def values():
        yield "a", MATRIX
        yield "b", MATRIX
        raise ZeroDivisionError

    with kt.create(f"ark{options}:{tmp_path}/a.ark", threads=2) as writer:
        with pytest.raises(ZeroDivisionError):
            writer.write_many(values())
        with pytest.raises(TypeError):
            writer.write_many([("c", MATRIX), ("d", "word")])
    with kt.create(f"ark{options}:{tmp_path}/b.ark") as writer:
        writer.write_many(dict.fromkeys("abc", MATRIX))
    assert (tmp_path / "a.ark").read_bytes() == (tmp_path / "b.ark").read_bytes()


def test_threads_write_whole_entries(tmp_path):
    with kt.create(tmp_path / "a.ark") as writer:

        def write(name):
            for at in range(100):
                writer[f"{name}{at}"] = np.full((at, 30), at, np.float32)

        threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    found = tool_runs.matrices(tmp_path / "a.ark")
    assert len(found) == 400 and all((matrix == int(key[1:])).all() for key, matrix in found.items())


def test_a_closed_writer_takes_nothing(tmp_path):
    writer = kt.create(tmp_path / "a.ark")
    writer["a"] = 1
    writer.close()
    for use in (lambda: writer.write("b", 2), lambda: writer.write_many({}), writer.flush, writer.__enter__):
        with pytest.raises(kt.ClosedError):
            use()


def test_a_forked_child_leaves_the_writer_alone(tmp_path):
    code = f"""
import os, sys, kaldi_tables as kt
writer = kt.create("ark,scp:{tmp_path}/a.ark,{tmp_path}/a.scp")
writer["a"] = [1, 2]
child = os.fork()
if child == 0:
    try:
        writer["b"] = [3]
    except kt.Error as error:
        assert "another process" in str(error)
        del writer
        sys.exit(0)
    sys.exit(1)
assert os.waitpid(child, 0)[1] == 0
writer["c"] = [4]
writer.close()
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "a.ark").read_bytes() == written({"a": [1, 2], "c": [4]})
    assert len((tmp_path / "a.scp").read_text().splitlines()) == 2


@pytest.mark.parametrize("target", ["ark:{}/a.ark", "ark,scp:{}/a.ark,{}/a.scp", "ark,t:{}/a.ark"])
def test_a_full_disk_leaves_the_old_file(tmp_path, target):
    (tmp_path / "a.ark").write_bytes(b"old")
    code = f"""
import resource, signal
import numpy as np, kaldi_tables as kt
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
try:
    with kt.create("{target.format(tmp_path, tmp_path)}") as writer:
        for at in range(100):
            writer[f"utt{{at}}"] = np.ones((100, 100), np.float32)
except kt.FileError as error:
    assert error.errno == 27, error.errno
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    assert os.listdir(tmp_path) == ["a.ark"] and (tmp_path / "a.ark").read_bytes() == b"old"


# Functions


def test_save_ark(tmp_path):
    ark, scp = tmp_path / "a.ark", str(tmp_path / "a.scp")
    kt.save_ark(ark, {"a": MATRIX}, scp)
    assert ark.read_bytes() == written({"a": MATRIX})
    kt.save_ark(str(ark), [("b", VECTOR)], scp, append=True)
    whole = written({"a": MATRIX}) + written({"b": VECTOR})
    assert ark.read_bytes() == whole
    assert open(scp).read() == f"a {ark}:2\nb {ark}:{len(written({'a': MATRIX})) + 2}\n"
    with pytest.raises(TypeError):
        kt.save_ark(ark, [("c", VECTOR), ("d", "word")], scp, append=True)
    assert ark.read_bytes() == whole and len(open(scp).readlines()) == 2
    with pytest.raises(TypeError):
        kt.save_ark(tmp_path / "new.ark", [("c", VECTOR), ("d", "word")], append=True)
    assert not (tmp_path / "new.ark").exists()
    kt.save_ark(tmp_path / "t.ark", {"a": [1, 2]}, text=True)
    assert (tmp_path / "t.ark").read_text() == "a 1 2 \n"
    target = io.BytesIO()
    kt.save_ark(target, {"a": MATRIX}, compression=2)
    assert target.getvalue() == written({"a": MATRIX}, compression=2)


def test_save_mat(tmp_path):
    kt.save_mat(tmp_path / "a.mat", MATRIX)
    assert (tmp_path / "a.mat").read_bytes() == written({"a": MATRIX})[2:]
    kt.save_mat(str(tmp_path / "b.mat"), VECTOR, text=True)
    assert (tmp_path / "b.mat").read_text() == " [ 0.5 -1.25 3e+30 inf ]\n"
    kt.save_mat(tmp_path / "c.mat", MATRIX, compression="one-byte-auto")
    assert (tmp_path / "c.mat").read_bytes() == written({"a": MATRIX}, compression=5)[2:]
    with pytest.raises(TypeError):
        kt.save_mat(tmp_path / "d.mat", object())
    with pytest.raises(kt.SpecifierError):
        kt.save_mat("ark:x", MATRIX)
    assert not (tmp_path / "d.mat").exists()


def test_info_and_check(tmp_path):
    kt.save_ark(tmp_path / "a.ark", {"a": MATRIX, "b": MATRIX}, tmp_path / "a.scp")
    for name in (tmp_path / "a.ark", str(tmp_path / "a.scp"), f"ark:{tmp_path}/a.ark"):
        found = kt.info(name)
        assert found["type"] == "matrix" and found["entries"] == 2
        assert kt.check(name) == []
    os.truncate(tmp_path / "a.ark", 100)
    faults = kt.check(tmp_path / "a.ark")
    assert len(faults) == 1 and "a.ark" in faults[0]
    with pytest.raises(kt.MissingFileError):
        kt.info(tmp_path / "no.ark")
