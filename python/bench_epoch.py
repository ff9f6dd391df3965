"""Prints how long an epoch of training data takes, as Markdown tables: processor time, and time on the clock.

    WENET=<checkout of WeNet 2.2> python python/bench_epoch.py [part of the names of rows]

Needs the installed module. Packages that are missing are named, and their rows left out: torch for a DataLoader, kaldiio,
kaldi_native_io, lhotse, pyarrow with soundfile, torchaudio, WENET. ROUNDS says how often everything is measured (3; the best counts),
UTTERANCES how many utterances of 4 to 8 seconds there are (500). The data are made in TMPDIR and removed.

Before anything is measured, every epoch is compared with ours: the same utterances, the same batch sizes, and features and labels that
agree. Sound becomes 80 columns of fbank features; batches are shuffled, sorted in windows of 500, and padded.
"""

from __future__ import annotations

import importlib
import io
import logging
import math
import os
import random
import resource
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import wave
from collections.abc import Callable, Iterator
from typing import Any

# The folder beside this file has the sources of the module; the installed one is measured.
sys.path.remove(os.path.dirname(os.path.abspath(__file__)))

import kaldi_tables as kt
import numpy as np

ROUNDS = int(os.environ.get("ROUNDS", "3"))
UTTERANCES = int(os.environ.get("UTTERANCES", "500"))
RATE, DIM, BATCH, WINDOW, WORKERS = 16000, 80, 32, 500, 2
EXAMPLES_IN_BATCH = 128
CONF = f"""dataset_conf:
  resample_conf: {{resample_rate: {RATE}}}
  speed_perturb: false
  fbank_conf: {{num_mel_bins: {DIM}, frame_shift: 10, frame_length: 25, dither: 0.0}}
  spec_aug: false
  shuffle: true
  shuffle_conf: {{shuffle_size: 1500}}
  sort: true
  sort_conf: {{sort_size: {WINDOW}}}
  batch_conf: {{batch_type: static, batch_size: {BATCH}}}
"""
CHAIN = f"""- list_shuffle: {{}}
- sort: {{sort_size: {WINDOW}}}
- batch: {{batch_size: {BATCH}}}
"""


def package(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"{name} is not here, and its rows are left out: {error}", file=sys.stderr)
        return None


torch, torchaudio, lhotse = package("torch"), package("torchaudio"), package("lhotse")
kaldiio, native = package("kaldiio"), package("kaldi_native_io")
parquet, soundfile = package("pyarrow.parquet"), package("soundfile")
wenet = None
if "WENET" in os.environ:
    sys.path.append(os.path.abspath(os.environ["WENET"]))
    wenet = package("wenet.dataset.dataset")
else:
    print("WENET is not set, and the rows of WeNet are left out", file=sys.stderr)

# Keys, padded features, their lengths; labels in rows with their lengths, or none.
Batch = tuple[Any, Any, Any, Any]
Epoch = Callable[[], Iterator[Batch]]


def run(tool: str, *words: str) -> None:
    kt.tools.run(tool, "--print-args=false", *words, stderr=subprocess.DEVNULL)


def write_files(files: dict[str, str]) -> None:
    for name, text in files.items():
        with open(name, "w") as file:
            file.write(text)


def make_sound() -> None:
    """Sound with texts, as WAV files in a data directory, as shards, as Shar and in Parquet."""
    generator, words = np.random.default_rng(1), random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    os.makedirs("data/wav")
    os.makedirs("shards")
    texts: dict[str, str] = {}
    waves: dict[str, bytes] = {}
    for number in range(UTTERANCES):
        key = f"utt{number:05d}"
        length = int(generator.integers(4 * RATE, 8 * RATE))
        loudness = 800 * (1.2 + np.sin(np.arange(length) * (2 * math.pi * 3 / RATE)))
        samples = (generator.standard_normal(length) * loudness).clip(-32768, 32767).astype("<i2")
        content = io.BytesIO()
        with wave.open(content, "wb") as file:
            file.setparams((1, 2, RATE, length, "NONE", ""))
            file.writeframes(samples.tobytes())
        waves[key] = content.getvalue()
        texts[key] = "".join(words.choice(letters) for _ in range(40))
        with open(f"data/wav/{key}.wav", "wb") as wav:
            wav.write(waves[key])
    shards = [list(texts)[at : at + 100] for at in range(0, UTTERANCES, 100)]
    for number, keys in enumerate(shards):
        with tarfile.open(f"shards/{number}.tar", "w") as tar:
            for key in keys:
                for suffix, data in (("txt", texts[key].encode()), ("wav", waves[key])):
                    member = tarfile.TarInfo(f"{key}.{suffix}")
                    member.size = len(data)
                    tar.addfile(member, io.BytesIO(data))
    symbols = ["<blank>", "<unk>", *letters, "<sos/eos>"]
    write_files({
        "data/wav.scp": "".join(f"{key} data/wav/{key}.wav\n" for key in texts),
        "data/text": "".join(f"{key} {text}\n" for key, text in texts.items()),
        "data/utt2spk": "".join(f"{key} {key}\n" for key in texts),
        "data.list": "".join(f"shards/{number}.tar\n" for number in range(len(shards))),
        "units.txt": "".join(f"{symbol} {number}\n" for number, symbol in enumerate(symbols)),
        "train.yaml": CONF,
    })
    if lhotse:
        run("make-shar", "--num-utts-per-shard=100", "data", "shar")
    if parquet:
        columns = {
            "id": list(texts),
            "audio": [{"bytes": content, "path": f"{key}.wav"} for key, content in waves.items()],
            "text": list(texts.values()),
        }
        parquet.write_table(importlib.import_module("pyarrow").table(columns), "sound.parquet", row_group_size=100)


def make_features() -> None:
    """Features by NumPy, as a binary table and in Parquet, and training examples that are cut from them."""
    generator = np.random.default_rng(2)
    with open("feats.ark", "wb") as ark, open("feats.scp", "w") as scp, open("ali.txt", "w") as ali:
        for number in range(UTTERANCES):
            key, frames = f"utt{number:05d}", int(generator.integers(400, 800))
            ark.write(key.encode() + b" ")
            scp.write(f"{key} feats.ark:{ark.tell()}\n")
            FEATS[key] = generator.standard_normal((frames, DIM), np.float32)
            ark.write(b"\0BFM \4" + struct.pack("<i", frames) + b"\4" + struct.pack("<i", DIM) + FEATS[key].tobytes())
            ali.write(f"{key} {' '.join(map(str, generator.integers(0, 3000, frames)))}\n")
    if parquet:
        columns = {
            "key": list(FEATS),
            "rows": [len(feats) for feats in FEATS.values()],
            "columns": [DIM] * len(FEATS),
            "values": [feats.ravel() for feats in FEATS.values()],
        }
        table = importlib.import_module("pyarrow").table(columns)
        parquet.write_table(table, "feats.parquet", row_group_size=50, compression="none", use_dictionary=False)
    write_files({"chain.yaml": CHAIN})
    run("ali-to-post", "ark:ali.txt", "ark:post.ark")
    cut = ["--num-pdfs=3000", "--num-frames=20", "--left-context=10", "--right-context=10"]
    run("nnet3-get-egs", *cut, "scp:feats.scp", "ark:post.ark", "ark,scp:egs.ark,egs.scp")
    size = f"--minibatch-size=1:{EXAMPLES_IN_BATCH}"
    run("nnet3-merge-egs", size, "ark:egs.ark", "ark:merged.ark")
    EXAMPLES.update((key, (example["input"].matrix, example["output"].labels)) for key, example in kt.open("egs.ark"))


FEATS: dict[str, np.ndarray] = {}
EXAMPLES: dict[str, tuple[np.ndarray, np.ndarray]] = {}
PASS = 0


def planned(lengths: dict[str, int]) -> list[list[str]]:
    """Keys of batches: shuffled, sorted in windows, cut into batches; each pass in another order."""
    keys = sorted(lengths)
    random.Random(PASS).shuffle(keys)
    keys = [key for at in range(0, len(keys), WINDOW) for key in sorted(keys[at : at + WINDOW], key=lengths.__getitem__)]
    return [keys[at : at + BATCH] for at in range(0, len(keys), BATCH)]


def pad(pairs: list[tuple[str, Any]]) -> Batch:
    """A batch by NumPy, the longest first."""
    pairs.sort(key=lambda pair: -len(pair[1]))
    feats = np.zeros((len(pairs), len(pairs[0][1]), DIM), np.float32)
    for row, (_, one) in zip(feats, pairs):
        row[: len(one)] = one
    return [key for key, _ in pairs], feats, np.array([len(one) for _, one in pairs], np.int32), None


def pad_tensors(pairs: list[tuple[str, Any]]) -> Batch:
    keys, feats, lengths, _ = pad(pairs)
    return keys, torch.from_numpy(feats), torch.from_numpy(lengths), None


def ours(batch: dict[str, Any]) -> Batch:
    labels = (batch["target"], batch["target_lengths"]) if "target" in batch else None
    return batch["keys"], batch["feats"], batch["feats_lengths"], labels


def lengths() -> dict[str, int]:
    return {key: len(feats) for key, feats in FEATS.items()}


def by_key(open_values: Callable[[], Any]) -> Epoch:
    """Batches of values by key, in the planned order."""
    def epoch() -> Iterator[Batch]:
        values = open_values()
        return (pad([(key, values[key]) for key in keys]) for keys in planned(lengths()))

    return epoch


def read_natively() -> Iterator[Batch]:
    with native.RandomAccessFloatMatrixReader("scp:feats.scp") as values:
        # A value stays until the next one only.
        yield from (pad([(key, values[key].copy()) for key in keys]) for keys in planned(lengths()))


class Values:
    """A data set of pairs by their key."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __getitem__(self, key: str) -> tuple[str, Any]:
        return key, self.values[key]


def loaded_by_key(open_values: Callable[[], Any]) -> Epoch:
    return lambda: iter(torch.utils.data.DataLoader(
        Values(open_values()), batch_sampler=planned(lengths()), collate_fn=pad_tensors, num_workers=WORKERS))


def loaded_here(data_list: str, workers: int, **options: Any) -> Epoch:
    dataset = kt.torch.FeedDataset(data_list, **options)

    def epoch() -> Iterator[Batch]:
        dataset.set_epoch(PASS)
        return map(ours, torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=workers))

    return epoch


def fed_here(data_list: str, **options: Any) -> Epoch:
    return lambda: map(ours, kt.feed.batches(data_list, epoch=PASS, **options))


def by_wenet(workers: int) -> Epoch:
    from wenet.utils.file_utils import read_symbol_table

    import yaml

    conf = yaml.safe_load(CONF)["dataset_conf"]
    symbols = read_symbol_table("units.txt")

    def epoch() -> Iterator[Batch]:
        dataset = wenet.Dataset("shard", "data.list", symbols, conf)
        dataset.set_epoch(PASS)
        for keys, feats, target, lengths, target_lengths in torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=workers):
            yield keys, feats, lengths, (target, target_lengths)

    return epoch


def by_lhotse(workers: int) -> Epoch:
    from lhotse.dataset import DynamicBucketingSampler, K2SpeechRecognitionDataset, OnTheFlyFeatures
    from lhotse.dataset.iterable_dataset import IterableDatasetWrapper

    config = lhotse.FbankConfig(num_filters=DIM, snip_edges=True, high_freq=0.0, dither=0.0)
    dataset = K2SpeechRecognitionDataset(input_strategy=OnTheFlyFeatures(lhotse.Fbank(config)), return_cuts=True)

    def epoch() -> Iterator[Batch]:
        cuts = lhotse.CutSet.from_shar(in_dir="shar", shuffle_shards=True, seed=PASS, split_for_dataloading=workers > 0)
        sampler = DynamicBucketingSampler(cuts, max_cuts=BATCH, shuffle=True, num_buckets=4, drop_last=False, seed=PASS)
        sampler.set_epoch(PASS)
        batches = IterableDatasetWrapper(dataset, sampler)
        for batch in torch.utils.data.DataLoader(batches, batch_size=None, num_workers=workers):
            cuts = batch["supervisions"]["cut"]
            # Its own numbers of frames are those of windows that reach beyond the ends.
            yield [cut.id for cut in cuts], batch["inputs"], [1 + (cut.num_samples - 400) // 160 for cut in cuts], None

    return epoch


def stack(pairs: list[tuple[str, Any]]) -> Batch:
    """A batch of examples, as docs/python.md has it."""
    keys, examples = zip(*pairs)
    feats = torch.from_numpy(np.stack([example["input"].matrix for example in examples]))
    labels = torch.from_numpy(np.stack([example["output"].labels for example in examples]))
    return keys, feats, [feats.shape[1]] * len(keys), (labels, [labels.shape[1]] * len(keys))


def stack_arrays(pairs: list[tuple[str, Any]]) -> Batch:
    keys, arrays = zip(*pairs)
    feats = torch.from_numpy(np.stack([feats for feats, _ in arrays]))
    labels = torch.from_numpy(np.stack([labels for _, labels in arrays]))
    return keys, feats, [feats.shape[1]] * len(keys), (labels, [labels.shape[1]] * len(keys))


def examples_here(source: str, workers: int) -> Epoch:
    dataset = kt.torch.TableDataset(source, shuffle=1000)

    def epoch() -> Iterator[Batch]:
        dataset.set_epoch(PASS)
        return iter(torch.utils.data.DataLoader(dataset, batch_size=EXAMPLES_IN_BATCH, collate_fn=stack, num_workers=workers))

    return epoch


def merged_here() -> Iterator[Batch]:
    """Minibatches that nnet3-merge-egs has put together. Their examples are in the order of the archive."""
    keys = iter(EXAMPLES)
    for _, batch in kt.open("ark:merged.ark"):
        number = 1 + int(batch["input"].indexes[:, 0].max())
        feats = torch.from_numpy(batch["input"].matrix.reshape(number, -1, DIM))
        labels = torch.from_numpy(batch["output"].labels.reshape(number, -1))
        frames, width = [feats.shape[1]] * number, [labels.shape[1]] * number
        yield [next(keys) for _ in range(number)], feats, frames, (labels, width)


def examples_in_memory(workers: int) -> Epoch:
    pairs = list(EXAMPLES.items())
    return lambda: iter(torch.utils.data.DataLoader(
        pairs, batch_size=EXAMPLES_IN_BATCH, shuffle=True, collate_fn=stack_arrays, num_workers=workers))


def parquet_features_here() -> Iterator[Batch]:
    """The table that a command makes of the file, shuffled in memory, sorted and padded."""
    command = f"{kt.tools.path('table-import')} --print-args=false feats.parquet ark:- 2>/dev/null"
    entries = kt.open(f"ark:{command} |", "matrix")
    shuffled = entries.shuffle(1500, epoch=PASS).sort(WINDOW, key="length").batch(BATCH)
    return map(pad, shuffled)


def parquet_features() -> Iterator[Batch]:
    def rows() -> Iterator[tuple[str, Any]]:
        for part in parquet.ParquetFile("feats.parquet").iter_batches(50):
            values, ends = part["values"].values.to_numpy(), part["values"].offsets.to_numpy()
            for number, key in enumerate(part["key"].to_pylist()):
                yield key, values[ends[number] : ends[number + 1]].reshape(-1, DIM)

    feats = dict(rows())
    return (pad([(key, feats[key]) for key in keys]) for keys in planned(lengths()))


def parquet_sound_here() -> Iterator[Batch]:
    """A data directory of the file, whose sound is copied, and batches of it."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        run("make-data-dir", "sound.parquet", folder)
        options = {"conf": "train.yaml", "symbols": "units.txt", "text": f"{folder}/text"}
        yield from fed_here(f"scp:{folder}/wav.scp", data_type="table", **options)()


def parquet_sound() -> Iterator[Batch]:
    """pyarrow, soundfile and the features of torchaudio."""
    def rows() -> Iterator[tuple[str, Any]]:
        for part in parquet.ParquetFile("sound.parquet").iter_batches(50, columns=["id", "audio"]):
            for row in part.to_pylist():
                samples, _ = soundfile.read(io.BytesIO(row["audio"]["bytes"]), dtype="float32")
                wave = torch.from_numpy(samples)[None] * 32768
                yield row["id"], torchaudio.compliance.kaldi.fbank(wave, num_mel_bins=DIM, sample_frequency=RATE, energy_floor=0.0).numpy()

    feats = dict(rows())
    return (pad([(key, feats[key]) for key in keys]) for keys in planned({key: len(one) for key, one in feats.items()}))


def rows() -> Iterator[tuple[str, str, float, dict[str, Epoch | None]]]:
    """Of each row: its name, the goal, how far features may differ, and the epochs by the names of their columns."""
    table: dict[str, Any] = {"chain": "chain.yaml", "data_type": "table", "labels": "none"}
    sound: dict[str, Any] = {"conf": "train.yaml", "data_type": "shard", "symbols": "units.txt"}
    exact, fbank = 0.0, 0.02
    yield "features by a script file", "memory", exact, {
        "here": fed_here("scp:feats.scp", **table),
        "arrays in memory": by_key(lambda: FEATS),
        "kaldiio": kaldiio and by_key(lambda: kaldiio.load_scp("feats.scp")),
        "kaldi_native_io": native and read_natively,
    }
    yield "sound in shards", "WeNet / 8, lhotse / 5", fbank, {
        "here": fed_here("data.list", **sound),
        "WeNet": wenet and by_wenet(0),
        "lhotse": torch and lhotse and by_lhotse(0),
    }
    yield "features in Parquet", "", exact, {
        "here": parquet and parquet_features_here,
        "pyarrow": parquet and parquet_features,
    }
    yield "sound in Parquet", "", fbank, {
        "here": parquet and parquet_sound_here,
        "pyarrow, torchaudio": parquet and soundfile and torchaudio and parquet_sound,
    }
    if torch is None:
        return
    yield f"features by a script file, {WORKERS} workers", "memory", exact, {
        "here": loaded_here("scp:feats.scp", WORKERS, **table),
        "arrays in memory": loaded_by_key(lambda: FEATS),
        "kaldiio": kaldiio and loaded_by_key(lambda: kaldiio.load_scp("feats.scp")),
    }
    yield f"sound in shards, {WORKERS} workers", "WeNet / 8, lhotse / 5", fbank, {
        "here": loaded_here("data.list", WORKERS, **sound),
        "WeNet": wenet and by_wenet(WORKERS),
        "lhotse": lhotse and by_lhotse(WORKERS),
    }
    yield "training examples in minibatches", "", exact, {"here": merged_here, "arrays in memory": examples_in_memory(0)}
    for workers in (0, WORKERS):
        yield "training examples" + (f", {workers} workers" if workers else ""), "", exact, {
            "here": examples_here("ark:egs.ark", workers),
            "arrays in memory": examples_in_memory(workers),
        }


def content(epoch: Epoch) -> tuple[dict[str, tuple[np.ndarray, list[int] | None]], list[int]]:
    """Features and labels by key, and the sizes of the batches, sorted."""
    found, sizes = {}, []
    for keys, feats, lengths, labels in epoch():
        sizes.append(len(keys))
        for at, key in enumerate(keys):
            assert key not in found, f"{key} comes twice"
            one = labels and np.asarray(labels[0][at])[: int(labels[1][at])].tolist()
            found[key] = np.array(feats[at])[: int(lengths[at])], one
    return found, sorted(sizes)


def compare(name: str, column: str, epoch: Epoch, expected: Any, tolerance: float) -> None:
    """Ends the program if an epoch has other data."""
    found, sizes = content(epoch)
    if found.keys() != expected[0].keys():
        sys.exit(f"{name}: expected the same utterances of {column}, got {len(found)} instead of {len(expected[0])}")
    if sizes != expected[1]:
        print(f"{name}: {column} has {len(sizes)} batches of {sizes[0]} to {sizes[-1]}, here are {len(expected[1])}", file=sys.stderr)
    worst = 0.0
    for key, (feats, labels) in found.items():
        here, labels_here = expected[0][key]
        if feats.shape != here.shape:
            sys.exit(f"{name}: {key}: expected features of {here.shape}, got {feats.shape} of {column}")
        if column == "lhotse":
            # Samples from -1 to 1 have energies that are 2^30 times smaller, and none is below the smallest step of a float32.
            feats = feats + 30 * math.log(2)
            here = np.maximum(here, 7 * math.log(2))
        worst = max(worst, float(np.abs(feats - here).max()))
        if None not in (labels, labels_here) and labels != labels_here:
            sys.exit(f"{name}: {key}: expected labels {labels_here}, got {labels} of {column}")
    if not worst <= tolerance:
        sys.exit(f"{name}: expected features that differ by {tolerance} at most, got {worst} of {column}")


def measure(epoch: Epoch) -> tuple[float, float]:
    """Seconds of processors, those of processes that have ended included, and on the clock."""
    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    processor, clock = used(), time.perf_counter()
    for _ in epoch():
        pass
    return used() - processor, time.perf_counter() - clock


def main() -> None:
    global PASS
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    logging.getLogger().setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_sound()
        make_features()
        print("| an epoch | beside | processor, here | theirs | clock, here | theirs | goal |\n|" + " --- |" * 7)
        for name, goal, tolerance, given in rows():
            epochs = {column: epoch for column, epoch in given.items() if epoch}
            if wanted not in name or "here" not in epochs:
                continue
            expected = content(epochs["here"])
            for column, epoch in epochs.items():
                compare(name, column, epoch, expected, tolerance)
            best: dict[str, tuple[float, float]] = {}
            for PASS in range(ROUNDS):
                for column, epoch in epochs.items():
                    former = best.get(column, (math.inf, math.inf))
                    best[column] = tuple(map(min, former, measure(epoch)))
            for column in list(epochs)[1:] or [""]:
                cells = []
                for kind in (0, 1):
                    here, theirs = best["here"][kind], best[column][kind] if column else math.nan
                    cells += [f"{here:.3f} s", f"{theirs:.3f} s ({theirs / here:.2f} ×)" if column else ""]
                print("| " + " | ".join([name, column, *cells, goal]) + " |", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
