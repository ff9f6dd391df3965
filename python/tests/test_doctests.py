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
    found = doctest.DocTestFinder(recurse=not inspect.ismodule(thing)).find(thing, name, module=False)
    return [test for test in found if test.examples]


@pytest.mark.parametrize("name", [name for name, thing in [*modules(), *PUBLIC.items()] if examples(name, thing)])
def test_examples_print_what_they_show(name, tmp_path, monkeypatch):
    (tmp_path / "samples").symlink_to(WORKSPACE / "samples")
    monkeypatch.chdir(tmp_path)
    thing = {**dict(modules()), **PUBLIC}[name]
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    said = []
    for test in examples(name, thing):
        test.globs.update({**vars(inspect.getmodule(thing) or kt), "kt": kt, "np": np})
        runner.run(test, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


def test_every_public_function_is_in_an_example():
    functions = {name: thing for name, thing in PUBLIC.items() if inspect.isroutine(thing)}
    assert len(functions) > 10
    tests = [test for name, thing in [*modules(), *PUBLIC.items()] for test in examples(name, thing)]
    shown = "".join(example.source for test in tests for example in test.examples)
    # Those of kaldiio have its documentation.
    without = [name for name in functions if ".compat." not in name and f"{name.rsplit('.')[-1]}(" not in shown]
    assert not without, without
