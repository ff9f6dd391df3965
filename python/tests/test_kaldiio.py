"""`kaldi_tables.compat.kaldiio`, compared with kaldiio itself."""

from __future__ import annotations

import io
import os
import pathlib
import struct
import sys
import warnings

import kaldiio as theirs
import kaldiio.matio
import kaldiio.wavio
import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as of_numpy
from kaldiio_values import ALL, FLOATS, INTS, RNG, WAVES, same, same_tables

import kaldi_tables as kt
from kaldi_tables.compat import kaldiio as ours
from tool_runs import run


@pytest.mark.parametrize("endian", ["<", ">"])
def test_the_same_bytes_are_written_and_the_same_arrays_read(tmp_path: pathlib.Path, endian: str) -> None:
    for name, module in (("theirs", theirs), ("ours", ours)):
        os.makedirs(tmp_path / name)
        os.chdir(tmp_path / name)
        module.save_ark("a.ark", ALL, scp="a.scp", endian=endian)
    assert (tmp_path / "ours/a.ark").read_bytes() == (tmp_path / "theirs/a.ark").read_bytes()
    assert (tmp_path / "ours/a.scp").read_bytes() == (tmp_path / "theirs/a.scp").read_bytes()
    same_tables(ours.load_ark("a.ark", endian=endian), theirs.load_ark("a.ark", endian=endian))
    same_tables(ours.load_scp("a.scp", endian=endian), theirs.load_scp("a.scp", endian=endian))
    same_tables(ours.load_scp("a.scp", endian=endian, max_cache_fd=1), ALL)
    same_tables(ours.load_scp_sequential("a.scp", endian=endian), ALL)
    with open("a.ark", "rb") as file:
        same_tables(ours.load_ark(file, endian), ALL)
    with ours.open_like_kaldi("cat a.ark |", "rb") as file:
        same_tables(ours.load_ark(file, endian), ALL)
    same_tables(ours.load_ark(io.BytesIO(pathlib.Path("a.ark").read_bytes()), endian), ALL)
    os.chdir("/")


def test_text_is_the_same(tmp_path: pathlib.Path) -> None:
    values = {**{key: it for key, it in FLOATS.items() if it.ndim == 1 or it.size}, **INTS}
    values["special"] = np.array([[0.1, np.inf], [-np.inf, 1e30], [np.nan, 1e-5]])
    for name, module in (("theirs", theirs), ("ours", ours)):
        module.save_ark(str(tmp_path / name), values, text=True)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    found = dict(ours.load_ark(str(tmp_path / "ours")))
    for key in ("f32", "f64", "v32", "v64", "special"):
        with np.errstate(over="ignore"):
            same(found[key], values[key].astype(np.float32))
    same(found["ints"], values["ints"])


@settings(max_examples=60, deadline=None)
@given(
    of_numpy.arrays(
        st.sampled_from([np.float32, np.float64, np.int32]),
        st.one_of(st.tuples(st.integers(0, 9)), st.tuples(st.integers(1, 6), st.integers(1, 6))),
        elements={"allow_nan": False, "allow_subnormal": False, "min_value": -(10**6), "max_value": 10**6},
    ),
    st.sampled_from(["<", ">"]),
)
def test_arrays_of_any_shape(array: np.ndarray, endian: str) -> None:
    if array.dtype == np.int32 and array.ndim == 2:
        return
    one, other = io.BytesIO(), io.BytesIO()
    assert ours.matio.write_array(one, array, endian) == len(one.getvalue())
    kaldiio.matio.write_array(other, array, endian)
    assert one.getvalue() == other.getvalue()
    same(ours.matio.read_kaldi(io.BytesIO(one.getvalue()), endian), array)
    text = io.BytesIO()
    ours.matio.write_array_ascii(text, array, "")
    again = ours.matio.read_kaldi(io.BytesIO(text.getvalue()))
    np.testing.assert_array_equal(again, array.astype(np.float32) if array.dtype != np.int32 else array)


@pytest.mark.parametrize("endian", ["<", ">"])
@pytest.mark.parametrize("method", range(1, 8))
def test_compressed_matrices(tmp_path: pathlib.Path, method: int, endian: str) -> None:
    values = {"a": RNG.random((20, 7)).astype(np.float32), "b": RNG.random((3, 2))}
    name = str(tmp_path / "a.ark")
    for writer, reader in ((ours, theirs), (theirs, ours), (ours, ours)):
        writer.save_ark(name, values, compression_method=method, endian=endian)
        for key, found in reader.load_ark(name, endian=endian):
            # 4 and 6 are of integers.
            np.testing.assert_allclose(found, values[key], atol=0.51 if method in (4, 6) else 0.02)
    if endian == "<":
        theirs.save_ark(name + "1", values)
        run("copy-feats", "--compress=true", f"--compression-method={method}", f"ark:{name}1", f"ark:{name}2")
        assert pathlib.Path(name + "2").read_bytes() == pathlib.Path(name).read_bytes()


@pytest.mark.parametrize("function", ["pickle", "numpy", "soundfile", "NumPy"])
def test_extended_archives(tmp_path: pathlib.Path, function: str) -> None:
    sound = RNG.integers(-1000, 1000, 300).astype(np.float64) / 32768
    values = {
        "pickle": {"a": {"any": [1, "x"]}, "b": 5},
        "soundfile": {"a": (8000, sound), "b": (sound, 16000)},
    }.get(function, FLOATS)
    for name, module in (("theirs", theirs), ("ours", ours)):
        os.makedirs(tmp_path / name)
        os.chdir(tmp_path / name)
        module.save_ark("a.ark", values, scp="a.scp", write_function=function)
    assert (tmp_path / "ours/a.ark").read_bytes() == (tmp_path / "theirs/a.ark").read_bytes()
    assert (tmp_path / "ours/a.scp").read_bytes() == (tmp_path / "theirs/a.scp").read_bytes()
    readers = [ours.load_ark("a.ark"), ours.load_scp_sequential("a.scp"), ours.load_scp("a.scp").items()]
    readers.append(ours.ReadHelper("ark:cat a.ark |"))
    for reader in readers:
        found = dict(reader)
        if function == "pickle":
            assert found == values
        elif function == "soundfile":
            same(found["a"], (8000, sound))
            same(found["b"], (16000, sound))
        else:
            same_tables(found, values)
    os.chdir("/")


def test_flac_and_options_of_loaders(tmp_path: pathlib.Path) -> None:
    sound = RNG.integers(-1000, 1000, 300).astype(np.int16)
    soundfile.write(tmp_path / "a.flac", sound, 8000)
    rate, found = ours.load_mat(str(tmp_path / "a.flac"))
    assert rate == 8000 and (found * 32768 == sound).all()
    name = str(tmp_path / "a.ark")
    ours.save_ark(name, {"a": (8000, sound)}, write_function="soundfile", write_kwargs={"format": "flac"})
    with open(name, "rb") as file:
        assert ours.matio.read_token(file) == "a"
        rate, found = ours.matio.read_kaldi(file, load_kwargs={"dtype": "int16"})
    same((rate, found), (8000, sound))
    with open(name, "rb") as file:
        file.seek(2)
        assert ours.matio.read_kaldi(file, audio_loader=lambda _: (5, sound))[0] == 5
    with pytest.raises(RuntimeError, match="write_function"):
        ours.save_ark(name, {"a": sound}, write_function="other")


def test_ranges_and_names(tmp_path: pathlib.Path) -> None:
    values = {"a": np.arange(60, dtype=np.float32).reshape(10, 6), "w": (8000, np.arange(100, dtype=np.int16))}
    ark, scp = str(tmp_path / "a.ark"), str(tmp_path / "a.scp")
    ours.save_ark(ark, values, scp=scp)
    places = dict(line.split() for line in open(scp))
    for wanted in ("[0:3]", "[2]", "[0:3,2:4]", "[,2:4]", "[:,1]", "[0:8:2]", "[0:99]"):
        same(ours.load_mat(places["a"] + wanted), theirs.load_mat(places["a"] + wanted))
        assert ours.matio._parse_arkpath(places["a"] + wanted) == kaldiio.matio._parse_arkpath(places["a"] + wanted)
    same(ours.load_mat(places["w"] + "[10:19]"), theirs.load_mat(places["w"] + "[10:19]"))
    for name in ("a", "a:b", "a:b:5", "a[b]", "s3://x/y:12[0:1]", "| cat a:5", "cat a:5[0:1] |", "a:12[0:1:2:3]", "a.ark:12[x]"):
        try:
            wanted = kaldiio.matio._parse_arkpath(name)
        except Exception:
            continue
        assert ours.matio._parse_arkpath(name) == wanted
    files: dict = {}
    same(ours.load_mat(places["a"], fd_dict=files), values["a"])
    assert list(files) == [ark]
    same(ours.load_mat(places["a"], fd_dict=files), values["a"])


def test_separators_and_script_objects(tmp_path: pathlib.Path) -> None:
    ark = str(tmp_path / "a b.ark")
    ours.save_ark(ark, FLOATS)
    text = f"one two|{ark}:4\n"
    assert list(ours.load_scp(io.StringIO(text), separator="|")) == ["one two"]
    same(ours.load_scp(io.StringIO(text), separator="|")["one two"], FLOATS["f32"])
    same(dict(ours.load_scp_sequential(io.StringIO(text), separator="|"))["one two"], FLOATS["f32"])
    assert list(ours.load_scp(f"echo 'a {ark}:4' |")) == ["a"]
    loader = ours.load_scp(io.StringIO(f"a {ark}:4\n"))
    assert repr(loader) == "LazyLoader [1 keys]" and "a" in loader and "b" not in loader and loader.get("b") is None
    with pytest.raises(KeyError):
        loader["b"]
    with pytest.raises(ValueError, match="a.scp:2|expected a key and a name") as raised:
        ours.load_scp(io.StringIO("a x\nb\n"))
    assert raised.value.line == 2


def test_file_objects_and_appending(tmp_path: pathlib.Path) -> None:
    os.chdir(tmp_path)
    with open("a.ark", "wb") as ark, open("a.scp", "w") as scp:
        ark.write(b"")
        ours.save_ark(ark, FLOATS, scp=scp)
        ours.save_ark(ark, INTS, scp=scp)
    ours.save_ark("a.ark", WAVES, scp="a.scp", append=True)
    same_tables(ours.load_ark("a.ark"), ALL)
    same_tables(ours.load_scp("a.scp"), ALL)
    length = os.path.getsize("a.ark"), os.path.getsize("a.scp")
    with pytest.raises(ValueError):
        ours.save_ark("a.ark", {"x": FLOATS["f32"], "y": np.zeros(3, np.int64)}, scp="a.scp", append=True)
    assert (os.path.getsize("a.ark"), os.path.getsize("a.scp")) == length
    buffer = io.BytesIO()
    ours.save_ark(buffer, FLOATS)
    same_tables(ours.load_ark(io.BytesIO(buffer.getvalue())), FLOATS)
    with pytest.raises(TypeError, match="binary"):
        list(ours.load_ark(io.StringIO("a 1\n")))
    with pytest.raises(TypeError, match="script file"):
        ours.save_ark(buffer, FLOATS, scp="b.scp")
    assert ours.save_mat("a.mat", FLOATS["f32"]) == os.path.getsize("a.mat")
    same(ours.load_mat("a.mat"), FLOATS["f32"])
    os.chdir("/")


def test_segments(tmp_path: pathlib.Path) -> None:
    script, segments = tmp_path / "wav.scp", tmp_path / "segments"
    sound = RNG.integers(-1000, 1000, (2000, 2)).astype(np.int16)
    lines = []
    for name, array in (("w16", sound), ("w8", sound[:, 0].astype(np.uint8))):
        ours.wavio.write_wav(str(tmp_path / name), 500, array)
        lines += [f"{name} {tmp_path / name}\n", f"p-{name} cat {tmp_path / name} |\n"]
    script.write_text("".join(lines))
    times = [(0, 1), (0.1, 0.2), (1.5, -1), (3.9, 4.5), (5, 6), (0.5, 0.5), (0.3333, 1.7777)]
    rows = [f"{w}-{n} {w} {s} {e}\n" for w in ("w16", "p-w16", "w8", "p-w8") for n, (s, e) in enumerate(times)]
    segments.write_text("".join(rows))
    wanted = dict(theirs.load_scp(str(script), segments=str(segments)))
    same_tables(ours.load_scp(str(script), segments=str(segments)), wanted)
    same_tables(ours.load_scp_sequential(str(script), segments=str(segments)), wanted)
    same_tables(ours.ReadHelper(f"scp:{script}", segments=str(segments)), wanted)
    with open(segments) as file:
        same_tables(ours.load_scp(str(script), segments=file), wanted)
    with pytest.warns(DeprecationWarning):
        same_tables(ours.load_wav_scp(str(script), segments=str(segments)), wanted)
    for bad, kind in (("a b 1\n", ValueError), ("a w16 x 1\n", ValueError), ("a none 0 1\n", KeyError)):
        with pytest.raises(kind):
            ours.load_scp(str(script), segments=io.StringIO(bad))
    with pytest.raises(ValueError):
        ours.load_scp(str(script), segments=str(segments), max_cache_fd=2)


def test_arrays_are_writable_and_native(tmp_path: pathlib.Path) -> None:
    name = str(tmp_path / "a.ark")
    for options in ({}, {"endian": ">"}):
        ours.save_ark(name, ALL, **options)
        for key, value in ours.load_ark(name, **options):
            array = value[1] if isinstance(value, tuple) else value
            assert array.flags.writeable and array.flags.aligned and array.dtype.isnative, key


def test_text_that_kaldiio_does_not_read() -> None:
    read = lambda text: ours.matio.read_kaldi(io.BytesIO(text))  # noqa: E731
    same(read(b" [ 1 2.5 ]\n"), np.array([1, 2.5], np.float32))
    same(read(b" [ nan 1 ]\n"), np.array([np.nan, 1], np.float32))
    same(read(b" [ inf -inf ]\n"), np.array([np.inf, -np.inf], np.float32))
    same(read(b" [\n  1e3 2\n  3 4 ]\n"), np.array([[1000, 2], [3, 4]], np.float32))
    same(read(b" [\n  1 2\n  3 4 ]\n"), np.array([[1, 2], [3, 4]], np.int32))
    same(read(b" [\n  1 ]\n"), np.array([[1]], np.int32))
    same(read(b"5000000000 1\n"), np.array([5e9, 1], np.float32))
    same(read(b" [ ]\n"), np.zeros(0, np.float32))
    same(read(b"3 4\n"), np.array([3, 4], np.int32))
    same_tables(ours.load_ark(io.BytesIO(b"a \nb 1\nc \n")), {"a": np.zeros(0, np.int32), "b": np.array([1], np.int32), "c": np.zeros(0, np.int32)})
    # Where kaldiio reads them, the result is its result.
    for text in (b" [ 1.5 2 ]\n", b"1 2 3\n", b"1 2 3", b"4.5\n", b" [ 1 2 ]", b" [\n 1.5 2 \n 3 4 ]\n", b" [ 1.5\n2.5 ]\n", b"-3\n"):
        same(read(text), kaldiio.matio.read_kaldi(io.BytesIO(text)))
    # The last one is beyond float32.
    for text in (b" [ 1 2", b" [ 1 x ]\n", b"word\n", b" [\n 1 2\n 3 ]\n", b" [ 1 ] 2\n", b"1 2 ; 3\n", b"", b" [ 1e300 ]\n"):
        with pytest.raises(kt.DataError):
            read(text)


def test_a_text_archive_from_a_pipe() -> None:
    text = "a 1\nb 2 3\nc  [ 1.5 ]\nd  [\n 1.5 2\n 3 4 ]\n"
    with ours.open_like_kaldi(f"printf %s {text!r} | sed 's/\\\\n/\\n/g' |", "rb") as file:
        found = dict(ours.load_ark(file))
    assert {key: it.tolist() for key, it in found.items()} == {"a": [1], "b": [2, 3], "c": [1.5], "d": [[1.5, 2], [3, 4]]}


def test_write_helper_has_the_forms_of_kaldiio(tmp_path: pathlib.Path) -> None:
    os.chdir(tmp_path)
    for spec in ("ark,t:{}", "ark:{}", "ark:| cat > {}"):
        for name, module in (("theirs", theirs), ("ours", ours)):
            with module.WriteHelper(spec.format(name)) as writer:
                writer("a", FLOATS["f32"])
                writer("b", INTS["ints"])
        assert pathlib.Path("ours").read_bytes() == pathlib.Path("theirs").read_bytes()
    with ours.WriteHelper("ark:ours", compression_method=2) as writer:
        writer("a", FLOATS["f32"])
    assert b"CM " in pathlib.Path("ours").read_bytes()
    with ours.WriteHelper("ark:ours", write_function="pickle") as writer:
        writer("a", {1: 2})
    assert dict(ours.ReadHelper("ark:ours")) == {"a": {1: 2}}
    for spec in ("scp:x", "x", "ark,scp:x", "ark,ark:x,y", "ark,q:x"):
        with pytest.raises(ValueError):
            ours.WriteHelper(spec)
    with pytest.raises(TypeError):
        ours.WriteHelper("ark,scp:| cat,x.scp")
    with pytest.raises(RuntimeError):
        ours.ReadHelper("ark,scp:x,y")
    with pytest.warns(UserWarning, match="no effect"):
        ours.ReadHelper("ark,s:ours")
    for key in ("", "a b", "a\n", "\u3000"):
        with pytest.raises(ValueError, match="key"):
            ours.save_ark("x.ark", {key: FLOATS["f32"]})
    os.chdir("/")


def test_wavs(tmp_path: pathlib.Path) -> None:
    for rate, array in WAVES.values():
        one, other = io.BytesIO(), io.BytesIO()
        assert ours.wavio.write_wav(one, rate, array) == kaldiio.wavio.write_wav(other, rate, array)
        assert one.getvalue() == other.getvalue()
        same(ours.wavio.read_wav(io.BytesIO(one.getvalue())), (rate, array))
        wanted = kaldiio.wavio.read_wav(io.BytesIO(one.getvalue()), return_size=True)
        assert ours.wavio.read_wav(io.BytesIO(one.getvalue()), return_size=True)[1] == wanted[1]
    # Chunks after the samples, and samples of other widths, in the middle of an archive.
    samples = np.array([0, 256, -512, 32767], np.int16)
    archive = io.BytesIO()
    for subtype in ("PCM_24", "PCM_32", "FLOAT", "ULAW", "PCM_16"):
        sound = io.BytesIO()
        soundfile.write(sound, samples, 8000, format="WAV", subtype=subtype)
        archive.write(subtype.encode() + b" " + sound.getvalue())
    data = archive.getvalue()
    extra = data + b"list " + with_chunk(samples) + b"end 5\n"
    found = dict(ours.load_ark(io.BytesIO(extra)))
    assert list(found) == ["PCM_24", "PCM_32", "FLOAT", "ULAW", "PCM_16", "list", "end"]
    for subtype in ("PCM_24", "PCM_32", "PCM_16", "list"):
        same(found[subtype], (8000, samples))
    assert found["ULAW"][1].dtype == np.int16 and found["end"].tolist() == [5]
    for wrong in (np.zeros(3), np.zeros((1, 1, 1), np.int16)):
        with pytest.raises(ValueError):
            ours.wavio.write_wav(io.BytesIO(), 8000, wrong)


def with_chunk(samples: np.ndarray) -> bytes:
    """A WAV file of 8000 Hz with a chunk after its samples."""
    wav = io.BytesIO()
    ours.wavio.write_wav(wav, 8000, samples)
    data = wav.getvalue()
    chunk = b"LIST" + struct.pack("<I", 5) + b"INFOx\0"
    return data[:4] + struct.pack("<I", len(data) - 8 + len(chunk)) + data[8:] + chunk


def test_standard_streams(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    buffer = io.BytesIO()
    ours.save_ark(buffer, FLOATS)
    stdin = io.TextIOWrapper(io.BytesIO(buffer.getvalue()))
    monkeypatch.setattr(sys, "stdin", stdin)
    same_tables(ours.ReadHelper("ark:-"), FLOATS)
    assert not stdin.closed
    stdout = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", stdout)
    ours.save_ark(sys.stdout, FLOATS)
    assert stdout.buffer.getvalue() == buffer.getvalue()
    with ours.WriteHelper("ark:-") as writer:
        writer("a", FLOATS["f32"])
    assert len(stdout.buffer.getvalue()) > len(buffer.getvalue())
    with ours.open_like_kaldi("-", "w") as file:
        file.write("x")
    assert not stdout.closed


def test_the_names_of_the_modules() -> None:
    for name in ("", "matio", "utils", "wavio", "highlevel"):
        known = theirs if not name else getattr(theirs, name)
        mine = ours if not name else __import__(f"kaldi_tables.compat.kaldiio.{name}", fromlist=["x"])
        public = {
            it for it, value in vars(known).items()
            if not it.startswith("_") and getattr(value, "__module__", "").startswith("kaldiio") and callable(value)
        }
        internal = {"GlobalHeader", "PerColHeader", "CountFileDescriptor", "my_popen", "to_bytes", "from_bytes"}
        assert public - internal <= set(dir(mine)), public - internal - set(dir(mine))
    assert ours.__version__ == theirs.__version__
    assert "kaldi_tables.compat.kaldiio" in sys.modules and "kaldiio" in sys.modules
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kt.compat.kaldiio is ours


def test_limited_dictionaries() -> None:
    table = ours.utils.LimitedSizeDict(2)
    table["a"], table["b"] = 1, 2
    table["b"] = 3
    assert dict(table) == {"a": 1, "b": 3}
    table["c"] = 4
    assert list(table) == ["b", "c"]
    del table["b"]
    table["d"] = 5
    assert dict(table) == {"c": 4, "d": 5}
    for wrong in (0, -1):
        with pytest.raises(ValueError):
            ours.utils.LimitedSizeDict(wrong)


def test_streams_one_after_the_other() -> None:
    joined = ours.utils.MultiFileDescriptor(io.BytesIO(b"ab\nc"), io.BytesIO(b"d\nef"))
    assert joined.readline() == b"ab\n" and joined.readline() == b"cd\n" and joined.tell() == 6
    joined.seek(0)
    assert joined.read(5) == b"ab\ncd" and joined.read() == b"\nef"
    with pytest.raises(NotImplementedError):
        joined.seek(3)
