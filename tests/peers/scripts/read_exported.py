"""Reads files of Parquet with sound: prints the columns and rows of the first, and compares sound of the second with files.

The library datasets loads the first one, too.

usage: read_exported.py FIRST SECOND SOUND ...
"""

import io
import json
import os
import sys

import pyarrow.parquet
import soundfile

first, second, *sounds = sys.argv[1:]
table = pyarrow.parquet.read_table(first)
print(*(f"{field.name}:{field.type}" for field in table.schema))
for row in table.to_pylist():
    audio = row.pop("audio")
    samples, _ = soundfile.read(io.BytesIO(audio["bytes"]))
    print(row.pop("id"), audio["path"], len(samples), *row.values())

kinds = {"string": "string", "double": "float64", "int64": "int64"}
features = json.loads(table.schema.metadata[b"huggingface"])["info"]["features"]
for field in table.schema:
    if field.name == "audio":
        expected = {"_type": "Audio"}
    elif str(field.type).startswith("list"):
        expected = {"feature": {"dtype": kinds[str(field.type.value_type)], "_type": "Value"}, "_type": "Sequence"}
    else:
        expected = {"dtype": kinds[str(field.type)], "_type": "Value"}
    assert features.pop(field.name) == expected, field
assert not features
print("features are those of the columns")

stored = [row["audio"]["bytes"] for row in pyarrow.parquet.read_table(second).to_pylist()]
assert stored == [open(name, "rb").read() for name in sounds]

os.environ["HF_HOME"] = "home"
import datasets

datasets.disable_progress_bars()
loaded = datasets.load_dataset("parquet", data_files=first, split="train")
assert isinstance(loaded.features["audio"], datasets.Audio), loaded.features
assert loaded.column_names == table.column_names and len(loaded) == len(table)
# What decodes is not installed; the bytes are those that it would get.
plain = loaded.cast_column("audio", datasets.Audio(decode=False))
assert [row["audio"]["bytes"] for row in plain] == [row["audio"]["bytes"] for row in table.to_pylist()]
print("datasets loads sound")
