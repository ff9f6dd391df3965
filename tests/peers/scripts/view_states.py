"""view_states.py <trial>: what table-view says while it loads, searches, measures, and when it cannot; in the current folder, which is empty."""
import os
import sys
import time
from pathlib import Path
from urllib.parse import quote

import corpus
from browser import Look
from selenium.webdriver.common.keys import Keys

SELECTED = "return [...document.querySelectorAll('[aria-selected=true]')].map((row) => row.dataset.key)"
IN_SIGHT = """const row = document.querySelector('[aria-selected=true]'), list = row.closest('[data-testid=list]');
    const [inner, outer] = [row, list].map((box) => box.getBoundingClientRect());
    return inner.top >= outer.top + 30 && inner.bottom <= outer.bottom + 1 && inner.top >= 0 && inner.bottom <= innerHeight;"""


def make_many(count=700):
    """A directory of many utterances with one sound, in two speakers."""
    corpus.write_sound("a.wav", corpus.sound(1, 1))
    Path("many").mkdir()
    keys = [f"utt{index:04}" for index in range(count)]
    Path("many/wav.scp").write_text("".join(f"{key} a.wav\n" for key in keys))
    Path("many/text").write_text("".join(f"{key} words of {index % 7}\n" for index, key in enumerate(keys)))
    return keys


def links_select_their_row():
    keys = make_many()
    with Look("many") as page:
        for fragment, after in [
            ("key=utt0431", "utt0432"),
            ("key=utt0431&sort=-key", "utt0430"),
            ("key=utt0431&filter=%22of+4%22", "utt0438"),
            ("key=utt0699", None),
            ("key=utt0002&sort=text", "utt0009"),
        ]:
            for reload in (False, True):
                page.open(f"{page.address}#{fragment}").ready()
                if reload:
                    page.driver.refresh()
                    page.ready()
                key = fragment[4:11]
                assert page.script(SELECTED) == [key] and page.script(IN_SIGHT), (fragment, reload)
            if after:
                page.keys("j")
                assert page.script(SELECTED) == [after] == [page.find("title").text], (fragment, page.script(SELECTED))
        page.travel(-1)
        assert page.script(SELECTED) == ["utt0002"] and page.script(IN_SIGHT)
        # A new fragment in the same page.
        page.script("location.hash = '#key=utt0555'")
        page.wait(lambda: page.has("title") and page.find("title").text == "utt0555", "another utterance")
        page.ready()
        assert page.script(SELECTED) == ["utt0555"] and page.script(IN_SIGHT)
        # What is not among the hits is open, and no row is its.
        page.open(f"{page.address}#key=utt0555&filter=%22of+4%22").ready()
        assert page.find("title").text == "utt0555" and page.script(SELECTED) == [] and page.rows()[0] == keys[4]


def loading_is_said():
    corpus.make()
    lines = Path("data/wav.scp").read_text().replace(" 1.wav", " while [ ! -e go ]; do sleep 0.1; done; cat 1.wav |")
    lines = lines.replace(" 2.wav", " echo 'no such' >&2; echo 'thing here' >&2; exit 3 |")
    Path("data/wav.scp").write_text(lines)
    with Look("data") as page:
        page.open(f"{page.address}#key=utt00").ready()
        pictures = lambda: [name for name in ("waveform", "spectrogram", "track-1", "text", "time-axis", "zoom-in") if page.has(name)]
        assert len(pictures()) == 6
        page.script("location.hash = '#key=utt01'")
        page.wait(lambda: page.has("loading") and "command" in page.find("loading").text, "it says that a command runs")
        said = page.find("loading")
        assert said.get_attribute("role") == "status" and "utt01" in said.text
        assert page.script("return arguments[0].closest('[aria-busy=true]') !== null", said)
        assert page.find("title").text == "utt01" and pictures() == [] and not page.find("player").is_displayed()
        # Another one opens meanwhile, and the late answer does not replace it.
        page.script("location.hash = '#key=utt04'")
        page.wait(lambda: page.find("title").text == "utt04", "another utterance")
        page.ready()
        assert not page.has("loading") and len(pictures()) == 6 and page.find("title").text == "utt04"
        Path("go").touch()
        time.sleep(0.5)
        assert page.find("title").text == "utt04"
        page.open(f"{page.address}#key=utt01").ready()
        assert len(pictures()) == 6 and not page.has("loading")
        # What a command wrote is said, once.
        page.open(f"{page.address}#key=utt02").ready()
        assert page.script("return document.body.innerText").count("nonzero return status") == 1
        assert "no such" in page.find("utterance-error").text and "thing here" in page.find("utterance-error").text
        assert not page.has("error") and pictures() == ["text"] and not page.find("player").is_displayed()
        # Its features can be seen when they are asked for.
        page.click("show-rest")
        assert page.colours("track-1") > 1 and not page.has("waveform")
        page.keys("j")
        assert page.find("title").text == "utt03" and not page.has("utterance-error") and len(pictures()) == 6


def searches_explain_themselves():
    corpus.make()
    with Look("data") as page:
        page.expected_in_console = ("status of 400",)
        count = page.find("count").text
        for text, expected in [("durations>3", "no column durations; duration?"), ("duration>ten", "got ten"), ("rule:cliping", "clipping?")]:
            page.search(text)
            assert expected in page.find("search-error").text, page.find("search-error").text
            assert page.find("search").get_attribute("aria-invalid") == "true" and page.find("count").text == ""
            assert page.find("search-error").get_attribute("role") in ("alert", "status") and not page.has("error")
        page.search('"durations>3"')
        assert not page.has("search-error") and page.find("count").text == "0" and page.has("empty")
        assert page.find("search").get_attribute("aria-invalid") == "false"
        # Esc empties, and leaves; Enter opens the first hit.
        page.keys(Keys.ESCAPE)
        assert page.find("search").get_attribute("value") == "" and page.find("count").text == count and not page.has("empty")
        focus = lambda: page.script("return document.activeElement.dataset.testid")
        assert focus() == "search"
        page.keys(Keys.ESCAPE)
        assert focus() == "list"
        page.keys("/")
        page.search("number")
        page.keys(Keys.ENTER)
        assert focus() == "list" and page.find("title").text == page.rows()[0] == page.script(SELECTED)[0]
        page.keys("j")
        assert page.find("title").text == page.rows()[1]
        page.check_access("a search")


def findings_are_in_the_list():
    corpus.make(count=24)
    corpus.write_sound("3.wav", corpus.numpy.clip(8 * corpus.sound(2, 50), -1, 1))
    corpus.write_sound("4.wav", corpus.numpy.clip(8 * corpus.sound(2, 51) + 0.1, -1, 1))
    with Look("data", width=1400) as page:
        assert not page.has("hint") and not page.has("rule") and not page.has("badge")
        page.keys("/", "rule:")
        assert page.has("hint") and page.has("measure")
        page.search("rule:clipping")
        assert page.has("hint") and page.find("count").text == "0"
        page.click("measure")
        page.wait(lambda: page.rows() == ["utt03", "utt04"], "the findings come by themselves")
        page.ready()
        assert not page.has("hint") and not page.has("measure")
        badges = page.all("badge")
        assert len(badges) == 2 and "clipping" in badges[0].get_attribute("title")
        counts = {rule.get_attribute("data-rule"): int(rule.get_attribute("data-count")) for rule in page.all("rule")}
        assert counts["clipping"] == 2 and list(counts.values()) == sorted(counts.values(), reverse=True), counts
        # A rule searches, and the address says it.
        page.search("")
        other = page.script("return [...document.querySelectorAll('[data-testid=rule]')].find((rule) => rule.dataset.rule === 'offset')")
        other.click()
        page.ready()
        assert page.rows() == ["utt04"] and "rule%3Aoffset" in page.driver.current_url
        page.search("")
        page.click("sort-findings")
        page.click("sort-findings")
        assert page.rows()[0] in ("utt03", "utt04")
        page.keys(Keys.TAB)
        page.script("document.activeElement.blur()")
        page.keys("?")
        text = page.find("help").text
        assert all(f"rule:{rule}" in text for rule in counts) and "rule:leak" in text
        page.check_access("findings")


def durations_come_by_themselves():
    durations = corpus.make()
    os.remove("data/utt2dur")
    with Look("data") as page:
        page.wait(lambda: page.find("background").text == "", "headers are read")
        page.ready()
        page.click("sort-duration")
        shown = page.script("""const column = [...document.querySelectorAll('[role=columnheader]')].findIndex((it) => it.dataset.testid === 'sort-duration');
            return [...document.querySelectorAll('[data-testid=row]')].map((row) => row.children[column].textContent)""")
        pairs = list(zip(shown, sorted(durations.values()), strict=True))
        assert all(abs(float(text) - seconds) <= 0.0051 and len(text) == 4 for text, seconds in pairs), shown


globals()[sys.argv[1]]()
