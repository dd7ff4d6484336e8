"""Searches and preparations that would take hours end when another thread says so, with the best they have."""

import threading

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.games.mastermind import rules, trees
from turnsmith.play.seat import Seat
from turnsmith.play.stop import stopping

ENDLESS = [
    ("pacman:map=tiny", "negamax:nodes=1000000000000,depth=120", 5000),
    ("pacman:map=tiny", "junctions:simulations=0,time=86400", 5),
    ("dicewars:areas=20", "strong:rounds=1000000,width=1000", 500),
    ("dicewars:areas=20", "master:ahead=6,width=1000,rounds=1000000", 500),
    ("dicewars:areas=30", "maxn:lines=0,rounds=3,width=64,length=64,threshold=0", 200),
]


@pytest.mark.parametrize(("text", "player", "most"), ENDLESS, ids=[player for _, player, _ in ENDLESS])
def test_a_search_is_stopped_from_another_thread(text, player, most):
    """It answers with a legal move, and when it is told before it begins, after hardly any work."""
    game = ts.load(text)
    position = game.start(seed=3)
    seat = Seat(ts.player(player, game), game, position.boards)
    timer = threading.Timer(0.2, seat.stop)
    timer.start()
    assert seat.ask(position).action in position.actions
    timer.join()
    decision = seat.ask(position)  # a stopped seat stays stopped
    assert decision.action in position.actions
    done = int("".join(filter(str.isdigit, decision.note.split(" ")[0])) or 0)
    assert done <= most


@pytest.mark.parametrize("name", ["knuth", "entropy", "optimal"])
def test_a_preparation_is_stopped_and_nothing_half_done_is_kept(name):
    """It is refused in the words of whoever waits; asked again without haste, the whole tree is there."""
    boards = rules.tables({"colors": 4, "pegs": 3})
    with pytest.raises(ts.BadInput, match="late"), stopping(np.ones(1, np.int64), refusal="late"):
        trees.build(boards, name)
    assert trees.is_sound(boards, trees.build(boards, name))
