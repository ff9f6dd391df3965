"""make_pictures.py <samples>: table-view.png and table-report.png of the voices in samples, in the current folder."""
import shutil
import sys
from pathlib import Path

import corpus
from browser import Browser, Look


def make_data(samples):
    """The utterances of the samples, as they are in samples/audio, with filter banks, voice activity and words."""
    data = Path("data")
    shutil.copytree(Path(samples, "audio"), data)
    script = (data / "wav.scp").read_text().split("\n")
    (data / "wav.scp").write_text("".join(f"{line.split()[0]} data/{Path(line.split()[1]).name}\n" for line in script if line))
    segments = [line.split() for line in (data / "segments").read_text().splitlines()]
    words = "one two three four five six seven eight nine ten".split()
    text, ctm = [], []
    for index, (key, _, start, end) in enumerate(segments):
        said = [words[(3 * index + place) % 10] for place in range(1 + int(3 * (float(end) - float(start))))]
        text.append(f"{key} {' '.join(said)}\n")
        length = (float(end) - float(start)) / len(said)
        ctm += [f"{key} 1 {place * length:.2f} {length * 0.9:.2f} {word}\n" for place, word in enumerate(said)]
    (data / "text").write_text("".join(text))
    (data / "ctm").write_text("".join(ctm))
    corpus.run("""extract-segments scp:data/wav.scp data/segments ark,scp:parts.ark,parts.scp
        compute-fbank-feats --num-mel-bins=40 --dither=0 scp:parts.scp ark,scp:fbank.ark,data/feats.scp
        compute-mfcc-feats --dither=0 scp:parts.scp ark:mfcc.ark
        compute-vad --vad-energy-threshold=6 ark:mfcc.ark ark,scp:vad.ark,data/vad.scp""")


def main(samples):
    make_data(samples)
    with Look("data", width=1080, height=1060) as page:
        page.keys("j")
        page.click_at("waveform", 0.4)
        page.picture("table-view.png")
    durations = corpus.make("made", count=60, strange=())
    faults = [lambda sound: 8 * sound, lambda sound: sound + 0.06, lambda sound: 0 * sound, lambda sound: sound / 150]
    for index, change in enumerate(faults):
        number = 7 + 11 * index
        corpus.write_sound(f"{number}.wav", change(corpus.sound(durations[f"utt{number:02}"], number)))
    corpus.run("table-report --print-args=false --title='A corpus' made page.html")
    with Browser(width=1000, height=900) as page:
        address = Path("page.html").resolve().as_uri()
        page.allowed = (address,)
        page.open(address)
        page.script("arguments[0].scrollIntoView()", page.find("findings"))
        page.picture("table-report.png")


main(sys.argv[1])
