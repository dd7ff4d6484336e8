"""Many games at once, and what learners see of them."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.contract.game import OVER
from turnsmith.play import batch as batches
from turnsmith.play import step
from turnsmith.play.batch import Batch
from turnsmith.play.observe import observer
from turnsmith.play.player import CompiledPlayer, Prepared

NIM = str(Path(__file__).parents[2] / "examples" / "nim.py")
SHELLS = str(Path(__file__).parents[1] / "games_for_tests" / "shells.py")


def random_steps(batch, count):
    actions = np.zeros(batch.size, np.int32)
    for _ in range(count):
        batch.random_actions(actions)
        batch.step(actions)
        yield actions


@pytest.mark.parametrize("text", ["connect_four", "pig:players=3,target=10", "leduc", NIM, SHELLS])
def test_movers_masks_and_rewards_are_those_of_the_rules(text):
    """In every game of a batch the rules themselves say who moves and what is legal; ended games begin again."""
    batch = Batch(text, 7, seed=3)
    ended, paid = 0, False
    for _ in random_steps(batch, 60):
        ended += int(batch.ended.sum())
        for number in range(batch.size):
            at = batch.boards[batch.world.which[number] :][:1]
            states = batch.states[number : number + 1]
            (acts, chances), returns = step.buffers(at), np.zeros(batch.seats)
            mover, count = compiled(step.look)(batch.game, at, states, acts, chances, returns)
            assert mover == batch.movers[number] != OVER
            assert np.flatnonzero(batch.mask[number]).tolist() == acts[:count].tolist()
        assert (batch.rewards[batch.ended == 0] == 0).all()
        paid |= bool(batch.rewards[batch.ended == 1].any())
    assert ended > 0
    assert paid


def test_a_game_without_chance_is_the_one_of_its_actions():
    """Every game of a batch is the game that a Position plays with the same actions, to the same returns."""
    batch, game = Batch("connect_four", 5, seed=1), ts.load("connect_four")
    positions = [game.start() for _ in range(batch.size)]
    ended = 0
    for actions in random_steps(batch, 80):
        for number, position in enumerate(positions):
            position.push(int(actions[number]))
            outcome = position.outcome
            assert bool(batch.ended[number]) == (outcome is not None)
            if outcome is not None:
                ended += 1
                assert batch.rewards[number].tolist() == list(outcome.returns)
                positions[number] = game.start()
            assert positions[number].state.tobytes() == batch.states[number].tobytes()
    assert ended > 5


@pytest.mark.parametrize("text", ["connect_four", "leduc", NIM])
def test_batches_are_the_same_interpreted_and_for_the_same_seed(text):
    """Interpreted kernels fill the same arrays, and a reset begins the same games again."""
    one, other = Batch(text, 3, seed=5), Batch(text, 3, seed=5)
    seeds = np.uint64(5)
    interpreted(batches.reset_all)(other.game, other.world, other.seated, other.results, seeds)
    for _ in range(2):
        for actions in random_steps(one, 12):
            chosen = np.zeros(3, np.int32)
            interpreted(batches.pick_all)(other.game, other.world, other.movers, chosen)
            assert chosen.tolist() == actions.tolist()
            assert interpreted(batches.step_all)(other.game, other.world, other.seated, other.results, chosen) == -1
            for mine, theirs in zip(one.results, other.results, strict=True):
                assert mine.tobytes() == theirs.tobytes()
        one.reset()
        other.reset()


def test_an_illegal_action_changes_nothing():
    """One illegal action among many is named, and no game has moved."""
    batch = Batch("connect_four", 3)
    before = batch.states.tobytes()
    for wrong in ([3, 7, 3], [3, -1, 3]):
        with pytest.raises(BadInput, match=r"game 1: action -?[17] is not legal"):
            batch.step(np.array(wrong))
    with pytest.raises(BadInput, match="one action a game"):
        batch.step(np.array([1]))
    assert batch.states.tobytes() == before


def decide_in_turn(game, board, view, acts, data, memory, params, report, rng):
    memory[0] += 1  # zero when a match starts
    return np.int64(acts[(memory[0] + np.int64(params[0])) % acts.shape[0]])


@dataclass(frozen=True, repr=False)
class InTurn(CompiledPlayer):
    name = "in-turn"
    decide = decide_in_turn

    def prepare(self, game, boards):
        return Prepared.of(params=[4.0])


def test_players_move_their_seats_with_a_memory_of_the_game():
    """A seat given to a player is moved by it, its memory lasts for a game, and the other seat is left to decide."""
    batch, game = Batch("connect_four", 4, seed=2, players={1: InTurn()}), ts.load("connect_four")
    positions = [game.start() for _ in range(batch.size)]
    for actions in random_steps(batch, 40):
        assert (batch.movers == 0).all()
        for number, position in enumerate(positions):
            position.push(int(actions[number]))
            if position.outcome is None:
                replies = len(position.history) // 2 + 1
                position.push(int(position.actions[(replies + 4) % len(position.actions)]))
            if position.outcome is not None:
                assert batch.rewards[number].tolist() == list(position.outcome.returns)
                positions[number] = game.start()
            assert positions[number].state.tobytes() == batch.states[number].tobytes()
    for wrong in ({2: "random"}, {0: "random", 1: "random"}):
        with pytest.raises(BadInput, match="players sit in some of the seats"):
            Batch("connect_four", 2, players=wrong)


def test_connect_four_is_seen_by_its_mover():
    """Stones, cells that would complete four, who began, and what can be done at once; planes show the stones."""
    batch, drawn = Batch("connect_four", 1), Batch("connect_four", 1, view="planes")
    seen = []
    for action in (0, 1, 0, 1, 0, 6):
        batch.step(np.array([action]))
        drawn.step(np.array([action]))
        seen.append({batch.observer.names[i] for i in np.flatnonzero(batch.observations[0])})
    assert seen[:2] == [{"other a1"}, {"own a1", "other b1", "began"}]
    stones = {"own a1", "own a2", "own a3", "other b1", "other b2", "other g1"}
    assert seen[-1] == {*stones, "own four at a4", "began", "four at once"}
    assert drawn.observations[0, 0].tolist() == [[0] * 7] * 3 + [[1, 0, 0, 0, 0, 0, 0]] * 3
    assert drawn.observations[0, 1, 5].tolist() == [0, 1, 0, 0, 0, 0, 1]
    position = ts.load("connect_four").start()
    for word in ("c", "a", "d", "a", "e"):  # b1 and f1 both complete four
        position.push(word)
    fork = observer(position.game, position.boards).see(position.boards, position.view(1), 1)
    assert fork[-3:].tolist() == [0.0, 0.0, 1.0]


def test_planes_are_what_the_game_draws():
    """A batch of pictures: planes × height × width, as the mover sees them."""
    batch = Batch(SHELLS, 4, seed=1, view="planes")
    assert batch.observations.shape == (4, 2, 1, 5)
    assert batch.observer.names == ("lifted", "own choice")
    lifted = 0
    for _ in random_steps(batch, 6):
        states = batch.states
        bits = [[int(state.lifted) >> shell & 1 for shell in range(5)] for state in states]
        assert batch.observations[:, 0, 0].tolist() == bits
        lifted += sum(map(sum, bits))
        hidden = batch.movers == 1  # seat 0's choice is not for seat 1
        assert not batch.observations[hidden, 1].any()
    assert lifted > 0
    with pytest.raises(BadInput, match="pig has no planes"):
        Batch("pig", 1, view="planes")


def test_a_record_is_read_off_where_a_game_says_nothing():
    """Scores are scaled to -1..1 and by marks, small numbers one-hot, and the viewer's seat comes first."""
    game = replace(ts.load("pig:target=50"), seat_fields=(), seat_values=())
    known = observer(game, game.board())
    position = game.start(seed=1)
    assert known.names[:2] == ("seen by seat 0", "seen by seat 1")
    seen = dict(zip(known.names, known.see(position.boards, position.view(0), 0).tolist(), strict=True))
    assert (seen["seen by seat 0"], seen["seen by seat 1"]) == (1, 0)
    assert (seen["scores 0"], seen["turn_total"]) == (-1, -1)
    assert (seen["seat is 0"], seen["seat is 1"]) == (1, 0)
    near = [name for name in known.names if name.startswith("scores 0 near")]
    assert [seen[name] for name in near] == [1] + [0] * 8
    views, marks = np.zeros(1, game.State), [float(name.split()[-1]) for name in near]
    views[0].scores[0] = 17
    seen = dict(zip(known.names, known.see(game.board(), views, 0).tolist(), strict=True))
    shares = [seen[name] for name in near]
    assert sum(share > 0 for share in shares) == 2
    assert sum(share * mark for share, mark in zip(shares, marks, strict=True)) == pytest.approx(17, abs=1e-3)


def test_a_record_is_turned_to_the_viewer_where_a_game_says_so():
    """With seat_fields and seat_values two seats in the same situation see the same numbers."""
    game = ts.load("pig:target=50,players=3")
    known = observer(game, game.board())
    assert known.names[::10][:3] == ("scores of seat +0", "scores of seat +1", "scores of seat +2")
    views = np.zeros(1, game.State)
    views[0].scores[:3], views[0].seat = (10, 20, 30), 0
    first = known.see(game.board(), views, 0)
    views[0].scores[:3], views[0].seat = (30, 10, 20), 1
    assert known.see(game.board(), views, 1).tolist() == first.tolist()
    assert known.see(game.board(), views, 0).tolist() != first.tolist()


def test_fields_that_remember_the_past_are_left_out():
    """Those of `history` and of `unobserved` give no inputs; what is no field is refused."""
    game = replace(ts.load("pig:target=50"), seat_fields=(), seat_values=())
    spared = replace(game, history=("turn_total",), unobserved=("seat",))
    names = observer(spared, spared.board()).names
    left_out = set(observer(game, game.board()).names) - set(names)
    assert left_out == {name for name in left_out if name.startswith(("turn_total", "seat is"))} != set()
    assert any(name.startswith("scores 0") for name in names)
    with pytest.raises(BadInput, match="unobserved must be a tuple of fields of its State, not 'seat'"):
        replace(game, unobserved="seat")


def test_what_is_hidden_is_not_observed():
    """Two deals that differ in the other's card look the same to a learner; its own card does not."""
    game = ts.load("leduc")
    known = observer(game, game.board())
    states = np.zeros(3, game.State)
    for state, cards in zip(states, [(1, 3), (1, 5), (2, 3)], strict=True):
        state.cards[:2], state.dealt, state.paid[:] = cards, 2, 1
    seen = []
    for number in range(3):
        view = np.zeros(1, game.State)
        compiled(step.show_to)(game, game.board(), states[number : number + 1], view, 0)
        seen.append(known.see(game.board(), view, 0).tolist())
    assert seen[0] == seen[1] != seen[2]


def test_half_a_view_is_refused():
    """Features without names, or a seat field that is none, are refused in one line."""
    game = ts.load("connect_four")
    with pytest.raises(BadInput, match="one of features and feature_names"):
        replace(game, feature_names=None)
    with pytest.raises(BadInput, match="'stone' of seat_fields"):
        replace(game, seat_fields=("stone",))
