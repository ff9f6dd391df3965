"""Compares statistics of a table with those that NumPy computes.

usage: statistics.py TABLE
"""

import json
import sys

import kaldiio
import numpy

name = sys.argv[1]
table = {key: numpy.atleast_2d(numpy.asarray(value)) for key, value in kaldiio.load_ark(f"{name}.ark")}


def near(ours, theirs, tolerance=1e-9):
    assert abs(ours - theirs) <= tolerance * max(abs(ours), abs(theirs)) + 1e-40, (ours, theirs)


def compare(found, values):
    values = values.astype(numpy.float64).ravel()
    finite = values[numpy.isfinite(values)]
    assert found["count"] == finite.size
    assert found["nan"] == numpy.isnan(values).sum() and found["inf"] == numpy.isinf(values).sum()
    assert found["min"] == finite.min() and found["max"] == finite.max()
    near(found["mean"], finite.mean(), 1e-6)
    near(found["stddev"], finite.std(), 1e-6)
    ordered = numpy.sort(finite)
    for fraction, value in found["quantiles"].items():
        place = float(fraction) * (ordered.size - 1)
        low, high = ordered[int(numpy.floor(place))], ordered[int(numpy.ceil(place))]
        assert low - abs(low) / 128 - 1e-40 <= value <= high + abs(high) / 128 + 1e-40, (fraction, value, low, high)


def groups(by):
    return {line["group"]: line for line in map(json.loads, open(f"{name}.{by}"))}


rows = numpy.concatenate(list(table.values()))
compare(groups("table")[""], rows)
columns = groups("column")
assert list(columns) == [str(column) for column in range(rows.shape[1])]
for column, found in columns.items():
    compare(found, rows[:, int(column)])
keys = groups("key")
assert list(keys) == list(table)
for key, found in keys.items():
    compare(found, table[key])
speakers = groups("speaker")
assert sorted(speakers) == sorted({key[:2] for key in table})
for speaker, found in speakers.items():
    compare(found, numpy.concatenate([value for key, value in table.items() if key.startswith(speaker)]))
print("the same")
