"""A real browser without a window, where the machine has one."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, TimeoutException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selenium.webdriver.remote.webelement import WebElement

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    # Nothing but the server under test is ever asked.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
WAIT_SECONDS = 30


class Browser:
    """A browser with the few moves that the tests need."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, url: str) -> None:
        """Open a page and wait until its scripts have run."""
        self.driver.get(url)
        self.until(lambda: self.run("return document.readyState") == "complete")

    def resize(self, width: int, height: int, *, dark: bool = False) -> None:
        """Take the size of a window or a phone, and a taste."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": width,
                "height": height,
                "deviceScaleFactor": 1,
                "mobile": width < 600,
            },
        )
        taste = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [taste]})

    def run(self, script: str, *arguments: object) -> object:
        """Run a script in the page; the page's own policy does not bind the tests."""
        return self.driver.execute_script(script, *arguments)

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def until(self, check: Callable[[], object]) -> object:
        """Wait until something is so."""
        waiting = WebDriverWait(
            self.driver,
            WAIT_SECONDS,
            poll_frequency=0.05,
            # Parts are replaced while one looks at them.
            ignored_exceptions=[StaleElementReferenceException],
        )
        return waiting.until(lambda _: check())

    def until_there(self, selector: str, text: str = "") -> WebElement:
        """Wait for an element that says something."""
        try:
            found = self.until(
                lambda: next((e for e in self.all(selector) if text in e.text), None)
            )
        except TimeoutException:
            shown = self.find("main").text[:1000]
            pytest.fail(f"no {selector} says {text!r}; the page says: {shown}")
        assert found is not None
        return found

    def press(self, *keys: str) -> None:
        """Press keys wherever the focus is."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def slide(self, selector: str, value: int) -> None:
        """Move a slider, as a finger does."""
        self.run(
            "arguments[0].value = arguments[1];"
            "arguments[0].dispatchEvent(new Event('input', {bubbles: true}));",
            self.find(selector),
            value,
        )

    def complaints(self) -> list[str]:
        """Return what the browser complained about since the last time."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if "favicon" not in entry["message"]
        ]

    def hosts(self) -> set[str]:
        """Return the hosts that the page asked for anything."""
        names = self.run(
            "return performance.getEntriesByType('resource')"
            ".map(entry => new URL(entry.name).host)"
        )
        assert isinstance(names, list)
        return set(names)


def find_programs() -> tuple[str, str] | None:
    """Return where the browser and its driver are, or None."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def start_browser(programs: tuple[str, str]) -> webdriver.Chrome:
    options = Options()
    options.binary_location = programs[0]
    for argument in ARGUMENTS:
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # Chromium refuses root otherwise
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service(programs[1]))


@pytest.fixture(scope="session")
def started_browser() -> Iterator[webdriver.Chrome]:
    programs = find_programs()
    if programs is None:
        pytest.skip("there is no Chromium with its driver here: make setup-browser")
    driver = start_browser(programs)
    yield driver
    driver.quit()


@pytest.fixture
def browser(started_browser: webdriver.Chrome) -> Browser:
    """Return the browser on an empty page, as wide as a desk's."""
    started_browser.get("about:blank")
    browser = Browser(started_browser)
    browser.resize(1280, 800)
    browser.complaints()
    return browser
