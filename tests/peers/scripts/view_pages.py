"""view_pages.py <trial>: table-view in a browser, in the current folder, which is empty."""
import sys
from pathlib import Path
from urllib.parse import quote

import corpus
from browser import Look
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

CANVASES = ["waveform", "spectrogram", "track-1", "track-2", "track-3"]


def shows_an_utterance():
    durations = corpus.make()
    with Look("data") as page:
        assert page.find("count").text == str(len(durations))
        assert not page.has("title") and not page.has("error") and not page.find("help").is_displayed()
        page.all("row")[1].click()
        page.ready()
        assert page.find("title").text == page.rows()[1] == page.script("return document.title").split(" - ")[0]
        assert "has words" in page.find("text").text
        for name in CANVASES:
            assert page.colours(name) > 1, name
            assert page.find(name).get_attribute("role") == "img" and page.find(name).get_attribute("aria-label"), name
        assert page.colours("spectrogram") > 50
        assert len(page.all("segment")) == -(-int(durations[page.find("title").text] * 100) // 20)
        duration = page.wait(lambda: page.script("return arguments[0].duration", page.find("player")), "the sound is here")
        assert abs(duration - durations[page.find("title").text]) < 0.001, duration
        # Other windows, other pictures.
        before = page.pixels("spectrogram")
        page.keys("b")
        assert page.pixels("spectrogram") != before and "50 ms" in page.driver.page_source
        # What the pointer is on.
        ActionChains(page.driver).move_to_element(page.find("spectrogram")).perform()
        for unit in (" s", " Hz", " dB", "ali"):
            assert unit in page.find("readout").text, page.find("readout").text


def searches_and_sorts():
    durations = corpus.make()
    with Look("data") as page:
        page.keys("/", "number 3")
        assert page.rows() == ["utt03"] and page.find("count").text == "1", page.rows()
        assert page.find("list").get_attribute("aria-rowcount") == "1"
        assert quote("number 3") in page.driver.current_url
        assert "filter=number%203" in page.find("save-keys").get_attribute("href")
        saved = "return fetch(arguments[0].href).then((answer) => answer.text())"
        assert page.script(saved, page.find("save-keys")) == "utt03\n"
        page.search("duration>3")
        wanted = {key for key, duration in durations.items() if duration > 3}
        assert set(page.rows()) == wanted and 0 < len(wanted) < len(durations)
        page.search("nothing has this")
        assert page.rows() == [] and page.find("count").text == "0"
        # One visit of the search is one step back, however many letters were typed.
        page.travel(-1)
        assert len(page.rows()) == len(durations) and page.find("search").get_attribute("value") == ""
        header = page.find("sort-duration")
        assert header.get_attribute("aria-sort") == "none"
        for order, is_reversed in (("ascending", False), ("descending", True)):
            page.click("sort-duration")
            assert page.find("sort-duration").get_attribute("aria-sort") == order
            shown = [durations[key] for key in page.rows()]
            assert shown == sorted(durations.values(), reverse=is_reversed), (order, shown)
        assert "sort=-duration" in page.driver.current_url
        # What makes no sense is said to be so, the rows stay, and the next search works.
        page.expected_in_console = ("status of 400",)
        page.open(f"{page.address}#sort=-duration").ready()
        before = page.rows()
        page.open(f"{page.address}#sort=nothing").ready()
        assert page.find("error").get_attribute("role") == "alert" and "nothing" in page.find("error").text
        assert page.rows() == before
        page.click("sort-key")
        assert not page.has("error") and page.rows() == sorted(before)
        page.search("utt05")
        assert page.rows() == ["utt05"] and not page.has("error")


def seeks_by_click_and_keys():
    durations = corpus.make()
    with Look("data") as page:
        page.keys("j")
        key = page.find("title").text
        duration = durations[key]
        time = lambda: float(page.find("cursor").get_attribute("data-time"))
        sound = lambda: page.script("return arguments[0].currentTime", page.find("player"))
        page.click_at("waveform", 0.25)
        assert abs(time() - duration / 4) < duration / 100 and abs(sound() - time()) < 0.002, (time(), sound())
        page.click_at("spectrogram", 0.75)
        assert abs(time() - duration * 3 / 4) < duration / 100 and abs(sound() - time()) < 0.002, (time(), sound())
        before = time()
        page.keys(Keys.ARROW_LEFT)
        assert abs(before - time() - duration / 100) < 0.002
        page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        assert abs(time() - before - duration / 100) < 0.002
        # Zoom keeps the cursor in sight, and the link says the part.
        page.keys("+", "+")
        page.ready()
        start, end = part(page)
        assert abs(end - start - duration / 4) < 0.001 and start <= time() <= end
        page.click_at("waveform", 0.5)
        assert abs(time() - (start + end) / 2) < 0.01
        page.keys("-")
        start, end = part(page)
        assert abs(end - start - duration / 2) < 0.001
        page.keys("0")
        assert "from=" not in page.driver.current_url
        page.click("zoom-in")
        assert "from=" in page.driver.current_url
        page.click("zoom-out")
        page.click("zoom-in")
        page.click("zoom-fit")
        assert "from=" not in page.driver.current_url
        # A drag zooms into what it has passed.
        canvas = page.find("spectrogram")
        quarter = canvas.size["width"] // 4
        chain = ActionChains(page.driver).move_to_element_with_offset(canvas, -quarter, 0).click_and_hold()
        chain.move_by_offset(quarter, 0).move_by_offset(quarter, 0).release().perform()
        page.ready()
        start, end = part(page)
        assert abs(start - duration / 4) < 0.02 and abs(end - duration * 3 / 4) < 0.02, (start, end)
        # The sound plays on from the cursor.
        page.click_at("waveform", 0.1)
        page.script("document.activeElement.blur()")
        before = time()
        page.keys(" ")
        page.wait(lambda: sound() > before and time() > before, "the sound plays")
        page.keys(" ")
        page.wait(lambda: page.script("return arguments[0].paused", page.find("player")), "the sound pauses")


def part(page):
    """The part that the link names."""
    fields = dict(field.split("=") for field in page.driver.current_url.split("#")[1].split("&"))
    return float(fields["from"]), float(fields["to"])


def links_and_goes_back():
    corpus.make()
    with Look("data") as page:
        first = page.rows()[0]
        page.open(f"{page.address}#key=utt04&from=0.5&to=1.25&sort=-duration&filter=number")
        page.ready()
        assert page.find("title").text == "utt04" and part(page) == (0.5, 1.25)
        assert page.find("sort-duration").get_attribute("aria-sort") == "descending"
        assert page.find("search").get_attribute("value") == "number"
        assert float(page.find("cursor").get_attribute("data-time")) == 0.5
        page.click_at("waveform", 0.5)
        assert abs(float(page.find("cursor").get_attribute("data-time")) - 0.875) < 0.01
        page.travel(-1)
        assert not page.has("title") and page.rows()[0] == first and page.find("search").get_attribute("value") == ""
        page.travel(1)
        assert page.find("title").text == "utt04" and part(page) == (0.5, 1.25)
        # Keys with all that a link cannot have.
        for key in (corpus.ODD_KEY, corpus.HOSTILE_KEY):
            page.open(f"{page.address}#key={quote(key, safe='')}")
            page.ready()
            assert page.find("title").text == key and page.colours("spectrogram") > 50
            page.driver.refresh()
            page.ready()
            assert page.find("title").text == key
        page.keys("j")
        other = page.find("title").text
        page.keys("j")
        page.travel(-1)
        assert page.find("title").text == other
        # What there is not.
        page.expected_in_console = ("status of 404",)
        page.open(f"{page.address}#key=nobody")
        page.ready()
        assert "nobody" in page.find("error").text
        page.open(f"{page.address}#key=utt01&from=-5&to=1000000")
        page.ready()
        assert page.find("title").text == "utt01" and not page.has("error") and "from=" not in page.driver.current_url


def is_walked_by_keyboard():
    corpus.make()
    with Look("data") as page:
        focus = lambda: page.script(
            """const box = document.activeElement, style = getComputedStyle(box);
            return [box.dataset.testid ?? box.id ?? box.tagName, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2]""")
        page.keys("j")
        names = set()
        for _ in range(60):
            page.keys(Keys.TAB)
            name, is_visible = focus()
            # The player draws its own focus.
            assert is_visible or name in ("player", "", "BODY"), name
            names.add(name)
        for name in ("search", "save-keys", "list", "sort-key", "sort-duration", "zoom-in", "zoom-out", "zoom-fit", "player", "show-help"):
            assert name in names, (name, names)
        # Enter on a heading sorts, in the list it opens.
        page.find("sort-key").send_keys(Keys.ENTER)
        page.ready()
        assert page.find("sort-key").get_attribute("aria-sort") == "ascending"
        grid = page.find("list")
        grid.send_keys(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        chosen = grid.get_attribute("aria-activedescendant")
        row = page.script("return document.getElementById(arguments[0]).dataset.key", chosen)
        assert row == page.rows()[2]
        grid.send_keys(Keys.ENTER)
        page.ready()
        assert page.find("title").text == row
        selected = "return [...document.querySelectorAll('[aria-selected=true]')].map((row) => row.dataset.key)"
        assert page.script(selected) == [row]
        page.keys("k")
        assert page.find("title").text == page.rows()[1]
        page.keys("?")
        assert page.find("help").is_displayed()
        page.keys("j")
        assert page.find("title").text == page.rows()[1]
        page.keys(Keys.ESCAPE)
        assert not page.find("help").is_displayed()
        page.keys("/")
        assert focus()[0] == "search"
        # Letters of a search are not commands.
        page.keys("jk+d?")
        assert page.find("search").get_attribute("value") == "jk+d?" and not page.find("help").is_displayed()


def is_accessible():
    corpus.make()
    with Look("data", "other.scp") as page:
        for scheme in ("light", "dark"):
            page.scheme(scheme)
            page.open(page.address).ready()
            page.check_access(f"{scheme}: the list")
            page.keys("j", "+", "d")
            page.check_access(f"{scheme}: an utterance")
            page.keys("?")
            page.check_access(f"{scheme}: help")
            page.keys(Keys.ESCAPE)
        paper = lambda: page.script("return getComputedStyle(document.body).backgroundColor")
        dark, picture = paper(), page.pixels("waveform")
        page.scheme("light")
        assert paper() != dark
        page.wait(lambda: page.pixels("waveform") != picture, "the picture has the colours of the page")
        # On paper: the utterance, on white.
        page.scheme("dark")
        page.emulate({"media": "print"})
        assert paper() == "rgb(255, 255, 255)" and not page.find("list").is_displayed() and page.find("spectrogram").is_displayed()
        page.emulate({"media": ""})
        # A narrow window has everything, one below the other.
        page.driver.set_window_size(500, 800)
        page.ready()
        page.check_access("a narrow window")
        assert page.script("return document.documentElement.scrollWidth <= innerWidth")


def scrolls_a_million_lines():
    corpus.write_sound("a.wav", corpus.sound(1, 1))
    count = 1_000_000
    Path("wav.scp").write_text("".join(f"utt{index:07} a.wav\n" for index in range(count)))
    with Look("wav.scp") as page:
        grid = page.find("list")
        assert page.find("count").text == grid.get_attribute("aria-rowcount") == str(count)
        assert page.script("return arguments[0].scrollHeight", grid) <= 8_000_000
        assert page.rows()[0] == "utt0000000" and len(page.rows()) < 100
        page.script("arguments[0].scrollTop = arguments[0].scrollHeight", grid)
        page.wait(lambda: page.rows()[-1:] == [f"utt{count - 1:07}"], "the last row")
        page.script("arguments[0].scrollTop = arguments[0].scrollHeight / 2", grid)
        page.wait(lambda: any(abs(int(row[3:]) - count / 2) < 100 for row in page.rows()[:1]), "the middle")
        # Every row can be reached.
        grid.send_keys(Keys.END)
        page.ready()
        for _ in range(3):
            grid.send_keys(Keys.ARROW_UP)
        grid.send_keys(Keys.ENTER)
        page.ready()
        assert page.find("title").text == f"utt{count - 4:07}"
        page.keys("j")
        assert page.find("title").text == f"utt{count - 3:07}"
        page.keys("/", "765432")
        assert page.rows() == ["utt0765432"]
        # The answer to the last search stays, whatever comes late.
        page.find("search").clear()
        page.script(
            """const search = arguments[0], type = (text) => {
                search.value = text;
                search.dispatchEvent(new Event("input"));
                search.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
            };
            for (const text of ["7", "76", "765", "nothing", "000012"]) type(text);""",
            page.find("search"))
        page.ready()
        wanted = [f"utt{index:07}" for index in range(count) if "000012" in f"{index:07}"]
        assert page.rows() == wanted[:len(page.rows())] and page.find("count").text == str(len(wanted))


def keeps_markup_as_text():
    corpus.make()
    with Look("data", "other.scp") as page:
        page.open(f"{page.address}#key={quote(corpus.HOSTILE_KEY, safe='')}&filter={quote('<i>x')}")
        page.ready()
        assert page.find("title").text == corpus.HOSTILE_KEY
        assert page.find("text").text == " ".join(corpus.HOSTILE_TEXT.split())
        page.open(f"{page.address}#key={quote(corpus.HOSTILE_KEY, safe='')}")
        page.ready()
        assert corpus.HOSTILE_KEY in page.rows()
        assert page.script("return document.title") == f"{corpus.HOSTILE_KEY} - table-view"
        strange = "return document.querySelectorAll('main :is(img, b, i, script, svg, style, iframe, object)').length"
        assert page.script(strange) == 0
        page.expected_in_console = ("status of 404",)
        page.open(f"{page.address}#key=<b>nobody</b>")
        page.ready()
        assert "<b>nobody</b>" in page.find("error").text


def shows_an_hour_in_tiles():
    Path("long").mkdir()
    # At 8 kHz, since the tested program may be one that is built without optimization.
    samples = corpus.numpy.tile(corpus.sound(5, 3), 360)
    # A click that must not vanish however much of it a pixel shows.
    samples[len(samples) // 2] = 1
    corpus.write_sound("hour.wav", samples, rate=8000)
    Path("long/wav.scp").write_text("hour hour.wav\n")
    with Look("long") as page:
        page.keys("j")
        assert page.colours("waveform") > 1 and page.colours("spectrogram") > 50
        assert "peak −0.0 dB" in page.find("wave-label").text or "peak 0.0 dB" in page.find("wave-label").text
        heap = "return performance.memory.usedJSHeapSize"
        assert page.script(heap) < 100e6, page.script(heap)
        page.click_at("spectrogram", 0.5)
        for _ in range(14):
            page.keys("+")
        start, end = part(page)
        assert end - start < 0.5 and start <= 1800 * 1.01 and page.colours("spectrogram") > 20
        # Only parts were asked for.
        sizes = page.script("return performance.getEntriesByType('resource').map((entry) => [entry.name, entry.transferSize])")
        tiles = [size for name, size in sizes if "/api/tile" in name or "/api/peaks" in name]
        assert tiles and max(tiles) < 2e6 and sum(tiles) < 30e6, (max(tiles), sum(tiles))
        page.keys("0")
        assert "from=" not in page.driver.current_url


def shows_differences():
    corpus.make()
    with Look("data", "other.scp") as page:
        page.open(f"{page.address}#key=utt00")
        page.ready()
        tables = [name for name in (f"track-{number}" for number in range(1, 6)) if page.has(name)]
        before = [page.pixels(name) for name in tables]
        page.keys("d")
        assert page.find("difference").get_attribute("aria-pressed") == "true"
        assert "2.5" in page.find("difference").text, page.find("difference").text
        changed = [name for name, pixels in zip(tables, before) if page.pixels(name) != pixels]
        assert len(changed) == 1 and page.colours(changed[0]) > 1, changed
        page.click("difference")
        assert page.find("difference").get_attribute("aria-pressed") == "false"
        assert [page.pixels(name) for name in tables] == before
        page.keys("d", "k", "j")
        page.open(f"{page.address}#key=utt01")
        page.ready()
        assert "at most 0" in page.find("difference").text, page.find("difference").text


def measures_everything():
    corpus.make(count=24)
    corpus.write_sound("3.wav", corpus.numpy.clip(8 * corpus.sound(2, 50), -1, 1))
    with Look("data") as page:
        page.keys("j")
        assert not page.has("sort-clipped")
        page.click("measure")
        page.wait(lambda: page.has("sort-clipped"), "everything is measured")
        page.ready()
        assert not page.has("measure") and "clipped" in page.driver.page_source
        # Opened before, measured now.
        assert "bandwidth" in page.find("numbers").text
        page.keys("/", "rule:clipping")
        assert page.rows() == ["utt03"]
        page.keys(Keys.TAB, "j")
        assert "clipping" in page.find("findings").text
        page.search("clipped<0.001")
        assert "utt03" not in page.rows() and page.find("count").text == "23"
        page.click("sort-level")
        level = "return [...document.querySelectorAll('[data-testid=row]')].map((row) => Number(row.children[arguments[0]].textContent.replace('−', '-')))"
        column = page.script("return [...arguments[0].parentNode.children].indexOf(arguments[0])", page.find("sort-level"))
        levels = page.script(level, column)
        assert levels == sorted(levels) and len(set(levels)) > 2, levels


def survives_bad_sound():
    corpus.make()
    lines = Path("data/wav.scp").read_text().replace(" 1.wav", " gone.wav")
    Path("data/wav.scp").write_text(lines)
    with Look("data") as page:
        page.open(f"{page.address}#key=utt01")
        page.ready()
        assert page.find("title").text == "utt01" and "gone.wav" in page.find("utterance-error").text and not page.has("error")
        assert not any(page.has(name) for name in (*CANVASES, "time-axis", "frequency-axis", "zoom-in")) and not page.find("player").is_displayed()
        page.click("show-rest")
        assert not page.has("waveform") and page.colours("track-1") > 1
        page.keys("j")
        assert page.find("title").text == "utt02" and not page.has("utterance-error") and page.colours("waveform") > 1


globals()[sys.argv[1]]()
