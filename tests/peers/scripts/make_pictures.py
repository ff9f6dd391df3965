"""make_pictures.py <samples>: the pictures of docs/looking.md of the voices in samples, in the current folder."""
import shutil
import sys
import wave
from pathlib import Path

import corpus
from browser import Browser, Look


def make_data(samples):
    """The utterances of the samples, as they are in samples/audio, with filter banks, voice activity and words."""
    data = Path("data")
    shutil.copytree(Path(samples, "audio"), data)
    script = (data / "wav.scp").read_text().split("\n")
    recordings = [f"{line.split()[0]} data/{Path(line.split()[1]).name}\n" for line in script if line]
    segments = [line.split() for line in (data / "segments").read_text().splitlines()]
    # The same voices, recorded badly.
    for name, voice, change in [("carl", "ben", lambda sound: 9 * sound), ("dora", "anna", lambda sound: sound / 1500), ("emil", "ben", lambda sound: sound + 0.05)]:
        with wave.open(str(data / f"{voice}.wav")) as file:
            sound, rate = corpus.numpy.frombuffer(file.readframes(10**9), "<i2") / 32768, file.getframerate()
        corpus.write_sound(data / f"{name}.wav", change(sound), rate)
        recordings.append(f"{name} data/{name}.wav\n")
        segments += [[key.replace(voice, name), name, *times] for key, recording, *times in segments if recording == voice]
    (data / "wav.scp").write_text("".join(recordings))
    (data / "segments").write_text("".join(f"{' '.join(segment)}\n" for segment in segments))
    (data / "utt2spk").write_text("".join(f"{key} {recording}\n" for key, recording, *_ in segments))
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
    with Look("data", width=1400, height=1000) as page:
        page.click("measure")
        page.wait(lambda: page.has("badge"), "everything is measured")
        page.ready()
        page.open(f"{page.address}#key=carl-01").ready()
        page.click_at("waveform", 0.4)
        page.picture("table-view.png")
        size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        page.scheme("dark")
        page.open(f"{page.address}#key=emil-01&sort=-findings").ready()
        page.driver.refresh()
        page.ready()
        page.picture("table-view-phone.png")
    durations = corpus.make("made", count=60, strange=())
    faults = [lambda sound: 8 * sound, lambda sound: sound + 0.06, lambda sound: 0 * sound, lambda sound: sound / 150]
    for index, change in enumerate(faults):
        number = 7 + 11 * index
        corpus.write_sound(f"{number}.wav", change(corpus.sound(durations[f"utt{number:02}"], number)))
    corpus.run("table-report --print-args=false --near-duplicates=false --title='A corpus' made page.html")
    with Browser(width=1200, height=1000) as page:
        address = Path("page.html").resolve().as_uri()
        page.allowed = (address,)
        page.open(address)
        page.picture("table-report.png")
        page.scheme("dark")
        page.driver.set_window_size(1000, 720)
        page.script("arguments[0].scrollIntoView()", page.find("utterance"))
        page.picture("table-report-card.png")


main(sys.argv[1])
