"""Golden playthroughs: a few random games written down, so that a change of the rules shows as a change of a text.

Moves are drawn from the list of legal ones, chance by its weights, and a state is known by its bytes: another ``pick``,
``sample`` or ``hash`` changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import show
from turnsmith.compile.rng import below, stream, unit
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.play.position import Position

GAMES = 3
SHOWN = 24
"""Moves of a game that are written down; of a longer game, half of them at each end."""
BOARD_EVERY = 8
"""Moves between two boards."""
TALL = 16
"""A board of more lines than this is drawn once, at the end of the first game."""


def golden_file(game: Game) -> Path:
    """Where a game's golden playthroughs are looked for, below the current folder."""
    return Path("tests") / "golden" / f"{_title(game).replace(':', '-')}.txt"


def _title(game: Game) -> str:
    return game.name if game.options is None else show(game.name, game.options)


def playthroughs(game: Game) -> str:
    """The golden text of a game."""
    lines = [f"Random games of {_title(game)}. A line is: move, who, legal moves, words, digest of the state after it."]
    for seed in range(GAMES):
        lines += ["", *_playthrough(game, seed)]
    return "\n".join(lines) + "\n"


def _playthrough(game: Game, seed: int) -> list[str]:
    position, rng = Position(game, seed, draws_chance=False), stream(seed)
    moves: list[list[str]] = []
    while position.mover != OVER:
        who = "chance" if position.mover == CHANCE else f"seat {position.mover}"
        count, action = len(position.actions), _draw(position, rng)
        words = position.words(action)
        position.push(action)
        number = len(position.history)
        board = _board(position) if number % BOARD_EVERY == 0 else []
        board = board if len(board) <= TALL else []
        moves.append([f"{number:>5}  {who:<6} {count:>5}  {words:<16} {_digest(position.state.tobytes())}", *board])
    if len(moves) > SHOWN:
        left_out = len(moves) - SHOWN
        moves[SHOWN // 2 : -SHOWN // 2] = [[f"       … {left_out} more …"]]
    outcome, last = position.outcome, _board(position)
    assert outcome is not None
    source = json.dumps(game.describe(seed), sort_keys=True)
    return [
        f"seed {seed}, board {_digest(source.encode())}",
        *(line for lines in moves for line in lines),
        *(last if len(last) <= TALL or seed == 0 else []),
        f"returns {' '.join(f'{value:g}' for value in outcome.returns)}: {outcome.ending}",
    ]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def _draw(position: Position, rng: Array) -> int:
    with np.errstate(over="ignore"):
        if position.mover == CHANCE:
            passed = int((np.cumsum(position.chances) <= unit(rng)).sum())
            return int(position.actions[min(passed, len(position.actions) - 1)])
        return int(position.actions[int(below(rng, len(position.actions)))])


def _board(position: Position) -> list[str]:
    return [f"       {line}".rstrip() for line in str(position).splitlines()]
