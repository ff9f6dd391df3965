"""Blends random weights with megatron_core; prints what ours is to be called with: number, weights, size.

usage: blend.py SEED COUNT
"""

import os
import random
import sys

import numpy

from load_megatron import load

_, helpers, _ = load()

from megatron.core.datasets.utils import normalize  # noqa: E402, after the loader

rng = random.Random(int(sys.argv[1]))
for number in range(int(sys.argv[2])):
    count = rng.choice([1, 2, 3, 7, 8, 9, 40, 200])
    weights = [rng.choice([rng.random(), float(rng.randint(1, 3))]) for _ in range(count)]
    size = rng.choice([0, 1, rng.randint(1, 2000)])
    datasets, samples = numpy.zeros(size, dtype=numpy.int16), numpy.zeros(size, dtype=numpy.int64)
    helpers.build_blending_indices(datasets, samples, numpy.array(normalize(weights)), count, size, False)
    os.makedirs(f"blend-{number}")
    numpy.save(f"blend-{number}/dataset_index.npy", datasets)
    numpy.save(f"blend-{number}/dataset_sample_index.npy", samples)
    print(number, ",".join(map(repr, weights)), size, sep="\t")
