"""Connect Four in bad company: players that raise, cheat or dawdle, compiled and in Python."""

import time
from dataclasses import dataclass

from turnsmith.kernel import is_set, now
from turnsmith.player import CompiledPlayer, Decision, Player

from turnsmith import stop
from turnsmith.games.connect_four.picture import *  # noqa: F403
from turnsmith.games.connect_four.rules import *  # noqa: F403
from turnsmith.games.connect_four.rules import Board, State  # noqa: F401
from turnsmith.search.random import Random


def raise_at_ply_six(game, board, view, acts, data, memory, params, report, rng):
    if view.ply >= 6:
        raise ValueError("I give up")
    return acts[0]


def cheat(game, board, view, acts, data, memory, params, report, rng):
    return board.width + 3


def dawdle(game, board, view, acts, data, memory, params, report, rng):
    until = now() + 50_000_000
    while now() < until:
        pass
    return acts[0]


@dataclass(frozen=True, repr=False)
class Raiser(CompiledPlayer):
    name = "raiser"
    decide = raise_at_ply_six


@dataclass(frozen=True, repr=False)
class Cheater(CompiledPlayer):
    name = "cheater"
    decide = cheat


@dataclass(frozen=True, repr=False)
class Dawdler(CompiledPlayer):
    name = "dawdler"
    decide = dawdle


@dataclass(frozen=True, repr=False)
class PythonRaiser(Player):
    name = "python-raiser"

    def act(self, position):
        raise RuntimeError("no idea")


@dataclass(frozen=True, repr=False)
class PythonFirst(Player):
    """The first legal move, after `nap` seconds."""

    name = "python-first"
    nap: float = 0.0

    def act(self, position):
        until = time.monotonic() + self.nap
        while time.monotonic() < until:  # busy, so that only an interruption ends it early
            pass
        position.memory["moves"] = position.memory.get("moves", 0) + 1
        return Decision(int(position.actions[0]), position.legal[0])


@dataclass(frozen=True, repr=False)
class PythonWhim(Player):
    """Any legal move, by the seed it is given and the number of its moves so far."""

    name = "python-whim"

    def act(self, position):
        moves = position.memory["moves"] = position.memory.get("moves", 0) + 1
        choice = (position.seed + moves) % len(position.actions)
        return Decision(int(position.actions[choice]), position.legal[choice])


@dataclass(frozen=True, repr=False)
class Ditherer(CompiledPlayer):
    """Prepares until it is stopped."""

    name = "ditherer"
    decide = cheat

    def prepare(self, game, boards):
        flag = stop.flag()
        while not is_set(flag):
            time.sleep(0.001)
        stop.refuse_if_stopped()


PLAYERS = {
    kind.name: kind for kind in (Random, Raiser, Cheater, Dawdler, PythonRaiser, PythonFirst, PythonWhim, Ditherer)
}
