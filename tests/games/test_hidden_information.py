"""What every game with hidden information owes its seats: imagined worlds that agree with all that was seen."""

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.check.rules import CheckedRules
from turnsmith.compile.kernel import interpreted
from turnsmith.contract.game import OVER
from turnsmith.play.position import PositionView

SMALL = {"mastermind": "mastermind:maker=seat,colors=4,pegs=3", "dicewars": "dicewars:players=2"}
HIDING = [SMALL.get(name, name) for name in ts.games() if ts.load(name).hides]
MATCHES = 5


@pytest.mark.parametrize("text", [*HIDING, "kuhn:players=4"])
def test_imagined_worlds_look_as_what_was_seen(text):
    """In the positions of random games, while chance moves and at the end too, whoever looks: a card that is not dealt
    yet is not imagined, and one that is shown stays what it is."""
    game, choices, looks, ends = ts.load(text), np.random.default_rng(1), 0, 0
    rules = CheckedRules(game, 1, interpreted)
    for match in range(MATCHES):
        look = PositionView.at_start(game, rules.boards, match)
        for _ in range(100_000):
            is_end = look.mover == OVER
            if is_end or looks < 40 * (match + 1):  # the middle of long games is a few positions, the end is one
                _compare(rules, look, looks)
                looks += 1
            if is_end:
                ends += 1
                break
            look.advance(int(choices.choice(look.actions)))
    assert ends == MATCHES


def _compare(rules, look, number):
    for viewer in range(rules.seats):
        view = rules.hide(look.state.tobytes(), viewer)
        for draw in range(3):
            world = rules.resample(view, viewer, rules.stream(number, draw))
            assert rules.hide(world, viewer) == view, (look.history, viewer)
