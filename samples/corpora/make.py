"""Makes the files of this folder with the packages of others, as corpora of today have them: two utterances each, of 0.2 seconds.

    python make.py
"""

import gzip
import io
import json
import os
import pathlib
import sys
import wave

# Before the stand-in for torch, which it would take for the real one.
import datasets

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests/peers/scripts"))

import load_lhotse  # lhotse without torch

lhotse = load_lhotse.load()
import pyarrow
import pyarrow.parquet
import torch  # the stand-in of load_lhotse
import webdataset
from lhotse.audio import backend
from lhotse.shar import SharWriter

torch.is_tensor = lambda value: False
backend.set_current_audio_backend(backend.LibsndfileBackend())

UTTERANCES = [
    {"id": "anna-01", "text": "good morning", "speaker": "anna", "language": "en", "gender": "female", "step": 600},
    {"id": "ben-01", "text": "guten Morgen, Zoë", "speaker": "ben", "language": "de", "gender": "male", "step": 900},
]


def sound(step: int) -> bytes:
    """A saw of 0.2 seconds at 8 kHz."""
    samples = ((at * step % 16384 - 8192).to_bytes(2, "little", signed=True) for at in range(1600))
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"".join(samples))
    return buffer.getvalue()


def webdataset_tar() -> None:
    """A tar of samples with their text in JSON."""
    with webdataset.TarWriter(str(HERE / "webdataset.tar"), mtime=0) as tar:
        for utterance in UTTERANCES:
            facts = {name: utterance[name] for name in ("text", "speaker", "language", "gender")}
            tar.write({"__key__": utterance["id"], "wav": sound(utterance["step"]), "json": facts | {"duration": 0.2}})


def huggingface_parquet() -> None:
    """A Parquet file with sound inside, and the features of `datasets` in its schema."""
    text = {"dtype": "string", "_type": "Value"}
    features = {"id": text, "audio": {"sampling_rate": 8000, "_type": "Audio"}, "text": text, "speaker": text}
    features["gender"] = {"names": ["female", "male"], "_type": "ClassLabel"}
    audio = pyarrow.struct([("bytes", pyarrow.binary()), ("path", pyarrow.string())])
    names = [("id", pyarrow.string()), ("audio", audio), ("text", pyarrow.string()), ("speaker", pyarrow.string())]
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    schema = pyarrow.schema([*names, ("gender", pyarrow.int64())], metadata=metadata)
    rows = [
        {
            "id": utterance["id"],
            "audio": {"bytes": sound(utterance["step"]), "path": utterance["id"] + ".wav"},
            "text": utterance["text"],
            "speaker": utterance["speaker"],
            "gender": ["female", "male"].index(utterance["gender"]),
        }
        for utterance in UTTERANCES
    ]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema), HERE / "train-00000-of-00001.parquet")


def huggingface_saved() -> None:
    """The same as Arrow, in the folder that `save_to_disk` writes: a split for each utterance."""
    text = {name: datasets.Value("string") for name in ("id", "text", "speaker")}
    plain = datasets.Features(text | {"audio": {"bytes": datasets.Value("binary"), "path": datasets.Value("string")}})
    sounding, splits = datasets.Features(text | {"audio": datasets.Audio(sampling_rate=8000)}), {}
    for split, utterance in zip(("train", "test"), UTTERANCES):
        row = {name: [utterance[name]] for name in ("id", "text", "speaker")}
        row["audio"] = [{"bytes": sound(utterance["step"]), "path": utterance["id"] + ".wav"}]
        # The cast needs no decoder.
        splits[split] = datasets.Dataset.from_dict(row, features=plain).cast(sounding)
    datasets.DatasetDict(splits).save_to_disk(str(HERE / "saved"))
    # It is drawn at random, and nobody reads it.
    for state in (HERE / "saved").glob("*/state.json"):
        state.write_text(json.dumps(json.loads(state.read_text()) | {"_fingerprint": "0"}, indent=2) + "\n")


def cosyvoice_parquet() -> None:
    """Parquet that is called a tar, and the list of such files."""
    rows = [
        {
            "utt": utterance["id"],
            "wav": f"/corpus/{utterance['id']}.wav",
            "audio_data": sound(utterance["step"]),
            "text": utterance["text"],
            "spk": utterance["speaker"],
            "utt_embedding": [0.5, -0.5],
            "speech_token": [17, 4, 17],
        }
        for utterance in UTTERANCES
    ]
    folder = HERE / "cosyvoice"
    folder.mkdir(exist_ok=True)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "parquet_000000000.tar")
    (folder / "data.list").write_text("samples/corpora/cosyvoice/parquet_000000000.tar\n")


def lhotse_cuts_and_shar() -> None:
    """Cuts with speakers, languages and genders, and the same as Shar, whose sound is in a tar."""
    os.chdir(HERE.parents[1])
    folder = pathlib.Path("samples/corpora/lhotse")
    (folder / "shar").mkdir(parents=True, exist_ok=True)
    cuts = []
    for utterance in UTTERANCES:
        path = folder / f"{utterance['id']}.wav"
        path.write_bytes(sound(utterance["step"]))
        recording = lhotse.Recording.from_file(path)
        facts = {name: utterance[name] for name in ("id", "text", "speaker", "language", "gender")}
        supervision = lhotse.SupervisionSegment(recording_id=recording.id, start=0.0, duration=0.2, **facts)
        cut = lhotse.MonoCut(utterance["id"], 0.0, 0.2, 0, [supervision], recording=recording, custom={"snr": 17.5})
        cuts.append(cut)
    lhotse.CutSet.from_cuts(cuts).to_file(folder / "cuts.jsonl.gz")
    # Without the time of the day.
    lines = gzip.decompress((folder / "cuts.jsonl.gz").read_bytes())
    (folder / "cuts.jsonl.gz").write_bytes(gzip.compress(lines, mtime=0))
    with SharWriter(str(folder / "shar"), fields={"recording": "wav"}, shard_size=10) as writer:
        for cut in cuts:
            writer.write(cut)


if __name__ == "__main__":
    webdataset_tar()
    huggingface_parquet()
    huggingface_saved()
    cosyvoice_parquet()
    lhotse_cuts_and_shar()
