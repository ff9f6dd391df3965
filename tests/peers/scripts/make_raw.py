"""make_raw.py <wav-scp> <text> <segments or -> <list>: a raw list as json writes it."""
import json
import sys

recordings, text, segments, target = sys.argv[1:]
paths = dict(line.split() for line in open(recordings, encoding="utf-8"))
cuts = {}
if segments != "-":
    for line in open(segments, encoding="utf-8"):
        key, recording, start, end = line.split()
        cuts[key] = (recording, float(start), float(end))
with open(target, "w", encoding="utf-8") as out:
    for line in open(text, encoding="utf-8"):
        key, *words = line.strip().split(maxsplit=1)
        entry = {"key": key, "wav": paths[cuts[key][0] if cuts else key], "txt": words[0] if words else ""}
        if cuts:
            entry["start"], entry["end"] = cuts[key][1:]
        out.write(json.dumps(entry, ensure_ascii=False) + "\n")
