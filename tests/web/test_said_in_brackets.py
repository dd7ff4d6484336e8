"""The page in other languages: no text is missed, everybody reads their own, and what is chosen is remembered."""

import json
import re
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from browsing import COMPILING, By, call, chromium, server

import turnsmith as ts
from bracketed import unsaid
from turnsmith.play.player import players
from turnsmith.web.match.ladder import MATCHING, NAMES

PLAIN = ["/", "/watch", "/arena", "/maps", "/training", "/photo/mastermind", "/friends", "/nowhere", "/arena/x"]
PLAYED = ["connect_four", "dicewars", "mastermind"]
SHOWN = """
const skipped = "script, style, .q-icon, iframe, code";
const found = [document.title];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const parent = walk.currentNode.parentElement;
  if (!parent.closest(skipped) && parent.checkVisibility()) found.push(walk.currentNode.data);
}
const names = ["aria-label", "title", "placeholder", "alt", "data-tip"];
for (const part of document.querySelectorAll(names.map((name) => `[${name}]`).join()))
  for (const name of names)
    if (part.hasAttribute(name) && part.checkVisibility() && !part.closest(skipped))
      found.push(part.getAttribute(name));
return found.map((text) => text.trim().replace(/\\s+/g, " ")).filter(Boolean);
"""
NOTATION = re.compile("[a-f]{4}|green|red")
"""Codes of Mastermind, and units of Tactics: what one types."""
PARTS = """
const small = [...document.querySelectorAll(".small, [role=status]")];
const said = small.map((part) => part.checkVisibility() && part.innerText);
return [document.querySelectorAll("body *:not(svg *)").length, said.join().replace(/[0-9]/g, "")];
"""
ALLOWED = {"turnsmith", "JSON", "CSV", "EN", "English", *NAMES, MATCHING, "Ann"}
ALLOWED |= {"Expand", "Collapse"}  # of the page's framework, which has them in its own catalogues
ALLOWED |= {"and"}  # between two commands, in a text with marks of its own
ALLOWED |= {"simulations", "time", "depth", "nodes"}
ALLOWED |= {name for game in PLAYED for name in (*players(ts.load(game)), *game.split("_"))}
"""Names of the house, of people, and of games and players with their settings, as one types them."""


@contextmanager
def bracketed_server(folder, *words):
    with server(folder, *words, program=(str(Path(__file__).parent.parent / "bracketed.py"),)) as found:
        yield found


def settle(browser):
    """Wait until the page has all its parts, beside pictures that move, and no longer says that it gets ready."""
    before, end = None, time.monotonic() + 60
    while time.monotonic() < end:
        now = browser.driver.execute_script(PARTS)
        if now == before and "Getting ready" not in now[1]:
            return
        before = now
        time.sleep(0.15)


def missed(browser):
    """What the page shows without brackets."""
    shown = {text: unsaid(text, ALLOWED) for text in browser.driver.execute_script(SHOWN)}
    return {text: left for text, words in shown.items() if (left := [w for w in words if not NOTATION.fullmatch(w)])}


def test_no_text_is_missed(tmp_path):
    """Every kind of page, and games before, during and after their end, where every text that is known has brackets."""
    found = {}
    with bracketed_server(tmp_path, "--think", "0.2") as address, chromium(tmp_path / "profile") as browser:
        paths = list(PLAIN)
        for name in PLAYED:
            seats = int(ts.load(name).board()[0].seats)
            asked = {"game": name, "seats": ["random"] * seats, "seed": 1}
            watched = call(address, "/api/matches", asked, timeout=COMPILING)[1]
            asked["seats"] = ["person"] + ["random"] * (seats - 1)
            match = call(address, "/api/matches", {**asked, "names": ["Ann"]}, timeout=COMPILING)[1]
            key = match["keys"][0]
            paths += [f"/new/{name}", f"/watch/{watched['match']}?move=5", f"/match/{match['match']}/{key}"]
            call(address, f"/api/matches/{match['match']}/resign", {"key": [key]})
        asked = {"game": "connect_four", "players": ["random", "mcts:simulations=5"], "games": 20}
        run = call(address, "/api/runs", asked, timeout=COMPILING)[1]["run"]
        studio = call(
            address, "/api/studios", {"game": "homeguard", "settings": {"evaluations": 1024}}, timeout=COMPILING
        )[1]
        for path in [*paths, studio["page"], f"/arena/{run}"]:
            browser.driver.get(address + path)
            settle(browser)
            for closed in browser.driver.find_elements(By.CSS_SELECTOR, ".q-expansion-item--collapsed > div > .q-item"):
                if closed.is_displayed():
                    browser.driver.execute_script("arguments[0].click()", closed)
            settle(browser)
            found |= {path: left} if (left := missed(browser)) else {}
    assert found == {}
    assert "Traceback" not in (tmp_path / "server.log").read_text()


def test_everybody_reads_their_own_language(address, tmp_path):
    """Two who look at one match, one of them in Czech by their browser, the other by choosing Slovak, which stays; the
    JSON they fetch is English."""
    match = call(address, "/api/matches", {"game": "pig", "seats": ["person", "person"], "seed": 1})[1]
    links = [f"{address}/match/{match['match']}/{key}" for key in match["keys"]]
    with chromium(tmp_path / "one") as czech, chromium(tmp_path / "two", 390, 844) as other:
        czech.driver.execute_cdp_cmd("Network.enable", {})
        czech.driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {"Accept-Language": "cs, en;q=0.5"}})
        czech.open(links[0])
        czech.see("Jsi na tahu")
        assert czech.driver.execute_script("return document.documentElement.lang") == "cs"
        other.open(links[1])
        other.see("Waiting for Player 1")
        other.press("EN")
        other.until(lambda: other.driver.find_elements(By.CSS_SELECTOR, ".q-menu [lang=sk]"))[0].click()
        other.see("Na ťahu je Hráč 1")
        assert other.driver.execute_script("return document.documentElement.lang") == "sk"
        czech.click("roll")
        other.until(lambda: other.driver.find_elements(By.CSS_SELECTOR, ".log-line"))
        czech.until(lambda: czech.driver.find_elements(By.CSS_SELECTOR, ".log-line"))
        said = [each.driver.find_element(By.CSS_SELECTOR, ".log-line").text for each in (czech, other)]
        assert "Hráč 1" in said[0]
        assert said[0] != said[1]
        czech.press("Vzdát se")
        czech.press("Ano, vzdát se")
        czech.see("Hráč 2 vyhrává")
        other.see("Vyhrávaš")
        other.open(address + "/arena")
        other.see("Aréna")  # remembered on other pages too
        fetched = f"return fetch('/api/matches/{match['match']}').then((answer) => answer.text())"
        assert json.loads(other.driver.execute_script(fetched))["ending"] == "seat 0 resigned"
        assert czech.errors() == other.errors() == []


@pytest.mark.parametrize(
    ("header", "lang", "said"), [("sk", "sk", "Toto nikam nevedie"), ("de", "en", "This leads nowhere")]
)
def test_mistakes_are_told_in_the_visitors_language(address, header, lang, said):
    request = urllib.request.Request(f"{address}/nowhere", headers={"Accept-Language": header})
    with pytest.raises(urllib.error.HTTPError) as error:
        urllib.request.urlopen(request)
    page = error.value.read().decode()
    assert f'<html lang="{lang}">' in page
    assert said in page
    told = call(address, "/api/matches/nowhere", **{"Accept-Language": header})[1]
    assert told["error"].startswith("there is no match 'nowhere'")
