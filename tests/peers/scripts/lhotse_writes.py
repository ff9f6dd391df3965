"""Writes manifests of the sound in this folder by lhotse, and the data directory that it makes of them."""

import sys

import load_lhotse

lhotse = load_lhotse.load()
folder, end = sys.argv[1:]

recordings = lhotse.RecordingSet.from_recordings(
    lhotse.Recording.from_file(f"{name}.wav", recording_id=name) for name in ["a", "b", "c"]
)
supervisions = lhotse.SupervisionSet.from_segments(
    lhotse.SupervisionSegment(
        id=f"spk{number % 2}-{recording.id}-{number}",
        recording_id=recording.id,
        start=0.0125 * number,
        duration=round(recording.duration / 3, 4),
        channel=number % recording.num_channels,
        text=f"number {number} \u00fc",
        language="English",
        speaker=f"spk{number % 2}",
        gender="F",
        alignment={"word": [lhotse.supervision.AlignmentItem("number", 0.0, 0.01)]},
        custom={"more": [1, 2]},
    )
    for recording in recordings
    for number in range(2)
)
recordings.to_file(f"{folder}/corpus_recordings_train.{end}")
supervisions.to_file(f"{folder}/corpus_supervisions_train.{end}")
single = recordings.filter(lambda recording: recording.num_channels == 1)
chosen = supervisions.filter(lambda it: it.recording_id in single)
lhotse.kaldi.export_to_kaldi(single, chosen, f"{folder}/kaldi")
perturbed = recordings.perturb_speed(0.9)
perturbed.to_file(f"{folder}/perturbed_recordings.jsonl")
