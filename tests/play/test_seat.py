"""A seat: one match for one seed in every loop, a memory that lasts, and a way to stop."""

import io
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import turnsmith as ts
from turnsmith.arena.runners import ArenaPlan, play_compiled, play_each
from turnsmith.cli.play import session
from turnsmith.play.player import HEADER, VALUE, CompiledPlayer
from turnsmith.play.seat import Seat
from turnsmith.search.random import Random
from turnsmith.search.softmax import Softmax
from turnsmith.web.match.live_match import LiveMatch, Participant

BAD_COMPANY = str(Path(__file__).parents[1] / "games_for_tests" / "bad_company.py")


def through_the_arena(play):
    def run(game, players, seed):
        plan = ArenaPlan(
            game, [ts.player(p, game) for p in players], np.arange(len(players), dtype=np.int32)[None], seed
        )
        return play(plan, np.zeros(1, np.int64)).log.tolist()

    return run


def on_the_page(game, players, seed):
    match = LiveMatch("name", game, game.describe(seed), seed, [Participant(who) for who in players])
    match.begin()
    while not match.over:
        match.play_on(60.0)
    assert match.culprit < 0, match.reason
    return match.position.history


def at_the_terminal(game, players, seed):
    position = game.start(seed)
    table = {index: Seat(ts.player(who, game), game, position.boards) for index, who in enumerate(players)}
    session(position, set(), table, Console(file=io.StringIO()), input)
    return position.history


@pytest.mark.parametrize(
    ("text", "players"),
    [
        ("connect_four", ["mcts:simulations=60", "mcts:simulations=30"]),
        ("pig:target=25", ["mcts:simulations=40", "random"]),
        ("pacman:map=small,ghosts=2", ["random", "original-ghosts"]),
        ("mastermind:colors=4,pegs=2", ["random"]),
        (BAD_COMPANY, ["python-whim", "random"]),
    ],
)
def test_one_seed_is_one_match_in_every_loop(text, players):
    """ts.play, the first match of an arena (in Python and compiled), the page and the terminal make the same moves."""
    game = ts.load(text)
    for seed in (3, 4):
        expected = ts.play(game, players, seed).actions
        assert through_the_arena(play_each)(game, players, seed) == expected
        assert on_the_page(game, players, seed) == expected
        assert at_the_terminal(game, players, seed) == expected
        if text != BAD_COMPANY:
            assert through_the_arena(play_compiled)(game, players, seed) == expected


@pytest.mark.parametrize("text", ["mastermind", "pacman:map=small,start=random", "dicewars:players=2"])
def test_one_seed_is_one_game(text):
    """The position that a seed starts has the board and the first chance of the match that it plays."""
    for seed in (7, 8, 9):
        position = ts.load(text).start(seed)
        match = ts.play(text, ["random"] * int(position.board.seats), seed)
        assert match.source == position.game.describe(seed)
        assert match.actions[: len(position.history)] == position.history


def test_chance_goes_on_alike_whoever_draws_it():
    """The same decisions meet the same chance in a position and in a match."""
    match = ts.play("pig:target=20", ["random", "random"], seed=5)
    position, decisions = ts.load("pig:target=20").start(seed=5), iter(match.positions())
    for before, action in zip(decisions, match.actions, strict=False):
        if before.mover >= 0:
            position.push(action)
    assert position.history == match.actions


def test_rotations_share_their_start_and_nothing_else():
    """The matches of a group have one board and one first chance, and then chance of their own."""
    game = ts.load("mastermind:colors=6,pegs=4")
    plan = ArenaPlan(game, [ts.player("random", game)], np.zeros((6, 1), np.int32), 2)
    batch = play_compiled(plan, np.arange(6))
    firsts = [batch.log[start] for start in batch.offsets[:-1]]
    assert len(set(firsts)) > 3  # one seat: every match is a group
    pig = ArenaPlan(ts.load("pig:target=15"), [ts.player("random")] * 2, np.array([[0, 1], [1, 0]], np.int32), 2)
    one, other = (play_compiled(pig, np.array([n])).log.tolist() for n in (0, 1))
    assert one != other


def test_memory_lasts_from_one_decision_to_the_next():
    """A search that keeps its tree looks at it again; asked anew, or after forgetting, it begins with nothing."""
    position = ts.load("connect_four").start()
    seat = Seat(ts.player("mcts:simulations=200"), position.game, position.boards)
    first = seat.ask(position)
    again = seat.ask(position)
    assert again.policy != first.policy
    assert ts.player("mcts:simulations=200").act(position) == first
    seat.forget()
    assert seat.ask(position) == first
    seat.release()
    assert seat.size == 0
    assert seat.ask(position) == first


@pytest.mark.parametrize(
    "text", ["negamax:depth=120", "expectimax:depth=120", "maxn:depth=120", "mcts:simulations=1000000000"]
)
def test_a_search_is_stopped_from_outside(text):
    """A search that would never end answers legally when its time is up, and at once when its seat was stopped."""
    position = ts.load("connect_four").start()
    seat = Seat(ts.player(text), position.game, position.boards)
    assert seat.ask(position, seconds=0.05).action in position.actions
    threading.Timer(0.05, seat.stop).start()
    assert seat.ask(position).action in position.actions
    assert seat.ask(position).action in position.actions


@pytest.mark.parametrize("text", ["mcts:simulations=1000000000", "zero:simulations=1000000", "negamax:depth=120"])
def test_nobody_touches_the_memory_of_a_thought(text):
    """What is forgotten or let go of while a player thinks stays as it is until the thought has ended, which is then
    as if nobody had; after it, the player begins anew."""
    position = ts.load("connect_four").start()
    seat = Seat(ts.player(text, position.game), position.game, position.boards)
    taken = []

    def meddle():
        while not seat._is_thinking or seat._flag.base is None:
            time.sleep(0.001)
        memory = seat._flag.base
        while not isinstance(memory, np.ndarray) or memory.dtype != np.uint8 or memory.base is not None:
            memory = memory.base
        for _ in range(50):
            seat.forget()
            seat.release()
            taken.append(bool(memory[:HEADER].any()))
            time.sleep(0.001)
        seat.stop()

    thread = threading.Thread(target=meddle)
    thread.start()
    decision = seat.ask(position)
    thread.join()
    assert decision.action in position.actions
    assert all(taken[1:]), "the header of a tree or a table that is being used is not zero"
    assert seat.size == 0


@dataclass(frozen=True, repr=False)
class Planner(Random):
    """Moves at once, and then asks a search that never ends how it would go on."""

    def line(self, position, action, memory):
        return ts.player("mcts:simulations=1000000000").act(position.after([action])).line


def test_what_a_player_tells_is_within_its_time():
    """The line of play that a player works out after its move ends with the time it was given."""
    position = ts.load("connect_four").start()
    assert Seat(Planner(), position.game, position.boards).ask(position, seconds=0.05).line


def test_preparation_is_stopped_from_outside():
    """Tables that take too long are refused in one line, by the clock or by another thread."""
    position = ts.load(BAD_COMPANY).start()
    seat = Seat(ts.player("ditherer", position.game), position.game, position.boards)
    with pytest.raises(ts.BadInput, match=r"ditherer takes longer than 0.05 s to prepare; give it less to do"):
        seat.ask(position, seconds=0.05)
    threading.Timer(0.05, seat.stop).start()
    with pytest.raises(ts.BadInput, match="ditherer was stopped while it prepared"):
        seat.ask(position)


def note_value(game, board, view, acts, data, memory, params, report, rng):
    report[VALUE] = 0.25 if acts.shape[0] > 6 else np.nan
    return acts[0]


@dataclass(frozen=True, repr=False)
class Confident(CompiledPlayer):
    name = "confident"
    tells = "policy"
    decide = note_value


def test_a_value_is_kept_whenever_it_is_noted(monkeypatch):
    """Also without a word of the work it took; one that is not noted, or is no number, is none, and not 0."""
    game = ts.load("connect_four")
    start, later = game.start(), game.start()
    for move in "aaaaaa":
        later.push(move)
    monkeypatch.setattr(Softmax, "asked", lambda self, game: Confident())
    for who in (Confident(), ts.player("softmax")):
        assert [who.act(position).value for position in (start, later)] == [0.25, None]
    assert ts.player("random").act(start).value is None
