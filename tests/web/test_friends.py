"""Friends: the address they need and its QR code, how to let them in, who looks on, invitations that are taken."""

import re
import urllib.error
import urllib.request
import xml.etree.ElementTree as ElementTree

import pytest
from browsing import call
from selenium.webdriver.common.by import By

import turnsmith as ts
from turnsmith.arena.store import Store
from turnsmith.web.match.matches import Matches
from turnsmith.web.pages.opponents import first_movers
from turnsmith.web.server import reach
from turnsmith.web.server.bounds import Refused
from turnsmith.web.server.reach import Reach, qr_code


def test_links_lead_to_where_others_can_ask(monkeypatch):
    """Beyond loopback a link has the machine's address in its network; a name by which the visitor came stays."""
    monkeypatch.setattr(reach, "own_address", lambda kind=None: "192.168.1.7")
    here, everywhere = Reach("127.0.0.1", 8080), Reach("0.0.0.0", 9000)
    assert here.link("http://127.0.0.1:8080/", "join/a") == ("http://127.0.0.1:8080/join/a", False)
    assert everywhere.link("http://localhost:9000/", "join/a") == ("http://192.168.1.7:9000/join/a", True)
    assert everywhere.link("https://games.example/", "join/a") == ("https://games.example/join/a", True)
    assert Reach("10.1.2.3", 80).shared == "http://10.1.2.3:80"
    assert Reach("fd00::1", 80).shared == "http://[fd00::1]:80"
    assert "--host 0.0.0.0 --port 9001;" in Reach("::1", 9001).hint
    monkeypatch.setattr(reach, "own_address", lambda kind=None: None)
    assert everywhere.shared is None
    assert "no network" in everywhere.hint


def test_the_code_is_a_qr_code():
    """Black on white whatever the page's colours, a free rim of three squares, and a finder in three corners."""
    root = ElementTree.fromstring(qr_code("http://192.168.1.7:8080/join/abc/def"))
    side = int(root.get("viewBox").split()[2])
    ground, drawn = root
    assert (ground.get("fill"), drawn.get("stroke")) == ("#fff", "#000")
    x = y = 0.0
    dark = set()
    for kind, first, second in re.findall(r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?", drawn.get("d")):
        if kind == "h":
            dark |= {(int(x) + step, int(y)) for step in range(int(first))}
            x += int(first)
        else:
            x, y = (float(first), float(second)) if kind == "M" else (x + float(first), y + float(second))
    assert min(map(min, dark)) == 3
    assert max(map(max, dark)) == side - 4
    for left, top in ((3, 3), (side - 10, 3), (3, side - 10)):
        rings = {(a, b): max(abs(a - 3), abs(b - 3)) for a in range(7) for b in range(7)}
        assert {at for at in rings if (left + at[0], top + at[1]) in dark} == {at for at in rings if rings[at] != 2}


def test_taken_invitations_say_so(tmp_path):
    """Who comes second is told who sits there; a link that was never one is told apart; a restart forgets neither."""
    matches = Matches(Store(f"sqlite:///{tmp_path}/store.db"))
    match = matches.create("connect_four", ["person", "person"], invited=[1])
    invitation = match.seats[1].invitation
    match.take_seat(invitation, "Ann")
    matches.keep(match)
    for held in (match, Matches(matches.arenas).get(match.name)):
        with pytest.raises(Refused, match="has been taken: Ann sits there now"):
            held.take_seat(invitation, "Bob")
        for wrong in ("", "nothing"):
            with pytest.raises(Refused, match="is not for this match"):
                held.take_seat(wrong)


def test_friends_on_the_page(browser, address, tmp_path):
    """Served to this machine alone, the page says how to change that; onlookers are counted while they look."""
    browser.open(address + "/friends")
    browser.see("turnsmith serve --host 0.0.0.0")
    assert not browser.driver.find_elements(By.CSS_SELECTOR, ".qr-plate svg")
    _, match = call(address, "/api/matches", {"game": "connect_four", "seats": ["person", "person"]})
    browser.open(f"{address}/match/{match['match']}")
    browser.see("1 person looks on")
    browser.driver.switch_to.new_window("tab")
    browser.open(f"{address}/match/{match['match']}/{match['keys'][0]}")
    browser.see("1 person looks on")
    browser.driver.close()
    browser.driver.switch_to.window(browser.driver.window_handles[0])
    browser.open(address + "/friends")
    browser.until(lambda: call(address, f"/api/matches/{match['match']}")[1]["watching"] == 0)


def test_who_took_an_invitation_comes_back_by_it(browser, address, tmp_path):
    """The same link leads the browser that took the seat to the match, and another to a refusal."""
    browser.open(f"{address}/new/connect_four?seed=3")
    browser.press("A friend, elsewhere")
    browser.press("Start")
    shown = "return [...document.querySelectorAll('input')].map((each) => each.value).find((text) => /join/.test(text))"
    link = browser.until(lambda: browser.driver.execute_script(shown))
    browser.open(link)
    browser.press("Take the seat")
    browser.until(lambda: "/match/" in browser.driver.current_url)
    taken = browser.driver.current_url
    browser.open(link)
    assert browser.driver.current_url == taken
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(link)
    assert refused.value.code == 403


@pytest.mark.parametrize(("game", "beginners"), [("backgammon", {0, 1}), ("leduc", {0}), ("connect_four", {0})])
def test_nobody_is_promised_to_begin_where_dice_decide(game, beginners):
    """Who may decide first is found by looking at what chance may do before."""
    loaded = ts.load(game)
    assert first_movers(loaded, loaded.board(0)) == beginners
