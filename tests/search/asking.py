"""What the tests of the searches share: asking for one decision, and the same answers by plain recursion."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

import turnsmith as ts
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.compile.rng import stream
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.play import step
from turnsmith.play.player import DEPTH, HEADER, POLICY, VALUE, WORK, at

GAMES = Path(__file__).parent.parent / "games_for_tests"
GOOFSPIEL, THICKET, CHOICES = "goofspiel:cards=3", f"{GAMES}/thicket.py", f"{GAMES}/choices.py"
SMALL_CHESS = f"{GAMES}/small_chess.py"


class Answer(NamedTuple):
    action: int
    value: float
    work: int
    depth: int
    policy: tuple[float, ...]


class Asked:
    """A player at a board, with the memory of a match that begins full of rubbish behind its header."""

    def __init__(self, game, text, seed=1, how=compiled, rubbish=0):
        self.game = ts.load(game) if isinstance(game, str) else game
        self.player = ts.player(text, self.game)
        self.boards = self.game.board()
        self.player.check(self.game, self.boards)
        self.ready = self.player.prepare(self.game, self.boards)
        self.memory = np.random.default_rng(rubbish).integers(0, 256, self.ready.memory, np.uint8)
        self.memory[:HEADER] = 0
        self.rng = stream(seed, 0, 1)
        self.how = how

    def __call__(self, position):
        acts, views = position.actions, position.view(position.mover)
        report = np.zeros(POLICY + len(acts), np.float64)
        rest = (self.ready.data, self.memory, self.ready.linked(at(self.game)), report, self.rng)
        if self.how is compiled:
            where = self.player.where(self.game)
            action = compiled(step.ask)(self.game, self.boards, views, acts, where, *rest)
        else:
            decide = self.player.decider()
            action = interpreted(decide)(self.game, self.boards[0], views[0], acts, *rest)
        assert action in acts
        return Answer(int(action), report[VALUE], int(report[WORK]), int(report[DEPTH]), tuple(report[POLICY:]))


def ask(game, text, history=(), **rest):
    """One decision at the position a history leads to."""
    asked = Asked(game, text, **rest)
    return asked(ts.position(asked.game, 0, history))


def random_history(game, length, seed):
    """The actions, chance included, of at most `length` decisions that do not end the game."""
    random = np.random.default_rng(seed)
    position = game.start(seed)
    for _ in range(length):
        position.push(int(random.choice(position.actions)))
        if position.outcome:
            position.pop()
            break
    return list(position.history)


def plain_values(game, position, depth, known=None, turns=False):
    """The returns of all seats when everyone maximises their own, `depth` decisions deep, by plain recursion.

    `known`: what was found before on the same board, by state and depth; with `turns`, the depth counts these.
    """
    board, seats = position.board, int(position.board.seats)
    known = {} if known is None else known

    def values(states, depth):
        key = (states.tobytes(), depth)
        if key in known:
            return known[key]
        out, state = np.zeros(seats), states[0]
        mover = game.to_move(board, state)
        if mover == OVER:
            game.returns(board, state, out)
        elif mover != CHANCE and depth == 0:
            game.evaluate(board, state, out)
        else:
            acts, chances = step.buffers(position.boards)
            count = game.legal(board, state, acts)
            results = []
            for action in acts[:count]:
                after = states.copy()
                game.apply(board, after[0], int(action))
                same = mover == CHANCE or (turns and game.to_move(board, after[0]) == mover)
                results.append(values(after, depth - (not same)))
            if mover == CHANCE:
                game.weights(board, state, chances)
                out = sum(chance * result for chance, result in zip(chances, results, strict=False))
            else:
                out = max(results, key=lambda result: result[mover])
        known[key] = out
        return out

    with np.errstate(over="ignore"):
        return values(position.view(position.mover), depth)
