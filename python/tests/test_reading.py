"""Tables in sequence."""

import io
import logging
import pathlib
import pickle
import resource
import struct
import subprocess
import sys
import tarfile

import kaldi_io_files as files
import numpy as np
import pytest
import tool_runs

import kaldi_tables as kt


def test_matrices_are_arrays_of_their_own(tmp_path):
    matrices = {f"utt{index}": np.random.default_rng(index).random((index + 1, 3), np.float32) for index in range(20)}
    matrices["long"] = np.random.default_rng(1).random((1000, 80), np.float32)
    path = files.write_ark(tmp_path / "m.ark", matrices)
    read = dict(kt.open(f"ark:{path}"))
    assert list(read) == list(matrices)
    for key, array in read.items():
        np.testing.assert_array_equal(array, matrices[key])
        assert array.dtype == np.float32 and array.flags.owndata and array.flags.writeable and array.flags.c_contiguous


def test_precision_is_kept_or_converted(tmp_path):
    path = files.write_ark(tmp_path / "m.ark", {"a": np.array([[1.0, 2.0]]), "v": np.array([[3.0, 4.5]])})
    assert {array.dtype for _, array in kt.open(path)} == {np.dtype("float64")}
    for dtype in ("float32", np.float32, np.dtype("float32")):
        assert {array.dtype for _, array in kt.open(path, dtype=dtype)} == {np.dtype("float32")}
    with pytest.raises(ValueError, match="float32 or float64"):
        kt.open(path, dtype="int8")


@pytest.mark.parametrize(
    ("text", "type", "value"),
    [
        ("a 5", "int32", 5),
        ("a 0.5", "float", 0.5),
        ("a 0.5", "double", 0.5),
        ("a T", "bool", True),
        ("a word", "token", "word"),
        ("a two words", "token-vector", ["two", "words"]),
        ("a", "token-vector", []),
    ],
)
def test_plain_values(text, type, value):
    ((_, read),) = kt.open(f"ark:echo '{text}' |", type)
    assert read == value and builtins_type(read) is builtins_type(value)


def builtins_type(value):
    return value.__class__


def test_values_of_numbers():
    read = lambda text, type: next(iter(kt.open(f"ark:echo '{text}' |", type)))[1]  # noqa: E731
    assert read("a 1 2 3", "int32-vector").tolist() == [1, 2, 3]
    assert read("a 1 2 3", "int32-vector").dtype == np.int32
    assert [row.tolist() for row in read("a 1 2 ; 3 ;", "int32-vector-vector")] == [[1, 2], [3]]
    codes = read("a 1 11 ; 2 12 ; 3 13 ;", "int32-matrix")
    assert codes.tolist() == [[1, 11], [2, 12], [3, 13]] and codes.dtype == np.int32
    with pytest.raises(kt.Error, match="expected 2 numbers in row 1 as in row 0, got 1"):
        read("a 1 2 ; 3 ;", "int32-matrix")
    assert read("a 1 2 ; 3 4", "int32-pairs").tolist() == [[1, 2], [3, 4]]
    assert read("a 1 2.5 ; 3 4", "float-pairs").tolist() == [[1, 2.5], [3, 4]]
    assert read("a [ 1 0.5 2 0.5 ] [ ]", "posterior").tolist() == [[(1, 0.5), (2, 0.5)], []]
    assert read("a [ 1 2.5 nan ]", "vector").tolist()[:2] == [1, 2.5]
    sparse = read("a rows=1 dim=5 [ 3 0.5 ]", "matrix")
    assert sparse.shape == (1, 5) and sparse.toarray().tolist() == [[0, 0, 0, 0.5, 0]]
    assert kt.open("ark:printf 'a \\0B1' |", "bytes").type == "bytes"


def test_waveforms(tmp_path):
    samples = np.arange(-50, 50, dtype=np.int16)
    path = tmp_path / "a.wav"
    path.write_bytes(files.riff(samples, 8000))
    rate, array = kt.load_mat(path)
    assert rate == 8000 and array.dtype == np.int16
    np.testing.assert_array_equal(array, samples)
    assert dict(kt.open(path, dtype="float32"))[str(path)].array.dtype == np.float32
    assert kt.shapes(path) == {str(path): (100,)}


def test_a_reader_can_be_read_again_and_again(tmp_path):
    path = files.write_ark(tmp_path / "m.ark", {"a": np.ones((2, 2), np.float32), "b": np.ones((2, 2), np.float32)})
    reader = kt.open(path)
    one, two = iter(reader), iter(reader)
    assert next(one)[0] == "a" and next(two)[0] == "a" and next(one)[0] == "b"
    assert [key for key, _ in reader] == ["a", "b"]
    assert [key for key, _ in kt.open("ark:echo a 1 |")] == ["a"]
    command = kt.open(f"ark:echo run >> {tmp_path}/runs; echo a 1 |", "int32")
    assert list(command) == list(command) == [("a", 1)]
    assert (tmp_path / "runs").read_text() == "run\nrun\n"
    assert not hasattr(reader, "keys") and dict(reader).keys() == {"a", "b"}


def test_file_objects_come_once(tmp_path):
    path = files.write_ark(tmp_path / "m.ark", {"a": np.ones((2, 2), np.float32)})
    reader = kt.open(io.BytesIO(pathlib.Path(path).read_bytes()))
    assert [key for key, _ in reader] == ["a"]
    with pytest.raises(kt.Error, match="second time"):
        iter(reader)
    with pytest.raises(TypeError, match="bytes"):
        list(kt.open(io.StringIO("a 1\n")))
    with pytest.raises(TypeError, match="file object"):
        kt.open(5)

    class Bad:
        def read(self, _):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        list(kt.open(Bad()))


def test_closed_readers(tmp_path):
    path = files.write_ark(tmp_path / "m.ark", {"a": np.ones((2, 2), np.float32), "b": np.ones((2, 2), np.float32)})
    with kt.open(path) as reader:
        iterator = iter(reader)
        next(iterator)
        assert not reader.closed
    assert reader.closed
    reader.close()
    for use in (lambda: iter(reader), lambda: next(iterator), reader.shapes):
        with pytest.raises(kt.ClosedError):
            use()


def test_what_a_reader_says_of_itself(tmp_path):
    path = files.write_ark(tmp_path / "m.ark", {"a": np.ones((2, 2), np.float32)})
    script = tmp_path / "m.scp"
    script.write_text(f"a {path}:2\nb {path}:2[0:0]\n")
    reader = kt.open(f"scp:{script}")
    assert (len(reader), reader.type, reader.source) == (2, "matrix", f"scp:{script}")
    assert [value.shape for _, value in reader] == [(2, 2), (1, 2)]
    assert dict(reader.shapes()) == {"a": (2, 2), "b": (1, 2)}
    assert [len(batch) for batch in reader.batched(3)] == [2]
    with pytest.raises(TypeError, match="length"):
        len(kt.open(path))
    copy = pickle.loads(pickle.dumps(reader))
    assert [key for key, _ in copy] == ["a", "b"]
    assert list(kt.keys(f"scp:{script}")) == ["a", "b"]


def test_keys_that_are_no_utf8(tmp_path):
    path = tmp_path / "x.ark"
    path.write_bytes(b"utt\xe9 1\n")
    ((key, _),) = kt.open(path, "int32")
    assert key.encode("utf-8", "surrogateescape") == b"utt\xe9"
    assert kt.lookup(path, "int32")[key] == 1


def test_errors_say_where(tmp_path):
    with pytest.raises(kt.MissingFileError) as missing:
        kt.open(f"ark:{tmp_path}/none.ark")
    assert missing.value.errno == 2 and missing.value.filename == f"{tmp_path}/none.ark"
    assert isinstance(missing.value, (kt.FileError, FileNotFoundError))
    with pytest.raises(kt.SpecifierError):
        kt.open("ark,zz:x")
    with pytest.raises(kt.CommandError) as failed:
        list(kt.open("ark:echo a 1; exit 3 |", "int32"))
    assert failed.value.status == 3 and "exit 3" in failed.value.command
    with pytest.raises(ValueError, match="expected one of"):
        kt.open("ark:x", "nonsense")
    script = tmp_path / "m.scp"
    script.write_text(f"a {tmp_path}/none.ark:5\n")
    with pytest.raises(kt.MissingFileError) as missing:
        list(kt.open(f"scp:{script}", "matrix"))
    assert (missing.value.key, missing.value.line) == ("a", 1)
    again = pickle.loads(pickle.dumps(missing.value))
    assert (str(again), again.key, again.errno) == (str(missing.value), "a", 2)


def test_a_value_of_another_type_later_names_the_type_to_pass(tmp_path):
    path = tmp_path / "x.ark"
    path.write_text("".join(f"k{index} {index}\n" for index in range(100)) + "k hello world\n")
    with pytest.raises(kt.DataError, match='pass type="token-vector"'):
        list(kt.open(path))
    assert dict(kt.open(path, "token-vector"))["k"] == ["hello", "world"]


def test_permissive_readers_leave_out_what_is_broken(tmp_path, caplog):
    path = files.write_ark(tmp_path / "m.ark", {"a": np.ones((2, 2), np.float32)})
    script = tmp_path / "m.scp"
    script.write_text(f"a {path}:2\nb {tmp_path}/none\nc {path}:2\n")
    with caplog.at_level(logging.WARNING, "kaldi_tables"):
        assert [key for key, _ in kt.open(f"scp:{script}", permissive=True)] == ["a", "c"]
    assert "none" in caplog.text
    assert [key for key, _ in kt.open(f"scp,p:{script}")] == ["a", "c"]


@pytest.mark.parametrize("is_text", [False, True])
def test_an_archive_that_is_cut_anywhere_is_an_error(tmp_path, is_text):
    path = pathlib.Path(files.write_ark(tmp_path / "m.ark", {"a": np.ones((2, 3), np.float32), "b": np.ones((1, 3), np.float32)}))
    if is_text:
        path.write_text("a  [\n 1 2 \n 3 4 ]\nb  [\n 5 6 ]\n")
    whole = path.read_bytes()
    second = whole.index(b"b ")
    for cut in range(1, len(whole)):
        path.write_bytes(whole[:cut])
        if whole[:cut].rstrip() in (whole[:second].rstrip(), whole.rstrip()):
            continue
        got = []
        with pytest.raises(kt.DataError) as raised:
            for key, _ in kt.open(f"ark:{path}", "matrix"):
                got.append(key)
        assert raised.value.file == str(path), cut
        assert got == (["a"] if cut > second else []), cut


def test_views_of_the_file(tmp_path):
    matrices = {f"utt{index}": np.full((50, 10), index, np.float32) for index in range(5)}
    path = files.write_ark(tmp_path / "m.ark", matrices)
    views = dict(kt.open(path, mmap=True))
    for key, view in views.items():
        np.testing.assert_array_equal(view, matrices[key])
        assert not view.flags.writeable and not view.flags.owndata
    assert not kt.lookup(path, mmap=True)["utt3"].flags.writeable


def test_headers_do_not_bring_payloads_into_memory(tmp_path):
    path = tmp_path / "large.ark"
    rows = 1 << 19
    with path.open("wb") as file:
        for key in (b"a ", b"b "):
            file.write(key + b"\0BFM " + struct.pack("<bibi", 4, rows, 4, 400))
            file.seek(rows * 400 * 4, io.SEEK_CUR)
        file.truncate()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert dict(kt.open(path).shapes()) == {"a": (rows, 400), "b": (rows, 400)}
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_a_size_that_the_file_does_not_have_takes_no_memory(tmp_path):
    path = tmp_path / "lie.ark"
    path.write_bytes(b"a \0BFM " + struct.pack("<bibi", 4, 1 << 30, 4, 1) + b"1234")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for reader in (kt.open(path), kt.open(f"ark:cat {path} |", "matrix")):
        with pytest.raises(kt.DataError):
            list(reader)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_a_list_of_a_stream_reads_it_once(tmp_path):
    (tmp_path / "a.vec").write_text(" [ 1 2 ]\n")
    script = f"scp:echo run >> {tmp_path}/runs; echo a {tmp_path}/a.vec |"
    assert [key for key, _ in list(kt.open(script))] == ["a"]
    assert (tmp_path / "runs").read_text() == "run\n"


def test_shards(tmp_path):
    samples = np.arange(10, dtype=np.int16)
    with tarfile.open(tmp_path / "s.tar", "w") as tar:
        for suffix, data in (("wav", files.riff(samples, 8000)), ("txt", b"hello world")):
            member = tarfile.TarInfo(f"utt1.{suffix}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    name = f"shard:{tmp_path}/s.tar"
    ((key, (rate, array)),) = list(kt.open(name, "wave"))
    assert (key, rate, array.tolist()) == ("utt1", 8000, samples.tolist())
    assert list(kt.open(name, "token-vector")) == [("utt1", ["hello", "world"])]
    assert list(kt.keys(name)) == ["utt1"]


def packed(path, members):
    with tarfile.open(path, "w") as tar:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def test_fields_of_shards(tmp_path):
    sound = files.riff(np.arange(80, dtype=np.int16), 8000)
    facts = '{"text": "caf\\u00e9 \\ud83d\\ude00", "n": 17, "meta": {"text": "in\\nside"}}'
    members = [("a.wav", sound), ("a.json", facts.encode()), ("a.lab", b"1 2"), ("b.json", b'{"text": null, "n": 3}'), ("b.lab", b"3")]
    path = packed(tmp_path / "s.tar", members)
    (tmp_path / "data.list").write_text(f"{path}\n")
    for source in (path, tmp_path / "data.list"):
        field = lambda name, *more, permissive="": list(kt.open(f"shard,{permissive}field={name}:{source}", *more))  # noqa: B023, E731
        assert field("json.text", "token-vector", permissive="p,") == [("a", ["caf\u00e9", "\U0001f600"])]
        assert field("json.meta.text", permissive="p,") == [("a", ["in", "side"])]
        assert field("json.n", "int32") == [("a", 17), ("b", 3)]
        assert [(key, ids.tolist()) for key, ids in field("lab", "int32-vector")] == [("a", [1, 2]), ("b", [3])]
        with pytest.raises(kt.Error, match=r"b: .*s\.tar:\d+: expected a value as json\.text, got null"):
            field("json.text", "token-vector")
        with pytest.raises(kt.Error, match=r"a: .*expected an entry \"none\""):
            field("json.none", "token-vector")
    with pytest.raises(kt.Error, match="field="):
        kt.open(f"ark,field=x:{path}")


def test_shar(tmp_path):
    data, shar = tmp_path / "data", tmp_path / "shar"
    data.mkdir()
    sounds = {key: np.arange(count, dtype=np.int16) for key, count in (("s-1", 800), ("s-2", 400), ("t-3", 160))}
    for key, samples in sounds.items():
        (data / f"{key}.wav").write_bytes(files.riff(samples, 8000))
    (data / "wav.scp").write_text("".join(f"{key} {data}/{key}.wav\n" for key in sounds))
    (data / "utt2spk").write_text("s-1 s\ns-2 s\nt-3 t\n")
    (data / "text").write_text("s-1 one\ns-2 two words\nt-3 \u4e09\n", encoding="utf-8")
    (data / "utt2snr").write_text("s-1 1.5\ns-2 2\n")
    tool_runs.run("make-shar", "--audio=flac", "--num-utts-per-shard=2", data, shar)
    read = list(kt.open(f"shar:{shar}", "wave"))
    assert [(key, rate) for key, (rate, _) in read] == [(key, 8000) for key in sounds]
    for key, (_, samples) in read:
        np.testing.assert_array_equal(samples, sounds[key])
    texts = [("s-1", ["one"]), ("s-2", ["two", "words"]), ("t-3", ["\u4e09"])]
    assert list(kt.open(f"shar:{shar}", "token-vector")) == texts
    assert list(kt.open(f"shar:{shar}/cuts.000001.jsonl.gz", "token-vector")) == texts[2:]
    assert list(kt.open(f"shar,field=speaker:{shar}", "token")) == [("s-1", "s"), ("s-2", "s"), ("t-3", "t")]
    assert list(kt.open(f"shar,p,field=custom.snr:{shar}", "float")) == [("s-1", 1.5), ("s-2", 2.0)]
    assert list(kt.keys(f"shar:{shar}")) == list(sounds)
    with pytest.raises(kt.Error, match=r"t-3: .*cuts\.000001\.jsonl\.gz:1: expected custom\.snr of the cut, got none"):
        list(kt.open(f"shar,field=custom.snr:{shar}", "float"))
    with pytest.raises(kt.Error, match="expected a Shar folder"):
        list(kt.open(f"shar:{tmp_path}/none", "wave"))
    (shar / "recording.000001.tar").unlink()
    with pytest.raises(kt.Error, match="recording"):
        list(kt.open(f"shar:{shar}", "wave"))


def elsewhere(source, threads):
    """Processor time of other threads while a table is read."""
    usage = lambda who: (lambda used: used.ru_utime + used.ru_stime)(resource.getrusage(who))  # noqa: E731
    before = usage(resource.RUSAGE_SELF) - usage(resource.RUSAGE_THREAD)
    for _ in kt.open(source, threads=threads):
        pass
    return usage(resource.RUSAGE_SELF) - usage(resource.RUSAGE_THREAD) - before


def test_threads_parse_values(tmp_path):
    generator = np.random.default_rng(1)
    arrays = {f"utt{at}": generator.standard_normal((at % 50 * 9, 30)).astype("f") for at in range(150)}
    text, packed = tmp_path / "t.ark", tmp_path / "c.ark"
    kt.save_ark(text, arrays, text=True)
    kt.save_ark(packed, arrays, compression=1)
    for path in (text, packed):
        alone = dict(kt.open(path, threads=1))
        for source in (path, f"cat {path} |"):
            read = dict(kt.open(source, threads=4))
            assert list(read) == list(alone)
            for key, array in alone.items():
                np.testing.assert_array_equal(read[key], array)
    # The machine may do something else while the file is read, which then takes longer than the work.
    assert any(elsewhere(text, 4) > 0.002 for _ in range(20))
    assert any(elsewhere(text, 1) < 0.002 for _ in range(20))
    # Bad values are met in order, and left out in order.
    lines = text.read_text().splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if line.startswith("utt120"))
    lines[at + 3] = "1 x 2\n"
    (tmp_path / "bad.ark").write_text("".join(lines))
    read = []
    with pytest.raises(kt.DataError, match="utt120") as raised:
        for key, _ in kt.open(tmp_path / "bad.ark", threads=4):
            read.append(key)
    assert read == [f"utt{at}" for at in range(120)] and raised.value.key == "utt120"
    with pytest.raises(ValueError, match="1 thread or more"):
        kt.open(text, threads=0)


@pytest.mark.parametrize("name", ["zz:x", "ark,zz:x", "arc:x.ark", "t:x", ""])
def test_a_name_that_starts_like_a_specifier_is_one(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    for use in (kt.open, kt.lookup, kt.load_ark, kt.keys, kt.shapes, kt.info, kt.check, kt.create):
        with pytest.raises(kt.SpecifierError):
            use(name)
    # A file may have such a name.
    if name == "zz:x":
        path = files.write_ark(tmp_path / name, {"a": np.ones((1, 2), np.float32)})
        for source in (name, path, pathlib.Path(name)):
            assert list(kt.keys(source)) == list(kt.lookup(source)) == ["a"]
        (tmp_path / name).unlink()
        with pytest.raises(kt.MissingFileError):
            kt.open(pathlib.Path(name))
    for plain in ("x.ark", "x:5", "./zz:x"):
        with pytest.raises(kt.MissingFileError):
            kt.open(plain)


@pytest.mark.parametrize("source", ["-", "ark:-", "ark,t:-", "ark,s,cs:-", "ark:"])
def test_standard_input_is_read_once(source):
    code = f"""
import kaldi_tables as kt
reader = kt.open({source!r}, "int32")
print(dict(reader))
try:
    list(reader)
except kt.Error as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", code], input="a 1\n", capture_output=True, text=True)
    assert ended.stdout == "{'a': 1}\ncannot read standard input a second time: it is a stream\n", ended.stderr


def test_sound_is_that_of_wav_copy(tmp_path):
    ramp = np.linspace(-1, 1, 501)
    data = {
        "8": (1, 8, (128 + ramp * 127).astype("u1").tobytes()),
        "16": (1, 16, (ramp * 32767).astype("<i2").tobytes()),
        "24": (1, 24, (ramp * 8388607).astype("<i4").view("u1").reshape(-1, 4)[:, :3].tobytes()),
        "32": (1, 32, (ramp * 2147483647).astype("<i4").tobytes()),
        "float": (3, 32, (1.5 * ramp).astype("<f4").tobytes()),
        "double": (3, 64, (1.5 * ramp).astype("<f8").tobytes()),
    }
    for name, (form, bits, payload) in data.items():
        for channels in (1, 3):
            path, copy, written = (tmp_path / f"{name}-{channels}{suffix}" for suffix in (".wav", "-copy.wav", "-written.wav"))
            head = struct.pack("<HHIIHH", form, channels, 8000, 1000 * bits * channels, bits // 8 * channels, bits)
            path.write_bytes(
                struct.pack("<4sI8sI", b"RIFF", 36 + len(payload), b"WAVEfmt ", 16)
                + head + struct.pack("<4sI", b"data", len(payload)) + payload
            )
            tool_runs.run("wav-copy", path, copy)
            wave = kt.load_mat(path)
            assert wave == kt.load_mat(copy) and wave.array.dtype == np.int16
            assert wave.array.shape == ((501,) if channels == 1 else (167, 3))
            kt.save_mat(written, wave)
            assert written.read_bytes() == copy.read_bytes()
