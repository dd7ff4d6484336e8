"""A learned value inside the searches: the returns a net expects from a position, in place of the game's own estimate.

A net of `turnsmith train value` sees the mover's view and tells the share of the range of returns it expects. Where two
seats are opposed, that is one number, for the mover; else one a seat, counted from the mover on. The net travels as the
data of a player, in bytes: the counts of slots, layers and numbers, then these themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import borrow
from turnsmith.contract.game import Game
from turnsmith.nets.dense import Net, flat, forward, read_net, sizes_of
from turnsmith.nets.files import until_changed
from turnsmith.play.observe import Observer, Slot, observe, remembered
from turnsmith.play.player import CompiledPlayer, for_any_game
from turnsmith.play.step import see

HEAD, SLOT = 32, Slot.itemsize
"""Bytes of the counts, and of a slot."""
SLOTS, SIZES, NUMBERS = range(3)
MOST_INPUTS, MOST_HIDDEN = 16_384, 2048


class DenseEvaluator(NamedTuple):
    """A net in a player's data, and what judging writes to."""

    slots: Array
    sizes: Array
    weights: Array
    inputs: Array
    one: Array
    other: Array
    views: Array


def judge_in(game, data):
    """The net of a player's data. Everything judging writes to is made here, once a decision."""
    counts = data[:HEAD].view(np.int64)
    sizes_at = HEAD + counts[SLOTS] * SLOT
    weights_at = sizes_at + counts[SIZES] * 8
    slots, sizes = data[HEAD:sizes_at].view(Slot), data[sizes_at:weights_at].view(np.int64)
    weights = data[weights_at : weights_at + counts[NUMBERS] * 4].view(np.float32)
    wide = np.int64(0)
    for layer in range(1, sizes.shape[0]):
        wide = max(wide, sizes[layer])
    inputs, one, other = np.empty(sizes[0], np.float32), np.empty(wide, np.float32), np.empty(wide, np.float32)
    return DenseEvaluator(slots, sizes, weights, inputs, one, other, np.empty(1, game.State))


def lent_judge(net):
    """The same without counting references; for arguments alone."""
    return DenseEvaluator(
        net.slots, net.sizes, net.weights, borrow(net.inputs), borrow(net.one), borrow(net.other), borrow(net.views)
    )


def judge(game, board, state, net, out):
    """Fill `out` with the returns the net expects, one a seat."""
    viewer = max(np.int64(game.to_move(board, state)), 0)
    if game.hides:
        see(game, board, state, net.views[0], viewer)
        observe(game, board, net.views[0], viewer, net.slots, net.inputs)
    else:
        observe(game, board, state, viewer, net.slots, net.inputs)
    said = forward(net.weights, net.sizes, net.inputs, net.one, net.other)
    seats, low, wide = np.int64(board.seats), board.low, board.high - board.low
    if said.shape[0] == 1:
        share = 1.0 / (1.0 + math.exp(-np.float64(said[0])))
        for seat in range(seats):
            out[seat] = low + wide * (share if seat == viewer else 1.0 - share)
    else:
        for place in range(seats):
            out[(viewer + place) % seats] = low + wide / (1.0 + math.exp(-np.float64(said[place])))


def deciders(think: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The `decide` of a search by the game's own estimate, and the one by the net in the player's data.

    Both call ``think(game, board, view, acts, net, memory, params, report, rng)``; without a net, `net` is None.
    """

    @for_any_game
    def decide(game, board, view, acts, data, memory, params, report, rng):
        return think(game, board, view, acts, None, memory, params, report, rng)

    @for_any_game
    def decide_by_value(game, board, view, acts, data, memory, params, report, rng):
        return think(game, board, view, acts, judge_in(game, data), memory, params, report, rng)

    return decide, decide_by_value


# ---------------------------------------------------------------- for Python


def data_of(net: Net, seer: Observer) -> Array:
    """uint8: a net as the data of a player."""
    sizes, numbers = np.array(sizes_of(net.layers), np.int64), flat(net.layers)
    counts = np.array([len(seer.slots), len(sizes), len(numbers), 0], np.int64)
    return np.concatenate([np.ascontiguousarray(part).view(np.uint8) for part in (counts, seer.slots, sizes, numbers)])


def value_in(game: Game, boards: Array, path: Path) -> Array:
    """The data of the net in a file, refused where it was trained for something else than this board."""
    net = _read(path)
    told, seats = net.about, int(boards[0]["seats"])
    if told.get("kind") != "value":
        raise BadInput(f"{path} is no value of positions; train one: turnsmith train value {game.text_name}")
    sizes = sizes_of(net.layers)
    try:
        seer = remembered(game, boards, told["sees"])
    except BadInput as error:
        raise BadInput(f"{path} was trained for {told.get('game')}, and {error}") from None
    if seer.shape != sizes[:1] or sizes[-1] not in (1, seats) or (sizes[-1] == 1 and seats > 2):
        raise BadInput(
            f"{path} was trained for {told.get('game')}: it has {sizes[0]} inputs and {sizes[-1]} outputs, where "
            f"{game.text_name} shows {seer.shape[0]} numbers to {seats} seats; train one for it"
        )
    if sizes[0] > MOST_INPUTS or max(sizes[1:]) > MOST_HIDDEN:
        raise BadInput(f"{path} is too wide to search with: {MOST_INPUTS} inputs and {MOST_HIDDEN} numbers at most")
    return data_of(net, seer)


_read = until_changed(read_net)
named: dict[str, Path] = {}
"""Files that have a name in this process: a server's clients may ask for these, and for no others."""


def name_value(file: Path) -> Net:
    """Let ``value=NAME`` stand for a file, by its name without the ending."""
    net = _read(file)
    if net.about.get("kind") != "value":
        raise BadInput(f"{file} is no value of positions; train one: turnsmith train value GAME --to {file}")
    if named.setdefault(file.stem, file) != file:
        raise BadInput(f"{file}: there is another value called '{file.stem}'; rename one of them")
    return net


@dataclass(frozen=True, repr=False)
class Valued(CompiledPlayer):
    """A search whose estimates a learned value can make."""

    value: Annotated[str, FileName()] = setting("")
    """A file of `turnsmith train value`, whose net judges positions in place of the game's own estimate."""

    decide_by_value: ClassVar[Callable[..., Any]]

    def decider(self) -> Callable[..., Any]:
        return type(self).decide_by_value if self.value else type(self).decide

    def value_data(self, game: Game, boards: Array) -> Array | None:
        """The data of the net, or none."""
        return value_in(game, boards, named.get(self.value, Path(self.value))) if self.value else None
