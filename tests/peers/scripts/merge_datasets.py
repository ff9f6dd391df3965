"""Merges datasets with megatron_core.

usage: merge_datasets.py DTYPE OUT PREFIX ...
"""

import sys

import numpy

from load_megatron import load

indexed_dataset, _, _ = load()

dtype, out, *prefixes = sys.argv[1:]
builder = indexed_dataset.IndexedDatasetBuilder(out + ".bin", dtype=numpy.dtype(dtype).type)
for prefix in prefixes:
    builder.add_index(prefix)
builder.finalize(out + ".idx")
