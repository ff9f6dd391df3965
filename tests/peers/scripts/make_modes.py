"""Writes the dataset of a test, with modes, by megatron_core.

usage: make_modes.py OUT
"""

import sys

import numpy

from load_megatron import Item, load

indexed_dataset, _, _ = load()

builder = indexed_dataset.IndexedDatasetBuilder(sys.argv[1] + ".bin", dtype=numpy.uint16, multimodal=True)
for sequences in [[([1, 2], 0), ([3], 1)], [], [([4, 5], -1)]]:
    for tokens, mode in sequences:
        builder.add_item(Item(numpy.array(tokens)), mode)
    builder.end_document()
builder.finalize(sys.argv[1] + ".idx")
