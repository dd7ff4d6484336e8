"""What a learner sees of a position: the game's own `features` or `planes`, or numbers read off the State record.

A game that gives neither still has something to learn from: every number of its record that differs between positions
of random games becomes inputs. A whole number of few values is one-hot over the range that random games show, a set of
64 bits gives those of its bits that change, anything else is scaled to -1..1, and shown by how near it is to marks in
that range, so that a net tells apart what is small, middling and great. The viewer's seat comes first, one-hot; where a
game says what belongs to seats (`seat_fields`, `seat_values`), the record is turned to the viewer instead. Fields that
only remember the past (`history`), and those of `unobserved`, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled, scratch, word, zero
from turnsmith.compile.rng import stream
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.records import record
from turnsmith.play import step
from turnsmith.play.step import pick_action, resolve_chance, see

SPANS = 8
"""Parts of the range of a number that is scaled: it is shown by itself, and by how near it is to their ends."""
BEYOND = 8.0
"""How far a scaled number may leave -1..1: good players come to where random games never do."""
FEW = 17
"""Whole numbers with at most so many values are one-hot."""
SHOWN = 4096
"""Positions of random games that show what values the numbers of a record have."""
BOARDS = 16
"""Boards they are played on, where a game's boards differ."""

ONE_HOT, BITS, SCALED = range(3)
SIGNED, UNSIGNED, FLOAT = range(3)
Slot = record(
    word=np.int64, shift=np.int64, width=np.int64, kind=np.int64, way=np.int64, is_seat=np.int64, by_seat=np.int64,
    step=np.int64, first=np.int64, count=np.int64, low=np.float64, scale=np.float64, bits=np.uint64,
)  # fmt: skip
"""One number of a State record and the inputs made of it. It is `width` bits of eight-byte word `word` from bit `shift`
on; with `by_seat` it is the first of one number a seat, `step` bits apart, and stands for that of seat `by_seat` - 1
counted from the viewer. `first` and `count` are its inputs, `low`, `scale` and `bits` what the inputs are made with."""

View = Literal["features", "planes"]


@dataclass(frozen=True)
class Observer:
    """How positions of a game are turned into numbers: the shape of one observation and the names of what is in it."""

    game: Game
    kind: View
    shape: tuple[int, ...]
    names: tuple[str, ...]
    """One a feature, or one a plane."""
    slots: Array
    """How the record is read; empty where the game says itself what is seen."""

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.uint8 if self.kind == "planes" else np.float32)

    def zeros(self, count: int) -> Array:
        """Room for the observations of so many positions."""
        return np.zeros((count, *self.shape), self.dtype)

    def described(self) -> dict[str, Any]:
        """What JSON can hold, for ``remembered``."""
        record = [[name, *map(str, kind[:2])] for name, kind in (self.game.State.fields or {}).items()]
        return {"kind": self.kind, "names": list(self.names), "record": record, "slots": self.slots.tolist()}

    def see(self, boards: Array, view: Array, viewer: int) -> Array:
        """One observation, of an array of one view."""
        out = self.zeros(1)
        compiled(observe_one)(self.game, boards, view, viewer, self.slots, out)
        return np.asarray(out[0])


def observer(game: Game, boards: Array, kind: View = "features") -> Observer:
    """What a learner sees of a game played on boards like these."""
    if kind == "planes":
        if not game.gives_planes:
            raise BadInput(f"{game.text_name} has no planes; use its features")
        assert game.plane_names is not None
        assert game.plane_shape is not None
        names, (height, width) = tuple(game.plane_names(boards[0])), game.plane_shape(boards[0])
        return Observer(game, kind, (len(names), int(height), int(width)), names, np.zeros(0, Slot))
    if game.gives_features:
        assert game.feature_names is not None
        names = tuple(game.feature_names(boards[0]))
        return Observer(game, kind, (len(names),), names, np.zeros(0, Slot))
    slots, names = _read_off(game, boards)
    return Observer(game, kind, (len(names),), names, slots)


def remembered(game: Game, boards: Array, told: Any) -> Observer:
    """An observer that sees as one described earlier; refused where the game is another, or nonsense was told."""
    if not isinstance(told, dict) or told.get("kind") not in ("features", "planes"):
        raise BadInput("what it sees is no list of numbers, nor planes")
    if told["kind"] == "planes":
        found = observer(game, boards, "planes")
        if list(found.names) != told.get("names"):
            raise BadInput(f"{game.text_name} has other planes")
        return found
    if game.gives_features:
        return observer(game, boards)
    try:
        slots = np.array([tuple(row) for row in told["slots"]], Slot)
        found = Observer(game, "features", (len(told["names"]),), tuple(map(str, told["names"])), slots)
    except (KeyError, TypeError, ValueError, OverflowError):
        raise BadInput("what it sees is not said") from None
    if found.described()["record"] != told.get("record"):
        raise BadInput(f"the positions of {game.text_name} have other fields")
    _refuse_wild(found, int(boards[0]["seats"]))
    return found


def _refuse_wild(seen: Observer, seats: int) -> None:
    """Refuse slots that would read past a record or write past the inputs."""
    slots, (inputs,) = seen.slots, seen.shape
    start = slots["word"] * 64 + slots["shift"]
    bits = np.array([int(bits).bit_count() for bits in slots["bits"]], np.int64)
    count = np.where(slots["way"] == ONE_HOT, slots["count"], np.where(slots["way"] == BITS, bits, SPANS + 2))
    end = start + np.where(slots["by_seat"] > 0, slots["step"] * (seats - 1), 0) + slots["width"]
    bounds = {  # what each number may be
        "word": (0, seen.game.State.itemsize // 8 - 1), "shift": (0, 63), "kind": (SIGNED, FLOAT),
        "way": (ONE_HOT, SCALED), "is_seat": (0, 1), "by_seat": (0, seats), "step": (0, 1 << 20), "first": (0, inputs),
        "count": (0, inputs), "low": (-1e15, 1e15), "scale": (0.0, 1e300),
    }  # fmt: skip
    fits = [((low <= slots[name]) & (slots[name] <= high)).all() for name, (low, high) in bounds.items()]
    fits += [np.isin(slots["width"], (8, 16, 32, 64)).all(), (start % np.maximum(slots["width"], 1) == 0).all()]
    fits += [(end <= 8 * seen.game.State.itemsize).all(), (slots["first"] + count <= inputs).all()]
    if not (all(fits) and (seen.game.turns or inputs >= seats)):
        raise BadInput("what it sees cannot be")


def observe(game, board, view, viewer, slots, out):
    """Write what `viewer` sees of a view into `out`, float32[inputs] or uint8[planes, height, width]."""
    if out.ndim == 3:
        game.planes(board, view, viewer, out)
    elif game.gives_features:
        game.features(board, view, viewer, out)
    else:
        out[:] = 0
        seats = np.int64(board.seats)
        if not game.turns:
            out[viewer] = 1
        for index in range(slots.shape[0]):
            write_inputs(slots[index], view, viewer, seats, out)


def write_inputs(slot, view, viewer, seats, out):
    """The inputs of one number of the record; a value that random games never showed is none of the one-hot ones."""
    bits, whole, number = number_at(slot, view, viewer, seats)
    if slot.is_seat and 0 <= whole < seats:
        whole = (whole - viewer) % seats
    if slot.way == ONE_HOT:
        place = whole - np.int64(slot.low)
        if 0 <= place < slot.count:
            out[slot.first + place] = 1
    elif slot.way == BITS:
        left, place = slot.bits, slot.first
        while left:
            lowest = left & (~left + np.uint64(1))
            out[place] = 1 if bits & lowest else 0
            left &= left - np.uint64(1)
            place += 1
    else:
        scaled = min(BEYOND, max(-BEYOND, (number - slot.low) * slot.scale - 1.0))
        along = (min(1.0, max(-1.0, scaled)) + 1.0) * (0.5 * SPANS)
        mark = min(np.int64(along), SPANS - 1)
        out[slot.first] = scaled
        out[slot.first + 1 + mark] = 1.0 - (along - mark)
        out[slot.first + 2 + mark] = along - mark


def number_at(slot, view, viewer, seats):
    """A number of the record three ways: its bits, as a whole number, as a float."""
    at = slot.shift
    if slot.by_seat:
        at += slot.step * ((slot.by_seat - 1 + viewer) % seats)
    bits = word(view, slot.word + at // 64) >> np.uint64(at % 64)
    spare = np.uint64(64 - slot.width)
    if slot.kind == FLOAT:
        number = as_float(bits, slot.width)
        return bits, np.int64(0), number
    if slot.kind == SIGNED:
        whole = np.int64(bits << spare) >> np.int64(spare)
        return bits, whole, float(whole)
    bits = (bits << spare) >> spare
    return bits, np.int64(bits), float(bits)


def as_float(bits, width):
    """The float that these 32 or 64 bits are."""
    if width == 64:
        whole = scratch(1, np.uint64)
        whole[0] = bits
        return float(whole.view(np.float64)[0])
    half = scratch(1, np.uint32)
    half[0] = np.uint32(bits & np.uint64(0xFFFFFFFF))
    return float(half.view(np.float32)[0])


def observe_one(game, boards, views, viewer, slots, out):
    """The kernel for one position: arrays of one board, one view and one observation."""
    observe(game, boards[0], views[0], viewer, slots, out[0])


# ---------------------------------------------------------------- reading a record


def _read_off(game: Game, boards: Array) -> tuple[Array, tuple[str, ...]]:
    """The slots of a game's record, and the names of the inputs made of them."""
    shown = _positions(game, boards)
    seats = int(boards["seats"].max())
    names = [] if game.turns else [f"seen by seat {seat}" for seat in range(seats)]
    slots = []
    for name, slot, values in _numbers(game, shown, seats):
        own = _ways(name, slot, values, seats)
        if own:
            slot["first"] = len(names)
            names += own
            slots.append(slot)
    return np.concatenate([np.zeros(0, Slot), *(slot.reshape(1) for slot in slots)]), tuple(names)


def _numbers(game: Game, shown: Array, seats: int) -> Iterator[tuple[str, Any, Array]]:
    """Every number of the record: its name, its slot so far, and the values it had."""
    for name, (kind, offset, *_) in (game.State.fields or {}).items():
        if name.startswith("_") or name in game.history or name in game.unobserved:
            continue
        base, length = kind.base, int(np.prod(kind.shape, dtype=np.int64))
        columns = shown[name].reshape(len(shown), length)
        turned = name in game.seat_fields
        for place in range(seats if turned else length):
            slot = np.zeros((), Slot)
            bit = 8 * offset + (0 if turned else 8 * base.itemsize * place)
            slot["word"], slot["shift"], slot["width"] = bit // 64, bit % 64, 8 * base.itemsize
            slot["kind"] = {"i": SIGNED, "u": UNSIGNED, "f": FLOAT}[base.kind]
            slot["is_seat"] = name in game.seat_values
            if turned:
                slot["by_seat"], slot["step"] = place + 1, 8 * kind.itemsize // length
            label = name if length == 1 else f"{name} of seat +{place}" if turned else f"{name} {place}"
            yield label, slot, (columns[:, :seats].reshape(-1) if turned else columns[:, place])


def _ways(name: str, slot: Any, values: Array, seats: int) -> list[str]:
    """Decide how a number is shown, note it in its slot, and name its inputs; none if it never changes."""
    if slot["kind"] == UNSIGNED and slot["width"] == 64:
        bits = np.bitwise_or.reduce(values) & ~np.bitwise_and.reduce(values)
        slot["way"], slot["bits"] = BITS, bits
        return [f"{name} bit {bit}" for bit in range(64) if int(bits) >> bit & 1]
    low, high = float(values.min()), float(values.max())
    if low == high:
        return []
    if slot["is_seat"]:
        low, high = min(low, 0.0), max(high, seats - 1.0)
    if slot["kind"] != FLOAT and high - low < FEW:
        slot["way"], slot["low"], slot["count"] = ONE_HOT, low, int(high - low) + 1
        return [f"{name} is {value}" for value in range(int(low), int(high) + 1)]
    slot["way"], slot["low"], slot["scale"] = SCALED, low, 2.0 / (high - low)
    marks = [low + (high - low) * mark / SPANS for mark in range(SPANS + 1)]
    return [name, *(f"{name} near {mark:g}" for mark in marks)]


def _positions(game: Game, boards: Array) -> Array:
    """What movers see in random games, on the boards given."""
    shown, spare = np.zeros(SHOWN, game.State), np.zeros(1, game.State)
    count = 0
    for number in range(BOARDS if len(boards) > 1 else 1):
        at = boards[number % len(boards) :][:1]
        end = SHOWN if len(boards) == 1 else SHOWN * (number + 1) // BOARDS
        count = compiled(_show)(game, at, shown, spare, count, end, *step.buffers(at), stream(0, number))
    return shown[:count]


def _show(game, boards, shown, spare, count, end, acts, chances, rng):
    """Fill shown[count:end] with what movers see in random games; returns the end."""
    board, state = boards[0], spare[0]
    zero(state)
    game.setup(board, state)
    while count < end:
        mover = game.to_move(board, state)
        if mover == OVER:
            zero(state)
            game.setup(board, state)
        elif mover == CHANCE:
            resolve_chance(game, board, state, acts, chances, rng)
        else:
            see(game, board, state, shown[count], mover)
            count += 1
            game.apply(board, state, pick_action(game, board, state, acts, rng))
    return count
