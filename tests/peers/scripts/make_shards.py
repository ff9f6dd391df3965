"""make_shards.py <number> <wav-scp> <text> <segments or -> <folder>: shards as tarfile writes them, of recordings of 16 or 24 bits."""
import io
import os
import struct
import sys
import tarfile

number, recordings, text, segments, folder = int(sys.argv[1]), *sys.argv[2:]
paths = dict(line.split() for line in open(recordings, encoding="utf-8"))
cuts = {}
if segments != "-":
    for line in open(segments, encoding="utf-8"):
        key, recording, start, end = line.split()
        cuts[key] = (recording, float(start), float(end))


def wave(channels, rate, samples):
    """A file of 16 bits."""
    data = struct.pack("<%dh" % len(samples), *samples)
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, channels, rate,
                       2 * channels * rate, 2 * channels, 16, b"data", len(data))
    return head + data


def narrow(file):
    """A file of 16 bits: WeNet's script multiplies floats by 2^15, and drops the fractions."""
    channels, rate, bits = struct.unpack("<HI", file[22:28]) + struct.unpack("<H", file[34:36])
    if bits == 16:
        return file
    wide = [int.from_bytes(file[at:at + 3], "little", signed=True) for at in range(44, len(file), 3)]
    return wave(channels, rate, [int(sample / 2**23 * 2**15) for sample in wide])


def sound(key):
    """The file of a recording, or of a part of its first channel."""
    if not cuts:
        return narrow(open(paths[key], "rb").read())
    recording, start, end = cuts[key]
    file = open(paths[recording], "rb").read()
    channels, rate = struct.unpack("<HI", file[22:28])
    samples = struct.unpack("<%dh" % ((len(file) - 44) // 2), file[44:])[::channels]
    samples = samples[int(start * rate):int(end * rate)]
    return wave(1, rate, samples)


os.makedirs(folder)
lines = [line.strip().split(maxsplit=1) for line in open(text, encoding="utf-8")]
for index, first in enumerate(range(0, len(lines), number)):
    with tarfile.open(os.path.join(folder, f"shards_{index:09d}.tar"), "w") as tar:
        for key, *words in lines[first:first + number]:
            words = words[0] if words else ""
            for name, content in ((key + ".txt", words.encode("utf-8")), (key + ".wav", sound(key))):
                info = tarfile.TarInfo(name)
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
