"""make_shards.py <number> <wav-scp> <text> <segments or -> <folder>: shards as tarfile writes them, of 16-bit recordings."""
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


def sound(key):
    """The file of a recording, or of a part of its first channel."""
    if not cuts:
        return open(paths[key], "rb").read()
    recording, start, end = cuts[key]
    file = open(paths[recording], "rb").read()
    channels, rate = struct.unpack("<HI", file[22:28])
    samples = struct.unpack("<%dh" % ((len(file) - 44) // 2), file[44:])[::channels]
    samples = samples[int(start * rate):int(end * rate)]
    data = struct.pack("<%dh" % len(samples), *samples)
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, rate, 2 * rate, 2, 16,
                       b"data", len(data))
    return head + data


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
