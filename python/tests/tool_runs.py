"""The tools of the checkout, or those that are installed, for tests that compare the module with them."""

from __future__ import annotations

import os
import pathlib
import shutil
import struct
import subprocess
import wave

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _program() -> list[str]:
    """The one program: that of KALDI_TABLES_PROGRAM, of the checkout, or of the path."""
    named = os.environ.get("KALDI_TABLES_PROGRAM")
    built = [ROOT / "target" / profile / "kaldi-tables" for profile in ("debug", "release")]
    found = [named] if named else [str(path) for path in built if path.exists()]
    found += [path for path in [shutil.which("kaldi-tables")] if path]
    if not found:
        raise RuntimeError("there is no program to compare with: cargo build, or set KALDI_TABLES_PROGRAM")
    return [found[0]]


def run(tool: str, *words: object) -> subprocess.CompletedProcess:
    """Runs a tool, which has to succeed."""
    command = [*_program(), tool, "--print-args=false", *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True)


def matrices(path: pathlib.Path) -> dict[str, np.ndarray]:
    """The matrices and vectors of a binary archive, read byte by byte: what the module reads is not trusted here."""
    data, at, found = path.read_bytes(), 0, {}
    while at < len(data):
        space = data.index(b" ", at)
        key, at = data[at:space].decode(), space + 1
        assert data[at : at + 2] == b"\0B", data[at : at + 10]
        kind, at = data[at + 2 : at + 4], at + 5
        dtype = np.float32 if kind[:1] == b"F" else np.float64
        shape = []
        for _ in range(2 if kind[1:] == b"M" else 1):
            assert data[at] == 4
            shape.append(struct.unpack_from("<i", data, at + 1)[0])
            at += 5
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        found[key] = np.frombuffer(data[at : at + size], dtype).reshape(shape)
        at += size
    return found


def write_matrices(path: pathlib.Path, entries: dict[str, np.ndarray]) -> None:
    """Writes a binary archive of float32 matrices."""
    with open(path, "wb") as file:
        for key, matrix in entries.items():
            rows, cols = matrix.shape
            header = b" \0BFM \4" + struct.pack("<i", rows) + b"\4" + struct.pack("<i", cols)
            file.write(key.encode() + header + matrix.astype("<f4").tobytes())


def write_wave(path: pathlib.Path, rate: int, samples: np.ndarray) -> None:
    """Writes a file of 16-bit samples, (n,) or (n, channels)."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples.astype("<i2").tobytes())


def noise(length: int, seed: int = 1, channels: int = 0) -> np.ndarray:
    """Samples of a tone in noise."""
    random = np.random.RandomState(seed)
    shape = (length, channels) if channels else (length,)
    tone = 4000 * np.sin(np.arange(length) * 0.07)
    return ((tone[:, None] if channels else tone) + 1500 * random.standard_normal(shape)).astype(np.int16)
