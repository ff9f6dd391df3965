"""Builds the sample indices of one epoch of a dataset with megatron_core, as a training does.

usage: build_samples.py PREFIX OUT
"""

import sys

import numpy

from load_megatron import load

indexed_dataset, helpers, gpt_dataset = load()

dataset = indexed_dataset.IndexedDataset(sys.argv[1])
sizes = dataset.sequence_lengths.copy()
state = numpy.random.RandomState(1234)
documents = gpt_dataset._build_document_index(numpy.arange(len(sizes), dtype=numpy.int32), 1, state, False)
rows = helpers.build_sample_idx(sizes, documents, 2048, 1, int(sizes.sum(dtype=numpy.int64)), True, True)
order = gpt_dataset._build_shuffle_index(rows.shape[0] - 1, rows.shape[0] - 1, state)
with open(sys.argv[2], "wb") as file:
    for array in [documents, rows, order]:
        numpy.save(file, array)
