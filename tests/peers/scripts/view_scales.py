"""view_scales.py <trial>: the scales, axes and the layout of table-view, in the current folder, which is empty."""
import sys
from pathlib import Path

import corpus
from browser import Look
from selenium.webdriver.common.keys import Keys

BOXES = """return [...document.querySelectorAll(`[data-testid=${arguments[0]}] [data-testid=tick]`)].map((tick) => {
    const [box, pane] = [tick, tick.parentElement].map((it) => it.getBoundingClientRect());
    return { text: tick.textContent, left: box.left, right: box.right, top: box.top, bottom: box.bottom, width: tick.scrollWidth - tick.clientWidth,
      inside: box.left >= pane.left - 0.5 && box.right <= pane.right + 0.5 && box.top >= pane.top - 0.5 && box.bottom <= pane.bottom + 0.5 };
  })"""


def check_axes(page, start="0"):
    times, frequencies = page.script(BOXES, "time-axis"), page.script(BOXES, "frequency-axis")
    assert len(times) >= 2 and len(frequencies) >= 3, (times, frequencies)
    assert all(tick["inside"] and tick["width"] <= 1 for tick in times + frequencies), (times, frequencies)
    assert all(left["right"] < right["left"] for left, right in zip(times, times[1:])), times
    assert all(upper["bottom"] <= lower["top"] for lower, upper in zip(frequencies, frequencies[1:])), frequencies
    assert all(tick["text"].endswith(" s") for tick in times) and times[0]["text"].startswith(start), times
    assert frequencies[0]["text"] == "0 Hz" and all(tick["text"].endswith("Hz") for tick in frequencies), frequencies


def scales_are_the_same_for_all():
    corpus.make()
    corpus.write_sound("1.wav", corpus.numpy.random.default_rng(0).integers(-1, 2, 40000) / 32768)
    corpus.write_sound("2.wav", corpus.sound(2, 2) / 100)
    ranges, colours, ink = [], [], []
    with Look("data") as page:
        wave_rows = """const canvas = arguments[0], data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            let rows = 0;
            for (let y = 0; y < canvas.height; y += 1) {
              for (let x = 0; x < canvas.width; x += 1) if (data[(y * canvas.width + x) * 4 + 3] > 0) { rows += 1; break; }
            }
            return rows / canvas.height;"""
        for key in ("utt00", "utt01", "utt02"):
            page.open(f"{page.address}#key={key}").ready()
            spectrogram, waveform = page.find("spectrogram"), page.find("waveform")
            ranges.append([float(spectrogram.get_attribute(name)) for name in ("data-low", "data-high")])
            assert waveform.get_attribute("data-scale") == "1"
            label = page.find("wave-label").text
            assert "full scale" in label and "peak −" in label and "dB" in label, label
            bar = page.find("colour-bar").text
            assert bar.count("dB") == 2 and all(str(abs(int(end))) in bar for end in ranges[-1]), bar
            colours.append(page.colours("spectrogram"))
            ink.append(page.script(wave_rows, waveform))
        assert ranges[0] == ranges[1] == ranges[2] and 50 <= ranges[0][1] - ranges[0][0] <= 120, ranges
        # A step of 16 bits is a line and one colour; sound of normal level fills the picture.
        assert colours[1] == 1 and colours[0] > 100 and ink[1] < 0.05 and ink[2] < 0.1 and ink[0] > 0.2, (colours, ink)
        page.keys("w")
        assert page.find("wave-scale").get_attribute("aria-pressed") == "true" and page.script(wave_rows, page.find("waveform")) > 0.5
        assert 0 < float(page.find("waveform").get_attribute("data-scale")) < 0.1
        page.click("spectrum-scale")
        assert page.find("spectrum-scale").get_attribute("aria-pressed") == "true"
        assert float(page.find("spectrogram").get_attribute("data-high")) < ranges[0][1]
        page.click("wave-scale")
        page.click("spectrum-scale")
        assert page.find("waveform").get_attribute("data-scale") == "1"
        assert float(page.find("spectrogram").get_attribute("data-high")) == ranges[0][1]


def axes_are_elements():
    corpus.make()
    with Look("data") as page:
        page.keys("j")
        check_axes(page)
        for _ in range(5):
            page.keys("+")
            check_axes(page, start="")
        page.keys("0")
        for width in (1400, 900, 390):
            page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": False})
            page.ready()
            page.wait(lambda: page.script("return innerWidth") == width, "another width")
            page.script("dispatchEvent(new Event('resize'))")
            page.ready()
            check_axes(page)


def everything_fits():
    corpus.make(count=30)
    text = Path("data/text").read_text().replace("has words", "has many more words than a narrow column of a list may show at once")
    Path("data/text").write_text(text)
    with Look("data", width=1400) as page:
        page.click("measure")
        page.wait(lambda: page.has("sort-clipped"), "everything is measured")
        page.ready()
        size = lambda width, height: page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        size(1400, 900)
        page.keys("j")
        seen = """const list = document.querySelector('[data-testid=list]').getBoundingClientRect();
            return arguments[0].map((name) => { const box = document.querySelector(`[data-testid=sort-${name}]`).getBoundingClientRect();
              return box.left >= list.left && box.right <= list.right; })"""
        for width in (1400, 390):
            size(width, 900)
            page.wait(lambda: page.script("return innerWidth") == width, "another width")
            page.ready()
            names = ["key", "duration", "speaker", "text", "findings"]
            page.wait(lambda: all(page.script(seen, names)), f"the first columns fit into {width} pixels")
            assert page.script("return document.documentElement.scrollWidth <= innerWidth")
        # What is cut has dots, and all of it as its title.
        cut = page.script("""return [...document.querySelectorAll('[role=gridcell]')].filter((cell) => cell.scrollWidth > cell.clientWidth)
            .map((cell) => [cell.textContent, cell.title, getComputedStyle(cell).textOverflow])""")
        assert cut and all(text == title and dots == "ellipsis" for text, title, dots in cut), cut
        small = page.script("""return [...document.querySelectorAll('button, select')].filter((it) => it.checkVisibility())
            .map((it) => it.getBoundingClientRect()).filter((box) => box.height < 24 || box.width < 24).length""")
        assert small == 0, small
        selected = page.script("""const row = document.querySelector('[aria-selected=true]').getBoundingClientRect();
            return row.top >= 0 && row.bottom <= innerHeight""")
        assert selected
        page.check_access("a phone")
        # The ring of the focus is not cut off by what is around it.
        size(1400, 900)
        page.ready()
        for _ in range(30):
            page.keys(Keys.TAB)
            cut = page.script("""const box = document.activeElement, style = getComputedStyle(box);
                if (box === document.body || style.outlineStyle === "none") return null;
                const more = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset), own = box.getBoundingClientRect();
                let area = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
                for (let around = box.parentElement; around; around = around.parentElement) {
                  if (getComputedStyle(around).overflowX === "visible") continue;
                  const other = around.getBoundingClientRect();
                  if (around.scrollWidth > around.clientWidth || around.scrollHeight > around.clientHeight || getComputedStyle(around).overflowX === "hidden") {
                    if (own.left - more < other.left - 0.5 || own.right + more > other.right + 0.5) return box.outerHTML.slice(0, 90);
                  }
                }
                return own.left - more < -0.5 || own.top - more < -0.5 || own.right + more > area.right + 0.5 ? box.outerHTML.slice(0, 90) : null;""")
            assert cut is None or "sort-" in cut, cut


globals()[sys.argv[1]]()
