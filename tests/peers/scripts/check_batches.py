"""Opens batches with the libraries of their forms, and compares their features with those of kaldi_native_fbank.

usage: check_batches.py FOLDER WAVES
The features are those of 8000 Hz with 23 bins and without dither. Prints the number of utterances.
"""

import glob
import json
import sys
import wave

import kaldi_native_fbank
import numpy as np
import safetensors
import safetensors.numpy


def load(name):
    if name.endswith(".npz"):
        # Without pickle.
        arrays = dict(np.load(name))
        keys = arrays.pop("keys")
        assert keys.dtype.kind == "U", keys.dtype
        return arrays, list(keys)
    with safetensors.safe_open(name, "numpy") as file:
        keys = json.loads(file.metadata()["keys"])
    return safetensors.numpy.load_file(name), keys


def features(name):
    with wave.open(name) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    options = kaldi_native_fbank.FbankOptions()
    options.frame_opts.samp_freq = 8000
    options.frame_opts.dither = 0
    options.mel_opts.num_bins = 23
    fbank = kaldi_native_fbank.OnlineFbank(options)
    fbank.accept_waveform(8000, samples.astype(np.float32).tolist())
    fbank.input_finished()
    return np.stack([fbank.get_frame(frame) for frame in range(fbank.num_frames_ready)])


number = 0
for name in sorted(glob.glob(sys.argv[1] + "/batch-*")):
    arrays, keys = load(name)
    types = {key: str(array.dtype) for key, array in arrays.items()}
    wanted = {"feats": "float32", "feats_lengths": "int32", "target": "int64", "target_lengths": "int32"}
    assert types == wanted, types
    assert list(arrays["feats_lengths"]) == sorted(arrays["feats_lengths"], reverse=True)
    for place, key in enumerate(keys):
        length = arrays["feats_lengths"][place]
        feats = arrays["feats"][place]
        expected = features(f"{sys.argv[2]}/{key}.wav")
        assert expected.shape == (length, 23), (key, expected.shape, length)
        difference = np.abs(feats[:length] - expected).max()
        assert difference < 1e-3, (key, difference)
        assert not feats[length:].any(), key
        labels = arrays["target_lengths"][place]
        assert (arrays["target"][place][labels:] == -1).all() and (arrays["target"][place][:labels] >= 0).all()
        number += 1
print(number)
