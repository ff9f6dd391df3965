"""Reads a file of values that are no single array, looks whether it has what the table has, and writes the same again.

usage: other_types.py TYPE OURS THEIRS
"""

import json
import sys
import wave

import numpy
import pyarrow
import pyarrow.parquet
import safetensors.numpy

PARTS = {
    "posterior": ("lengths", "index", "weight"),
    "int32-vector-vector": ("lengths", "values"),
    "wave": ("rate", "channels", "samples"),
}


def lines(name):
    with open(name, encoding="utf-8") as file:
        return {key: rest.split() for key, *more in (line.split(maxsplit=1) for line in file) for rest in ["".join(more)]}


def lists(words, start, end):
    """Lists of the words between two words."""
    text = " ".join(words)
    found = text.split(end)[:-1]
    return [part.replace(start, "").split() for part in found]


def sound(name):
    with wave.open(name) as file:
        samples = numpy.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        return numpy.int32(file.getframerate()), numpy.int32(file.getnchannels()), samples


def table(name):
    """What the table has: for each key an array, words, or a tuple of arrays."""
    if name == "wave":
        return {"a": sound("mono.wav"), "b": sound("stereo.wav")}
    values = lines(name)
    if name == "token":
        return {key: value[0] for key, value in values.items()}
    if name == "token-vector":
        return values
    if name == "float":
        return {key: numpy.float32(value[0]) for key, value in values.items()}
    if name == "bool":
        return {key: numpy.bool_(value[0] == "T") for key, value in values.items()}
    start, end = ("[", "]") if name == "posterior" else ("!", ";")
    result = {}
    for key, value in values.items():
        rows = lists(value, start, end)
        flat = [word for row in rows for word in row]
        if name == "posterior":
            lengths = numpy.array([len(row) // 2 for row in rows], dtype="i4")
            result[key] = (lengths, numpy.array(flat[::2], dtype="i4"), numpy.array(flat[1::2], dtype="f4"))
        else:
            lengths = numpy.array([len(row) for row in rows], dtype="i4")
            result[key] = (lengths, numpy.array(flat, dtype="i4"))
    return result


def arrays(values, parts):
    if not parts:
        return {key: numpy.asarray(value) for key, value in values.items()}
    return {f"{key}.{part}": numpy.asarray(array) for key, value in values.items() for part, array in zip(parts, value)}


def columns(values, parts):
    first = next(iter(values.values()))
    if parts:
        return {part: [value[number].tolist() for value in values.values()] for number, part in enumerate(parts)}
    plain = [value.item() if isinstance(value, numpy.generic) else value for value in values.values()]
    return {"values" if isinstance(first, list) else "value": plain}


def same(found, expected):
    assert set(found) == set(expected), (set(found), set(expected))
    for key, array in expected.items():
        other = numpy.asarray(found[key])
        assert (other.dtype, other.shape) == (array.dtype, array.shape), (key, other, array)
        assert other.tobytes() == array.tobytes(), (key, other, array)


name, ours, theirs = sys.argv[1:]
values, parts = table(name), PARTS.get(name, ())
if ours.endswith(".npz"):
    with numpy.load(ours) as found:
        same(found, arrays(values, parts))
    numpy.savez(theirs, **arrays(values, parts))
elif ours.endswith(".safetensors"):
    same(safetensors.numpy.load_file(ours), arrays(values, parts))
    safetensors.numpy.save_file(arrays(values, parts), theirs)
elif ours.endswith(".parquet"):
    found = pyarrow.parquet.read_table(ours)
    expected = columns(values, parts)
    assert found.column_names == ["key", *expected], found.column_names
    assert found.to_pydict() == {"key": list(values), **expected}, found.to_pydict()
    pyarrow.parquet.write_table(found.replace_schema_metadata(None), theirs)
else:
    with open(ours, encoding="utf-8") as file, open(theirs, "w", encoding="utf-8") as out:
        found = [json.loads(line) for line in file]
        expected = next(iter(columns(values, parts).values()))
        for entry, (key, value) in zip(found, zip(values, expected), strict=True):
            got = numpy.float32(entry["value"]).item() if name == "float" else entry["value"]
            assert (entry["key"], got) == (key, value), (entry, key, value)
            json.dump({"key": key, "value": value}, out)
            out.write("\n")
print("the same")
