"""Imports the data code of megatron_core without torch, which it needs for names of types and one base class only."""

import importlib
import importlib.util
import pathlib
import sys
import types


def load():
    """Returns the modules indexed_dataset, helpers and gpt_dataset as they are in the package."""
    # Without the packages' own __init__, which import everything.
    root = pathlib.Path(importlib.util.find_spec("megatron").submodule_search_locations[0])
    for name in ["megatron", "megatron.core", "megatron.core.datasets"]:
        package = types.ModuleType(name)
        package.__path__ = [str(root.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package

    torch = types.ModuleType("torch")
    torch.Tensor = type("Tensor", (), {})
    torch.dtype = type("dtype", (), {})
    torch.utils = types.SimpleNamespace(data=types.SimpleNamespace(Dataset=object))
    torch.distributed = types.SimpleNamespace(is_initialized=lambda: False)
    sys.modules["torch"] = torch

    utils = types.ModuleType("megatron.core.utils")
    utils.log_single_rank = lambda *arguments, **options: None
    sys.modules["megatron.core.utils"] = utils
    tokenizers = types.ModuleType("megatron.core.tokenizers")
    tokenizers.MegatronTokenizerBase = type("MegatronTokenizerBase", (), {})
    sys.modules["megatron.core.tokenizers"] = tokenizers

    names = ["indexed_dataset", "helpers", "gpt_dataset"]
    return [importlib.import_module(f"megatron.core.datasets.{name}") for name in names]


class Item:
    """What a builder takes for a tensor."""

    def __init__(self, array):
        self.array = array

    def numpy(self):
        return self.array
