"""While something is compiled, the page says what and for how long, advises quickly, and lets people go on."""

from pathlib import Path

import pytest
from browsing import server

import turnsmith as ts
from turnsmith.play.player import Decision
from turnsmith.warm import queue as warming_queue
from turnsmith.warm.parts import RULES, CompilePart
from turnsmith.web.jobs.preparing import told_left
from turnsmith.web.pages.board import best_of, marks_of

NIM = (Path(__file__).parents[2] / "examples" / "nim.py").read_text()
SLOW = (Path(__file__).parents[1] / "games_for_tests" / "slow_player.txt").read_text()


@pytest.fixture
def cold(tmp_path):
    """A server with a cold cache, and a player that is not prepared before there is a file `go`."""
    (tmp_path / "sticks.py").write_text(NIM + SLOW)
    with server(tmp_path, "./sticks.py", warm=True, TURNSMITH_CACHE=str(tmp_path / "cache")) as address:
        yield address
    assert "Traceback" not in (tmp_path / "server.log").read_text()


def test_nobody_waits_in_silence(cold, browser, tmp_path):
    """Pictures at once, a match at once; a hint that waits says for how long, is given quickly meanwhile, can be
    cancelled, and comes when it is ready; and so does the opponent's move."""
    browser.open(f"{cold}/")
    browser.see("Preparing opponents in the background")
    drawn = "return [...document.querySelectorAll('.board')].filter((each) => each.querySelector('svg [fill]')).length"
    browser.until(lambda: browser.driver.execute_script(drawn) >= 18)  # all games, and the file
    assert "Getting ready" not in browser.text()

    browser.open(f"{cold}/new/sticks?seed=1")
    browser.press("Start")
    browser.see("Your turn")
    browser.press("Hint")
    browser.see("slow is being prepared, once on this machine")
    browser.see("Until then, a quick look: ")
    browser.press("Cancel")
    browser.until(lambda: "Until then" not in browser.text())
    browser.click("a")
    browser.click("1")
    browser.see("is being prepared, once on this machine")

    (tmp_path / "go").touch()
    browser.see("Your turn")
    browser.press("Hint")
    browser.see("best would play")


def test_what_was_told_of_the_time_left_is_kept_or_taken_back(monkeypatch):
    """Nothing is guessed: how long such parts took here is what is told. It falls while it is waited for; where it
    would climb again, the page says nothing of it."""
    now = [1000.0]
    monkeypatch.setattr(warming_queue, "noted", lambda key: None)
    monkeypatch.setattr(warming_queue.time, "monotonic", lambda: now[0])
    warming, game = warming_queue.Warming(), ts.load("pig")
    work = warming.want(game, CompilePart("pig", RULES))
    assert warming.promised(work) is None, "no such part was compiled yet"
    warming._note(
        warming.want(ts.load("kuhn"), CompilePart("kuhn", RULES)), {"seconds": 25.0, "compiled": 3, "error": ""}
    )
    warming.want(game, CompilePart("pig", RULES))
    work.begun = now[0]
    told = []
    for now[0] in range(1000, 1100, 5):
        told.append(warming.promised(work))
    known = [left for left in told if left is not None]
    assert known[:3] == [25.0, 20.0, 15.0]
    assert known == sorted(known, reverse=True)
    assert told[-1] is None
    assert told_left(told[-1]) == ""
    assert warming.want(game, CompilePart("pig", RULES)) is work
    assert warming.promised(work) == warming.seconds_left(work), "who asks anew is told anew"
    assert warming.share_done == 0.5


def test_nothing_unasked_is_begun_while_somebody_waits(monkeypatch):
    """The process that stands by takes what is wanted; the patient one begins only when nobody waits, and what it works
    at is handed over to who is wanted."""
    monkeypatch.setattr(warming_queue, "noted", lambda key: None)
    warming, pig, kuhn = warming_queue.Warming(1, patience=15), ts.load("pig"), ts.load("kuhn")
    for order, game in enumerate((pig, kuhn)):
        warming.add(game, order)
    assert warming._next("", is_patient=False) is None
    ahead = warming._next("", is_patient=True)
    assert ahead.part == CompilePart("pig", RULES)
    wanted = warming.want(kuhn, CompilePart("kuhn", RULES))
    assert warming._next("", is_patient=True) is None
    assert warming._next("", is_patient=False) is wanted
    assert warming._next("", is_patient=False) is None
    warming._note(wanted, {"seconds": 1.0, "compiled": 1, "error": ""})
    assert warming._next("", is_patient=True) is not None


def test_advice_is_the_best_move_of_a_player_that_plays_by_chance():
    """A weakened opponent that drew a move of 19 % does not advise it where it knows one of 43 %."""
    shares = {"d": 0.43, "c": 0.2, "a": 0.19}
    advice = best_of(Decision(0, "a", 0.1, shares, line=("a", "b")))
    assert (advice.words, [mark["pieces"] for mark in marks_of(advice) if mark["kind"] == "best"]) == ("d", [["d"]])
    drawn = Decision(3, "d", 0.1, shares, line=("d", "d"))
    assert best_of(drawn) is drawn
    assert best_of(Decision(0, "a")).words == "a"
