"""What is written is read by kaldiio and kaldi_native_io, for values of any kind; file systems of Python."""

from __future__ import annotations

import io

import kaldi_tables as kt
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

kaldiio = pytest.importorskip("kaldiio")
knio = pytest.importorskip("kaldi_native_io")

KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=0x3000, exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=8)
SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
INTS = st.integers(-(2**31), 2**31 - 1)
FLOATS = st.floats(width=32, allow_nan=False)
SHAPES = arrays.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9)


def by_kaldiio(path):
    return dict(kaldiio.load_ark(str(path)))


def by_knio(reader, path):
    with reader(f"ark:{path}") as entries:
        return {key: np.array(value) if isinstance(value, np.ndarray) else value for key, value in entries}


@SETTINGS
@given(st.dictionaries(KEYS, arrays.arrays(np.float32, SHAPES, elements=FLOATS), min_size=1, max_size=4), st.booleans())
def test_matrices(tmp_path, values, text):
    path = tmp_path / "a.ark"
    kt.save_ark(path, values, tmp_path / "a.scp")
    for found in (by_kaldiio(path), by_knio(knio.SequentialFloatMatrixReader, path)):
        assert list(found) == list(values)
        assert all(np.array_equal(found[key], values[key]) for key in values)
    script = kaldiio.load_scp(str(tmp_path / "a.scp"))
    assert all(np.array_equal(script[key], values[key]) for key in values)


@SETTINGS
@given(arrays.arrays(np.float64, SHAPES, elements=st.floats(-1e30, 1e30)), st.integers(1, 3), st.booleans())
def test_views_of_doubles(tmp_path, matrix, step, turned):
    view = matrix[::step, ::-1]
    view = view.T if turned else view
    before = matrix.copy()
    kt.save_ark(tmp_path / "a.ark", {"k": view, "half": view.astype(np.float32)[:, :1]})
    found = by_kaldiio(tmp_path / "a.ark")
    assert found["k"].dtype == np.float64 and np.array_equal(found["k"], view) and np.array_equal(matrix, before)


@SETTINGS
@given(st.dictionaries(KEYS, arrays.arrays(np.float32, st.integers(0, 40), elements=FLOATS), min_size=1, max_size=4))
def test_vectors(tmp_path, values):
    path = tmp_path / "a.ark"
    kt.save_ark(path, values)
    found = by_knio(knio.SequentialFloatVectorReader, path)
    assert list(found) == list(values) and all(np.array_equal(found[key], values[key]) for key in values)


@SETTINGS
@given(arrays.arrays(np.float32, st.integers(1, 40), elements=st.floats(-1e6, 1e6, width=32)))
def test_text_has_seven_digits(tmp_path, vector):
    kt.save_ark(tmp_path / "a.txt", {"k": vector}, text=True)
    words = (tmp_path / "a.txt").read_text().split()
    assert words[0] == "k" and words[2:-1] == [f"{number:.7g}" for number in vector.tolist()]


@SETTINGS
@given(st.lists(INTS, max_size=20), st.sampled_from(["list", "int64", "int32"]))
def test_integers(tmp_path, numbers, form):
    value = numbers if form == "list" else np.array(numbers, form)
    kt.save_ark(tmp_path / "a.ark", {"k": [0], "l": value})
    assert by_knio(knio.SequentialInt32VectorReader, tmp_path / "a.ark")["l"] == numbers
    assert by_kaldiio(tmp_path / "a.ark")["l"].tolist() == numbers


@SETTINGS
@given(st.lists(st.lists(INTS, max_size=5), max_size=5))
def test_lists_of_integers(tmp_path, lists):
    with kt.create(tmp_path / "a.ark", "int32-vector-vector") as writer:
        writer["k"] = lists
        writer["l"] = [np.array(inner, np.int64) for inner in lists]
    assert by_knio(knio.SequentialInt32VectorVectorReader, tmp_path / "a.ark") == {"k": lists, "l": lists}


@SETTINGS
@given(st.lists(st.tuples(INTS, INTS), max_size=5))
def test_pairs_of_integers(tmp_path, pairs):
    with kt.create(tmp_path / "a.ark", "int32-pairs") as writer:
        writer["k"] = pairs
        writer["l"] = np.array(pairs, np.int64).reshape(-1, 2)
    assert by_knio(knio.SequentialInt32PairVectorReader, tmp_path / "a.ark") == {"k": pairs, "l": pairs}


@SETTINGS
@given(st.lists(st.tuples(FLOATS, FLOATS), max_size=5))
def test_pairs_of_floats(tmp_path, pairs):
    with kt.create(tmp_path / "a.ark", "float-pairs") as writer:
        writer["k"] = pairs
    assert by_knio(knio.SequentialFloatPairVectorReader, tmp_path / "a.ark") == {"k": pairs}


@SETTINGS
@given(st.lists(st.lists(st.tuples(INTS, FLOATS), max_size=4), max_size=5))
def test_posteriors(tmp_path, frames):
    with kt.create(tmp_path / "a.ark", "posterior") as writer:
        writer["k"] = frames
        writer["l"] = kt.Posterior(frames)
    assert by_knio(knio.SequentialPosteriorReader, tmp_path / "a.ark") == {"k": frames, "l": frames}


@SETTINGS
@given(st.lists(st.lists(st.tuples(INTS, st.lists(FLOATS, min_size=1, max_size=3)), max_size=3), max_size=4))
def test_posteriors_of_gaussians(tmp_path, frames):
    with kt.create(tmp_path / "a.ark", "gauss-post") as writer:
        writer["k"] = [[(index, np.array(weights, np.float32)) for index, weights in frame] for frame in frames]
    with knio.SequentialGaussPostReader(f"ark:{tmp_path}/a.ark") as entries:
        for _, found in entries:
            # These arrays point into the reader.
            assert [[(index, np.array(weights).tolist()) for index, weights in frame] for frame in found] == frames


@SETTINGS
@given(INTS, FLOATS, st.booleans(), KEYS, st.lists(KEYS, min_size=1, max_size=4))
def test_single_values(tmp_path, whole, real, truth, word, words):
    def again(value, kind, reader):
        with kt.create(tmp_path / "a.ark", kind) as writer:
            writer["k"] = value
        with reader(f"ark:{tmp_path}/a.ark") as entries:
            return dict(entries)["k"]

    assert again(whole, "int32", knio.SequentialInt32Reader) == whole
    assert again(real, "float", knio.SequentialFloatReader) == real
    assert again(real, "double", knio.SequentialDoubleReader) == real
    assert again(truth, "bool", knio.SequentialBoolReader) == truth
    assert again(word, "token", knio.SequentialTokenReader) == word
    assert again(words, "token-vector", knio.SequentialTokenVectorReader) == words


@pytest.mark.filterwarnings("ignore:all samples lie within")
@SETTINGS
@given(arrays.arrays(np.int16, st.one_of(st.tuples(st.integers(1, 50)), st.tuples(st.integers(1, 20), st.integers(2, 3)))))
def test_sound(tmp_path, samples):
    kt.save_ark(tmp_path / "a.ark", {"k": (16000, samples), "l": kt.Wave(8000, samples.astype(np.float32) + 0)}, None)
    found = by_kaldiio(tmp_path / "a.ark")
    assert found["k"][0] == 16000 and np.array_equal(found["k"][1], samples)
    assert found["l"][0] == 8000 and np.array_equal(found["l"][1], samples)


@pytest.mark.parametrize("method", range(1, 8))
def test_compressed_matrices(tmp_path, method):
    random = np.random.RandomState(method)
    matrix = random.uniform(0, 1, (30, 8)).astype(np.float32)
    kt.save_ark(tmp_path / "a.ark", {"k": matrix}, compression=method)
    kaldiio.save_ark(str(tmp_path / "b.ark"), {"k": matrix}, compression_method=method)
    own, theirs = by_kaldiio(tmp_path / "a.ark")["k"], by_kaldiio(tmp_path / "b.ark")["k"]
    assert np.abs(own - theirs).max() <= (1 / 60 if method in (1, 2) else 1e-2 if method > 4 else 1e-4) or method in (4, 6)
    # Their arithmetic is not the same to the last bit.
    assert np.allclose(own, by_knio(knio.SequentialFloatMatrixReader, tmp_path / "a.ark")["k"], atol=1e-6)


# File systems of Python


class Drawer:
    """A file system in a dictionary."""

    def __init__(self):
        self.files = {}

    def open(self, path, mode="rb"):
        if mode == "rb":
            return io.BytesIO(self.files[path])
        drawer, target = self.files, io.BytesIO()

        class Kept:
            write = target.write

            def close(self):
                drawer[path] = target.getvalue()

        return Kept()


def test_a_file_system_of_python():
    drawer, matrix = Drawer(), np.ones((3, 4), np.float32)
    kt.set_filesystem("drawer", drawer)
    with kt.create("ark,scp:drawer://a/b.ark,drawer://a/b.scp") as writer:
        writer["k"] = matrix
        assert drawer.files == {}
    assert drawer.files["a/b.scp"] == b"k drawer://a/b.ark:2\n"
    target = io.BytesIO()
    kt.save_ark(target, {"k": matrix})
    assert drawer.files["a/b.ark"] == target.getvalue()
    assert kt.info("ark:drawer://a/b.ark")["entries"] == kt.info("scp:drawer://a/b.scp")["entries"] == 1
    assert kt.check("scp:drawer://a/b.scp") == []
    with pytest.raises(RuntimeError), kt.create("drawer://c.ark") as writer:
        writer["k"] = matrix
        raise RuntimeError
    assert sorted(drawer.files) == ["a/b.ark", "a/b.scp"]
    with pytest.raises(FileNotFoundError):
        kt.info("ark:drawer://no.ark")


def test_a_file_system_of_fsspec():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    kt.set_filesystem("memory", system)
    kt.save_mat("memory://folder/a.mat", np.ones((2, 2), np.float32))
    assert system.cat("/folder/a.mat").startswith(b"\0BFM ")
    assert kt.info("memory://folder/a.mat")["type"] == "matrix"


@pytest.mark.parametrize("scheme", ["", "a b", "file", "1x", "s3:"])
def test_no_scheme(scheme):
    with pytest.raises(ValueError):
        kt.set_filesystem(scheme, Drawer())
    with pytest.raises(TypeError):
        kt.set_filesystem("fine", object())


def test_a_full_file_system_is_an_error():
    class Full(Drawer):
        def open(self, path, mode="rb"):
            raise OSError(28, "No space left on device")

    kt.set_filesystem("full", Full())
    writer = kt.create("full://a.ark")
    writer["k"] = [1, 2]
    with pytest.raises(kt.FileError):
        writer.close()
