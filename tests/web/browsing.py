"""A server of our own and a real browser: Debian's chromium, without a window."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.by import By

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"]
SEED = 1
"""Of every match that a test begins, unless it says another: nothing here depends on luck."""
PATIENCE = 180
"""Seconds for what a page shows at last. Nothing takes so long by itself: the first game with a player in a cold cache
compiles its rules and the player, up to two minutes on two busy cores."""
COMPILING = 170
"""Seconds for an answer of the API before which a game is compiled; shorter than PATIENCE, so that it is what fails."""


@contextlib.contextmanager
def server(folder, *words, warm=False, program=("-m", "turnsmith"), **known):
    """A running `turnsmith serve` on a free port; yields its address, and stops it as a person would. It compiles ahead
    only if told so; `known` is added to its environment."""
    command = [sys.executable, *program, "serve", "--port", "0", "--no-open", *words]
    command += [] if warm else ["--no-warm"]
    free = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}  # as people have it
    with open(folder / "server.log", "w") as log:
        pipes = {"stdout": subprocess.PIPE, "stderr": log, "text": True}
        running = subprocess.Popen(command, cwd=folder, env=free | known, **pipes)
    try:
        line = running.stdout.readline()
        found = re.search(r"http://[\d.]+:\d+", line)
        assert found, f"the server said {line!r} and {(folder / 'server.log').read_text()}"
        yield found[0]
    finally:
        running.send_signal(signal.SIGINT)
        try:
            assert running.wait(20) == 0
        finally:
            running.kill()


def call(address, path, body=None, timeout=60, **headers):
    """Status and JSON of a request to the API; a match has a seed, so that it is the same every time."""
    if path == "/api/matches" and isinstance(body, dict):
        body = {"seed": SEED, **body}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


@contextlib.contextmanager
def chromium(folder, width=1200, height=900):
    """A browser with a profile of its own."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
    for flag in [*FLAGS, f"--user-data-dir={folder}", f"--window-size={width},{height}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    os.environ["SE_OFFLINE"] = "true"
    driver = Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    known = {"name": "taught", "value": "yes", "domain": "127.0.0.1", "path": "/"}  # who knows the games already
    driver.execute_cdp_cmd("Network.setCookie", known)
    try:
        yield Browser(driver)
    finally:
        driver.quit()


class Chrome(webdriver.Chrome):
    """Waits for what a page does not show yet, as a person would: on a busy machine it comes late."""

    def find_element(self, by=By.ID, value=None):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return super().find_element(by, value)
            except NoSuchElementException:
                if time.monotonic() > end:
                    raise
            time.sleep(0.05)


class Browser:
    """What a person does with a page."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, address):
        self.driver.get(address)
        self.until(lambda: self.driver.execute_script("return !!document.querySelector('.page')"))

    def until(self, condition, seconds=PATIENCE):
        """Wait for something to be so, and give it back."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(StaleElementReferenceException):
                found = condition()
                if found:
                    return found
            time.sleep(0.05)
        raise AssertionError(f"waited {seconds} s in vain; the page says: {self.text()[:800]}")

    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def see(self, text, seconds=PATIENCE):
        self.until(lambda: text in self.text(), seconds)

    def button(self, text):
        """The visible button with this text."""
        found = self.driver.find_elements(By.CSS_SELECTOR, "button, a.q-btn")
        return next((b for b in found if text in b.text and b.is_displayed()), None)

    def press(self, text):
        self.until(lambda: self.button(text) and self.button(text).is_enabled())
        button = self.button(text)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()

    def part(self, word, state="open"):
        """The clickable part of the board with this word."""
        mark = f".{state}" if state else ""
        return next(iter(self.driver.find_elements(By.CSS_SELECTOR, f'.board [data-word="{word}"]{mark}')), None)

    def click(self, word):
        part = self.until(lambda: self.part(word))
        self.driver.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", part)

    def keys(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def errors(self):
        """What the page complained about in the console."""
        return [e["message"] for e in self.driver.get_log("browser") if e["level"] == "SEVERE"]

    def frames(self):
        """Everything that came over sockets since last asked."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        received = [m for m in messages if m["method"] == "Network.webSocketFrameReceived"]
        return [m["params"]["response"]["payloadData"] for m in received]
