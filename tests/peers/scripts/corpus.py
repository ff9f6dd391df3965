"""Data directories for the trials of pages."""
import subprocess
import wave
from pathlib import Path

import numpy

RATE = 16000
HOSTILE_KEY = "<img/src=x/onerror=document.title='hit'>"
ODD_KEY = "a&b=c#d%41+e\"'é"
HOSTILE_TEXT = "<b>bold</b> <script>document.title='hit'</script> \"><svg onload=document.title='hit'> {{x}} ${x}"


def sound(seconds, seed):
    """Syllables of harmonics that glide, with a little noise."""
    random = numpy.random.default_rng(seed)
    time = numpy.arange(int(seconds * RATE)) / RATE
    pitch = 120 + 20 * (seed % 5) + 15 * numpy.sin(2 * time + seed)
    phase = 2 * numpy.pi * numpy.cumsum(pitch) / RATE
    voice = sum(numpy.sin(part * phase) / part ** 1.2 for part in range(1, 26))
    loudness = numpy.clip(numpy.sin(2 * numpy.pi * 2.4 * time + seed), 0, 1)
    return 0.2 * voice * loudness + 0.003 * random.standard_normal(len(time))


def write_sound(path, samples, rate=RATE):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", ""))
        file.writeframes((numpy.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())


def text_matrix(key, rows):
    lines = "\n".join(" ".join(f"{value:.6g}" for value in row) for row in rows)
    return f"{key}  [\n{lines} ]\n"


def run(line):
    subprocess.run(["bash", "-euc", line], check=True, stderr=subprocess.DEVNULL)


def make(folder="data", count=12, strange=(HOSTILE_KEY, ODD_KEY)):
    """Utterances with sound, text, speakers, features, alignments and voice activity; the features anew in `other.scp`, where one
    number is larger by 2.5. The last have strange keys. Returns their keys and durations."""
    folder = Path(folder)
    folder.mkdir()
    keys = [f"utt{index:02}" for index in range(count - len(strange))] + [*strange]
    durations = {key: 2 + (7 * index % 11) / 8 for index, key in enumerate(keys)}
    lists = {name: [] for name in ("wav.scp", "text", "utt2spk", "utt2dur")}
    feats, labels, voiced = [], [], []
    for index, key in enumerate(keys):
        write_sound(f"{index}.wav", sound(durations[key], index))
        lists["wav.scp"].append(f"{key} {index}.wav\n")
        text = HOSTILE_TEXT if key == HOSTILE_KEY else f"the text of number {index} has words"
        lists["text"].append(f"{key} {text}\n")
        lists["utt2spk"].append(f"{key} speaker{index % 3}\n")
        lists["utt2dur"].append(f"{key} {durations[key]}\n")
        frames = int(durations[key] * 100)
        time = numpy.arange(frames)[:, None] / 100
        feats.append((key, numpy.sin(3 * time + numpy.arange(8)[None, :]) * 4))
        labels.append(f"{key} {' '.join(str(1 + frame // 20 % 5) for frame in range(frames))}\n")
        voiced.append(f"{key}  [ {' '.join(str(frame // 50 % 2) for frame in range(frames))} ]\n")
    for name, lines in lists.items():
        (folder / name).write_text("".join(sorted(lines)))
    Path("feats.txt").write_text("".join(text_matrix(*entry) for entry in feats))
    feats[0][1][100, 3] += 2.5
    Path("other.txt").write_text("".join(text_matrix(*entry) for entry in feats))
    Path("ali.txt").write_text("".join(labels))
    Path("vad.txt").write_text("".join(voiced))
    run(f"""copy-feats ark,t:feats.txt ark,scp:feats.ark,{folder}/feats.scp
        copy-feats ark,t:other.txt ark,scp:other.ark,other.scp
        copy-int-vector ark,t:ali.txt ark,scp:ali.ark,{folder}/ali.scp
        copy-vector ark,t:vad.txt ark,scp:vad.ark,{folder}/vad.scp""")
    return durations
