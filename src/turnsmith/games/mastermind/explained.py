"""What the game's players share: they refuse other games, say what a guess would tell, and are measured exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import compiled, zero
from turnsmith.compile.rng import stream
from turnsmith.contract.game import OVER, Game
from turnsmith.games.mastermind.advice import codes_left, outlook
from turnsmith.games.mastermind.codes import TRIES
from turnsmith.games.mastermind.notation import remaining_text
from turnsmith.games.mastermind.rules import is_broken
from turnsmith.languages import _, counted
from turnsmith.play.evaluation import Evaluation
from turnsmith.play.player import POLICY, CompiledPlayer
from turnsmith.play.roster import PreparedPlayer, ask_player
from turnsmith.play.step import see

if TYPE_CHECKING:
    from turnsmith.play.position import PositionView


LEAST = 1e-9
"""Expected codes that are none: what adding up leaves."""


def break_all(game, boards, player, memory, report, acts, rng, ends):
    """Let a player (a ``PreparedPlayer``) break every code; ends[k] counts those that took k guesses, ends[0]
    those that were not broken at all."""
    board = boards[0]
    states, views = np.empty(1, game.State), np.empty(1, game.State)
    for secret in range(board.codes):
        zero(states[0])
        game.setup(board, states[0])
        game.apply(board, states[0], secret)
        memory[:] = 0
        while game.to_move(board, states[0]) != OVER:
            see(game, board, states[0], views[0], 0)
            guess = ask_player(game, board, views[0], acts, player, memory, report, rng)
            game.apply(board, states[0], guess)
        ends[states[0].turns] += 1
        if not is_broken(board, states[0]):
            ends[0] += 1


def ended(ends: Mapping[int, Any], unbroken: Any, tries: int) -> Evaluation:
    """How many codes are broken with how many guesses; the last try counts those too that are `unbroken` after it."""
    last = max(guesses for guesses, count in ends.items() if count)
    told = counted("broken in {} guess", "broken in {} guesses", last).format(last), ends[last] - unbroken
    not_told = counted("not broken in {} guess", "not broken in {} guesses", tries).format(tries), unbroken
    return Evaluation.of(ends, {words: count for words, count in (told, not_told) if count > LEAST})


class Explained:
    """They refuse other games, and say what a guess would tell."""

    def refuses(self, game: Game, board: Any) -> str | None:
        if game.name != "mastermind":
            return _("it plays Mastermind only")
        most = self.most_codes()
        if most and board.codes > most:
            told = _("{codes:,} codes are more than the {most:,} it can plan for; take fewer colors or pegs")
            return told.format(codes=int(board.codes), most=most)
        return None

    def most_codes(self) -> int | None:
        """Codes of the largest board it can play on, or None."""
        return None

    def note(self, position: PositionView, action: int, report: Array, memory: Array) -> str:
        """How many codes remain, and what each answer to the guess would leave (or what an answer leaves)."""
        boards, view = position.boards, position.view(position.mover)[0]
        left = codes_left(boards, view.guesses, view.answers, int(view.turns))
        remain = remaining_text(len(left))
        if view.asked:
            asked = outlook(boards, left, int(view.guesses[view.turns]))
            return f"{remain}; {_('the answer leaves {:,}').format(asked[position.words(action)])}"
        may_be = _("{guess} may be it") if action in left else _("{guess} cannot be it")
        told = _("{answer} leaves {count:,}")
        found = outlook(boards, left, action).items()
        leaves = ", ".join(told.format(answer=answer, count=count) for answer, count in found)
        return f"{remain}; {may_be.format(guess=position.words(action))}\n{leaves}"


@dataclass(frozen=True, repr=False)
class Certain(Explained, CompiledPlayer):
    """A player who draws no lots: its result is that of breaking every code once."""

    def exact(self, game: Game, boards: Array) -> Evaluation | None:
        """Every code is broken once, by the same machine code that plays."""
        if boards[0].maker:
            return None
        self.check(game, boards)
        ready, codes = self.prepare(game, boards), int(boards[0].codes)
        ends, report = np.zeros(TRIES + 1, np.int64), np.zeros(POLICY + codes, np.float64)
        memory, acts = np.zeros(ready.memory, np.uint8), np.arange(codes, dtype=np.int32)
        player = PreparedPlayer(self.where(game), ready.data, ready.params)
        compiled(break_all)(game, boards, player, memory, report, acts, stream(0), ends)
        unbroken, *broken = ends.tolist()
        return ended(dict(enumerate(broken, start=1)), unbroken, int(boards[0].tries))
