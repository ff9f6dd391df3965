"""The little of torch that the recipes use, where torch is not installed: arrays instead of tensors, and one process."""

import numpy as np

from . import distributed, utils
from .utils import data

__all__ = ["data", "distributed", "from_numpy", "int64", "tensor", "utils"]

int64 = np.int64


class tensor(np.ndarray):
    def __new__(cls, value, dtype=None):
        return np.asarray(value, dtype).view(cls)

    def share_memory_(self):
        return self

    def fill_(self, value):
        self.fill(value)


def from_numpy(array):
    return array.view(tensor)
