"""Replays: what players thought of their moves, moves to click, analysis by any player, variations kept aside."""

import re
import urllib.error
import urllib.request

import pytest
from browsing import call
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import turnsmith as ts
from turnsmith.arena.store import Store
from turnsmith.common.errors import BadInput
from turnsmith.web.match.matches import Matches
from turnsmith.web.pages.replay import chart
from turnsmith.web.pages.study import Past, Variation, expected, instead_html, last_decision, read_variation


def finished(address, game, *seats):
    """A match that players have played to its end."""
    _, match = call(address, "/api/matches", {"game": game, "seats": list(seats), "seed": 3})
    while not match["over"]:
        _, match = call(address, f"/api/matches/{match['match']}")
    return match


def test_a_replay_tells_thoughts_and_tries_other_moves(browser, address):
    """The report of the move that led here, a click on another move, the advice of another player drawn on the board,
    two variations from one position, keys back to the match."""
    match = finished(address, "connect_four", "mcts:simulations=60", "negamax:depth=3")
    browser.open(f"{address}/watch/{match['match']}?move=4")
    browser.see(f"played {match['log'][3]['words']}")
    browser.see("It expects a return of")
    moves = {int(e.get_attribute("data-ply")): e for e in browser.driver.find_elements(By.CSS_SELECTOR, "[data-ply]")}
    assert sorted(moves) == list(range(1, len(match["log"]) + 1))
    browser.driver.execute_script("arguments[0].click()", moves[3])
    browser.see("Position 3 of")
    current = browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, "[data-ply][aria-current]"))
    assert [each.get_attribute("data-ply") for each in current] == ["3"]
    browser.press("Analyse")
    browser.see("would have played")
    browser.until(lambda: re.search(r"Here \S+ would play \w\.", browser.text()))
    browser.until(lambda: browser.driver.find_elements(By.CSS_SELECTOR, ".board .mark.best"))
    played = match["log"][3]["words"]
    first, second = [column for column in "abcdefg" if column != played][:2]
    browser.click(first)
    browser.see("A variation from position 3, 1 of 1 moves on")
    browser.keys(Keys.ARROW_LEFT)
    browser.see("A variation from position 3, 0 of 1 moves on")
    browser.click(second)
    browser.see(f"from 3: {second}")
    browser.see(f"from 3: {first}")
    browser.press("Back to the match")
    browser.see("Position 3 of")
    browser.click(played)  # the move of the match itself is no variation
    browser.see("Position 4 of")
    browser.keys(" ")
    browser.until(lambda: "Position 4 of" not in browser.text())


def test_a_lost_move_is_told_what_should_have_been_played(tmp_path):
    """Of who moved last, not of who is to reply: the best move before, and what the other one cost by the same player;
    at the end, by the result."""
    matches = Matches(Store(f"sqlite:///{tmp_path}/store.db"))
    match = matches.create("tic_tac_toe", ["person", "person"], seed=3)
    for words in ("a1", "b2", "a2", "c1"):  # a3 had to be stopped
        match.push(words)
    who = ts.player("negamax", match.game)
    before, after = match.look(None, 3), match.look(None, 4)
    best, reply = who.act(before.seen_by(1)), who.act(after.seen_by(0))
    assert (best.words, reply.words) == ("a3", "a3")
    past = Past(before, match.position.history[3], is_last=True)
    told = re.sub("<[^>]*>", "", instead_html("negamax", past, best, expected(after, reply.value)))
    said = "negamax would have played a3 instead of c1. It expects +0 from a3, and -1 from c1: a cost of 1."
    assert told == said
    match.push("a3")
    assert expected(match.look(None)) == {0: 1.0, 1: -1.0}
    assert last_decision(match, 5) == 4
    lines = chart(match, {0: [0.0, 0.0]}, 5, {5: expected(match.look(None))})["series"]
    assert [line["data"] for line in lines] == [[[0, 0.0]], [[5, 1.0]], [[0, 0.0]], [[5, -1.0]]]


def test_links_to_variations(address):
    """A link leads into a variation; one that is none is refused in a sentence."""
    match = finished(address, "pig:target=20", "random", "random")
    for line, status in (("zero", 400), ("7.7", 400)):
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{address}/watch/{match['match']}?move=1&line={line}")
        assert refused.value.code == status


def test_a_variation_draws_its_own_chance(tmp_path):
    """After a move aside chance moves too; going back and on shows the same, another move is another variation, and
    the match stays as it was."""
    matches = Matches(Store(f"sqlite:///{tmp_path}/store.db"))
    match = matches.create("pig:target=20", ["person", "person"], seed=3)
    match.push("roll")
    before, side = list(match.position.history), Variation(0)
    side.play(match, "roll")
    side.play(match, "hold" if "hold" in side.look(match).legal else "roll")
    assert side.stops[0] == 0
    assert len(side.actions) == side.depth == side.stops[-1] > 2
    assert side.step(-1)
    other = side.fork()
    assert other.actions == side.actions[: side.depth]
    assert read_variation(match, 0, other.text).words == other.words
    assert side.step(1)
    assert side.depth == len(side.actions)
    with pytest.raises(BadInput, match="not a legal move"):
        side.play(match, "fly")
    assert match.position.history == before


def test_nobody_is_helped_while_people_play(tmp_path):
    """A running match of people is not studied, nor what is hidden from who looks."""
    matches = Matches(Store(f"sqlite:///{tmp_path}/store.db"))
    match = matches.create("connect_four", ["person", "random"], seed=3)
    assert match.may_study(None) == "people are still playing"
    assert matches.create("connect_four", ["random", "random"], seed=3).may_study(None) is None
    match.culprit = 0
    assert match.may_study(None) is None
    assert "hidden" in match.may_study(0)


def test_thoughts_go_with_moves_taken_back(tmp_path):
    """What a player reported is kept with its move, and forgotten when that is taken back."""
    matches = Matches(Store(f"sqlite:///{tmp_path}/store.db"))
    match = matches.create("connect_four", ["person", "negamax:depth=2"], seed=3)
    match.push("d")
    match.play_on(5.0)
    assert match.thoughts[1].value is not None
    match.undo([match.seats[0].key])
    assert match.thoughts == {}
