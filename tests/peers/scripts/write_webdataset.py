"""write_webdataset.py <wav-scp> <text> <name>: shards as webdataset writes them, plain and compressed; no dotted keys."""
import sys

import webdataset

paths = dict(line.split() for line in open(sys.argv[1], encoding="utf-8"))
lines = [line.strip().split(maxsplit=1) for line in open(sys.argv[2], encoding="utf-8")]
for suffix in (".tar", ".tar.gz"):
    with webdataset.TarWriter(sys.argv[3] + suffix) as writer:
        for key, *words in lines:
            words = words[0] if words else "none"
            writer.write({"__key__": key, "txt": words, "wav": open(paths[key], "rb").read()})
