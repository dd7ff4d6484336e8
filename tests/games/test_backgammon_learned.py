"""Backgammon's `learned`: all ways to play a roll, the net's view, two turns, and a training that resumes."""

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.compile.kernel import compiled
from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.backgammon import net as seen
from turnsmith.nets.dense import Net, fresh, read_net
from turnsmith.play.position import Position, PositionView
from turnsmith.play.seat import Seat
from turnsmith.play.tiers import code_for
from turnsmith.studies.backgammon.selfplay import ValueSettings, train

GAME = ts.load("backgammon:most=3")


def positions(count):
    """Decisions of random games, a few moves into each."""
    for seed in range(count):
        position, random = Position(GAME, seed), np.random.default_rng(seed)
        for _ in range(5 * seed):
            if position.outcome is None:
                position.push(int(random.choice(position.actions)))
        if position.outcome is None:
            yield position


def ends_in_python(position):
    """Where a roll may lead, found by playing every way."""
    seat, ends, waiting, met = position.mover, set(), [position.seen_by(position.mover)], set()
    while waiting:
        here = waiting.pop()
        for action in here.actions.tolist():
            after = here.after([action])
            key = after.state.tobytes()
            if key in met:
                continue
            met.add(key)
            if after.mover == seat:
                waiting.append(after)
            else:
                ends.add(key)
    return ends


def test_all_ways_to_play_a_roll_are_listed_once():
    for position in positions(14):
        ways, ends = np.zeros(seen.STEPS, GAME.State), np.zeros(seen.MOST_ENDS, GAME.State)
        ways[0] = position.view(position.mover)[0]
        firsts, met = np.zeros(seen.MOST_ENDS, np.int64), np.zeros(seen.PLACES, np.uint64)
        moves = np.zeros((seen.STEPS, int(position.board.actions)), np.int32)
        count = compiled(list_all)(GAME, position.boards, ways, ends, firsts, met, moves)
        listed = [end.tobytes() for end in ends[:count]]
        assert len(set(listed)) == count
        assert set(listed) == ends_in_python(position)
        assert set(firsts[:count].tolist()) <= set(position.actions.tolist())


def list_all(game, boards, ways, ends, firsts, met, moves):
    return seen.list_ends(game, boards[0], ways, ends, firsts, met, moves)


def test_a_net_sees_the_first_position_of_both_sides_alike():
    """15 checkers and 167 pips a side, and nothing depends on who is called seat 0."""
    state = np.zeros(1, GAME.State)[0]
    GAME.setup(GAME.board()[0], state)
    views = np.zeros((2, seen.INPUTS), np.float32)
    for mover in range(2):
        seen.look(state, mover, views[mover])
    assert (views[0] == views[1]).all()
    own = views[0, : seen.SIDE]
    assert own[-1] == 1.0
    assert (own[-3:-1] == 0.0).all()
    counts = own[: seen.POINTS * seen.UNITS].reshape(-1, seen.UNITS) @ np.array([1, 1, 1, 2])
    assert counts[[5, 7, 12, 23]].tolist() == [5, 3, 5, 2]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A net that knows nothing."""
    file = tmp_path_factory.mktemp("nets") / "tiny.onnx"
    Net(fresh((seen.INPUTS, 4, seen.OUTPUTS), 3), "Sigmoid", {"kind": "backgammon"}).write(file, "tiny")
    return file


def test_one_step_after_another_is_one_plan(tiny):
    """Who plays a roll step by step ends where the best way led: the value said at the first step stays."""
    player = ts.player(f"learned:net={tiny}", GAME)
    position = next(p for p in positions(6) if len(ends_in_python(p)) > 5)
    seat, said = position.mover, []
    while position.mover == seat:
        decision = Seat(player, GAME, position.boards).ask(position)
        said.append(decision.value)
        position.push(decision.action)
        if position.history and position.outcome is not None:
            break
    assert said == pytest.approx([said[0]] * len(said), abs=1e-6)


def test_two_turns_are_the_mean_over_rolls_of_the_other_s_best(tiny):
    """By hand, from one-turn values alone: minus the mean of what the other expects after each roll."""
    position = next(p for p in positions(6) if 1 < len(ends_in_python(p)) < 12)
    one, two = (ts.player(f"learned:net={tiny},turns={turns},width=64", GAME) for turns in (1, 2))
    best = -np.inf
    for key in ends_in_python(position):
        state = np.frombuffer(bytearray(key), GAME.State)
        total = 0.0
        boards, chances = position.boards, np.zeros(int(position.board.outcomes))
        GAME.weights(boards[0], state[0], chances)
        for roll in range(21):
            after = state.copy()
            GAME.apply(boards[0], after[0], roll)
            total += chances[roll] * value_after(one, after, boards)
        best = max(best, -total)
    assert Seat(two, GAME, position.boards).ask(position).value == pytest.approx(best, abs=1e-5)


def value_after(player, state, boards):
    """What the mover of a state expects by one turn."""
    look = PositionView(GAME, boards, state)
    ready, acts = player.prepare(GAME, boards), look.actions
    report, memory = np.zeros(3), np.zeros(ready.memory, np.uint8)
    code_for(GAME, player).decide(player, boards, state, acts, ready, memory, report, np.zeros(1, np.uint64))
    return report[0]


def test_the_shipped_net_beats_the_race():
    """It was trained for more than this; 60 games are enough to see it."""
    table = ts.arena(GAME, ["learned", "expectimax:depth=1"], 60, seed=5)
    assert table.returns[table.seating == 0].mean() > 1.0


def test_a_training_learns_and_goes_on_where_it_was_stopped(tmp_path):
    settings = ValueSettings(games=1000, a_round=500, hidden=8, to=tmp_path / "whole.onnx")
    train(settings, TrainingContext(tmp_path / "whole"))
    folder = tmp_path / "stopped"
    train(settings, TrainingContext(folder))
    for name in ("round-1.npz", "curve.jsonl"):
        (folder / name).unlink()  # as if it had been killed before the second round
    train(settings, TrainingContext(folder))
    assert (folder / "round-1.npz").read_bytes() == (tmp_path / "whole" / "round-1.npz").read_bytes()
    one, other = (read_net(file).weights for file in (tmp_path / "whole.onnx", folder / "value.onnx"))
    assert (one == other).all()


def test_nets_of_others_are_refused(tmp_path):
    file = tmp_path / "other.onnx"
    Net(fresh((7, 4, 1), 3), "Sigmoid", {"kind": "value"}).write(file, "other")
    with pytest.raises(ts.BadInput, match="is no net of backgammon; train one"):
        ts.player(f"learned:net={file}", GAME).check(GAME, GAME.board())
