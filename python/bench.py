"""Prints how fast the module is, as a Markdown table: processor time beside NumPy, kaldiio and kaldi_native_io, all in one run.

    python python/bench.py [part of the names of rows]

Needs the installed module; packages that are missing are left out. ROUNDS says how often everything is measured (3; the best counts).
The data (500 MB) are made in TMPDIR and removed. Processor time counts all threads, and workers where there are any.
"""

from __future__ import annotations

import importlib
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

# The folder beside this file has the sources of the module; the installed one is measured.
sys.path.remove(os.path.dirname(os.path.abspath(__file__)))

import kaldi_tables as kt
import numpy as np

ROUNDS = int(os.environ.get("ROUNDS", "3"))
MATRIX = (600, 40)


def package(name: str):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


kaldiio, native, torch = package("kaldiio"), package("kaldi_native_io"), package("torch")


def make_data() -> None:
    """The data, by NumPy and the tools: what is measured has made nothing of it."""
    generator = np.random.default_rng(1)
    with open("m.ark", "wb") as ark, open("m.scp", "w") as scp:
        for number in range(2000):
            ark.write(b"m%05d " % number)
            scp.write(f"m{number:05d} m.ark:{ark.tell()}\n")
            ark.write(b"\0BFM \4" + struct.pack("<i", MATRIX[0]) + b"\4" + struct.pack("<i", MATRIX[1]))
            generator.standard_normal(MATRIX, np.float32).tofile(ark)
            ark.flush()
    with open("v.ark", "wb") as ark, open("v.scp", "w") as scp:
        for number in range(100_000):
            ark.write(b"v%06d " % number)
            scp.write(f"v{number:06d} v.ark:{ark.tell()}\n")
            ark.write(b"\0BFV \4" + struct.pack("<i", 32) + np.full(32, number, np.float32).tobytes())
    with open("i.ark", "wb") as ark:
        for number in range(4000):
            numbers = np.zeros(500, np.dtype([("size", "i1"), ("value", "<i4")]))
            numbers["size"], numbers["value"] = 4, generator.integers(0, 3000, 500)
            ark.write(b"i%05d \0B\4" % number + struct.pack("<i", 500) + numbers.tobytes())
    for words in (["copy-feats", "--compress=true", "ark:m.ark", "ark:c.ark"], ["subset-feats", "--n=200", "ark:m.ark", "ark,t:t.ark"]):
        kt.tools.run(words[0], "--print-args=false", *words[1:], stderr=subprocess.DEVNULL)
    for name in ("m", "v"):
        with open(f"{name}.scp") as lines:
            shuffled = lines.readlines()
        random.Random(1).shuffle(shuffled)
        with open(f"{name}-shuffled.scp", "w") as scp:
            scp.writelines(shuffled[: 600 if name == "m" else 20_000])


def consume(entries) -> int:
    return sum(1 for _ in entries)


def read_natively(reader: str, name: str):
    def run():
        with getattr(native, reader)(name) as entries:
            return sum(1 for _, value in entries)

    return run


def read_by_numpy() -> int:
    count = 0
    with open("m.ark", "rb") as ark:
        while ark.read(22):
            np.fromfile(ark, np.float32, MATRIX[0] * MATRIX[1])
            count += 1
    return count


def read_places(script: str, size: int, header: int):
    """One call of the system for each value, at places that are known already."""
    with open(script) as lines:
        name, places = f"{script[0]}.ark", [int(line.rpartition(":")[2]) for line in lines]

    def run() -> int:
        with open(name, "rb") as ark:
            number = ark.fileno()
            return sum(len(np.frombuffer(os.pread(number, size, place), np.float32, -1, header)) > 0 for place in places)

    return run


def loader(dataset):
    return lambda: consume(torch.utils.data.DataLoader(dataset, batch_size=None, num_workers=4))


def imported(name: str):
    return lambda: subprocess.run([sys.executable, "-c", f"import {name}"], check=True).returncode


def write_natively(compressed: bool):
    def run():
        matrices = MATRICES
        kind = native.CompressedMatrixWriter if compressed else native.FloatMatrixWriter
        with kind("ark:w.ark" if compressed else "ark,scp:w.ark,w.scp") as writer:
            for key, matrix in matrices.items():
                writer.write(key, matrix, *([native.CompressionMethod.kSpeechFeature] if compressed else []))
        return len(matrices)

    return run


def write_here(target: str, compression: str | None = None):
    def run():
        with kt.create(target, compression=compression) as out:
            out.write_many(MATRICES.items())
        return len(MATRICES)

    return run


def write_by_numpy() -> int:
    with open("w.ark", "wb") as ark:
        for matrix in MATRICES.values():
            matrix.tofile(ark)
    return len(MATRICES)


LOADER = "a DataLoader of 4 workers, 190 MB; NumPy: of arrays in memory"
MATRICES: dict[str, np.ndarray] = {}
Job = Callable[[], int]


def rows() -> list[tuple[str, str, dict[str, Job | None]]]:
    """Of each row: its name, the goal, and what is measured by its name."""
    in_sequence = kt.open("ark:m.ark")
    found: list[tuple[str, str, dict[str, Job | None]]] = [
        ("binary matrices in sequence, 190 MB", "at most 1.15 of NumPy", {
            "here": lambda: consume(in_sequence),
            "NumPy": read_by_numpy,
            "kaldiio": kaldiio and (lambda: consume(kaldiio.load_ark("m.ark"))),
            "kaldi_native_io": native and read_natively("SequentialFloatMatrixReader", "ark:m.ark"),
        }),
        ("text of 200 matrices, 45 MB", "kaldi_native_io / 20", {
            "here": lambda: consume(kt.open("ark:t.ark", "matrix")),
            "kaldiio": kaldiio and (lambda: consume(kaldiio.load_ark("t.ark"))),
            "kaldi_native_io": native and read_natively("SequentialFloatMatrixReader", "ark:t.ark"),
        }),
        ("compressed matrices, 48 MB", "kaldi_native_io / 4", {
            "here": lambda: consume(kt.open("ark:c.ark")),
            "kaldiio": kaldiio and (lambda: consume(kaldiio.load_ark("c.ark"))),
            "kaldi_native_io": native and read_natively("SequentialFloatMatrixReader", "ark:c.ark"),
        }),
        ("100,000 vectors of 32", "kaldi_native_io / 3", {
            "here": lambda: consume(kt.open("ark:v.ark", "vector")),
            "kaldiio": kaldiio and (lambda: consume(kaldiio.load_ark("v.ark"))),
            "kaldi_native_io": native and read_natively("SequentialFloatVectorReader", "ark:v.ark"),
        }),
        ("4,000 alignments, 2 million numbers", "kaldi_native_io / 2", {
            "here": lambda: consume(kt.open("ark:i.ark", "int32-vector")),
            "kaldiio": kaldiio and (lambda: consume(kaldiio.load_ark("i.ark"))),
            "kaldi_native_io": native and read_natively("SequentialInt32VectorReader", "ark:i.ark"),
        }),
    ]
    matrix, vector = 15 + 4 * MATRIX[0] * MATRIX[1], 10 + 4 * 32
    for name, what, reader, size, header in (("m", "600 matrices", "Matrix", matrix, 15), ("v", "20,000 vectors", "Vector", vector, 10)):
        script = f"{name}-shuffled.scp"
        found.append((f"{what} by a shuffled script", "the better of the others", {
            "here": lambda script=script: consume(kt.load_scp(script).values()),
            "NumPy": read_places(script, size, header),
            "kaldiio": kaldiio and (lambda script=script: consume(kaldiio.load_scp(script).values())),
            "kaldi_native_io": native and read_natively(f"SequentialFloat{reader}Reader", f"scp:{script}"),
        }))
    found += [
        ("write binary matrices and a script, 190 MB", "", {
            "here": write_here("ark,scp:w.ark,w.scp"),
            "NumPy": write_by_numpy,
            "kaldiio": kaldiio and (lambda: kaldiio.save_ark("w.ark", MATRICES, scp="w.scp") or 2000),
            "kaldi_native_io": native and write_natively(False),
        }),
        ("write compressed matrices, 190 MB", "kaldi_native_io / 7", {
            "here": write_here("ark:w.ark", "speech-feature"),
            "kaldiio": kaldiio and (lambda: kaldiio.save_ark("w.ark", MATRICES, compression_method=2) or 2000),
            "kaldi_native_io": native and write_natively(True),
        }),
        ("import", "at most 1.2 of NumPy", {
            "here": imported("kaldi_tables"),
            "NumPy": imported("numpy"),
            "kaldiio": kaldiio and imported("kaldiio"),
            "kaldi_native_io": native and imported("numpy, kaldi_native_io"),
        }),
    ]
    if torch is None:
        print(f"torch is not here, so there is no row of {LOADER}", file=sys.stderr)
    else:
        # Other memory for each: what is the same would go to the other process once.
        pairs = [(key, torch.from_numpy(feats)) for key, feats in MATRICES.items()]
        found.append((LOADER, "", {
            "here": loader(kt.torch.TableDataset("ark:m.ark")),
            "NumPy": loader(pairs),
        }))
    return found


def processor_time(job: Job) -> float:
    """Seconds of this process and of those that it has started and waited for."""
    def used() -> float:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    start = used()
    job()
    return used() - start


def main() -> None:
    columns = ["here", "NumPy", "kaldiio", "kaldi_native_io"]
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        make_data()
        MATRICES.update((f"m{number:05d}", np.random.default_rng(number).standard_normal(MATRIX, np.float32)) for number in range(2000))
        print("| job | " + " | ".join(columns) + " | goal |\n|" + " --- |" * (len(columns) + 2))
        for name, goal, jobs in rows():
            if wanted not in name:
                continue
            best: dict[str, float] = {}
            for _ in range(ROUNDS):
                for column, job in jobs.items():
                    if job:
                        best[column] = min(best.get(column, float("inf")), processor_time(job))
            cells = [f"{best['here']:.3f} s"]
            cells += [f"{best[column]:.3f} s ({best[column] / best['here']:.2f} ×)" if column in best else "" for column in columns[1:]]
            print("| " + " | ".join([name, *cells, goal]) + " |", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
