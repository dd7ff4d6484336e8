"""How players tell what they weigh: an optional part of any player, from the view of the seat to move alone."""

import json
from dataclasses import asdict, dataclass

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.games.tactics.automata import RULES
from turnsmith.play.inspection import Choice, Inspection
from turnsmith.play.seat import Seat
from turnsmith.web.pages.weighed import why_html

KUHN = "kuhn"
TACTICS = ts.load("tactics:team=2")


def explained(text, position):
    return Seat(ts.player(text, position.game), position.game, position.boards).explain(position)


def decisions(players, seed):
    """The positions of a game in which somebody decides."""
    for position in ts.play(TACTICS, players, seed).positions():
        if position.mover >= 0:
            yield position


@pytest.mark.parametrize(("game", "player"), [("leduc", "random"), ("connect_four", "mcts:simulations=20")])
def test_players_that_do_not_tell_have_no_inspection(game, player):
    """All else that a decision says is there as before."""
    position = ts.load(game).start(1)
    decision = explained(player, position)
    assert decision.inspection is None
    assert decision.words in position.legal
    assert ts.player(player).act(position).inspection is None


@pytest.mark.parametrize(
    ("game", "text"), [("connect_four", "negamax:depth=5"), ("pig:target=30", "expectimax:depth=4"), ("trails", "maxn")]
)
def test_depth_first_searches_tell_the_value_of_each_move(game, text):
    """What is played is the best, with the value of the position; of others an exact value or a bound is told."""
    position = ts.load(game).start(1)
    decision = explained(text, position)
    choices = decision.inspection.ranked()
    assert {choice.words for choice in choices} == set(position.legal)
    assert choices[0].words == decision.words
    assert choices[0].score == pytest.approx(decision.value)
    assert all(choice.told for choice in choices)
    if text.startswith("negamax"):
        assert decision.line[1] in choices[0].told
        assert any(choice.told == "at most" for choice in choices)
    if text == "maxn":
        assert choices[0].told.count(",") == int(position.board.seats) - 1


def test_a_matrix_tells_every_score_as_a_sum():
    """Parts add up to the score; the possible action with the greatest is what it plays; the rest have a reason."""
    seen = set()
    for position in decisions(["matrix", "random"], 3):
        decision = explained("matrix", position)
        found, legal = decision.inspection, set(position.legal)
        assert decision.words == found.ranked()[0].words
        for choice in found.choices:
            assert sum(choice.parts.values()) == pytest.approx(choice.score, abs=1e-12)
            assert choice.parts.keys() == found.inputs.keys()
            assert (choice.words in legal) == (not choice.impossible)
            seen.add((choice.name, bool(choice.impossible)))
        json.dumps(asdict(decision))
    can = {name for name, impossible in seen if not impossible}
    cannot = {name for name, impossible in seen if impossible}
    assert can == {"reload", "shoot", "attack move", "defence move", "balanced move", "take cover", "skip"}
    assert cannot >= can - {"skip", "defence move"}


def test_an_automaton_tells_the_rule_that_fired():
    """Its note is one of the rules, and the numbers it looked at bear it out."""
    fired = set()
    for seed in range(3):
        for position in decisions(["static", "camper"], seed):
            decision = explained("static", position)
            found = decision.inspection.inputs
            rule = decision.note.removeprefix("rule ")
            fired.add(rule)
            assert rule in RULES
            assert decision.inspection.note == decision.note
            assert decision.words in {choice.words for choice in decision.inspection.choices}
            if "at least `shoot`" in rule:
                assert found["chance now (%)"] >= found["setting shoot"]
            if "attack cell is better" in rule:
                gained = found["chance from the attack cell (%)"] - found["chance now (%)"]
                assert gained >= found["setting better"]
            if rule.startswith(("3", "4")):
                assert found["chance now (%)"] == 0
            if "magazine is empty" in rule:
                assert found["ammo"] == 0
    assert len(fired) >= 7


HAND = "matrix:name=hand"
"""It moves as soon as it can."""


def test_reasons_name_what_is_missing():
    """Points, cooldown, ammunition, line of fire and cover, each in its own words."""
    position = TACTICS.start(1)
    why = {choice.name: choice.impossible for choice in explained(HAND, position).inspection.choices}
    assert why["reload"] == "the magazine of green1 is full"
    assert why["shoot"] == "green1 has no line of fire to any enemy within its range"
    position.push(explained(HAND, position).words)
    why = {choice.name: choice.impossible for choice in explained(HAND, position).inspection.choices}
    assert why["attack move"] == "a move of green1 leaves no points for a shot"
    assert why["skip"] == ""


@dataclass(frozen=True, repr=False)
class Curious(ts.Player):
    name = "curious"

    def act(self, position):
        return ts.Decision(int(position.actions[0]), position.legal[0])

    def inspect(self, position):
        seen = {name: float(np.sum(position.state[name])) for name in position.game.State.names}
        return Inspection({**seen, "seed": position.seed, "past": sum(position.history)}, (Choice("any"),))


def test_only_the_view_of_the_seat_to_move_is_inspected():
    """Whatever the other holds, and whatever the seed, what an inspection can say is the same."""
    game, told = ts.load(str(KUHN)), {}
    for seed in range(40):
        position = game.start(seed)
        seat = Seat(Curious(), game, position.boards)
        found = dict(seat.explain(position).inspection.inputs)
        assert found.pop("seed") != seed
        assert found.pop("past") == -len(position.history)
        told.setdefault(position.view(position.mover).tobytes(), set()).add(json.dumps(found, sort_keys=True))
    assert len(told) == 3  # the three cards one may hold
    assert all(len(answers) == 1 for answers in told.values())


def test_the_page_escapes_what_players_say():
    """Names, words and reasons are texts, not markup; many choices are cut."""
    choices = tuple(Choice(f"<q>{n}", "<i>", float(n), {"<u>": 1.0, "x": -1.0}) for n in range(20))
    nasty = Inspection({"<s>": 1.0}, (*choices, Choice("no", impossible="<script>")))
    shown = why_html(ts.Decision(0, "<i>", inspection=nasty))
    assert not any(tag in shown for tag in ("<q>", "<i>", "<u>", "<s>", "<script>"))
    assert "and 9 more" in shown
    assert shown.count("why-choice played") == 1
    assert why_html(ts.Decision(0, "a")) == ""
