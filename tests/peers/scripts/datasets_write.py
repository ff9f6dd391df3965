"""Writes a data set with sound by the library datasets: Parquet as on a hub, and a folder of save_to_disk.

usage: datasets_write.py SOUND ...
"""

import os
import sys

os.environ["HF_HOME"] = "home"
import datasets
from datasets import Audio, ClassLabel, Dataset, DatasetDict, Features, List, Value

datasets.disable_progress_bars()
sounds = sys.argv[1:]
features = Features(
    {
        "audio": {"bytes": Value("binary"), "path": Value("string")},
        "sentence": Value("string"),
        "client_id": Value("string"),
        "gender": ClassLabel(names=["female", "male"]),
        "locale": ClassLabel(names=["de", "en"]),
        "votes": List(Value("int32")),
    }
)


def split(rows: range) -> Dataset:
    columns = {
        "audio": [{"bytes": open(sounds[row % len(sounds)], "rb").read(), "path": sounds[row % len(sounds)]} for row in rows],
        "sentence": [f"number  {row} \u00fc" if row % 5 else None for row in rows],
        "client_id": [f"spk {row % 2}" for row in rows],
        "gender": [row % 2 for row in rows],
        "locale": [-1 if row % 7 == 3 else row % 2 for row in rows],
        "votes": [list(range(row % 3)) for row in rows],
    }
    data = Dataset.from_dict(columns, features=features).add_column("id", [f"utt{row}" for row in rows])
    # The cast needs no decoder.
    return data.cast_column("audio", Audio())


train, test = split(range(1, 30)), split(range(30, 34))
os.makedirs("hub/data")
for part in range(2):
    train.shard(2, part, contiguous=True).to_parquet(f"hub/data/train-{part:05}-of-00002.parquet")
test.to_parquet("hub/data/test-00000-of-00001.parquet")
DatasetDict({"train": train, "test": test}).save_to_disk("saved", num_shards={"train": 3, "test": 1})
test.save_to_disk("alone")
