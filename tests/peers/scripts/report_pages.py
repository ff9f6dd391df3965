"""report_pages.py: the page of table-report in a browser, from its file, with scripts and without, in the current folder."""
from pathlib import Path

import corpus
from browser import Browser

SECTIONS = ["summary", "distributions", "speakers", "text", "findings"]


def main():
    corpus.make(count=24)
    # Two that stand out.
    clipped = corpus.numpy.clip(8 * corpus.sound(2, 50), -1, 1)
    corpus.write_sound("3.wav", clipped)
    corpus.write_sound("5.wav", corpus.numpy.zeros(32000))
    corpus.run("table-report --print-args=false data page.html")
    address = Path("page.html").resolve().as_uri()
    for has_scripts in (True, False):
        with Browser(scripts=has_scripts) as page:
            page.allowed = (address,)
            page.open(address)
            for name in SECTIONS:
                assert page.find(name).is_displayed(), name
            found = {(finding.get_attribute("data-key"), finding.get_attribute("data-rule")) for finding in page.all("finding")}
            assert found >= {("utt03", "clipping"), ("utt05", "silence")}, found
            shown = {one.get_attribute("data-key"): one.text for one in page.all("utterance")}
            assert "utt03" in shown and "<b>bold</b>" in shown[corpus.HOSTILE_KEY], shown
            if not has_scripts:
                continue
            drawn = "return [...document.images].every((image) => image.complete && image.naturalWidth > 1 && image.alt)"
            assert page.script(drawn) and page.script("return document.images.length") > 0
            assert page.script("return document.querySelectorAll('svg[role=img] > title').length") > 3
            lasts = "return [...document.querySelectorAll('audio')].map((audio) => audio.duration)"
            page.script("for (const audio of document.querySelectorAll('audio')) audio.preload = 'auto'")
            page.wait(lambda: all(seconds and seconds > 0.5 for seconds in page.script(lasts)), "the sound is there")
            for scheme in ("light", "dark"):
                page.scheme(scheme)
                page.check_access(scheme)
            page.emulate({"media": "print"})
            assert page.find("findings").is_displayed()
            page.emulate({"media": ""})
            page.driver.set_window_size(500, 800)
            assert page.script("return document.documentElement.scrollWidth <= innerWidth"), "a narrow window scrolls sideways"


main()
