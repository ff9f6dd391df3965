"""Every error that the module finds is a `kt.Error`, and the exception that Python has for it, too."""

from __future__ import annotations

import ast
import io
import pathlib
import os
import pickle
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import tool_runs

import kaldi_tables as kt

SOURCES = pathlib.Path(kt.__file__).parent

# What Python asks for: the end of a sequence, an attribute that is not there, a method of a base class.
OF_PYTHON = {"AttributeError", "IndexError", "NotImplementedError", "StopIteration"}


def test_sources_raise_errors_of_the_module_only():
    raised = []
    for path in SOURCES.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
                raised.append((path.name, node.lineno, node.exc.func.id))
    assert len(raised) > 50
    wrong = [
        place
        for place in raised
        if place[2] not in OF_PYTHON and not issubclass(getattr(kt._errors, place[2], object), kt.Error)
    ]
    assert not wrong


def test_the_core_raises_errors_of_the_module_only():
    # What is like kaldiio raises what kaldiio does.
    sources = [path for path in (tool_runs.ROOT / "python" / "src").rglob("*.rs") if path.name != "kaldiio.rs"]
    assert len(sources) > 20
    found = [path for path in sources if re.search("Py(Value|Type|Overflow|Runtime|OS)Error::new_err", path.read_text())]
    assert not found


def test_values_have_the_type_that_is_named(tmp_path):
    pytest.importorskip("mypy")
    lines = {
        "next(iter(kt.open('x', 'wave')))[1].rate": "int",
        "kt.lookup('x', 'token-vector')['a']": "list[str]",
        "kt.lookup('x', 'int32-vector')['a']": "ndarray[tuple[Any, ...], dtype[signedinteger[_32Bit]]]",
        "next(iter(kt.open('x', 'posterior').shuffle(3)))": "tuple[str, Posterior]",
        "kt.load_scp('x')['a']": "Any",
    }
    script = tmp_path / "script.py"
    script.write_text("import kaldi_tables as kt\n" + "".join(f"reveal_type({line})\n" for line in lines))
    is_installed = "site-packages" in SOURCES.parts
    paths = {} if is_installed else {"MYPYPATH": str(SOURCES.parent)}
    command = [sys.executable, "-m", "mypy", f"--cache-dir={tmp_path}", str(script)]
    shown = subprocess.run(command, env={**os.environ, **paths}, capture_output=True, text=True).stdout
    revealed = [re.sub(r"(\w+\.)+", "", text) for text in re.findall('Revealed type is "(.*)"', shown)]
    assert [text.replace("builtins.", "") for text in revealed] == list(lines.values()), shown


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda: kt.open("scp:missing.scp"), OSError),
        (lambda: kt.open(""), ValueError),
        (lambda: kt.open(3), TypeError),
        (lambda: kt.open("ark:echo a 1 |", "no-type"), ValueError),
        (lambda: kt.open("ark:echo a 1 |", dtype="int8"), ValueError),
        (lambda: kt.open("ark:echo a 1 |", "int32").batched(0), ValueError),
        (lambda: kt.set_num_threads(0), ValueError),
        (lambda: kt.create(io.BytesIO(), "int32").write("a", 2**40), OverflowError),
        (lambda: kt.create(io.BytesIO()).write("a", object()), TypeError),
        (lambda: kt.create(io.BytesIO()).write("a b", 1), ValueError),
        (lambda: kt.create(io.BytesIO()).write(1, 1), TypeError),
        (lambda: kt.create(io.BytesIO(), compression="no-method"), ValueError),
        (lambda: kt.Posterior([[(1, 2, 3)]]), ValueError),
        (lambda: kt.SparseMatrix((2, 2), [0, 1], [0], [1.0]), ValueError),
        (lambda: kt.feats.fbank(np.zeros(800), 0), ValueError),
        (lambda: kt.feats.fbank(np.zeros(800), 16000, num_mel_bins=-1), ValueError),
        (lambda: kt.feats.fbank(np.zeros(800), 16000, no_option=1), TypeError),
        (lambda: kt.feats.splice(np.zeros(3)), ValueError),
        (lambda: kt.tools.run("no-tool"), OSError),
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_wrong_arguments(call, kind):
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, kt.Error), type(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))


def test_a_key_is_written_once(tmp_path):
    with kt.create(f"ark,scp:{tmp_path}/x.ark,{tmp_path}/x.scp") as out:
        out["a"] = 1
        with pytest.raises(kt.DataError, match="a: the key was written before") as caught:
            out["a"] = 2
        assert caught.value.key == "a"
        with pytest.raises(kt.DataError):
            out.write_many([("b", 3), ("b", 4)])
        # A value that was refused was not written.
        with pytest.raises(TypeError):
            out["c"] = "word"
        out["c"] = 5
    assert dict(kt.load_scp(tmp_path / "x.scp")) == {"a": 1, "b": 3, "c": 5}


def test_masked_elements_are_refused():
    masked = np.ma.masked_invalid(np.array([[1.0, np.nan], [2.0, 3.0]], np.float32))
    with kt.create(io.BytesIO()) as out:
        with pytest.raises(kt.ArgumentError, match="a: some elements are masked"):
            out["a"] = masked
        out["a"] = masked.filled(0)
        out["b"] = np.ma.array(np.ones((2, 2), np.float32))
    for call in (kt.feats.add_deltas, lambda array: kt.feats.fbank(array[:, 1], 16000)):
        with pytest.raises(kt.ArgumentError, match="masked"):
            call(masked)
    assert kt.feats.add_deltas(np.ma.array(np.ones((2, 2)))).shape == (2, 6)


def test_samples_of_other_libraries_come_with_channels_first():
    samples = (10000 * np.sin(np.arange(16000) / 10)).astype(np.float32)
    expected = kt.feats.fbank(samples, 16000, dither=0)
    assert expected.shape == (98, 23)
    for one in (samples[None], samples[:, None], kt.Wave(16000, samples[:, None])):
        assert np.array_equal(kt.feats.fbank(one, 16000, dither=0), expected)
    with pytest.raises(kt.ArgumentError, match=r"expected samples as \(n,\) or \(n, channels\), got an array of \(2, 16000\)"):
        kt.feats.mfcc(np.stack([samples, samples]), 16000)
    with pytest.raises(kt.ArgumentError, match="transpose"):
        kt.create(io.BytesIO()).write("a", kt.Wave(16000, samples[None]))


def test_empty_samples_of_any_shape_have_no_frames():
    for empty in (np.zeros(0), np.zeros((1, 0)), np.zeros((0, 1)), kt.Wave(16000, np.zeros((0, 2)))):
        assert kt.feats.spectrogram(empty, 16000, channel=0).shape == (0, 257)
        assert kt.feats.fbank(empty, 16000, channel=0).shape == (0, 23)
    with pytest.raises(kt.ArgumentError, match="1 channel or more"):
        kt.feats.fbank(np.zeros((5, 0)), 16000)


@pytest.mark.parametrize("command", ["yes |", "echo '[ 1 2 ]'; exec sleep 100 |", "exec sleep 100 |"])
def test_a_command_can_be_interrupted(command):
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    start = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises((KeyboardInterrupt, kt.DataError)):
            kt.load_mat(command)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 8


def test_names_are_those_that_are_meant():
    assert not {"os", "typing", "Any", "annotations"} & set(dir(kt))
    assert set(kt.__all__) <= set(dir(kt))
    for module in (kt.feats, kt.shards, kt.tokens, kt.tools, kt.feed):
        assert set(dir(module)) == set(module.__all__), module


def test_readers_say_what_they_are():
    words = kt.open("ark:echo a 1 |", "int32")
    text = repr(words.shuffle(10, seed=3).batch(2))
    assert text == (
        "<Batched of <Shuffled of <Reader of 'ark:echo a 1 |'>, buffer=10, seed=3, epoch=0, initial=0>, size=2, drop_last=False>"
    )


def test_a_wave_plays_in_a_notebook():
    import base64
    import re

    samples = np.array([[0, 1], [-40000, 40000]], np.float32)
    page = kt.Wave(8000, samples)._repr_html_()
    assert "2 channels" in page and page.startswith("<div>0.00 s, 8000 Hz")
    sound = base64.b64decode(re.search("base64,([^\"]*)", page).group(1))
    # The tools read it as they write it.
    with kt.create(target := io.BytesIO()) as out:
        out["a"] = kt.Wave(8000, samples)
    assert target.getvalue() == b"a " + sound
    assert len(kt.Wave(8000, np.zeros(8000 * 600, np.int16))._repr_html_()) < 3_000_000
