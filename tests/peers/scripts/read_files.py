"""Reads one table from its files of every format, and looks whether all have the same numbers.

usage: read_files.py TABLE FLOAT16_TABLE | --others
"""

import csv
import json
import sys

import kaldiio
import numpy
import pyarrow.parquet
import safetensors.numpy


def same(ours, theirs):
    assert list(ours) == list(theirs), (list(ours), list(theirs))
    for key in ours:
        a, b = numpy.asarray(ours[key]), numpy.asarray(theirs[key])
        assert a.dtype == b.dtype and a.shape == b.shape, (key, a.dtype, b.dtype, a.shape, b.shape)
        assert a.tobytes() == b.tobytes(), key


def parquet(name, dimensions):
    arrays = {}
    table = pyarrow.parquet.read_table(name)
    dtype = table.schema.field("values").type.value_type.to_pandas_dtype()
    for row in table.to_pylist():
        values = numpy.array(row["values"], dtype=dtype)
        assert len(values) == row["rows"] * row["columns"]
        arrays[row["key"]] = values.reshape(row["rows"], row["columns"]) if dimensions == 2 else values
    return arrays


def jsonl(name, archive):
    arrays = {}
    for line in open(name):
        entry = json.loads(line)
        like = archive[entry["key"]]
        arrays[entry["key"]] = numpy.array(entry["value"], dtype=like.dtype).reshape(like.shape)
    return arrays


def table(name, half):
    archive = dict(kaldiio.load_ark(f"{name}.ark"))
    if name == "i":
        archive = {key: numpy.asarray(value, dtype=numpy.int32) for key, value in archive.items()}
    dimensions = next(iter(archive.values())).ndim
    as_half = archive if name == "i" else {key: value.astype(numpy.float16) for key, value in archive.items()}
    for files, expected in ((name, archive), (half, as_half)):
        with numpy.load(f"{files}.npz") as arrays:
            same(expected, {key: arrays[key] for key in arrays})
        loaded = safetensors.numpy.load_file(f"{files}.safetensors")
        same(expected, {key: loaded[key] for key in expected})
        same(expected, parquet(f"{files}.parquet", dimensions))
    same(archive, jsonl(f"{name}.jsonl", archive))


def others():
    matrices = [value for _, value in kaldiio.load_ark("m.ark") if len(value)]
    same({"": numpy.concatenate(matrices)}, {"": numpy.load("stack.npy")})
    vectors = dict(kaldiio.load_ark("v.ark"))
    same({"": numpy.stack(list(vectors.values()))}, {"": numpy.load("vectors.npy", mmap_mode="r")})
    same(vectors, {key: numpy.load(f"folder/{key}.npy") for key in vectors})
    rows = [numpy.array(row[1:], dtype=numpy.float32) for row in csv.reader(open("m.csv"))]
    same({"": numpy.concatenate(matrices)}, {"": numpy.stack(rows)})
    ints = {row[0]: numpy.array(row[1:], dtype=numpy.int32) for row in csv.reader(open("i.tsv"), delimiter="\t")}
    same({key: numpy.asarray(value, dtype=numpy.int32) for key, value in kaldiio.load_ark("i.ark")}, ints)


if sys.argv[1] == "--others":
    others()
else:
    table(*sys.argv[1:])
print("the same")
