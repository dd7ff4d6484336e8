"""Softmax: any player that says what its moves are worth, made weaker as people are.

People seldom play any odd move; they take a good one for the best. So each move is played the more likely the better
the player thinks it is, and a temperature says how much that counts: at 0 it plays as the player does, at a high one
nearly at random. A player that tells a policy is asked once, and its shares s become s ** (1 / temperature). One that
tells only what a position is worth is asked what each move leads to, and a move that brings less by the temperature's
share of all that can be won or lost is e times less likely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import Changes, changes_in, setting
from turnsmith.compile.kernel import copy
from turnsmith.compile.rng import unit
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.languages import _
from turnsmith.play.player import (
    DEPTH,
    POLICY,
    STOP,
    VALUE,
    WORK,
    CompiledPlayer,
    Player,
    Prepared,
    for_any_game,
    numbers,
    player,
)
from turnsmith.play.position import PositionView
from turnsmith.play.roster import PreparedPlayer, ask_player
from turnsmith.play.step import resolve_chance

DRAWS = 8  # times chance is let on its way behind a move, where it has one
ASKED = "player."  # begins the keys of the asked player's settings

Settings = numbers("where", "by_values", "temperature")
"""The params before those of the asked player: the address of what it decides by, whether it tells only values."""
OWN = len(Settings.names or ())


@for_any_game
def decide(game, board, view, acts, data, memory, params, report, rng):
    settings, rest = params[:OWN].view(Settings)[0], params[OWN:]
    told = np.zeros(POLICY + acts.shape[0], np.float64)
    scores = np.empty(acts.shape[0], np.float64)
    if settings.by_values > 0.0:
        best = weigh(game, board, view, acts, data, memory, settings, rest, told, scores, rng)
    else:
        told[VALUE] = np.nan  # until it is noted
        player = PreparedPlayer(np.int64(settings.where), data, rest)
        best = ask_player(game, board, view, acts, player, memory, told, rng)
        visits, moves = max(told[WORK], 1.0), float(acts.shape[0])
        for index in range(acts.shape[0]):  # a move that was never tried counts as tried once
            scores[index] = math.log((told[POLICY + index] * visits + 1.0) / (visits + moves))
    chosen = draw(acts, best, scores, settings.temperature, rng)
    report[VALUE], report[WORK], report[DEPTH] = told[VALUE], told[WORK], told[DEPTH]
    for index in range(report.shape[0] - POLICY):
        report[POLICY + index] = scores[index]
    return chosen


def weigh(game, board, view, acts, data, memory, settings, params, told, scores, rng):
    """Fill `scores` with what the player thinks each move brings, of 1; returns the best, and leaves its value."""
    me, reach = game.to_move(board, view), board.high - board.low
    player = PreparedPlayer(np.int64(settings.where), data, params)
    states = np.empty(1, game.State)
    wide = max(board.actions, board.outcomes)
    moves, chances, out = np.empty(wide, np.int32), np.empty(wide, np.float64), np.empty(board.seats, np.float64)
    fate, best, work = rng[0], np.int64(-1), 0.0
    for index in range(acts.shape[0]):
        total, drawn, needed = 0.0, 0, 1
        rng[0] = fate  # chance is the same behind every move
        while drawn < needed:
            state = states[0]
            copy(state, view)
            game.apply(board, state, np.int64(acts[index]))
            if game.to_move(board, state) == CHANCE:
                needed = DRAWS
            mover = resolve_chance(game, board, state, moves, chances, rng)
            if mover == OVER:
                game.returns(board, state, out)
                total += out[me]
            else:
                memory[:STOP] = 0  # a mind of its own for every position: it may be the other seat's
                count = game.legal(board, state, moves)
                ask_player(game, board, state, moves[:count], player, memory, told[:POLICY], rng)
                total += told[VALUE] if mover == me else board.low + board.high - told[VALUE]
                work += told[WORK]
            drawn += 1
        scores[index] = (total / drawn - board.low) / reach
        if best < 0 or scores[index] > scores[best]:
            best = index
    told[VALUE], told[WORK] = board.low + scores[best] * reach, max(work, 1.0)
    return np.int64(acts[best])


def draw(acts, best, scores, temperature, rng):
    """A move by chance, `best` as likely as any; `scores` become the chances of all."""
    greatest = scores[0]
    for index in range(acts.shape[0]):
        greatest = max(greatest, scores[index])
    total = 0.0
    for index in range(acts.shape[0]):
        if acts[index] == best:
            scores[index] = 1.0
        elif temperature > 0.0:
            scores[index] = math.exp((scores[index] - greatest) / temperature)
        else:
            scores[index] = 0.0
        total += scores[index]
    left, chosen = unit(rng) * total, best
    for index in range(acts.shape[0]):
        if left >= 0.0:
            left -= scores[index]
            chosen = np.int64(acts[index])
        scores[index] /= total
    return chosen


@dataclass(frozen=True, repr=False)
class Softmax(CompiledPlayer):
    player: str = setting("mcts")
    """Who is asked what the moves are worth; its settings are written player.simulations=100."""
    temperature: float = setting(1.0, 0.0, 1000.0)
    """How little that counts: 0 plays the best move, a high one nearly any."""
    changes: Annotated[str, Changes()] = setting("")
    """The settings of the one who is asked, each with player. before its name."""

    name = "softmax"
    summary = "another player made weaker as people are: the better a move looks, the more likely it is played"
    decide = decide

    def asked(self, game: Game) -> CompiledPlayer:
        """The player whose moves these are."""
        given = changes_in(self.changes) if self.changes else {}
        for key in given:
            if not key.startswith(ASKED):
                raise BadInput(f"softmax has no setting '{key}'; those of the player it asks begin with {ASKED}")
        settings = ",".join(f"{key.removeprefix(ASKED)}={value}" for key, value in given.items())
        found = player(f"{self.player}:{settings}" if settings else self.player, game)
        if not isinstance(found, CompiledPlayer) or not found.tells:
            raise BadInput(f"softmax cannot ask {found!r}, which does not tell what moves are worth; mcts does")
        return found

    def asks(self, game: Game) -> Sequence[Player]:
        return (self.asked(game),)

    def refuses(self, game: Game, board: Any) -> str | None:
        try:
            found = self.asked(game)
        except BadInput as error:
            return str(error)
        reason = found.refuses(game, board)
        if reason is None and found.tells == "value" and (board.seats > 2 or game.hides):
            reason = f"{found!r} tells what positions are worth, but only in open games of at most two seats; ask mcts"
        return reason

    def prepare(self, game: Game, boards: Array) -> Prepared:
        found = self.asked(game)
        ready = found.prepare(game, boards)
        own = [0.0, float(found.tells == "value"), self.temperature]
        return Prepared(ready.data, ready.memory, np.concatenate([own, ready.params]), (found,))

    def decides_with(self, game: Game, ready: Prepared) -> list[Any]:
        """The address of the asked player is another in every process; it counts with its code."""
        return [self.asked(game).digest(), ready.data, ready.memory, ready.params[1:]]

    def note(self, position: PositionView, action: int, report: Array, memory: Array) -> str:
        place = int(np.searchsorted(position.actions, action))
        share = report[POLICY + place] if len(report) > POLICY else math.nan
        return _("one of several moves, with a chance of {share:.0%}").format(share=share)
