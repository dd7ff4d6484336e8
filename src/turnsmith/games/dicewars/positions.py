"""Positions of games with their winner, as columns on disk: what the nets learn from.

A folder of shards, each the games of one seed. Rows are the positions after every finished turn, as the study kept
them; every game has a map of its own. Games nobody won are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from turnsmith.game import Array, Game, load
from turnsmith.games.dicewars.net import AREAS, CHANGING, PAIRS, SEATS, describe_board, describe_state
from turnsmith.kernel import compiled, zero
from turnsmith.learn.files import read_arrays, read_json, write_arrays, write_json
from turnsmith.player import CompiledPlayer, player
from turnsmith.rng import stream
from turnsmith.texts import BadInput

if TYPE_CHECKING:
    from turnsmith.arena.runners import Batch, Plan

SHARD_GAMES = 50
SEED_OF_SHARD = 3_000_000
"""Stream index of the seeds of shards."""

Inputs = Literal["all", "changing", "counts"]
"""What a net may see: all 499 numbers; all but the map; or areas, dice and largest region of each seat, from the one to
move on."""


def record(game, boards, states, log, offsets, bits, seats, numbers, counts):
    """Replay games and keep the position after every finished turn.

    Game g is log[offsets[g]:offsets[g + 1]] on boards[g]; bits[g] gets its map, `seats` and `numbers` one row a
    position (who moves next, and ``describe_state``), counts[g] how many rows are the game's. Returns all rows used.
    """
    state = states[0]
    row = 0
    for index in range(boards.shape[0]):
        board = boards[index]
        describe_board(board, bits[index])
        zero(state)
        game.setup(board, state)
        first = row
        for place in range(offsets[index], offsets[index + 1]):
            seat = state.seat
            game.apply(board, state, log[place])
            if state.seat != seat:
                seats[row] = state.seat
                describe_state(board, state, numbers[row])
                row += 1
        counts[index] = row - first
    return row


# ---------------------------------------------------------------- making them


def play_shard(game: Game, each: CompiledPlayer, seed: int, shard: int, games: int, workers: int) -> dict[str, Array]:
    """The columns of one shard: four of the same player in every game, every game on a map of its own."""
    from turnsmith.arena.runners import Plan, run

    own_seed = int(stream(seed, shard, SEED_OF_SHARD)[0] >> np.uint64(1))
    plan = Plan(game, [each], np.zeros((SEATS * games, SEATS), np.int32), own_seed)
    todo = np.arange(0, SEATS * games, SEATS)  # the first of each group: rotations would share the map
    pieces = [columns(plan, batch, shard * games) for batch in run(plan, todo, workers)]
    whole = {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}
    by_number, by_game = (np.argsort(whole[name], kind="stable") for name in ("number", "game"))
    return {name: part[by_number if name in ("number", "board") else by_game] for name, part in whole.items()}


def columns(plan: Plan, batch: Batch, first: int) -> dict[str, Array]:
    """The columns of some games of a plan: number and board one row a game, the others one a position."""
    if batch.reasons:
        raise BadInput(f"{plan.players[0]!r} {next(iter(batch.reasons.values()))}; generate with another player")
    game, count, most = plan.game, len(batch.numbers), len(batch.log)
    boards = plan.boards(plan.sites(batch.numbers // SEATS))
    bits, seats = np.zeros((count, PAIRS), np.uint8), np.zeros(most, np.int8)
    numbers, counts = np.zeros((most, CHANGING), np.int8), np.zeros(count, np.int64)
    states = np.zeros(1, game.State)
    rows = compiled(record)(game, boards, states, batch.log, batch.offsets, bits, seats, numbers, counts)
    number, won = (first + batch.numbers // SEATS).astype(np.int32), batch.returns.max(axis=1) > 0
    of = np.repeat(np.arange(count), counts)
    found = {
        "game": number[of],
        "turn": np.concatenate([np.arange(1, n + 1, dtype=np.int16) for n in counts]),
        "turns": counts[of].astype(np.int16),
        "winner": batch.returns.argmax(axis=1)[of].astype(np.int8),
        "seat": seats[:rows],
        "numbers": numbers[:rows],
    }
    kept = {name: column[won[of]] for name, column in found.items()}
    return {**kept, "number": number[won], "board": np.packbits(bits[won], axis=1)}


def generate(
    folder: Path,
    positions: int,
    text: str,
    seed: int,
    workers: int,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Play until the folder has so many positions. Shards that are there stay, so a stopped run goes on."""
    game = load("dicewars")
    each = player(text, game)
    if positions < 1 or not isinstance(each, CompiledPlayer):
        raise BadInput(f"positions={positions} must be at least 1, and {each!r} a compiled player")
    about = {"player": repr(each), "seed": seed, "code": [game.digest, each.digest()], "games_a_shard": SHARD_GAMES}
    file = folder / "positions.json"
    if file.exists():
        before = read_json(file)
        other = [key for key in about if before.get(key) != about[key]]
        if other:
            raise BadInput(f"{folder} holds positions of another {other[0]}; choose another --folder, or remove it")
    write_json(file, {**about, "positions": positions})
    done = shard = 0
    while done < positions:
        path = shard_file(folder, shard)
        if not path.exists():
            write_arrays(path, play_shard(game, each, seed, shard, SHARD_GAMES, workers))
        found = len(read_arrays(path)["game"])
        if found == 0:
            raise BadInput(f"nobody won any of {SHARD_GAMES} games of {each!r}; generate with another player")
        done += found
        shard += 1
        progress(min(done, positions), positions)
    return {**about, "positions": positions, "shards": shard}


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
    found = list(shards(folder))
    count = sum(len(shard["game"]) for shard in found)
    if count < wanted:
        raise BadInput(f"{folder} has {count} of {wanted} positions; give the same generate command again to go on")
    maps: dict[int, Array] = {}
    for shard in found:
        bits = np.unpackbits(shard["board"], axis=1, count=PAIRS)
        maps.update(zip(shard["number"].tolist(), bits, strict=True))
    names = ("game", "turn", "turns", "winner", "seat", "numbers")
    return Positions(maps=maps, **{name: np.concatenate([shard[name] for shard in found])[:wanted] for name in names})


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
