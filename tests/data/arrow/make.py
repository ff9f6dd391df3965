"""Makes the files of this folder with `datasets` 5.2.0 and pyarrow 26.0.1.

    python make.py
"""

import importlib.util
import os
import pathlib
import shutil
import sys

import pyarrow
from datasets import Audio, ClassLabel, Dataset, DatasetDict, Features, List, Value
from pyarrow import feather, ipc

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("parquet", HERE.parent / "parquet/make.py")
parquet = importlib.util.module_from_spec(spec)
spec.loader.exec_module(parquet)
sound = parquet.sound
os.chdir(HERE)


def saved() -> None:
    """Two splits, and one data set, as `save_to_disk` leaves them."""
    features = Features(
        {
            "audio": {"bytes": Value("binary"), "path": Value("string")},
            "transcription": Value("string"),
            "client_id": Value("string"),
            "gender": ClassLabel(names=["female", "male", "other"]),
            "age": Value("int32"),
            "scores": List(Value("float32")),
        }
    )

    def split(name: str, count: int) -> Dataset:
        rows = {
            "audio": [{"bytes": sound(600 + row), "path": f"{name}_{row}.wav"} for row in range(count)],
            "transcription": [f"words  of {row}" if row != 2 else None for row in range(count)],
            "client_id": [f"spk {row % 2}" for row in range(count)],
            "gender": [row % 2 if row < 3 else -1 for row in range(count)],
            "age": [20 + row if row else None for row in range(count)],
            "scores": [[0.5, 1.25]] * count,
        }
        data = Dataset.from_dict(rows, features=features)
        return data.cast(Features({**features, "audio": Audio(sampling_rate=8000)}))

    for folder in ("saved", "one"):
        shutil.rmtree(folder, ignore_errors=True)
    # The rows of a selection are written out.
    both = DatasetDict({"train": split("train", 6).select([0, 1, 2, 3]), "test": split("test", 2)})
    both.save_to_disk("saved", num_shards={"train": 2, "test": 1})
    split("test", 2).save_to_disk("one")


def write(name: str, table: pyarrow.Table, size: int, kind=ipc.new_stream, **options) -> None:
    with kind(name, table.schema, options=ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=size)


def others() -> None:
    """Files of other programs, with types and batches that `datasets` does not write."""
    turned = pyarrow.struct([("path", pyarrow.large_string()), ("bytes", pyarrow.large_binary())])
    audio = [{"bytes": sound(7 + row), "path": None} for row in range(5)]
    words = ["u", "v", "u", None, "w"]
    table = pyarrow.table(
        {
            "id": pyarrow.array([3, 1, 4, 15, 9], pyarrow.uint16()),
            "audio": pyarrow.array(audio, turned),
            "text": pyarrow.array(words, pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
            "tokens": pyarrow.array([[1, 2], [], [3], None, [4]], pyarrow.list_(pyarrow.int16())),
            "pair": pyarrow.array([[1, 2], [3, 4], None, [5, 6], [7, 8]], pyarrow.list_(pyarrow.float64(), 2)),
            "is_good": [True, False, None, True, True],
            "half": pyarrow.array([0.5, 1.5, 2.5, -1, None], pyarrow.float16()),
            "fixed": pyarrow.array([b"ab", b"cd", b"ef", None, b"gh"], pyarrow.binary(2)),
            "none": pyarrow.nulls(5),
            "view": pyarrow.array(["a", "b" * 20, "c", "d" * 20, "e"], pyarrow.string_view()),
            "both": pyarrow.UnionArray.from_sparse(
                pyarrow.array([0, 1, 0, 1, 0], pyarrow.int8()),
                [pyarrow.array([1, 2, 3, 4, 5]), pyarrow.array(["a", "b", "c", "d", "e"])],
            ),
            "runs": pyarrow.RunEndEncodedArray.from_arrays([2, 5], ["a", "b"]),
            "when": pyarrow.array([1, 2, 3, 4, 5], pyarrow.timestamp("ms")),
            "last": ["p", "q", "r", "s", "t"],
        }
    )
    # In a slice, offsets do not start at 0.
    write("types.arrow", pyarrow.concat_tables([table.slice(0, 3), table.slice(3)]), 2)
    write("file.arrow", table, 3, ipc.new_file)
    plain = table.drop_columns(["runs", "view"])
    write("lz4.arrow", plain, 3, compression="lz4")
    write("zstd.arrow", plain, 3, ipc.new_file, compression="zstd")
    # A dictionary grows in a file, and is replaced in a stream.
    coded = lambda values, words: pyarrow.DictionaryArray.from_arrays(pyarrow.array(values, pyarrow.int32()), words)
    first = pyarrow.table({"key": ["a", "b"], "value": coded([0, 1], ["x y", "z"])})
    for name, words, kind, options in (
        ("delta.arrow", ["x y", "z", "w"], ipc.new_file, {"emit_dictionary_deltas": True}),
        ("replaced.arrow", ["other", "words", "v"], ipc.new_stream, {}),
    ):
        second = pyarrow.table({"key": ["c", "d"], "value": coded([2, 0], words)})
        with kind(name, first.schema, options=ipc.IpcWriteOptions(**options)) as writer:
            writer.write_table(first)
            writer.write_table(second)
    rows = {"key": ["a", "b"], "values": [[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[7.0, 8.0]]]}
    lists = pyarrow.table(rows, pyarrow.schema([("key", pyarrow.string()), ("values", pyarrow.list_(pyarrow.list_(pyarrow.float32())))]))
    feather.write_feather(lists, "matrices.feather")
    write("numbers.arrow", pyarrow.table({"key": ["a", "b"], "value": [[1, 2], [3]]}), 1)
    write("empty.arrow", table.select(["id", "audio"]).slice(0, 0), 1)
    lost = {"id": ["a"], "audio": [{"array": [0.5], "sampling_rate": 8000}]}
    write("samples.arrow", pyarrow.table(lost), 1)


if __name__ == "__main__":
    saved()
    others()
