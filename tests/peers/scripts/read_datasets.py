"""Reads datasets with megatron_core and compares every sequence with those of archives of vectors of vectors.

usage: read_datasets.py PREFIX=ARCHIVE ...
"""

import sys

from load_megatron import load

indexed_dataset, _, _ = load()

for pair in sys.argv[1:]:
    prefix, archive = pair.split("=")
    dataset = indexed_dataset.IndexedDataset(prefix)
    number, bounds = 0, [0]
    with open(archive) as file:
        for line in file:
            for sequence in line.split(" ", 1)[1].split(";")[:-1]:
                wanted = [int(token) for token in sequence.split()]
                assert dataset[number].tolist() == wanted, f"{prefix}: sequence {number}"
                assert dataset.get(number, len(wanted) // 2).tolist() == wanted[len(wanted) // 2 :]
                number += 1
            bounds.append(number)
    assert len(dataset) == number
    assert dataset.document_indices.tolist() == bounds
print(len(sys.argv) - 1)
