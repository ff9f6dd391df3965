"""Writes arrays of all types, orders and shapes, and the archives that they should become; prints pairs of names.

usage: write_files.py
"""

import json
import pickle

import kaldiio
import numpy
import pyarrow
import pyarrow.parquet
import safetensors.numpy

random = numpy.random.default_rng(1)
MATRICES = {"a": random.normal(size=(3, 4)), "b-2": random.normal(size=(1, 7)), "c": numpy.zeros((0, 0))}
VECTORS = {"a": random.normal(size=5), "b": numpy.array([numpy.inf, -numpy.inf, -0.0, 1e-45])}
INTS = {"a": numpy.array([1, -2, 100]), "b": numpy.array([7])}


def archive(name, arrays):
    with kaldiio.WriteHelper(f"ark:{name}.ark") as writer:
        for key, value in arrays.items():
            writer(key, value)
    return f"{name}.ark"


def typed(arrays, dtype):
    return {key: value.astype(dtype) for key, value in arrays.items()}


def say(file, expected):
    print(file, expected)


def arrays():
    for dtype, kept in (("f4", "f4"), ("f8", "f8"), ("f2", "f4"), (">f4", "f4"), (">f8", "f8")):
        name = dtype.replace(">", "big-")
        for kind, source in (("m", MATRICES), ("v", VECTORS)):
            values = typed(source, dtype)
            expected = archive(f"{kind}-{name}", typed(values, kept))
            numpy.savez(f"{kind}-{name}.npz", **values)
            numpy.savez_compressed(f"{kind}-{name}-small.npz", **values)
            say(f"{kind}-{name}.npz", expected)
            say(f"{kind}-{name}-small.npz", expected)
            if not dtype.startswith(">"):
                safetensors.numpy.save_file(values, f"{kind}-{name}.safetensors", metadata={"from": "numpy"})
                say(f"{kind}-{name}.safetensors", expected)
    for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4"):
        values = typed({"a": numpy.abs(INTS["a"]), "b": INTS["b"]}, dtype)
        name = f"i-{dtype.replace('>', 'big-')}"
        numpy.savez(f"{name}.npz", **values)
        say(f"{name}.npz", archive(name, typed(values, "i4")))
    safetensors.numpy.save_file(typed(INTS, "i8"), "i.safetensors")
    say("i.safetensors", archive("i", typed(INTS, "i4")))
    fortran = numpy.asfortranarray(MATRICES["a"].astype("f4"))
    numpy.save("fortran.npy", fortran)
    say("fortran.npy", archive("fortran", {"fortran": numpy.ascontiguousarray(fortran)}))


def tables():
    values = typed(MATRICES, "f4")
    full = {key: value for key, value in values.items() if value.size}
    expected, of_full = archive("p", values), archive("p-full", full)
    flat = pyarrow.table({
        "rows": pyarrow.array([value.shape[0] for value in values.values()], pyarrow.int64()),
        "key": list(values),
        "columns": pyarrow.array([value.shape[1] for value in values.values()], pyarrow.int32()),
        "values": pyarrow.array([value.ravel() for value in values.values()], pyarrow.list_(pyarrow.float32())),
        "more": ["x"] * len(values),
    })
    for name, options in (
        ("default", {}),
        ("plain", {"compression": "none", "use_dictionary": False}),
        ("groups", {"row_group_size": 1, "data_page_version": "2.0"}),
        ("zstd", {"compression": "zstd"}),
    ):
        pyarrow.parquet.write_table(flat, f"{name}.parquet", **options)
        say(f"{name}.parquet", expected)
    nested = pyarrow.array([value.tolist() for value in full.values()], pyarrow.list_(pyarrow.list_(pyarrow.float32())))
    pyarrow.parquet.write_table(pyarrow.table({"key": list(full), "values": nested}), "nested.parquet")
    say("nested.parquet", of_full)
    for dtype, kind, kept in (("f8", pyarrow.float64(), "f8"), ("f2", pyarrow.float16(), "f4"), ("f4", pyarrow.float32(), "f4")):
        vectors = typed(VECTORS, dtype)
        lists = pyarrow.array([value for value in vectors.values()], pyarrow.large_list(kind))
        pyarrow.parquet.write_table(pyarrow.table({"key": list(vectors), "values": lists}), f"vectors-{dtype}.parquet")
        say(f"vectors-{dtype}.parquet", archive(f"pv-{dtype}", typed(vectors, kept)))
    for kind in (pyarrow.int8(), pyarrow.int32(), pyarrow.int64()):
        lists = pyarrow.array([value.tolist() for value in INTS.values()], pyarrow.list_(kind))
        pyarrow.parquet.write_table(pyarrow.table({"key": list(INTS), "values": lists}), f"ints-{kind}.parquet")
        say(f"ints-{kind}.parquet", archive(f"pi-{kind}", typed(INTS, "i4")))


def texts():
    values = typed({key: value for key, value in MATRICES.items() if value.size}, "f4")
    with open("x.jsonl", "w") as file, open("x.csv", "w") as lines:
        for key, value in values.items():
            file.write(json.dumps({"key": key, "shape": value.shape, "value": value.tolist()}) + "\n")
            for row in value:
                lines.write(",".join([key, *map(repr, row.tolist())]) + "\n")
    expected = archive("x", values)
    say("x.jsonl", expected)
    say("x.csv", expected)


def refused():
    numpy.save("objects.npy", numpy.array([{}, []], dtype=object), allow_pickle=True)
    with open("pickle.npy", "wb") as file:
        pickle.dump([1.0], file)
    numpy.save("complex.npy", numpy.array([1j]))
    numpy.save("records.npy", numpy.zeros(2, dtype=[("a", "f4")]))
    numpy.savez("cube.npz", cube=numpy.zeros((1, 1, 1)))


arrays()
tables()
texts()
refused()
