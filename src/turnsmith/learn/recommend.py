"""Whether a trained net is to be recommended: new games against the best player without it, in the same CPU time.

A net can be asked by several searches. Which of them plays best with it is found by a short race; that one then meets
the best player that the game has without the net, whom races have found or, where nobody has raced, a guess. Everybody
gets the work of so many CPU seconds a decision. The starts are of no race, so no choice was made on them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnsmith.arena.pairs import OPENING, pair_points
from turnsmith.arena.race import Contest, RaceSettings, speed_of
from turnsmith.arena.statistics import RateWithInterval, clustered_rate
from turnsmith.arena.tournament import arena
from turnsmith.common.errors import BadInput
from turnsmith.contract.game import Game
from turnsmith.contract.trainings import TrainingContext
from turnsmith.learn.run import Run
from turnsmith.play.choice import BUDGETS, Race, choice_of
from turnsmith.play.player import player
from turnsmith.play.tiers import SECOND, within_tier
from turnsmith.search.best import candidates, with_time, with_work

SECONDS = BUDGETS[0]
"""CPU seconds a decision, at which players are compared."""
COMPARING = 0.2
"""The share of the minutes of a training that all of this may take besides."""
RACED = 0.25
"""The share of the time for finding the best search with the net."""
BATCH = 8
"""Starts between two looks at the clock."""
SEED = 3 << 40
"""Of the starts that are judged by; races begin at others."""


@dataclass(frozen=True)
class Recommendation:
    """What games between the best search with a net and the best player without it have shown."""

    player: str
    """With the net; without limits of time and work."""
    against: str
    """The best player without it, with its limits as played."""
    rate: RateWithInterval
    """How often the first ended above the other."""
    seconds: float = SECONDS

    @property
    def is_better(self) -> bool:
        """Whether the interval leaves no doubt."""
        return self.rate.low > 0.5

    def document(self) -> dict[str, Any]:
        """What JSON can hold."""
        known = {"player": self.player, "against": self.against, "seconds": self.seconds, "better": self.is_better}
        return known | {"games": self.rate.games} | self.rate.rounded()


def best_without(game: Game, others: Sequence[str]) -> str:
    """The best player that a game has without these, at the usual time: the one that races found, else a guess."""
    choice = choice_of(game)
    race = choice.nearest(SECONDS) if choice is not None else None
    if race is not None and race.best not in others:
        return race.best
    return next(text for text in candidates(game, game.board()) if text not in others)


def compare(
    game: Game, with_net: Sequence[str], games: int, seconds: float, workers: int, tell: Callable[[str], None]
) -> Recommendation:
    """Let the searches with a net race, and the best of them play so many games against the best player without it; it
    takes so many seconds, besides compiling and timing players."""
    boards = game.board()
    texts = [repr(player(text, game)) for text in with_net if player(text, game).refuses(game, boards[0]) is None]
    rival, settings = best_without(game, texts), RaceSettings(budgets=(SECONDS,), workers=workers, tell=tell)
    with within_tier(SECOND):
        speeds = {text: speed for text in [*texts, rival] if (speed := speed_of(text, game, settings)) is not None}
        raced = [text for text in texts if text in speeds]
        if not raced or rival not in speeds:
            raise BadInput(f"no decision of {' or '.join(texts) if not raced else rival} ends in {SECONDS:g} CPU s")
        race = Race(SECONDS, "", raced)
        if len(raced) > 1:
            Contest(game, race, speeds, settings).run(time.monotonic() + RACED * seconds, lambda: None)
        ours = race.best or raced[0]
        players = [repr(with_work(text, game, SECONDS, speeds[text])) for text in (ours, rival)]
        tell(f"{players[0]} meets {players[1]}, the best player without the net")
        rate = _played(game, players, games, (1.0 - RACED) * seconds, workers)
    return Recommendation(ours, players[1], rate)


def _played(game: Game, players: list[str], games: int, seconds: float, workers: int) -> RateWithInterval:
    """How often the first of two ends above the other, in so many games or as many as there is time for."""
    board = game.board()[0]
    seats, opening = int(board.seats), 0 if board.outcomes else OPENING
    until, points, starts, done = time.monotonic() + seconds, [], [], 0
    while done * seats < games and (done == 0 or time.monotonic() < until):
        count = min(BATCH, -(-(games - done * seats) // seats))
        how = {"seed": SEED + done, "opening": opening, "workers": workers, "keep": "none"}
        table = arena(game, players, count * seats, **how)  # type: ignore[arg-type]
        won, groups = pair_points(table)
        points.append(won)
        starts.append(done + groups)
        done += count
    return clustered_rate(np.concatenate(points), np.concatenate(starts))


def compared_at_end(
    game: Game, texts: Sequence[str], settings: Any, run: Run, rounds: int, work: TrainingContext
) -> dict[str, Any]:
    """What a training of so many rounds says at its end, kept in its folder; empty where nothing is to be compared."""
    if not settings.compare or int(game.board()[0].seats) == 1:
        return {}
    seconds = COMPARING * 60.0 * settings.minutes
    compared: dict[str, Any] = run.json(
        f"compared-{rounds}.json",
        lambda: compare(game, texts, settings.compare, seconds, work.workers, work.tell).document(),
    )
    return compared


def in_card(compared: dict[str, Any]) -> dict[str, Any]:
    """The same as rows of a card."""
    return {f"compared: {name}": number for name, number in compared.items()}


def advice(compared: dict[str, Any] | None, game: Game, file: str, usual: str) -> str:
    """What people are told: whether to play with the net, which is in `file` by now, and what else to do; `usual` is
    who plays with it where nobody was compared."""
    if not compared:
        return f"try it, compared with nobody: turnsmith play {game.text_name} --vs {usual}"
    share = f"{compared['rate']:.1%} ({compared['low']:.1%} to {compared['high']:.1%}) of {compared['games']} games"
    ours = re.sub(r"\b(value|net)=[^,]+", rf"\1={file}", compared["player"])
    told = (
        f"at {compared['seconds']:g} CPU s a move {ours} gets {share} against {compared['against']}, "
        f"the best player without the net"
    )
    if compared["better"]:
        return f"{told}\nplay against it: turnsmith play {game.text_name} --vs {with_time(ours, game, 1.0)!r}"
    return (
        f"{told}: not shown to be better, so meet that one (turnsmith play {game.text_name} --vs best) or "
        f"train longer; the same command with more --minutes goes on"
    )
