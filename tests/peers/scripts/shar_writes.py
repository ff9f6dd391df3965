"""Writes cuts of the sound in this folder by lhotse: `cuts.jsonl.gz`, and Shar folders of them with sound of a kind."""

import pathlib
import sys

import load_lhotse

lhotse = load_lhotse.load()
import numpy as np
import torch
from lhotse.audio import backend as audio_backend
from lhotse.shar import SharWriter

folder, kind = sys.argv[1:]
# Nothing here is a tensor of the stand-in.
torch.is_tensor = lambda value: False
audio_backend.set_current_audio_backend(audio_backend.LibsndfileBackend())
np.random.seed(0)

cuts = []
for number, name in enumerate(["a", "b", "c"]):
    recording = lhotse.Recording.from_file(f"{name}.wav", recording_id=name)
    supervision = lhotse.SupervisionSegment(
        id=f"sup-{name}",
        recording_id=name,
        start=0.0,
        duration=0.25,
        channel=0,
        text=f"number {number} \u00fc",
        language="English US",
        speaker=f"spk{number % 2}",
        gender="Female" if number % 2 else "M",
        custom={"snr": 0.5 + number},
    )
    cut = lhotse.MonoCut(
        id=f"cut.{number}",
        start=0.1,
        duration=0.3,
        channel=0,
        recording=recording,
        supervisions=[supervision],
        custom={"emotion": "calm", "votes": [1, number]},
    )
    cuts.append(cut)
cuts = lhotse.CutSet.from_cuts(cuts)
cuts.to_file(f"{folder}/cuts.jsonl.gz")
pathlib.Path(folder, "shar").mkdir()
with SharWriter(f"{folder}/shar", fields={"recording": kind}, shard_size=2, warn_unused_fields=False) as writer:
    for cut in cuts:
        writer.write(cut)
for cut in cuts:
    sound = cut.load_audio()
    print(cut.id, sound.shape, round(float(np.abs(sound).sum()), 3))
