"""Files of Kaldi's formats, written by NumPy."""

import struct

import numpy as np


def value(array):
    """A matrix or vector in binary form."""
    letter = b"F" if array.dtype == np.float32 else b"D"
    if array.ndim == 1:
        return b"\0B" + letter + b"V " + struct.pack("<bi", 4, len(array)) + array.tobytes()
    return b"\0B" + letter + b"M " + struct.pack("<bibi", 4, array.shape[0], 4, array.shape[1]) + array.tobytes()


def write_ark(path, arrays, script=None):
    """Writes an archive, and perhaps its script file; returns the name of the archive."""
    lines = []
    with open(path, "wb") as file:
        for key, array in arrays.items():
            file.write(key.encode() + b" ")
            lines.append(f"{key} {path}:{file.tell()}\n")
            file.write(value(array))
    if script is not None:
        script.write_text("".join(lines))
    return str(path)


def riff(samples, rate):
    """A RIFF file of 16-bit samples."""
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    data = samples.astype("<i2").tobytes()
    head = struct.pack("<HHIIHH", 1, channels, rate, 2 * channels * rate, 2 * channels, 16)
    return (
        b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt \x10\0\0\0" + head + b"data" + struct.pack("<I", len(data)) + data
    )
