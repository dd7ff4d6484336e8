"""`zero`, players that taught themselves: their nets come with the games, need no torch, and know one board each."""

import sys

import pytest

import turnsmith as ts
from turnsmith.play.player import levels
from turnsmith.play.seat import Seat


@pytest.mark.parametrize(
    ("text", "other", "games", "least"),
    [
        ("connect_four", "mcts:simulations=100", 60, 0.65),
        ("pig", "mcts:simulations=60", 60, 0.6),
        ("trails", "mcts:simulations=60", 60, 0.45),
    ],
)
def test_the_shipped_net_beats_a_weaker_player_without_torch(text, other, games, least, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    game = ts.load(text)
    opening = 0 if game.board()[0]["outcomes"] else 4
    others = [other] * (int(game.board()[0]["seats"]) - 1)
    table = ts.arena(game, ["zero:simulations=60", *others], games, seed=3, opening=opening)
    mine = next(row for row in table.to_dict()["players"] if row["name"].startswith("zero"))
    assert mine["rate"] > least


@pytest.mark.parametrize("text", ["connect_four:connect=5", "connect_four:width=8", "pig:players=3", "trails:size=7"])
def test_another_board_is_refused(text):
    """Also where it would look the same to the net; and then it is no level of difficulty."""
    game = ts.load(text)
    with pytest.raises(ts.BadInput, match=f"its net is for another board; train one: turnsmith train alphazero {text}"):
        ts.player("zero", game).check(game, game.board())
    assert not any(each.startswith("zero") for each in levels(game, game.board()).values())


@pytest.mark.parametrize("text", ["connect_four", "pig", "trails"])
def test_it_is_a_level_and_tells_its_policy(text):
    """What a hint draws on the board: shares of the moves, which sum to 1."""
    game = ts.load(text)
    text = next(each for each in levels(game, game.board()).values() if each.startswith("zero"))
    position = game.start(seed=1)
    position.push(position.legal[0])
    told = Seat(ts.player(text, game), game, position.boards).ask(position)
    assert sum(told.policy.values()) == pytest.approx(1.0, abs=0.01)
    assert max(told.policy, key=told.policy.get) == told.words
