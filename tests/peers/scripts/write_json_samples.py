"""write_json_samples.py <tar> <sound> ...: samples of webdataset whose text is in a member in JSON."""
import sys

import webdataset

with webdataset.TarWriter(sys.argv[1]) as writer:
    for number, sound in enumerate(sys.argv[2:]):
        facts = {"text": f"caf\u00e9 \U0001f600 {number}", "speaker": f"s{number % 2}", "language": "fr", "n": 2 * number}
        facts["meta"] = {"text": "in\nside"}
        writer.write({"__key__": f"s{number % 2}-u{number}", "json": facts, "wav": open(sound, "rb").read()})
    writer.write({"__key__": "s2-u9", "json": facts | {"text": None, "speaker": "s2"}, "wav": open(sys.argv[2], "rb").read()})
