"""Everybody: nothing serious found by axe-core on any page, light and dark, wide and on a phone; fingers and keys."""

import time
from pathlib import Path

import pytest
from browsing import COMPILING, By, call, chromium
from selenium.webdriver.common.keys import Keys

import turnsmith as ts

AXE = Path(__file__).parent.parent.parent / ".venv/axe/node_modules/axe-core/axe.min.js"
PLAIN = ["/", "/watch", "/arena", "/maps", "/maps/homeguard", "/training", "/photo/mastermind"]
PLAYED = ["connect_four", "pig", "dicewars", "mastermind", "tactics", "leduc"]
WORSE = {"moderate", "serious", "critical"}
FINDINGS = """
const done = arguments[0];
const told = (each) => `${each.impact} ${each.id}: ${each.nodes[0].html.slice(0, 200)}`;
const other = {"label-content-name-mismatch": {enabled: false}}; // names of areas say what is written, in another order
axe.run(document, {resultTypes: ["violations"], rules: other}).then((found) => done(found.violations.map(told)));
"""
SMALL = """
const shown = (part) => part.checkVisibility() && !part.closest(".board-picture, p, td, li");
const box = (part) => part.getBoundingClientRect();
return [...document.querySelectorAll("button, a, [role=button], .q-toggle")].filter(shown)
  .filter((part) => box(part).width > 0 && Math.min(box(part).width, box(part).height) < 43.5)
  .map((part) => part.outerHTML.slice(0, 120));
"""


@pytest.fixture(scope="module")
def paths(address):
    """Every kind of page, and games of every kind of board."""
    found = list(PLAIN)
    for name in PLAYED:
        seats = ["person"] + ["random"] * (int(ts.load(name).board()[0].seats) - 1)
        match = call(address, "/api/matches", {"game": name, "seats": seats, "seed": 1}, timeout=COMPILING)[1]
        found += [f"/new/{name}", f"/match/{match['match']}/{match['keys'][0]}"]
    match = call(address, "/api/matches", {"game": "pig", "seats": ["random", "random"], "seed": 1}, timeout=COMPILING)[
        1
    ]
    studio = call(address, "/api/studios", {"game": "homeguard", "settings": {"evaluations": 1024}}, timeout=COMPILING)[
        1
    ]
    return [*found, f"/watch/{match['match']}", studio["page"]]


def settle(browser):
    """Wait until the page stays as it is for a moment."""
    before, end = None, time.monotonic() + 20
    while time.monotonic() < end:
        now = browser.driver.execute_script(
            "return document.body.innerText.length + document.querySelectorAll('*').length"
        )
        if now == before:
            return
        before = now
        time.sleep(0.4)


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not there: make axe")
@pytest.mark.parametrize(("width", "shade"), [(1200, "light"), (390, "dark")])
def test_nothing_serious_is_found(address, paths, tmp_path, width, shade):
    """Names, roles, headings, contrast; on a phone nothing to press is smaller than a finger, or sticks out."""
    found = {}
    with chromium(tmp_path, width, 844) as browser:
        browser.driver.set_script_timeout(60)
        browser.open(address)
        browser.driver.add_cookie({"name": "shade", "value": shade, "path": "/"})
        for path in paths:
            browser.open(address + path)
            settle(browser)
            browser.driver.execute_script(AXE.read_text())
            faults = [line for line in browser.driver.execute_async_script(FINDINGS) if line.split()[0] in WORSE]
            if width < 600:
                faults += browser.driver.execute_script(SMALL)
                wide, view = browser.driver.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
                faults += [f"{wide} pixels wide"] if wide > view else []
            found |= {path: faults} if faults else {}
        assert found == {}
        assert browser.errors() == []


def test_a_game_by_keys_alone(address, browser):
    """Every part that can be clicked is reached by Tab and says its name; a move leaves the focus where it was; how the
    game stands is told to who cannot see it."""
    match = call(address, "/api/matches", {"game": "connect_four", "seats": ["person", "random"], "seed": 1})[1]
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.until(lambda: browser.part("d"))
    names = []
    for _ in range(60):
        browser.keys(Keys.TAB)
        at = browser.driver.switch_to.active_element
        if at.get_attribute("data-word"):
            names.append(at.get_attribute("aria-label"))
        if len(names) == 4:
            break
    assert names == ["a", "b", "c", "d"]
    ring = "const s = getComputedStyle(document.activeElement); return [s.outlineStyle, parseFloat(s.outlineWidth)]"
    assert browser.driver.execute_script(ring) == ["solid", 3]
    browser.keys(Keys.ENTER)
    browser.until(lambda: len(browser.driver.find_elements(By.CSS_SELECTOR, ".log-line")) >= 2)
    browser.until(lambda: browser.part("d"))
    assert browser.driver.switch_to.active_element.get_attribute("data-word") == "d"
    told = browser.driver.find_element(By.CSS_SELECTOR, "[role=status]")
    assert told.get_attribute("aria-live") == "polite"
    assert told.text


def test_a_frame_stays_on_the_point_when_the_other_moves(browser, address):
    """The points of backgammon have other numbers for the other seat; the one that was reached stays where it is."""
    body = {"game": "backgammon", "seats": ["person", "person"], "seed": 1}
    _, match = call(address, "/api/matches", body)
    browser.open(f"{address}/match/{match['match']}/{match['keys'][1]}")
    for word in ("8", "3"):
        browser.until(lambda word=word: browser.part(word))
        browser.driver.execute_script("arguments[0].focus()", browser.part(word))
        browser.keys(Keys.ENTER)
    browser.until(lambda: len(browser.driver.find_elements(By.CSS_SELECTOR, ".log-line")) == 2)
    body = {"key": match["keys"][1:], "move": "24 20"}
    status, answer = call(address, f"/api/matches/{match['match']}/moves", body)
    assert status == 200, answer
    browser.see("Waiting for")
    held = "const part = document.activeElement; return [part.dataset.key, part.querySelectorAll('circle').length]"
    assert browser.driver.execute_script(held) == ["3", 1]
