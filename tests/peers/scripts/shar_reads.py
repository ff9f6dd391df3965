"""Reads a Shar folder by lhotse; prints its cuts with the sums of their sound and features."""

import sys

import load_lhotse

lhotse = load_lhotse.load()
import numpy as np
import torch
from lhotse.audio import backend as audio_backend

# Nothing here is a tensor of the stand-in.
torch.is_tensor = lambda value: False
audio_backend.set_current_audio_backend(audio_backend.LibsndfileBackend())
(folder,) = sys.argv[1:]
for cut in lhotse.CutSet.from_shar(in_dir=folder):
    lhotse.validate(cut)
    sound = cut.load_audio()
    (it,) = cut.supervisions
    print(cut.id, cut.recording.id, type(cut).__name__, cut.start, cut.duration, cut.channel, cut.sampling_rate)
    print(" ", sound.shape, round(float(np.abs(sound).astype(np.float64).sum() * 32768)))
    print(" ", it.id, it.start, it.duration, it.text, it.speaker, it.language, it.gender, dict(cut.custom or {}) if cut.custom else {})
    if cut.has_features:
        features = cut.load_features()
        print(" ", features.dtype, features.shape, cut.features.frame_shift, round(float(features.sum()), 2))
