"""Reads manifests or cuts, or with `kaldi` a data directory, by lhotse. Prints its recordings and its utterances."""

import sys
import warnings

import load_lhotse

lhotse = load_lhotse.load()
warnings.simplefilter("ignore")
kind, folder, rate = sys.argv[1:]

if kind == "cuts":
    for cut in lhotse.CutSet.from_file(f"{folder}/cuts.jsonl.gz"):
        lhotse.validate(cut)
        (it,) = cut.supervisions
        shapes = cut.load_features().shape, cut.load_audio().shape
        assert it.id == cut.id and it.start == 0 and it.duration == cut.duration, cut
        print(cut.id, cut.recording.id, f"{cut.start:g}", cut.duration, *shapes, end=" ")
        print(it.speaker, it.gender, it.language, it.text, cut.custom)
    sys.exit()

if kind == "kaldi":
    recordings, supervisions, _ = lhotse.kaldi.load_kaldi_data_dir(folder, int(rate))
else:
    recordings = lhotse.RecordingSet.from_file(f"{folder}/recordings.jsonl.gz")
    supervisions = lhotse.SupervisionSet.from_file(f"{folder}/supervisions.jsonl.gz")
    # Its own rules, and the numbers that it finds in the files itself.
    lhotse.validate(recordings)
    lhotse.qa.validate_recordings_and_supervisions(recordings, supervisions)
    for recording in recordings:
        if recording.sources[0].type == "file":
            own = lhotse.Recording.from_file(recording.sources[0].source, recording_id=recording.id)
            assert own.to_dict() == recording.to_dict(), (own, recording)
    cuts = lhotse.CutSet.from_manifests(recordings=recordings, supervisions=supervisions)
    assert len(cuts) >= len(recordings)

for recording in recordings:
    source = recording.sources[0]
    print(recording.id, source.type, source.source, recording.num_samples, recording.sampling_rate)
for it in supervisions:
    print(it.id, it.recording_id, round(it.start, 6), round(it.end, 6), it.channel, it.speaker, it.text)
