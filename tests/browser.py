"""Opens a report's HTML file in a real Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

_BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)


@contextmanager
def started() -> Iterator[Page]:
    """Skips the test if there is no browser, and says what to install."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip(
            "no Chromium on PATH: apt-get install chromium chromium-driver, or install Chrome and chromedriver"
        )
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    quiet = (
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
        "disable-quic",
    )
    for argument in (
        "headless=new",
        "no-sandbox",
        "disable-gpu",
        "disable-dev-shm-usage",
        *quiet,
    ):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        chrome.implicitly_wait(5)
        yield Page(chrome)
    finally:
        chrome.quit()


class Page:
    """What a user does with a report, and what they see."""

    def __init__(self, chrome: webdriver.Chrome) -> None:
        self.chrome = chrome

    def open(
        self, path: Path, width: int = 1280, height: int = 900, at: str = ""
    ) -> None:
        size = {
            "width": width,
            "height": height,
            "deviceScaleFactor": 1,
            "mobile": False,
        }
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        # Going to another fragment of the same file would not reload it.
        self.chrome.get("about:blank")
        self.chrome.get(path.as_uri() + at)

    def script(self, text: str, *arguments: Any) -> Any:
        return self.chrome.execute_script(text, *arguments)

    def all(self, selector: str) -> list[Any]:
        return self.chrome.find_elements(By.CSS_SELECTOR, selector)

    def count(self, selector: str) -> int:
        """How many elements there are now; `all` waits for one if there are none."""
        return int(
            self.script(
                "return document.querySelectorAll(arguments[0]).length", selector
            )
        )

    def one(self, selector: str) -> Any:
        return self.chrome.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        return [element.text for element in self.all(selector)]

    def button(self, selector: str, text: str) -> Any:
        return next(element for element in self.all(selector) if text in element.text)

    def heading(self, start: str) -> None:
        """Waits for a heading that starts this way: the browser updates it after the key press or click."""
        wait = WebDriverWait(
            self.chrome, 20, ignored_exceptions=(StaleElementReferenceException,)
        )
        wait.until(
            lambda _: self.one("h1").text.startswith(start),
            f"no heading starts with {start!r}",
        )

    def press(self, *keys: str) -> None:
        webdriver.ActionChains(self.chrome).send_keys(*keys).perform()

    def errors(self) -> list[str]:
        return [entry["message"] for entry in self.chrome.get_log("browser")]  # type: ignore[no-untyped-call]
