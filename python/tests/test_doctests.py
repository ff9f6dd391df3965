"""The examples in the documentation of functions and classes, of Python and of Rust."""

import doctest
import importlib
import inspect
import pathlib
import pkgutil

import kaldi_tables as kt
import numpy as np
import pytest

WORKSPACE = pathlib.Path(__file__).resolve().parents[2]


def modules():
    """The public modules that can be imported here."""
    yield "kaldi_tables", kt
    for found in pkgutil.walk_packages(kt.__path__, "kaldi_tables."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            try:
                yield found.name, importlib.import_module(found.name)
            except ImportError as missing:
                # Such as torch; a part of ours that is missing is a fault.
                assert missing.name and not missing.name.startswith("kaldi_tables"), missing


def public():
    """Every public function and class once, by its name."""
    found = {}
    for place, module in modules():
        names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
        for name in names:
            thing = getattr(module, name)
            ours = (getattr(thing, "__module__", None) or "").startswith("kaldi_tables")
            if callable(thing) and ours and not any(thing is other for other in found.values()):
                found[f"{place}.{name}"] = thing
    return found


PUBLIC = public()


def examples(name, thing):
    return [test for test in doctest.DocTestFinder(recurse=True).find(thing, name, module=False) if test.examples]


@pytest.mark.parametrize("name", PUBLIC)
def test_examples_print_what_they_show(name, tmp_path, monkeypatch):
    (tmp_path / "samples").symlink_to(WORKSPACE / "samples")
    monkeypatch.chdir(tmp_path)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    said = []
    for test in examples(name, PUBLIC[name]):
        module = inspect.getmodule(PUBLIC[name])
        test.globs.update({**vars(module or kt), "kt": kt, "kaldi_tables": kt, "np": np})
        runner.run(test, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


def test_every_public_function_has_an_example():
    functions = {name: thing for name, thing in PUBLIC.items() if inspect.isroutine(thing)}
    assert len(functions) > 10
    # Those of kaldiio have its documentation.
    without = [name for name, thing in functions.items() if ".compat." not in name and not examples(name, thing)]
    assert not without, without
