"""What games and players tell people: tips, remarks, levels, lines of play, forecasts, and answers in time."""

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.runners import ArenaPlan
from turnsmith.arena.schedule import seatings
from turnsmith.arena.store import Store
from turnsmith.arena.tournament import follow, stored_table
from turnsmith.common.settings import settings
from turnsmith.play.player import levels


def test_the_tip_of_an_attack_is_its_odds():
    """Dice Wars tells of every attack the probability that chance then gives it, and nothing of the end of a turn."""
    position = ts.load("dicewars").start(3)
    game, board = position.game, position.board
    for action in position.actions[:-1].tolist():
        after = ts.position(game, 3, position.history)
        after.draws_chance = False
        after.push(action)
        chance = dict(zip(after.legal, after.chances, strict=True)).get("won", 0.0)
        assert game.tip(board, position.state, action) == f"{chance:.0%}"
    assert game.tip(board, position.state, int(position.actions[-1])) == ""


def test_tips_and_remarks_of_mastermind_count_codes():
    """What remains is counted from the answers alone; a tip says whether a guess is among it."""
    position = ts.load("mastermind").start(5)
    game, board = position.game, position.board
    view = position.seen_by(0).state
    assert game.remark(board, view).startswith("1,296 codes remain: aaaa, aaab")
    position.push("aabb")
    view = position.seen_by(0).state
    left = int(game.remark(board, view).partition(" ")[0].replace(",", ""))
    tips = [game.tip(board, view, action) for action in range(1296)]
    assert tips.count("may be it") == left < 1296
    devil = ts.load("mastermind:maker=seat").start()
    devil.push("aabb")
    leaves = [devil.game.tip(devil.board, devil.state, int(a)) for a in devil.actions]
    assert sum(int(text.removeprefix("leaves ").replace(",", "")) for text in leaves) == 1296


@pytest.mark.parametrize("name", ts.games())
def test_levels_name_players_that_play(name):
    """Every level of a game is a player that accepts its usual board; there are at least two."""
    game = ts.load(name)
    found = levels(game, game.board())
    assert len(found) >= 2
    for text in found.values():
        assert ts.player(text, game).refuses(game, game.board()[0]) is None


@pytest.mark.parametrize("text", ["mcts:simulations=40", "mcts", "negamax:depth=3", "negamax", "maxn:nodes=500"])
def test_an_answer_in_time_is_the_same_answer(text):
    """A player told to answer within a minute decides as before: limits in time only ever cut short."""
    position = ts.load("connect_four").start(2)
    who = ts.player(text)
    assert who.within(60.0).act(position) == who.act(position)
    assert who.within(60.0).time == 60.0
    assert who.within(60.0).within(1.0).time == 1.0


def test_solve_lists_less_in_less_time():
    """A solver told to be quick refuses a game that it would list otherwise."""
    solver = ts.player("solve")
    assert solver.within(1.0).limit < solver.limit
    with pytest.raises(ts.BadInput, match="more than"):
        solver.within(0.00001).act(ts.load("connect_four").start())


def test_a_decision_has_the_line_it_expects():
    """The line of alpha-beta begins with its own move and can be played."""
    position = ts.load("connect_four").start()
    decision = ts.player("negamax:depth=4").act(position)
    assert decision.line[0] == decision.words
    assert len(decision.line) == 4
    for move in decision.line:
        position.push(move)


def test_the_trail_leads_here():
    """Every move with the position before it, chance's too; pushing the moves again gives the same states."""
    position = ts.load("pig").start(4)
    for move in ("roll", "hold", "roll"):
        if move in position.legal:
            position.push(move)
    trail = list(position.trail())
    assert [action for _, action in trail] == position.history
    assert {before.mover for before, _ in trail} == {-1, 0, 1}
    again = ts.position(position.game, 4, position.history[:2])
    assert again.state == trail[2][0].state


def test_a_forecast_is_between_the_returns():
    """Random games from a better position are won more often than lost; a finished game is forecast as it ended."""
    position = ts.load("connect_four").start()
    for move in "aabbc":
        position.push(move)
    first, second = position.forecast(2000)
    assert first == -second
    assert first > 0.1
    for move in "cd":
        position.push(move)
    assert position.forecast() == [1.0, -1.0]


def test_settings_are_described():
    """Fields come with type, default, help and choices, inherited ones first."""
    found = {setting.name: setting for setting in settings(type(ts.player("mcts")))}
    assert found["leaf"].choices == ("rollout", "evaluate")
    assert found["simulations"].kind is int
    assert "Simulations for one decision" in found["simulations"].help
    assert [setting.name for setting in settings(type(ts.player("negamax")))][:3] == ["depth", "nodes", "time"]


def test_following_an_arena(tmp_path):
    """The table grows without gaps, ends as the arena's own, and the store has it."""
    game = ts.load("connect_four")
    players = [ts.player("random"), ts.player("negamax:depth=1")]
    plan = ArenaPlan(game, players, seatings(2, 2, 40, 7), 7)
    store = Store(f"sqlite:///{tmp_path}/store.db")
    seen = list(follow(plan, 40, 2, store))
    assert seen[0][0] == 0
    assert seen[-1][0] == 40
    assert all(table.games <= done for done, table in seen)
    last = seen[-1][1].to_dict()
    direct = ts.arena(game, players, 40, seed=7).to_dict()
    stored = stored_table(store, store.open_run(plan)).to_dict()
    for found in (direct, stored):
        assert found["players"] == last["players"]
        assert found["pairs"] == last["pairs"]
    with pytest.raises(ts.BadInput, match="no run"):
        stored_table(store, "nothing")
    store.close()


def test_a_gap_is_not_counted(tmp_path):
    """A run of which the store lacks a match is told only up to the gap."""
    game = ts.load("connect_four")
    plan = ArenaPlan(game, [ts.player("random")] * 2, seatings(2, 2, 10, 1), 1)
    store = Store(f"sqlite:///{tmp_path}/store.db")
    run = store.open_run(plan)
    from turnsmith.arena.runners import play_compiled

    store.add(run, plan, play_compiled(plan, np.array([0, 1, 2, 5])), 0.1)
    assert stored_table(store, run).games == 3
    store.close()
