"""What makes people stay, in a real browser: games to go on with, resigning, plans, sounds, titles, full screen."""

import pytest
from browsing import call
from selenium.webdriver.common.by import By

import turnsmith.web.pages.running as running
from turnsmith.arena.store import Store
from turnsmith.web.match.matches import Matches
from turnsmith.web.server.bounds import Refused

HEARD = """
window.heard = [];
const real = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { window.heard.push(1); return real.call(this); };
"""


def title(browser):
    return browser.driver.title


def test_an_evening(browser, address):
    """The tab says whose turn it is, a move is heard, what one likes is remembered, home offers to go on, and who
    resigns has lost, in words; then home offers it no more."""
    _, match = call(address, "/api/matches", {"game": "connect_four", "seats": ["person", "random"], "names": ["Ada"]})
    place = f"{address}/match/{match['match']}/{match['keys'][0]}"
    browser.open(place)
    browser.until(lambda: title(browser) == "● Your turn · Connect Four")
    browser.driver.execute_script(HEARD)
    browser.driver.find_element(By.CSS_SELECTOR, ".q-select[aria-label=sounds], [aria-label=sounds]").click()
    item = "//*[contains(@class, 'q-item')][contains(., 'wooden sounds')]"
    browser.until(lambda: browser.driver.find_elements(By.XPATH, item))[0].click()
    browser.until(lambda: browser.driver.execute_script("return window.heard.length") >= 2)
    before = browser.driver.execute_script("return window.heard.length")
    browser.click("d")
    browser.until(lambda: browser.driver.execute_script("return window.heard.length") > before)
    browser.until(lambda: "sound=wood" in browser.driver.execute_script("return document.cookie"))
    browser.see("Your turn")
    browser.driver.execute_script(
        "document.querySelector('.playing').requestFullscreen = function () { window.full = 1; }"
    )
    browser.press("Full screen")
    browser.until(lambda: browser.driver.execute_script("return window.full") == 1)
    browser.open(address)
    browser.see("Continue")
    link = browser.driver.find_element(By.CSS_SELECTOR, ".going-on.yours")
    assert "Connect Four" in link.text
    assert "your turn" in link.text
    link.click()
    browser.see("Ada (you)")
    browser.see("wooden sounds")
    browser.press("Resign")
    browser.press("Yes, resign")
    browser.until(lambda: "wins" in browser.driver.find_element(By.CSS_SELECTOR, ".end").text)
    assert "Ada resigned" in browser.text()
    browser.until(lambda: match["match"] not in browser.driver.execute_script("return localStorage.games"))
    browser.driver.execute_script("localStorage.clear()")


def test_a_move_planned_ahead(browser, address):
    """What is chosen while the other thinks is played when it is one's turn; what has become impossible is not."""
    asked = {"game": "connect_four:height=2", "seats": ["person", "person"], "names": ["Ada", "Bob"]}
    _, match = call(address, "/api/matches", asked)
    path = f"/api/matches/{match['match']}/moves"
    browser.open(f"{address}/match/{match['match']}/{match['keys'][1]}")
    browser.see("Waiting for Ada")
    part = browser.until(lambda: browser.part("d", ""))
    browser.driver.execute_script("arguments[0].dispatchEvent(new MouseEvent('click', {bubbles: true}))", part)
    browser.see("Next: d")
    field = browser.driver.find_element(By.CSS_SELECTOR, 'input[aria-label="your next move"]')
    field.send_keys("d\n")
    browser.see("Next: d d")
    call(address, path, {"key": [match["keys"][0]], "move": "d"})
    browser.until(lambda: "2." in browser.driver.find_element(By.CSS_SELECTOR, ".log").text)
    browser.see("Next: d")
    call(address, path, {"key": [match["keys"][0]], "move": "a"})
    browser.see("d is no longer possible")
    browser.see("Your turn")
    browser.driver.execute_script("localStorage.clear()")


def test_who_may_resign(tmp_path):
    """The holder of a seat, while the match goes on; it is kept, and cannot be undone alone."""
    matches = Matches(Store(f"sqlite:///{tmp_path}/store.db"))
    match = matches.create("pig:players=3", ["person", "random", "person"])
    with pytest.raises(Refused, match="no seat"):
        match.resign([])
    with pytest.raises(Refused, match="this link has no seat"):
        match.resign(["wrong"])
    match.resign([match.seats[2].key])
    assert match.outcome.ending == "seat 2 resigned"
    assert match.outcome.winners == (0, 1)
    with pytest.raises(Refused, match="is over"):
        match.resign([match.seats[0].key])
    matches.keep(match)
    assert matches.store.take(match.name).outcome.ending == "seat 2 resigned"
    by_hand = matches.create("pig", ["person", "person"], by_hand=True)
    with pytest.raises(Refused, match="by hand"):
        by_hand.resign([by_hand.seats[0].key])


@pytest.mark.parametrize("link", ["../../etc/passwd", "a/b c", "a", "<b>/x", "x" * 40 + "/k"])
def test_links_of_a_browser_are_looked_at(link):
    """What a browser says it has kept is a name and keys, or nothing."""
    assert not running._LINK.fullmatch(link)
    assert running._LINK.fullmatch("dGVzdA-_/abc.def-_")
