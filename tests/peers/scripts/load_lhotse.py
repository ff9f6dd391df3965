"""Imports lhotse without torch, which its manifests need for names of types, base classes and decorators only."""

import importlib.abc
import importlib.machinery
import pathlib
import sys
import types


class Anything(type):
    """A class that has every attribute, and leaves what it decorates as it is."""

    def __new__(cls, name, bases=(), names=()):
        return super().__new__(cls, name, bases, dict(names))

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name)

    def __call__(cls, *arguments, **options):
        return arguments[0] if arguments and callable(arguments[0]) else cls


class Module(types.ModuleType):
    """A module that has every name."""

    __path__ = []
    __version__ = "0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name)


class Torch(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds torch and all of its modules."""

    def find_spec(self, name, path, target=None):
        is_torch = name.split(".")[0] == "torch"
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if is_torch else None

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module):
        pass


def load():
    """Returns the package."""
    sys.meta_path.insert(0, Torch())
    # A script of this folder has the name of a module that Python brings, which lhotse asks for.
    sys.path = [folder for folder in sys.path if folder != str(pathlib.Path(__file__).parent)]
    import lhotse
    import lhotse.kaldi

    return lhotse
