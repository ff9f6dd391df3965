"""Makes the files of this folder with `datasets` 5.2.0 and pyarrow 26.0.1.

    python make.py
"""

import io
import os
import pathlib
import wave

os.chdir(pathlib.Path(__file__).resolve().parent)

import pyarrow
from datasets import Audio, ClassLabel, Dataset, Features, List, Value
from pyarrow.parquet import write_table


def sound(step: int) -> bytes:
    """A saw of 0.05 seconds at 8 kHz."""
    samples = ((at * step % 16384 - 8192).to_bytes(2, "little", signed=True) for at in range(400))
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(samples))
    return buffer.getvalue()


def hub() -> None:
    """Two splits of two files each, as a data set of Hugging Face lies on its hub."""
    features = Features(
        {
            "audio": {"bytes": Value("binary"), "path": Value("string")},
            "transcription": Value("string"),
            "client_id": Value("string"),
            "gender": ClassLabel(names=["female", "male", "other"]),
            "lang_id": ClassLabel(names=["de_de", "en_us"]),
            "age": Value("int32"),
            "scores": List(Value("float32")),
        }
    )
    os.makedirs("hub/data", exist_ok=True)
    for split, count in (("train", 4), ("test", 2)):
        rows = {
            "audio": [{"bytes": sound(600 + row), "path": f"{split}_{row}.wav"} for row in range(count)],
            "transcription": [f"words  of {row}" if row != 2 else None for row in range(count)],
            "client_id": [f"spk {row % 2}" for row in range(count)],
            "gender": [row % 2 if row < 3 else -1 for row in range(count)],
            "lang_id": [row % 2 for row in range(count)],
            "age": [20 + row if row else None for row in range(count)],
            "scores": [[0.5, 1.25]] * count,
        }
        # The cast to Audio needs no decoder.
        data = Dataset.from_dict(rows, features=features).cast(Features({**features, "audio": Audio(sampling_rate=8000)}))
        for part, rows in enumerate((range(count // 2), range(count // 2, count))):
            data.select(rows).to_parquet(f"hub/data/{split}-0000{part}-of-00002.parquet")


def write(name: str, columns: dict, **options) -> None:
    write_table(pyarrow.table(columns), f"{name}.parquet", **options)


def others() -> None:
    """Files of other programs, and those that make no sense."""
    turned = pyarrow.struct([("path", pyarrow.string()), ("bytes", pyarrow.large_binary())])
    structs = lambda *values: pyarrow.array(values, turned)
    one = pyarrow.array([sound(1)])
    audio = structs(
        {"bytes": sound(1)}, {"bytes": None}, {"bytes": b"no sound", "path": "x"}, {"bytes": None, "path": "gone.wav"}
    )
    write("odd", {"id": ["a", "b", "c", "d"], "audio": audio, "text": ["x", "y", "z", "w"]})
    write("null-id", {"id": ["a", None], "audio": pyarrow.array([sound(1)] * 2)})
    write("twice", {"id": ["a", "a"], "audio": pyarrow.array([sound(1)] * 2)})
    write("samples", {"audio": pyarrow.array([{"array": [0.5], "sampling_rate": 8000}])})
    write("structs", {"audio": pyarrow.array([[{"bytes": sound(1), "path": "a"}]])})
    write("number", {"audio": [1.5]})
    write("text-number", {"audio": one, "text": [1.5]})
    write("two", {"one": one, "two": one})
    write("empty", {"audio": pyarrow.array([], pyarrow.binary())})
    write("lacks", {"audio": structs({"bytes": sound(9), "path": "q.wav"})})
    write("command", {"audio": ["touch x |"]})
    write("paths", {"key": ["b"], "audio": ["a.wav"], "sentence": ["s"]})
    pathlib.Path("a.wav").write_bytes(sound(1))
    for codec in ("none", "snappy", "gzip", "brotli", "lz4", "zstd"):
        write(f"codec-{codec}", {"audio": structs({"bytes": sound(5), "path": "k.wav"})}, compression=codec)
    ids = ["a/b", "../../up", "%.", "x" * 300, "e\u0301 \u00e9"]
    write("names", {"id": ids, "audio": pyarrow.array([sound(1)] * 5)})
    texts = ["x\x00y", "a\n b\u2028c", "\x7f", "d"]
    genders = ["female_feminine", "F", "man", "m"]
    columns = {"id": ["a", "b", "c", "d"], "audio": pyarrow.array([sound(1)] * 4), "text": texts, "mood": texts}
    write("control", columns | {"gender": genders, "speaker": ["s", "t", "s", "t"]})
    words = pyarrow.array(["u", "v", "u"]).dictionary_encode()
    columns = {"audio": pyarrow.array([sound(1)] * 3), "id": ["a", "b", "c"], "text": words}
    write("dictionary", columns, row_group_size=2)
    write("dots", {"key": ["a", "b"], "audio.bytes": [1, 2], "audio": pyarrow.array([{"bytes": sound(1)}] * 2)})
    write("values", {"key": ["a", "b"], "value": [[1, 2], [3]]})
    write("words", {"key": ["a", "b"], "value": ["x  y", "z"]})


if __name__ == "__main__":
    hub()
    others()
