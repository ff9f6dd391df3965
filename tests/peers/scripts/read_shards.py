"""read_shards.py <list> <listed> <wav-scp>: compares shards with what list-shards --json says of them, and with the files."""
import json
import sys
import tarfile

import webdataset

shards = open(sys.argv[1]).read().split()
listed = {entry["key"]: entry for entry in map(json.loads, open(sys.argv[2], encoding="utf-8"))}
paths = dict(line.split() for line in open(sys.argv[3], encoding="utf-8"))

seen = 0
for shard in shards:
    with tarfile.open(shard) as tar:
        for member in tar:
            key, field = member.name.rsplit(".", 1)
            assert listed[key]["fields"][field] == {"offset": member.offset_data, "size": member.size}, member.name
            if field == "wav":
                assert tar.extractfile(member).read() == open(paths[key], "rb").read(), member.name
                seen += 1
assert seen == len(listed) == len(paths)

dotted = 0
samples = 0
for sample in webdataset.WebDataset(shards, shardshuffle=False):
    samples += 1
    key = sample["__key__"]
    if key not in paths:
        # webdataset splits at the first dot.
        assert any(name.startswith(key + ".") for name in paths), key
        dotted += 1
        continue
    assert sample["wav"] == open(paths[key], "rb").read(), key
assert samples == seen and dotted == 1
print(samples, "samples")
