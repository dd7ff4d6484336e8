"""Positions of games with their winner, as columns on disk: what the nets learn from.

A folder of shards, each the games of one seed. Rows are the positions after every finished turn, as the study kept
them; every game has a map of its own. Games nobody won are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from turnsmith.arena.runners import ArenaPlan
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.digest import digest
from turnsmith.compile.rng import stream
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.dicewars.net import AREAS, CHANGING, PAIRS, SEATS, describe_board, describe_state
from turnsmith.learn.run import Run
from turnsmith.learn.samples import described, sample
from turnsmith.nets.files import read_arrays, read_json, write_json
from turnsmith.play.player import Player, player

if TYPE_CHECKING:
    from turnsmith.studies.dicewars.trainings import GenerateSettings

SHARD_GAMES = 50
SEED_OF_SHARD = 3_000_000
"""Stream index of the seeds of shards."""

Inputs = Literal["all", "changing", "counts"]
"""What a net may see: all 499 numbers; all but the map; or areas, dice and largest region of each seat, from the one to
move on."""


def after_a_turn(board, state, mover, action, ply, rng):
    """Where a turn begins, which is after every finished one."""
    return state.attacks == 0 and ply > 0


def changing(board, state, mover, out):
    describe_state(board, state, out)


def touching(board, state, mover, out):
    describe_board(board, out)


# ---------------------------------------------------------------- making them


def play_shard(game: Game, each: Player, seed: int, shard: int, workers: int) -> dict[str, Array]:
    """The columns of one shard, `number` and `board` one row a game, the others one a position: four of the same player
    in every game, every game on a map of its own."""
    own_seed = int(stream(seed, shard, SEED_OF_SHARD)[0] >> np.uint64(1))
    plan = ArenaPlan(game, [each], np.zeros((SEATS * SHARD_GAMES, SEATS), np.int32), own_seed)
    todo = np.arange(0, SEATS * SHARD_GAMES, SEATS)  # the first of each group: rotations would share the map
    rows = sample(plan, todo, after_a_turn, workers=workers)
    rows = rows.of(rows.returns.max(axis=1) > 0)
    starts, first, of, counts = np.unique(rows.start, return_index=True, return_inverse=True, return_counts=True)
    number = (shard * SHARD_GAMES + starts).astype(np.int32)
    return {
        "game": number[of],
        "turn": (np.arange(len(rows)) - first[of] + 1).astype(np.int16),
        "turns": counts[of].astype(np.int16),
        "winner": rows.returns.argmax(axis=1).astype(np.int8),
        "seat": rows.mover.astype(np.int8),
        "numbers": described(rows, changing, CHANGING, np.int8),
        "number": number,
        "board": np.packbits(described(rows.of(first), touching, PAIRS, np.uint8), axis=1),
    }


def generate(settings: GenerateSettings, work: TrainingContext) -> dict[str, Any]:
    """Play until the folder has so many positions. Shards that are there stay, so a stopped run goes on."""
    game = load("dicewars")
    who = player(settings.player, game)
    about = {"player": repr(who), "seed": settings.seed, "games_a_shard": SHARD_GAMES}
    run = Run(work.folder, about, code=digest(game.digest, who.digest()))
    write_json(run.path("positions.json"), {"positions": settings.positions})
    done = shard = 0
    while done < settings.positions:
        play = partial(play_shard, game, who, settings.seed, shard, work.workers)
        count = len(run.arrays(str(shard_file(Path(), shard)), play)["game"])
        if count == 0:
            raise BadInput(f"nobody won any of {SHARD_GAMES} games of {who!r}; generate with another player")
        done += count
        shard += 1
        work.progress(min(done, settings.positions), settings.positions)
    return {**about, "positions": settings.positions, "shards": shard}


def shard_file(folder: Path, shard: int) -> Path:
    return folder / "positions" / f"{shard:05d}.npz"


# ---------------------------------------------------------------- reading them


@dataclass(frozen=True)
class Positions:
    """Columns of all rows: game, turn (1, 2, …), turns of that game, winner, seat to move, numbers; maps a game."""

    game: Array
    turn: Array
    turns: Array
    winner: Array
    seat: Array
    numbers: Array
    maps: dict[int, Array]

    def __len__(self) -> int:
        return len(self.game)

    def quarter(self) -> Array:
        """Which quarter of its game a row is from: 0 to 3."""
        return (self.turn.astype(np.int64) - 1) * 4 // self.turns

    def dice(self) -> Array:
        """int64[rows, seats]: all the dice of each seat."""
        return self._counted(self.numbers[:, AREAS : 2 * AREAS])

    def areas(self) -> Array:
        """int64[rows, seats]: the areas of each seat."""
        return self._counted(np.ones((len(self), AREAS), np.int64))

    def largest(self) -> Array:
        """int64[rows, seats]: the largest region of each seat."""
        return self.numbers[:, 2 * AREAS :].astype(np.int64)

    def _counted(self, values: Array) -> Array:
        owners = self.numbers[:, :AREAS]
        return np.stack([(values * (owners == seat + 1)).sum(axis=1) for seat in range(SEATS)], axis=1)


@dataclass(frozen=True)
class View:
    """What a net sees of positions, and what it shall say: `inputs` for rows, `truth` of all rows."""

    inputs: Callable[[Array], Array]
    truth: Array
    seats: Callable[[Array, Array], Array]
    """(chances, rows) -> the same chances, seat 0 first."""


def shards(folder: Path) -> Iterator[dict[str, Array]]:
    shard = 0
    while shard_file(folder, shard).exists():
        yield read_arrays(shard_file(folder, shard))
        shard += 1


def read(folder: Path) -> Positions:
    """The positions of a folder, exactly as many as were asked for."""
    file = folder / "positions.json"
    if not file.exists():
        raise BadInput(f"{folder} has no positions; make some: turnsmith train dicewars generate --folder {folder}")
    wanted = read_json(file)["positions"]
    pieces = list(shards(folder))
    count = sum(len(shard["game"]) for shard in pieces)
    if count < wanted:
        raise BadInput(f"{folder} has {count} of {wanted} positions; give the same generate command again to go on")
    maps: dict[int, Array] = {}
    for shard in pieces:
        bits = np.unpackbits(shard["board"], axis=1, count=PAIRS)
        maps.update(zip(shard["number"].tolist(), bits, strict=True))
    names = ("game", "turn", "turns", "winner", "seat", "numbers")
    return Positions(maps=maps, **{name: np.concatenate([shard[name] for shard in pieces])[:wanted] for name in names})


def view(positions: Positions, inputs: Inputs) -> View:
    """The rows of `positions` as a net is to see them."""
    if inputs == "counts":
        seat = positions.seat.astype(np.int64)
        turned = (seat[:, None] + np.arange(SEATS)) % SEATS  # the seat to move first
        counts = [np.take_along_axis(c, turned, 1) for c in (positions.areas(), positions.dice(), positions.largest())]
        table = np.concatenate(counts, axis=1).astype(np.float32)
        back = (np.arange(SEATS) - seat[:, None]) % SEATS
        truth = (positions.winner - seat) % SEATS
        return View(lambda rows: table[rows], truth, lambda chances, rows: np.take_along_axis(chances, back[rows], 1))
    truth = positions.winner.astype(np.int64)
    if inputs == "changing":
        return View(lambda rows: positions.numbers[rows].astype(np.float32), truth, lambda chances, rows: chances)
    numbers, place = np.unique(positions.game, return_inverse=True)
    maps = np.stack([positions.maps[int(number)] for number in numbers])

    def everything(rows: Array) -> Array:
        return np.concatenate([maps[place[rows]], positions.numbers[rows]], axis=1, dtype=np.float32)

    return View(everything, truth, lambda chances, rows: chances)
