"""Chromium without a window, and a table-view that it looks at. Pages name their parts by data-testid."""
import base64
import importlib.util
import json
import subprocess
import time
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

# Long, for machines that have much else to do.
PATIENCE = 450


class Browser:
    """A window of its own. `with` closes it, after it has looked at what the console says and at what was requested."""

    def __init__(self, width=1280, height=900, scripts=True):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--force-color-profile=srgb"]
        for argument in [*arguments, f"--window-size={width},{height}"]:
            options.add_argument(argument)
        if not scripts:
            options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(PATIENCE)
        self.allowed = ()
        self.expected_in_console = ()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            if kind is None:
                self.check_log()
        finally:
            self.driver.quit()

    def check_log(self):
        """The console is empty, and every request went where it may."""
        for entry in self.driver.get_log("browser"):
            assert any(text in entry["message"] for text in self.expected_in_console), entry
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                assert url.startswith((*self.allowed, "data:", "blob:", "chrome:")), url

    def open(self, url):
        self.driver.get(url)
        return self

    def wait(self, what, said):
        """Waits until `what()` is true."""
        end = time.monotonic() + PATIENCE
        while not (found := what()):
            assert time.monotonic() < end, f"in vain: {said}"
            time.sleep(0.02)
        return found

    def ready(self):
        """Waits until nothing is under way in a page of table-view."""
        done = "return document.documentElement.dataset.ready === '1'"
        self.wait(lambda: self.driver.execute_script(done), "the page is ready")

    def travel(self, steps):
        """Goes so many steps in the history of a page, and waits until the page has heard of it."""
        self.driver.execute_async_script(
            """const [steps, done] = arguments;
            addEventListener("popstate", () => setTimeout(done), { once: true });
            history.go(steps);""",
            steps,
        )
        self.ready()

    def find(self, name):
        return self.driver.find_element(By.CSS_SELECTOR, f"[data-testid='{name}']")

    def all(self, name):
        return self.driver.find_elements(By.CSS_SELECTOR, f"[data-testid='{name}']")

    def has(self, name):
        return bool(self.all(name))

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def keys(self, *keys):
        """Types into whatever has the focus."""
        ActionChains(self.driver).send_keys(*keys).perform()
        self.ready()

    def search(self, text):
        """Types a search in place of the last one."""
        self.script("arguments[0].select()", self.find("search"))
        self.keys(text)

    def click(self, name):
        self.find(name).click()
        self.ready()

    def click_at(self, name, share):
        """Clicks at a share of the width of something."""
        element = self.find(name)
        offset = round((share - 0.5) * element.size["width"])
        ActionChains(self.driver).move_to_element_with_offset(element, offset, 0).click().perform()
        self.ready()

    def rows(self):
        """The keys of the rows in sight."""
        rows = "return [...document.querySelectorAll('[data-testid=row]')].map((row) => row.dataset.key)"
        return self.script(rows)

    def colours(self, name):
        """How many colours a canvas has."""
        return self.script(
            """const canvas = arguments[0];
            const pixels = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            return new Set(pixels).size;""",
            self.find(name),
        )

    def pixels(self, name):
        """What a canvas shows, to compare it."""
        return self.script("return arguments[0].toDataURL()", self.find(name))

    def scheme(self, name):
        self.emulate({"features": [{"name": "prefers-color-scheme", "value": name}]})

    def emulate(self, media):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def check_access(self, where):
        """axe-core finds nothing to complain about."""
        folder = importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]
        self.script(Path(folder, "axe.min.js").read_text())
        found = self.driver.execute_async_script("axe.run(document).then(arguments[0])")
        faults = [(fault["id"], [node["target"] for node in fault["nodes"]][:3]) for fault in found["violations"]]
        assert not faults, f"{where}: {faults}"
        assert len(found["passes"]) > 10, f"{where}: only {len(found['passes'])} rules apply"

    def picture(self, path):
        Path(path).write_bytes(base64.b64decode(self.driver.get_screenshot_as_base64()))


class Viewer:
    """A table-view that runs. `with` ends it, and looks whether it ends well."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(["table-view", "--print-args=false", *arguments], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.address

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.terminate()
        status = self.process.wait(PATIENCE)
        assert kind is not None or status == 0, status


class Look:
    """A browser that looks at a table-view."""

    def __init__(self, *arguments, **window):
        self.viewer = Viewer(*arguments)
        self.browser = Browser(**window)
        self.browser.allowed = (self.viewer.address,)

    def __enter__(self):
        self.viewer.__enter__()
        browser = self.browser.__enter__()
        browser.address = self.viewer.address
        browser.open(browser.address).ready()
        return browser

    def __exit__(self, *error):
        try:
            self.browser.__exit__(*error)
        finally:
            self.viewer.__exit__(*error)
