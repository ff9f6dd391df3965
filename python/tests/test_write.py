"""Writing: values of every type, keys, sound, errors."""

from __future__ import annotations

import copy
import io
import os
import pickle

import kaldi_tables as kt
import numpy as np
import pytest
import tool_runs

MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4) / 8
VECTOR = np.array([0.5, -1.25, 3e30, np.inf], np.float32)


def written(values, type=None, **arguments):
    """The bytes of an archive of these values."""
    target = io.BytesIO()
    with kt.create(target, type, **arguments) as writer:
        for key, value in values.items():
            writer[key] = value
    return target.getvalue()


def text_of(tmp_path, values, type=None):
    """The text of an archive of these values."""
    path = tmp_path / "text.ark"
    with kt.create(f"ark,t:{path}", type) as writer:
        writer.write_many(values)
    return path.read_text()


# Every type: the text is what the tools show of the binary form.

VALUES = {
    "matrix": (MATRIX, "matrix"),
    "double-matrix": (MATRIX.astype(np.float64) / 3, "matrix"),
    "empty-matrix": (np.zeros((0, 5), np.float32), "matrix"),
    "list-matrix": ([[1.5, 2], [3, 4]], "matrix"),
    "sparse": (kt.SparseMatrix((2, 4), [0, 1, 3], [3, 0, 2], [0.5, 1.0, 2.0]), "matrix"),
    "vector": (VECTOR, "vector"),
    "list-vector": ([1, 2.5], "vector"),
    "int32-vector": ([1, -2, 2**31 - 1], "int32-vector"),
    "int32-matrix": (np.array([[1, 11], [2, 12], [-3, 13]]), "int32-matrix"),
    "int32-vector-vector": ([[1, 2], [], [3]], "int32-vector-vector"),
    "int32-pairs": ([(1, 2), (3, 4)], "int32-pairs"),
    "float-pairs": ([(1.5, 2), (3, 4)], "float-pairs"),
    "posterior": ([[(1, 0.5), (2, 0.5)], [], [(3, 1.0)]], "posterior"),
    "gauss-post": ([[(1, np.array([0.5, 0.5]))], []], "gauss-post"),
    "int32": (-7, "int32"),
    "float": (0.1, "float"),
    "bool": (True, "bool"),
    "token": ("wort", "token"),
    "token-vector": (["ein", "wört"], "token-vector"),
}

TEXTS = {
    "matrix": " [\n  0 0.125 0.25 0.375 \n  0.5 0.625 0.75 0.875 \n  1 1.125 1.25 1.375 ]\n",
    "double-matrix": " [\n  0 0.04166667 0.08333333 0.125 \n  0.1666667 0.2083333 0.25 0.2916667 \n"
    "  0.3333333 0.375 0.4166667 0.4583333 ]\n",
    "empty-matrix": " [ ]\n",
    "list-matrix": " [\n  1.5 2 \n  3 4 ]\n",
    "sparse": "rows=2 dim=4 [ 3 0.5 ] dim=4 [ 0 1 2 2 ] \n",
    "vector": " [ 0.5 -1.25 3e+30 inf ]\n",
    "list-vector": " [ 1 2.5 ]\n",
    "int32-vector": "1 -2 2147483647 \n",
    "int32-matrix": "1 11 ; 2 12 ; -3 13 ; \n",
    "int32-vector-vector": "1 2 ; ; 3 ; \n",
    "int32-pairs": "1 2 ; 3 4 \n",
    "float-pairs": "1.5 2 ; 3 4 \n",
    "posterior": "[ 1 0.5 2 0.5 ] [ ] [ 3 1 ] \n",
    "gauss-post": None,
    "int32": "-7 \n",
    "float": "0.1 \n",
    "bool": "T \n",
    "token": "wort\n",
    "token-vector": "ein wört \n",
}


@pytest.mark.parametrize("name", VALUES)
def test_a_value_of_each_type_is_found_by_looking(tmp_path, name):
    value, kind = VALUES[name]
    before = copy.deepcopy(value)
    text = text_of(tmp_path, {"k": value})
    if TEXTS[name] is not None:
        assert text == "k " + TEXTS[name]
    assert text_of(tmp_path, {"k": value}, kind) == text
    target = io.BytesIO()
    with kt.create(target) as writer:
        writer["k"] = value
        assert writer.type == kind
    assert written({"k": value}, kind) == target.getvalue()
    # What was written is as before.
    assert repr(value) == repr(before)


def test_rows_of_one_length_are_an_integer_matrix():
    codes = np.array([[1, 11], [2, 12]], np.uint16)
    assert written({"k": codes.tolist()}, "int32-matrix") == written({"k": codes}) == written({"k": codes}, "int32-matrix")
    with kt.create(io.BytesIO(), "int32-matrix") as writer:
        for wrong in ([[1], [2, 3]], np.zeros((1, 2, 3), int), np.zeros((2, 2)), [[1.5]], np.array([[2**31]])):
            with pytest.raises((TypeError, ValueError, OverflowError), match="^k: "):
                writer["k"] = wrong
        writer["k"] = codes


COPIERS = {
    "matrix": "copy-feats",
    "empty-matrix": "copy-feats",
    "vector": "copy-vector",
    "int32-vector": "copy-int-vector",
    "posterior": "copy-post",
}


@pytest.mark.parametrize("name", COPIERS)
def test_bytes_are_those_of_the_tools(tmp_path, name):
    value, kind = VALUES[name]
    (tmp_path / "a.txt").write_text(text_of(tmp_path, {"k1": value, "k2": value}, kind))
    tool_runs.run(COPIERS[name], f"ark:{tmp_path}/a.txt", f"ark:{tmp_path}/a.ark")
    assert (tmp_path / "a.ark").read_bytes() == written({"k1": value, "k2": value}, kind)


@pytest.mark.parametrize("method", range(1, 8))
def test_compression_is_that_of_copy_feats(tmp_path, method):
    random = np.random.RandomState(method)
    matrix = random.standard_normal((20, 7)).astype(np.float32)
    (tmp_path / "a.ark").write_bytes(written({"k": matrix}))
    options = ("--compress=true", f"--compression-method={method}")
    tool_runs.run("copy-feats", *options, f"ark:{tmp_path}/a.ark", f"ark:{tmp_path}/b.ark")
    expected = (tmp_path / "b.ark").read_bytes()
    assert written({"k": matrix}, compression=method) == expected
    names = "auto speech-feature two-byte-auto two-byte-signed-integer one-byte-auto one-byte-unsigned-integer one-byte-zero-one"
    assert written({"k": matrix.astype(np.float64)}, compression=names.split()[method - 1]) == expected


@pytest.mark.parametrize("bad", [0, 8, -1, "", "speech_feature", 2**40])
def test_other_compressions_are_refused(bad):
    with pytest.raises((ValueError, TypeError)):
        kt.create(io.BytesIO(), compression=bad)


def test_only_matrices_are_compressed():
    with pytest.raises(TypeError, match="only matrices"):
        kt.create(io.BytesIO(), "vector", compression=1)
    with kt.create(io.BytesIO(), compression=1) as writer:
        with pytest.raises(TypeError, match="^k: only matrices"):
            writer["k"] = VECTOR
        writer["k"] = MATRIX


def test_infinity_cannot_be_compressed():
    writer = kt.create(io.BytesIO(), compression=2)
    with pytest.raises(kt.DataError, match="^k: ") as caught:
        writer["k"] = np.full((9, 2), np.inf, np.float32)
    assert caught.value.key == "k"
    writer["k"] = MATRIX
    writer.close()


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "<f2", ">f2", "<f8", ">f8"])
def test_arrays_of_any_order_and_strides(dtype):
    matrix = np.arange(60).reshape(6, 10).astype(dtype)
    plain = np.dtype(np.float64 if dtype[1:] == "f8" else np.float32)
    unaligned = np.frombuffer(b"x" + matrix.tobytes(), np.uint8)[1:].view(dtype).reshape(6, 10)
    for view in (matrix, matrix.T, matrix[::2, ::-3], matrix[:, 1:1], np.asfortranarray(matrix), unaligned):
        expected = written({"k": np.ascontiguousarray(view, plain)})
        assert written({"k": view}) == expected
        assert written({"k": view[:, 0]} if view.shape[1] else {"k": np.zeros(0, plain)}) == written(
            {"k": np.ascontiguousarray(view[:, 0] if view.shape[1] else [], plain)}
        )
    matrix.flags.writeable = False
    assert written({"k": matrix}) == written({"k": matrix.copy()})


class Offers:
    """Becomes an array when it is asked."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)


class OffersMemory:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_objects_that_become_arrays():
    expected = written({"k": MATRIX})
    assert written({"k": Offers(MATRIX)}) == written({"k": OffersMemory(MATRIX)}) == expected
    assert written({"k": memoryview(MATRIX).tolist()}, "matrix") == expected


def test_tensors():
    torch = pytest.importorskip("torch")
    tensor = torch.from_numpy(MATRIX.copy())
    assert written({"k": tensor}) == written({"k": MATRIX})
    assert written({"k": tensor.t()}) == written({"k": MATRIX.T})
    assert written({"k": tensor.half()}) == written({"k": MATRIX.astype(np.float16)})
    assert written({"k": tensor.clone().requires_grad_()}) == written({"k": MATRIX})
    assert written({"k": torch.tensor([1, 2, 3])}) == written({"k": [1, 2, 3]})


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", ">i2", "u2", "<i4", ">i4", "u4", "<i8", ">i8", "u8"])
def test_integers_of_any_width(dtype):
    assert written({"k": np.array([1, 2, 100], dtype)}) == written({"k": [1, 2, 100]})
    assert written({"k": np.array([1, 9, 2, 9], dtype)[::2]}) == written({"k": [1, 2]})


@pytest.mark.parametrize(
    "value, kind",
    [
        ([1, 2**31], None),
        (np.array([2**31]), None),
        (np.array([2**63], np.uint64), None),
        (np.array([-(2**31) - 1]), None),
        (2**31, None),
        (10**30, None),
        ([[1], [2**40]], None),
        ([(1, 2**31)], "int32-pairs"),
        ([[(2**31, 1.0)]], None),
        ((8000, np.array([40000])), None),
    ],
)
def test_numbers_beyond_int32_are_an_overflow(value, kind):
    writer = kt.create(io.BytesIO(), kind)
    with pytest.raises(OverflowError, match="^utt1: "):
        writer["utt1"] = value
    writer.discard()


def test_numbers_of_numpy_are_numbers():
    assert written({"k": np.int64(5)}) == written({"k": 5})
    assert written({"k": np.float32(0.5)}) == written({"k": np.float64(0.5)}) == written({"k": 0.5})
    assert written({"k": np.bool_(True)}) == written({"k": True})
    assert written({"k": 3}, "double") == b"k \0B\x08" + np.float64(3).tobytes()
    assert written({"k": range(3)}) == written({"k": (0, 1, 2)}) == written({"k": [0, 1, 2]})


WRONG = [
    ("matrix", [1, 2]),
    ("matrix", "word"),
    ("vector", MATRIX),
    ("int32-vector", [1.5]),
    ("int32-vector", np.array([1.5])),
    ("int32", 1.5),
    ("int32", True),
    ("float", "1"),
    ("bool", 1),
    ("token", 5),
    ("token-vector", [1, 2]),
    ("posterior", [1, 2]),
    ("gauss-post", "x"),
    ("wave", MATRIX),
    ("bytes", "x"),
    ("int32-pairs", [(1, 2.5)]),
]


@pytest.mark.parametrize("kind, value", WRONG)
def test_another_type_is_a_type_error_with_the_key(kind, value):
    with kt.create(io.BytesIO(), kind) as writer, pytest.raises((TypeError, ValueError), match="^utt1: "):
        writer["utt1"] = value


def test_another_type_later_leaves_the_writer_usable():
    target = io.BytesIO()
    with kt.create(target) as writer:
        writer["a"] = MATRIX
        for other in (VECTOR, [1, 2], "x", 1, 2.5, MATRIX.astype(int), object(), {"a": 1}, None, 1j):
            with pytest.raises(TypeError, match="^utt1: "):
                writer["utt1"] = other
        writer["b"] = MATRIX
    assert target.getvalue() == written({"a": MATRIX, "b": MATRIX})


@pytest.mark.parametrize("empty", [[], (), [[]], [[], []]])
def test_an_empty_list_needs_a_type(empty):
    with kt.create(io.BytesIO()) as writer, pytest.raises(TypeError, match="pass one: type="):
        writer["k"] = empty
    if empty in ([], ()):
        for kind in ("int32-vector", "int32-vector-vector", "vector", "matrix", "token-vector", "posterior", "int32-pairs"):
            assert written({"k": empty}, kind)
    with kt.create(io.BytesIO()) as writer:
        writer["a"] = [1, 2]
        if empty in ([], ()):
            writer["b"] = empty


@pytest.mark.parametrize("key", ["", "a b", "a\n", "\t", " ", "a\0"])
def test_a_key_is_a_word(key):
    with kt.create(io.BytesIO()) as writer:
        with pytest.raises(ValueError):
            writer[key] = VECTOR
        writer["k"] = VECTOR


@pytest.mark.parametrize("key", [1, None, b"k", ("k",)])
def test_a_key_is_a_str(key):
    with kt.create(io.BytesIO()) as writer, pytest.raises(TypeError, match="expected a str as key"):
        writer[key] = VECTOR


def test_keys_of_any_bytes(tmp_path):
    with kt.create(tmp_path / "a.ark") as writer:
        writer["schön"] = "x"
        writer["\udcff\udc80".replace("\udcff", "é")] = "y"
    assert (tmp_path / "a.ark").read_bytes() == "schön x\n".encode() + "é".encode() + b"\x80 y\n"


@pytest.mark.parametrize("word", ["", "two words", "line\n"])
def test_a_token_is_a_word(word):
    with kt.create(io.BytesIO()) as writer, pytest.raises(ValueError, match="^k: .*token"):
        writer["k"] = word


def test_bytes_are_written_as_they_are():
    assert written({"a": b"\0BFV \x04\0\0\0\0", "b": b"x\n"}) == b"a \0BFV \x04\0\0\0\0b x\n"
    assert written({"b": b"x\n"}, bytes) == written({"b": b"x\n"}, "bytes") == b"b x\n"


# Sound


def wave_file(rate, samples):
    import wave

    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())
    return target.getvalue()


@pytest.mark.parametrize("shape", [(5,), (5, 1), (5, 2), (4, 3)])
def test_sound(shape):
    samples = (np.arange(np.prod(shape)) * 977 % 65536 - 32768).astype(np.int16).reshape(shape)
    expected = b"k " + wave_file(16000, samples)
    for value in (kt.Wave(16000, samples), (16000, samples), (16000.0, samples.astype(np.float64)), (16000, samples.astype(int))):
        assert written({"k": value}) == expected
        assert written({"k": value}, "wave") == expected


def test_sound_the_wrong_way_round_is_refused():
    samples = np.ones(5, np.int16)
    with kt.create(io.BytesIO(), "wave") as writer:
        with pytest.raises(TypeError, match="the sampling rate in Hz comes first"):
            writer["k"] = (samples, 8000)
        for value in ((0, samples), (-8000, samples), (8000, samples[:0]), (8000, np.zeros((3, 0)))):
            with pytest.raises(ValueError):
                writer["k"] = value


def test_sound_between_minus_one_and_one_is_doubtful():
    with pytest.warns(UserWarning, match="32768"):
        written({"k": (8000, np.linspace(-1, 1, 9))})


def test_sound_has_no_text(tmp_path):
    with pytest.raises(kt.SpecifierError, match="no text form"):
        kt.create(f"ark,t:{tmp_path}/a.ark", "wave")
    with pytest.raises(kt.SpecifierError, match="no text form"), kt.create(f"ark,t:{tmp_path}/a.ark") as writer:
        writer["k"] = (8000, np.ones(5, np.int16))
    assert os.listdir(tmp_path) == []


def test_clipped_sound_is_logged(caplog):
    written({"k": (8000, np.array([1e6, 2.0]))})
    assert "k: clipped 1 samples" in caplog.text


# Classes


def test_posteriors():
    post = kt.Posterior([[(3, 1.0)], [], [(4, 0.25), (5, 0.75)]])
    assert post == kt.Posterior.from_arrays(post.offsets, post.ids, post.weights) == pickle.loads(pickle.dumps(post))
    assert post != kt.Posterior([]) and post != [] and repr(post) == f"Posterior({post.tolist()})"
    assert (post.offsets.dtype, post.ids.dtype, post.weights.dtype) == (np.int64, np.int32, np.float32)
    assert post[-1] == post[2] == [(4, 0.25), (5, 0.75)] and post[:2] == [[(3, 1.0)], []] and list(post) == post.tolist()
    with pytest.raises(IndexError):
        post[3]
    with pytest.raises(OverflowError):
        kt.Posterior([[(2**31, 1.0)]])
    for bad in ([0, 2], [1, 1], [0, 2, 1], []):
        with pytest.raises(ValueError):
            kt.Posterior.from_arrays(bad, [1], [1.0])
    assert written({"k": post}) == written({"k": post.tolist()})


LATTICE = "\n0 1 8 1.5,2,3_4\n0 1 9 1,3,3_4\n1 2 5 0,0.5,5\n2 0.25,1,7\n\n"


def lattices(tmp_path, text=LATTICE):
    path = tmp_path / "lat.txt"
    path.write_text(f"utt {text}")
    return path


def test_lattices(tmp_path):
    ((key, lattice),) = kt.open(lattices(tmp_path))
    assert key == "utt" and lattice.type == "compact-lattice" and lattice.start == 0
    assert (lattice.num_states, lattice.num_arcs) == (3, 3) and repr(lattice) == "<Lattice of 3 states, 3 arcs (compact-lattice)>"
    assert lattice.sources.tolist() == [0, 0, 1] and lattice.targets.tolist() == [1, 1, 2]
    assert lattice.outputs.tolist() == lattice.inputs.tolist() == [8, 9, 5]
    assert lattice.graph_costs.tolist() == [1.5, 1, 0] and lattice.acoustic_costs.tolist() == [2, 3, 0.5]
    assert lattice.final_graph_costs.tolist() == [np.inf, np.inf, 0.25]
    assert lattice.offsets.tolist() == [0, 2, 4, 5, 5, 5, 6] and lattice.ids.tolist() == [3, 4, 3, 4, 5, 7]
    assert pickle.loads(pickle.dumps(lattice)) == lattice == kt.Lattice.from_arrays(*lattice._parts())
    path = lattice.best_path()
    assert path.words.tolist() == [8, 5] and path.alignment.tolist() == [3, 4, 5, 7]
    assert (path.graph_cost, path.acoustic_cost) == (1.75, 3.5)
    assert lattice.best_path(acoustic_scale=0.0).words.tolist() == [9, 5]
    words = lattice.to_ctm(frame_shift=0.5)
    best = 1 / (1 + np.exp(-0.5))
    assert words[0] == pytest.approx((0, 1, 8, best), abs=1e-5) and words[1] == pytest.approx((1, 0.5, 5, 1), abs=1e-5)
    assert kt.Lattice.to_ctm(lattice, mbr=False)[0].word == 8
    # Changed costs are written back.
    lattice.acoustic_costs *= 2
    kt.save_ark(tmp_path / "changed.ark", {"utt": lattice})
    ((_, changed),) = kt.open(tmp_path / "changed.ark", "compact-lattice")
    assert changed == lattice and changed.acoustic_costs.tolist() == [4, 6, 1]
    assert kt.shapes(tmp_path / "changed.ark") == {"utt": (3, 3)}
    # As a plain lattice, the same words and costs.
    ((_, plain),) = kt.open(tmp_path / "changed.ark", "lattice")
    assert plain.type == "lattice" and plain.best_path().words.tolist() == lattice.best_path().words.tolist()
    assert len(plain.ids) == 0 and plain.inputs.tolist()[0] == 3


def test_graphs(tmp_path):
    ((_, graph),) = kt.open(lattices(tmp_path, "\n0 1 3 8 1.5\n1 0.5\n\n"))
    assert graph.type == "fst" and graph.graph_costs.tolist() == [1.5] and graph.acoustic_costs.tolist() == []
    with pytest.raises(TypeError, match="expected a lattice, got an fst"):
        graph.best_path()
    kt.save_ark(tmp_path / "g.ark", {"utt": graph})
    assert dict(kt.open(tmp_path / "g.ark")) == {"utt": graph}


def test_lattices_that_make_no_sense(tmp_path):
    ((_, lattice),) = kt.open(lattices(tmp_path))
    lattice.targets[0] = 7
    with pytest.raises(ValueError, match="expected states below 3, got 7"):
        kt.save_ark(tmp_path / "x.ark", {"utt": lattice})
    lattice.targets = [1, 1, 2]
    with pytest.raises(TypeError, match="expected targets to be an array of int32"):
        lattice.best_path()
    ((_, cyclic),) = kt.open(lattices(tmp_path, "\n0 1 8 1,2,3\n1 0 9 1,2,3\n1\n\n"))
    with pytest.raises(kt.DataError, match="cycle"):
        cyclic.to_ctm()
    with pytest.raises(ValueError):
        kt.Lattice("graph", 0, [], [], [], [], [], [])
    with kt.create(f"ark:{tmp_path / 'x.ark'}", type="lattice") as out:
        with pytest.raises(TypeError, match="expected a Lattice of the type lattice"):
            out["utt"] = lattice


def test_sparse_matrices():
    matrix = kt.SparseMatrix((2, 4), [0, 1, 3], [3, 0, 2], [0.5, 1.0, 2.0])
    assert pickle.loads(pickle.dumps(matrix)) == matrix == kt.SparseMatrix.from_array(matrix.toarray())
    assert np.asarray(matrix).tolist() == [[0, 0, 0, 0.5], [1, 0, 2, 0]]
    for bad in (((2, 3), [0, 1, 3], [3, 0, 2], [1, 1, 1]), ((3, 4), [0, 1, 3], [3, 0, 2], [1, 1, 1]), ((2, 4), [0, 1, 3], [0], [1])):
        with pytest.raises(ValueError):
            kt.SparseMatrix(*bad)
    assert written({"k": matrix}, compression=3) == written({"k": matrix.toarray()}, compression=3)


def test_waves():
    wave = kt.Wave(8000, np.arange(4, dtype=np.int16))
    assert pickle.loads(pickle.dumps(wave)) == wave == (8000, [0, 1, 2, 3]) and wave != kt.Wave(8001, wave.array)
    rate, samples = wave
    assert (rate, samples.shape) == (8000, (4,))
