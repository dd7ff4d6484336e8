"""AlphaZero's search: PUCT, sequential halving at the root, any number of seats, chance; with a net and without."""

import math

import numpy as np
import pytest
from asking import GOOFSPIEL, THICKET, Asked, ask, random_history

import turnsmith as ts
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.contract.game import OVER
from turnsmith.nets.dense import Net, fresh
from turnsmith.play.observe import observer
from turnsmith.search.puct import begin_race, goings, next_visits

SMALL = "connect_four:width=4,height=4,connect=3"


def sequence(considered, simulations):
    """Visits of the move to be visited next, after the pseudocode of Gumbel MuZero's authors."""
    if considered <= 1:
        return list(range(simulations))
    halvings, found, visits, many = math.ceil(math.log2(considered)), [], [0] * considered, considered
    while len(found) < simulations:
        for _ in range(max(1, simulations // (halvings * many))):
            found += visits[:many]
            visits[:many] = [each + 1 for each in visits[:many]]
        many = max(2, many // 2)
    return found[:simulations]


@pytest.mark.parametrize(("considered", "simulations"), [(1, 5), (2, 16), (4, 50), (7, 64), (16, 200), (16, 7)])
def test_simulations_are_shared_out_by_halving(considered, simulations):
    """As many to each in the race, the worse half dropped again and again."""
    going = goings(1)[0]
    going["considered"], going["limit"] = considered, simulations
    begin_race(going)
    assert [int(next_visits(going)) for _ in range(simulations)] == sequence(considered, simulations)


def test_it_finds_what_the_solver_finds():
    """Without a net, on a small board: whoever begins wins, and the move that keeps it is found at each step."""
    game = ts.load(SMALL)
    position = game.start()
    for _ in range(3):
        best = ask(game, "solve", position.history)
        found = ask(game, "alphazero:simulations=4000", position.history)
        after = position.after([found.action])
        if after.mover != OVER:
            assert -ask(game, "solve", after.history).value == best.value
        position.push(found.action)
        if position.mover == OVER:
            break
    assert found.value == pytest.approx(best.value, abs=0.3)


@pytest.mark.parametrize("text", ["alphazero:simulations=200", "alphazero:simulations=200,considered=0"])
def test_it_takes_a_win_and_stops_one(text):
    """Three in a row: end it, or block it, though a proven move has few visits."""
    game = ts.load("connect_four")
    position = game.start()
    for word in "gfgfgf":
        position.push(word)
    assert ask(game, text, position.history).action == 6
    position.push("c")
    assert ask(game, text, position.history).action == 5


def length_of(position, known):
    """What best play brings the mover, and after how many moves: the winner hurries, the loser does not."""
    key = position.view(0).tobytes()
    if key not in known:
        found = []
        for action in position.actions:
            after = position.after([int(action)])
            if after.mover == OVER:
                found.append((float(after.returns[position.mover]), 1))
            else:
                value, length = length_of(after, known)
                found.append((-value, length + 1))
        known[key] = max(found, key=lambda each: (each[0], -each[1] if each[0] > 0 else each[1]))
    return known[key]


def test_it_wins_soon_and_loses_late():
    """Decided positions: the result is kept, and nearly always as long as it can take; hints tell other moves too."""
    game, known = ts.load(SMALL), {}
    kept, slow, quick = [], [], []
    for seed in range(60):
        position = ts.position(game, 0, random_history(game, 5 + seed % 3, seed))
        value, length = length_of(position, known)
        after = position.after([ask(game, "alphazero:simulations=3000", position.history).action])
        if after.mover == OVER:
            result, left = float(after.returns[position.mover]), 0
        else:
            worth, left = length_of(after, known)
            result = -worth
        kept.append(result == value)
        if value:
            (quick if value > 0 else slow).append(left + 1 == length)
    assert all(kept)
    assert len(quick) > 10
    assert len(slow) > 10
    assert np.mean(quick) > 0.95
    assert np.mean(slow) > 0.9


@pytest.mark.parametrize("simulations", [1, 200, 100_000])
def test_hints_stay_mild(simulations):
    """However long it thinks, other moves of the empty board keep their share, and none has more than its own."""
    found = ask("connect_four", f"alphazero:simulations={simulations}")
    assert found.policy[found.action] == max(found.policy)
    assert sum(share > 0.01 for share in found.policy) >= 3


@pytest.mark.parametrize("game", ["pig", "dicewars:players=3,areas=9", "leduc", THICKET])
def test_any_game_of_turns(game):
    """Chance, three seats, hidden cards: a policy over the legal moves, a value in range, the same again."""
    loaded = ts.load(game)
    position = ts.position(loaded, 0, ())
    text = "alphazero:simulations=60"
    one, two = (Asked(loaded, text, rubbish=rubbish)(position) for rubbish in (0, 1))
    assert one == two
    assert sum(one.policy) == pytest.approx(1.0)
    assert position.board.low <= one.value <= position.board.high
    assert one.work == 60


def test_a_team_searches_once_for_all_its_units():
    """The first unit goes where a search with the simulations of all would send it; the rest is read off the tree."""
    team, unit = ask("pacman:map=tiny", "zero:simulations=40"), ask("pacman:map=tiny,moves=unit", "zero:simulations=80")
    assert team.action // 5 == unit.action
    assert team[1:4] == unit[1:4]
    assert unit.work == 80
    alone = ask("pacman:map=tiny,pacmans=1", "zero:simulations=40")
    assert alone.work == 40


def test_moves_not_tried_wait_where_they_are_expected_to_bring_less():
    """So lines become longer; without a reduction every move of a position is tried before any is tried again."""
    text = "alphazero:simulations=300,exploration=0.1,reduction="
    wide, deep = (ask("connect_four", f"{text}{part}").depth for part in (0, 0.5))
    assert deep > 2 * wide


def test_simultaneous_moves_are_refused():
    with pytest.raises(ts.BadInput, match="at the same time here"):
        ask(GOOFSPIEL, "alphazero")


def test_noise_draws_different_moves_and_none_the_same():
    """From the empty board, moves vary with Gumbel noise only."""
    game = ts.load("connect_four")
    position = game.start()
    moves = {Asked(game, "alphazero:simulations=16,noise=1", seed=seed)(position).action for seed in range(20)}
    still = {Asked(game, "alphazero:simulations=16", seed=seed)(position).action for seed in range(5)}
    assert len(moves) > 3
    assert len(still) == 1


def test_a_tree_is_kept_and_a_full_memory_survives():
    """What was found for this move is known at the next; a long match in little memory goes on."""
    asked = Asked(SMALL, "alphazero:simulations=300")
    position = asked.game.start()
    depths = []
    while position.mover != OVER:
        answer = asked(position)
        depths.append(answer.depth)
        position.push(answer.action)
    assert max(depths) > 3
    small = Asked("connect_four", "alphazero:simulations=2000")
    small.ready.params[2] = 1024.0  # units: far too few
    position = small.game.start()
    for _ in range(6):
        position.push(small(position).action)


# ---------------------------------------------------------------- with a net


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    """A net that likes the last column and expects much for whoever moves."""
    game = ts.load("connect_four")
    boards = game.board()
    seen = observer(game, boards)
    (weights, biases), (last, ends) = fresh((*seen.shape, 5, 8), 3)
    ends = np.array([0, 0, 0, 0, 0, 0, 3, 2], np.float32)
    about = {"kind": "alphazero", "game": game.text_name, "sees": seen.described()}
    path = tmp_path_factory.mktemp("net") / "some.onnx"
    Net([(weights, biases), (0 * last, ends)], "", about).write(path, "a test")
    return game, path


def test_a_net_proposes_and_judges(net):
    """With one simulation its favourite is played; with many its opinion counts less than the ends of games."""
    game, path = net
    first = ask(game, f"alphazero:net={path},simulations=1,considered=1")
    assert first.action == 6
    win = game.start()
    for word in "ababab":
        win.push(word)
    assert ask(game, f"alphazero:net={path},simulations=200", win.history).action == 0


def test_compiled_and_interpreted_decide_the_same(net):
    game, path = net
    position = game.start()
    for text in (f"alphazero:net={path},simulations=12", "alphazero:simulations=12,noise=1"):
        one, two = (Asked(game, text, how=how)(position) for how in (compiled, interpreted))
        assert (one.action, one.work, one.depth) == (two.action, two.work, two.depth)
        assert np.allclose(one.policy, two.policy, atol=1e-5)


def test_a_net_of_something_else_is_refused(net, tmp_path):
    game, path = net
    with pytest.raises(ts.BadInput, match="8 outputs"):
        ask("connect_four:width=6", f"alphazero:net={path}")
    with pytest.raises(ts.BadInput, match=r"there is no file"):
        ask(game, f"alphazero:net={tmp_path}/none.onnx")


def test_time_and_a_flag_stop_it():
    """With a time, it ends by it; moves are then those most visited."""
    found = ask("connect_four", "alphazero:time=0.3")
    assert found.work > 10  # on a machine however busy
    assert max(found.policy) > 1 / 7
