"""Random openings: players that hardly vary meet in many different games, and in each from every seat."""

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.openings import draw_openings
from turnsmith.arena.runners import ArenaPlan, play_compiled, play_each
from turnsmith.arena.schedule import seatings


def plan_of(text, moves, games=24):
    game = ts.load(text)
    players = [ts.player("random", game)] * 2
    return ArenaPlan(game, players, seatings(2, int(game.board()[0].seats), games, 3), 3, random_moves=moves)


def games_of(batch):
    return [tuple(batch.log[a:b].tolist()) for a, b in zip(batch.offsets, batch.offsets[1:], strict=False)]


@pytest.mark.parametrize("text", ["connect_four:width=5,height=4", "pig:target=20"])
def test_rotations_share_an_opening_and_both_loops_play_it(text):
    """The first moves of all rotations of a start are equal, starts differ, and Python plays as compiled code does."""
    plan = plan_of(text, 3)
    compiled, python = (play(plan, np.arange(24)) for play in (play_compiled, play_each))
    assert games_of(compiled) == games_of(python)
    firsts = [game[:3] for game in games_of(compiled)]
    assert firsts[::2] == firsts[1::2]
    assert len(set(firsts)) > 4


def test_an_opening_never_ends_the_game():
    """However many moves are asked for, the last decision is left to whoever sits there."""
    game = ts.load("connect_four:width=4,height=4,connect=3")
    rows = draw_openings(game, game.board(), np.zeros(40, np.int32), np.arange(40, dtype=np.uint64), 16)
    for row in rows:
        position = game.start()
        for action in row[row >= 0]:
            position.push(int(action))
        assert position.outcome is None
        assert any(ts.position(game, 0, [*position.history, int(a)]).outcome for a in position.actions)


def test_an_arena_with_openings_is_another_run(tmp_path):
    """A store keeps it apart from the same arena without, and goes on with it; too many moves are refused."""
    store = f"sqlite:///{tmp_path}/games.db"
    asked = ("connect_four", ["negamax:depth=2", "random"])
    plain, opened = (ts.arena(*asked, games=8, opening=moves, store=store) for moves in (0, 4))
    again = ts.arena(*asked, games=8, opening=4, store=store)
    assert np.array_equal(opened.returns, again.returns)
    assert again.seconds == opened.seconds  # nothing was played anew
    assert plain.seconds != opened.seconds
    with pytest.raises(ts.BadInput, match="opening=-1 must be"):
        ts.arena(*asked, games=2, opening=-1)
