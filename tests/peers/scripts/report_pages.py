"""report_pages.py <trial>: the page of table-report in a browser, from its file, in the current folder, which is empty."""
import sys
from pathlib import Path

import corpus
from browser import Browser

SECTIONS = ["summary", "distributions", "speakers", "text", "findings"]


def report(options=""):
    """The page of some utterances, of which a few stand out; its address."""
    corpus.make(count=24)
    corpus.write_sound("3.wav", corpus.numpy.clip(8 * corpus.sound(2, 50), -1, 1))
    corpus.write_sound("5.wav", corpus.numpy.zeros(32000))
    # One step of 16 bits.
    corpus.write_sound("6.wav", corpus.numpy.random.default_rng(1).integers(-1, 2, 32000) / 32767)
    corpus.write_sound("8.wav", corpus.sound(3, 8) + 0.06)
    Path("10.wav").write_bytes(Path("11.wav").read_bytes())
    corpus.run(f"table-report --print-args=false {options} data page.html")
    return Path("page.html").resolve().as_uri()


def look(address, **window):
    page = Browser(**window)
    page.allowed = (address,)
    return page


def shown(page, name):
    """The keys of those in sight."""
    return [one.get_attribute("data-key") for one in page.all(name) if one.is_displayed()]


def reads_from_its_file():
    address = report()
    for has_scripts in (True, False):
        with look(address, scripts=has_scripts) as page:
            page.open(address)
            for name in SECTIONS:
                assert page.find(name).is_displayed(), name
            found = {(finding.get_attribute("data-key"), finding.get_attribute("data-rule")) for finding in page.all("finding")}
            assert found >= {("utt03", "clipping"), ("utt05", "silence"), ("utt08", "offset"), ("utt10", "duplicate-audio")}, found
            cards = {one.get_attribute("data-key"): one.text for one in page.all("utterance")}
            assert "utt03" in cards and "<b>bold</b>" in cards[corpus.HOSTILE_KEY], cards
            assert all(chart.is_displayed() for chart in page.all("chart")) and len(page.all("chart")) > 15
            assert shown(page, "group") == [group.get_attribute("data-key") for group in page.all("group")]
            if not has_scripts:
                continue
            drawn = "return [...document.images].every((image) => image.complete && image.naturalWidth > 1 && image.alt)"
            assert page.script(drawn) and page.script("return document.images.length") > 0
            assert page.script("return document.querySelectorAll('svg[role=img] > title').length") > 3
            assert "data" in page.driver.title and "table-report" in page.driver.title
            assert "data" in page.find("about").text
            assert " s" in page.find("length").text and "of 24 utterances" in page.find("summary").text
            links = page.script("return [...document.querySelectorAll('[data-testid=toc] a')].map((link) => link.hash.slice(1))")
            sections = page.script("return [...document.querySelectorAll('section')].map((section) => section.id)")
            assert links == sections, (links, sections)
            lasts = "return [...document.querySelectorAll('audio')].map((audio) => audio.duration)"
            page.wait(lambda: all(seconds and seconds > 0.5 for seconds in page.script(lasts)), "the sound is there")
            for scheme in ("light", "dark"):
                page.scheme(scheme)
                page.check_access(scheme)
            page.emulate({"media": "print"})
            assert page.find("findings").is_displayed() and not page.find("toc").is_displayed()
            page.emulate({"media": ""})


def sorts_and_filters():
    address = report()
    with look(address) as page:
        page.open(address)
        everything = shown(page, "group")
        rules = {rule.get_attribute("data-rule"): int(rule.get_attribute("data-count")) for rule in page.all("rule")}
        assert list(rules.values()) == sorted(rules.values(), reverse=True) and rules["silence"] == 2, rules
        assert page.find("count").text == f"{len(everything)} of {len(everything)} utterances"

        def shows(rule):
            expected = [
                group.get_attribute("data-key") for group in page.all("group")
                if any(row.get_attribute("data-rule") == rule for row in page.all("finding") if row.get_attribute("data-key") == group.get_attribute("data-key"))
            ]
            assert shown(page, "group") == expected and len(expected) == rules[rule], (rule, shown(page, "group"), expected)
            assert set(shown(page, "utterance")) == set(expected)
            assert page.find("count").text == f"{rules[rule]} of {len(everything)} utterances"
            assert page.driver.current_url == f"{address}#rule={rule}"
            assert page.script("return document.querySelector('[data-testid=rule][aria-current]').dataset.rule") == rule

        for rule in ("silence", "duplicate-audio"):
            page.script("arguments[0].scrollIntoView({ block: 'center' })", page.find("rules"))
            next(link for link in page.all("rule") if link.get_attribute("data-rule") == rule).click()
            shows(rule)
        page.driver.back()
        page.wait(lambda: page.find("count").text.startswith("2 of") and page.driver.current_url.endswith("silence"), "back")
        shows("silence")
        # A link to a rule, and to one that there is not.
        page.open("about:blank").open(f"{address}#rule=clipping")
        shows("clipping")
        # From a card to its row, with the rule still chosen.
        next(back for back in page.all("back") if back.is_displayed()).click()
        assert shown(page, "group") == ["utt03"]
        page.find("all").click()
        assert shown(page, "group") == everything and "rule=" not in page.driver.current_url
        page.open("about:blank").open(f"{address}#rule=nothing")
        assert shown(page, "group") == everything and page.find("count").text.startswith(f"{len(everything)} of")
        # A link to what is not shown shows it.
        page.open("about:blank").open(f"{address}#rule=clipping")
        page.script("location.hash = 'group-0'")
        page.wait(lambda: shown(page, "group") == everything, "all are shown")

        heading = lambda name: page.script("return arguments[0].closest('th').ariaSort", page.find(name))
        assert [heading(name) for name in ("sort-utterance", "sort-findings", "sort-score")] == ["none", "none", "descending"]
        page.find("sort-utterance").click()
        assert shown(page, "group") == sorted(everything) and heading("sort-utterance") == "ascending"
        page.find("sort-utterance").click()
        assert shown(page, "group") == sorted(everything, reverse=True) and heading("sort-utterance") == "descending"
        page.find("sort-findings").click()
        counts = page.script("return [...document.querySelectorAll('[data-testid=group]')].map((group) => group.rows.length)")
        assert counts == sorted(counts, reverse=True) and counts[0] > 1 and heading("sort-findings") == "descending"
        assert heading("sort-utterance") == "none"
        page.find("sort-score").click()
        assert shown(page, "group") == everything and heading("sort-score") == "descending"
        page.find("sort-score").click()
        assert heading("sort-score") == "ascending" and shown(page, "group") != everything


def has_one_scale_and_two_themes():
    address = report()
    with look(address, width=1400) as page:
        page.open(address)
        ranges = {(float(one.get_attribute("data-low")), float(one.get_attribute("data-high"))) for one in page.all("spectrogram")}
        assert len(ranges) == 1 and 50 <= max(ranges)[1] - min(ranges)[0] <= 120, ranges
        assert {one.get_attribute("data-scale") for one in page.all("waveform")} == {"1"}
        low, high = (f"{round(end)} dB".replace("-", "\u2212") for end in ranges.pop())
        assert low in page.find("colour-bar").text and high in page.find("colour-bar").text
        # What is nearly silent has hardly any colours.
        colours = """const canvas = document.createElement("canvas"), image = arguments[0];
            [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            const counts = new Map();
            for (const pixel of new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
            return [counts.size, Math.max(...counts.values()) / canvas.width / canvas.height]"""
        for card in page.all("utterance"):
            key = card.get_attribute("data-key")
            image = card.find_element("css selector", "[data-testid=spectrogram]")
            number, share = page.script(colours, image)
            assert (share > 0.95) == (key in ("utt05", "utt06")) and (number > 10 or key in ("utt05", "utt06")), (key, number, share)
            for name in ("waveform", "spectrogram"):
                picture = card.find_element("css selector", f"[data-testid={name}]")
                assert picture.size["width"] >= 0.85 * card.size["width"], (key, name)
            rules = {why.get_attribute("data-rule") for why in card.find_elements("css selector", "[data-testid=why]")}
            assert rules == set(card.get_attribute("data-rules").split()), key
            measures = [one for one in card.find_elements("css selector", "[data-testid=measure]") if one.is_displayed()]
            assert 1 <= len(measures) <= 8, key
        # Marks of charts are whole, and do not touch.
        boxes = """return [...arguments[0].querySelectorAll("svg [data-testid=tick]")].map((tick) => {
            const { left, right, top, bottom } = tick.getBoundingClientRect();
            return [left, right, top, bottom];
        }).concat([[...[arguments[0].getBoundingClientRect()].map(({ left, right, top, bottom }) => [left, right, top, bottom])[0]]])"""
        for chart in page.all("chart"):
            *ticks, outside = page.script(boxes, chart)
            for at, (left, right, top, bottom) in enumerate(ticks):
                assert outside[0] <= left and right <= outside[1] and outside[2] <= top and bottom <= outside[3], chart.text
                for other in ticks[at + 1:]:
                    assert right < other[0] or other[1] < left or bottom < other[2] or other[3] < top, chart.text
        light = page.script("return getComputedStyle(document.body).backgroundColor")
        page.scheme("dark")
        look_of = """const brightness = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
            const of = (element, name) => brightness(getComputedStyle(element)[name]);
            return [of(document.body, "backgroundColor"), ...[...document.querySelectorAll("svg text")].map((text) => of(text, "fill"))]"""
        paper, *inks = page.script(look_of)
        assert paper < 45 and min(inks) > 150 and page.script("return getComputedStyle(document.body).backgroundColor") != light
        assert "dark" in page.script("return getComputedStyle(document.querySelector('audio')).colorScheme")


def fits_a_phone():
    address = report()
    with look(address) as page:
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False})
        page.open(address)
        assert page.script("return document.documentElement.scrollWidth") <= 390
        assert page.script("return document.querySelector('table').scrollWidth <= document.querySelector('table').clientWidth")
        assert max(card.size["height"] for card in page.all("utterance")) <= 844
        assert page.script("return document.documentElement.scrollHeight") < 20_000
        small = """return [...document.querySelectorAll("button, summary, nav a, [data-testid=rule], [data-testid=all], [data-testid=back]")]
            .filter((one) => one.checkVisibility() && (one.offsetWidth < 24 || one.offsetHeight < 24)).map((one) => one.outerHTML)"""
        assert page.script(small) == []
        for scheme in ("light", "dark"):
            page.scheme(scheme)
            page.check_access(f"a phone, {scheme}")
        for card in page.all("utterance"):
            for name in ("waveform", "spectrogram"):
                picture = card.find_element("css selector", f"[data-testid={name}]")
                assert picture.size["width"] >= 0.85 * card.size["width"], name


def report_of(utterances):
    """The address of a report on a folder with so many utterances, two thirds of them without words."""
    folder = Path(f"of{utterances}")
    folder.mkdir()
    lines = [f"utt{number:05} " + ("" if number % 3 else "some words") + "\n" for number in range(utterances)]
    (folder / "text").write_text("".join(lines))
    corpus.run(f"table-report --print-args=false {folder} {folder}.html")
    return Path(f"{folder}.html").resolve().as_uri()


def shows_500_of_2000_findings():
    fewer, address = report_of(750), report_of(3000)
    with look(address) as page:
        page.allowed += (fewer,)

        def elements(address):
            page.open(address)
            return page.script("return document.getElementsByTagName('*').length")

        # Findings that are not shown are no elements, which would be laid out.
        few, many = elements(fewer), elements(address)
        assert many < 1.1 * few, (few, many)
        assert len(page.all("finding")) == 500 and "2000 findings" in page.find("findings").text
        assert page.find("rule").get_attribute("data-count") == "2000"
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False})
        assert page.script("return document.documentElement.scrollHeight") < 20_000
        page.script("document.getElementById('more').click()")
        assert len(shown(page, "group")) == 500


globals()[sys.argv[1]]()
