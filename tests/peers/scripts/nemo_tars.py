"""Tarred sets by the rules of NeMo's reader and of its conversion script, which need PyTorch themselves.

usage: nemo_tars.py read MANIFESTS TARS     prints what the reader would deliver
       nemo_tars.py write FOLDER SOUND ...  writes a set as the script does
"""

import io
import json
import os
import re
import sys
import tarfile

import braceexpand
import soundfile

NUMBER = re.compile(r"(?:manifest|audio)[^/]*_(\d+)[^/]*\.(?:json|tar)")


def expand(pattern: str) -> dict[int, str]:
    """The files of a pattern by their numbers."""
    for words, brace in ((("(", "[", "<", "_OP_"), "{"), ((")", "]", ">", "_CL_"), "}")):
        for word in words:
            pattern = pattern.replace(word, brace)
    return {int(NUMBER.search(name)[1]): name for name in braceexpand.braceexpand(pattern)}


def read(manifests: str, tars: str) -> None:
    manifests, tars = expand(manifests), expand(tars)
    assert manifests.keys() == tars.keys(), (manifests, tars)
    for number, tar in tars.items():
        lines: dict[str, list[dict]] = {}
        for line in map(json.loads, open(manifests[number], encoding="utf-8")):
            # Several parts of a file have names of their own, and one member.
            member = re.sub(r"-sub\d+(\.\w+)$", r"\1", line["audio_filepath"])
            lines.setdefault(member, []).append(line)
        names = []
        with tarfile.open(tar) as archive:
            for member in archive:
                names.append(member.name)
                sound, rate = soundfile.read(io.BytesIO(archive.extractfile(member).read()))
                for line in lines[member.name]:
                    start, length = line.get("offset", 0), line["duration"]
                    assert start + length <= len(sound) / rate + 0.2, line
                    print(number, line["shard_id"], line["audio_filepath"], rate, round(length, 3), line["text"], line.get("speaker"))
        # The reader would pass over these in silence.
        assert names == list(dict.fromkeys(lines)), (names, list(lines))


def write(folder: str, *sounds: str) -> None:
    os.makedirs(f"{folder}/sharded_manifests")
    lines = []
    for shard, sound in enumerate(sounds):
        name = sound.removesuffix(".wav").replace("/", "_").replace(".", "_") + ".wav"
        with tarfile.open(f"{folder}/audio_{shard}.tar", "w", format=tarfile.GNU_FORMAT) as archive:
            member = tarfile.TarInfo(name)
            member.size = os.path.getsize(sound)
            archive.addfile(member, open(sound, "rb"))
        parts = [(name, 0.0), (name.replace(".wav", "-sub1.wav"), 0.1), (name.replace(".wav", "-sub2.wav"), 0.25)]
        of_shard = [
            {"audio_filepath": part, "duration": 0.15, "offset": offset, "text": f"text \u00fc {shard} {offset}", "lang": "de", "shard_id": shard}
            for part, offset in parts
        ]
        with open(f"{folder}/sharded_manifests/manifest_{shard}.json", "w", encoding="utf-8") as out:
            out.writelines(json.dumps(line) + "\n" for line in of_shard)
        lines += of_shard
    with open(f"{folder}/tarred_audio_manifest.json", "w", encoding="utf-8") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)


{"read": read, "write": write}[sys.argv[1]](*sys.argv[2:])
