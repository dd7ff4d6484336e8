"""How likely each seat wins: one small net looks at every seat, and the seats' scores are weighed against each other.

A position is judged as if its mover ended the turn now, the new dice not yet dealt. Players are counted in turn order
from the mover on: player 0 is the mover, player 1 moves next.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import lowest_bit, popcount, scratch
from turnsmith.games.dicewars.maps import AREAS, MOST_DICE, ONE, region_of
from turnsmith.games.dicewars.rules import SEATS
from turnsmith.nets.dense import Layers, flat, read_onnx, sizes_of
from turnsmith.nets.files import until_changed

SHIPPED = Path(__file__).with_name("value.onnx")

# What the net sees of a player; each is about one.
COUNTS = (
    *("areas", "largest", "log_largest", "dice", "dice_in_largest", "log_dice", "dice_share", "largest_share"),
    *("dice_in_duel", "largest_in_duel", "full", "living", "reserve", "is_mover", "is_next", "turns_away"),
)
HOLD = ("border", "border_dice", "areas_in_danger", "dice_in_danger", "largest_in_danger")
THREAT = ("wins", "sure_wins", "wins_beside_largest", "sure_wins_beside_largest", "wins_from_mover")
GROWTH = ("best_growth", "growth")
NAMES = COUNTS + HOLD + THREAT + GROWTH
FEATURES = len(NAMES)
HIDDEN = 32
INPUTS = SEATS * FEATURES
TRIFLE = 0.01
OWN_AREAS, LARGEST, LOG_LARGEST, DICE, DICE_IN_LARGEST, LOG_DICE, DICE_SHARE, LARGEST_SHARE = range(8)
DICE_IN_DUEL, LARGEST_IN_DUEL, FULL, LIVING, RESERVE_DICE, IS_MOVER, IS_NEXT, TURNS_AWAY = range(8, 16)
BORDER, BORDER_DICE, AREAS_IN_DANGER, DICE_IN_DANGER, LARGEST_IN_DANGER = range(16, 21)
WINS, SURE_WINS, WINS_BESIDE, SURE_WINS_BESIDE, WINS_FROM_MOVER = range(21, 26)
BEST_GROWTH, ALL_GROWTH = range(26, 28)


def describe(board, view, me, out):
    """Fill out[player * FEATURES + feature] (float64[INPUTS]) for the mover `me` and the others in turn."""
    region, size = scratch(AREAS, np.uint64), scratch(AREAS, np.int64)  # of every area
    living = find_regions(board, view, region, size)
    describe_seats(board, view, me, living, out)
    describe_areas(board, view, me, region, size, out)
    share_dice(board, living, out)


def find_regions(board, view, region, size):
    """Fill region[area], the areas connected with an area as bits, and size[area]; how many seats have areas."""
    living = 0
    for seat in range(board.seats):
        living += 1 if view.owned[seat] else 0
        left = view.owned[seat]
        while left:
            part = region_of(board.beside, left, left & (~left + ONE))
            left &= ~part
            inside = part
            while inside:
                area = lowest_bit(inside)
                inside &= inside - ONE
                region[area] = part
                size[area] = np.int64(popcount(part))
    return living


def describe_seats(board, view, me, living, out):
    """What a seat is by itself; the other features are 0 for now."""
    seats, share = np.int64(board.seats), 1.0 / board.areas
    for player in range(seats):
        seat = (me + player) % seats
        row = player * FEATURES
        for feature in range(FEATURES):
            out[row + feature] = 0.0
        out[row + OWN_AREAS] = np.int64(popcount(view.owned[seat])) * share
        out[row + LARGEST] = view.score[seat] * share
        out[row + LOG_LARGEST] = np.log(view.score[seat] + 1.0)
        out[row + FULL] = np.int64(popcount(view.owned[seat] & view.full)) * share
        out[row + LIVING] = 1.0 / living
        out[row + IS_MOVER] = 1.0 if player == 0 else 0.0
        out[row + IS_NEXT] = 1.0 if player == 1 else 0.0
        out[row + TURNS_AWAY] = player / seats
    out[RESERVE_DICE] = min(np.int64(view.reserve[me]), 16) / 16.0


def describe_areas(board, view, me, region, size, out):
    """What each area adds: for its owner the danger it is in, for the others the chance to take it."""
    seats, share = np.int64(board.seats), 1.0 / board.areas
    best = scratch(SEATS, np.float64)
    for area in range(board.areas):
        owner, dice = np.int64(view.owner[area]), np.int64(view.dice[area])
        row = ((owner - me + seats) % seats) * FEATURES
        in_largest = (view.largest[owner] >> np.uint64(area)) & ONE != 0
        out[row + DICE] += dice
        if in_largest:
            out[row + DICE_IN_LARGEST] += dice
        foes = board.beside[area] & ~view.owned[owner]
        if foes == 0:
            continue
        for seat in range(seats):
            best[seat] = 0.0
        hold = 1.0
        while foes:
            other = lowest_bit(foes)
            foes &= foes - ONE
            chance = board.odds[view.dice[other], dice]
            hold *= 1.0 - chance
            best[view.owner[other]] = max(best[view.owner[other]], chance)
        out[row + BORDER] += share
        out[row + BORDER_DICE] += dice
        out[row + AREAS_IN_DANGER] += (1.0 - hold) * share
        out[row + DICE_IN_DANGER] += (1.0 - hold) * dice
        if in_largest:
            out[row + LARGEST_IN_DANGER] += (1.0 - hold) * share
        for seat in range(seats):
            if best[seat] > 0.0:
                row = ((seat - me + seats) % seats) * FEATURES
                wins, sure = best[seat] * share, best[seat] ** 4 * share
                out[row + WINS] += wins
                out[row + SURE_WINS] += sure
                if board.beside[area] & view.largest[seat]:
                    out[row + WINS_BESIDE] += wins
                    out[row + SURE_WINS_BESIDE] += sure
                if owner == me:
                    out[row + WINS_FROM_MOVER] += wins
                joined = joined_size(board.beside[area] & view.owned[seat], region, size)
                growth = max(0, joined - np.int64(view.score[seat])) * wins
                out[row + BEST_GROWTH] = max(out[row + BEST_GROWTH], growth)
                out[row + ALL_GROWTH] += growth


def joined_size(near, region, size):
    """Areas of the region that an area makes with those beside it, `near` as bits."""
    joined = 1
    while near:
        other = lowest_bit(near)
        near &= ~region[other]
        joined += size[other]
    return joined


def share_dice(board, living, out):
    """Turn counts of dice into shares."""
    seats, of_full = np.int64(board.seats), 1.0 / board.areas / MOST_DICE
    all_dice, all_largest = 0.0, 0.0
    for player in range(seats):
        all_dice += out[player * FEATURES + DICE]
        all_largest += out[player * FEATURES + LARGEST]
    for player in range(seats):
        row = player * FEATURES
        out[row + LOG_DICE] = np.log(out[row + DICE] + 1.0) * 0.3
        out[row + DICE_SHARE] = out[row + DICE] / all_dice
        if living == 2:  # where a lead decides sooner
            out[row + DICE_IN_DUEL] = out[row + DICE_SHARE]
            out[row + LARGEST_IN_DUEL] = out[row + LARGEST]
        out[row + LARGEST_SHARE] = out[row + LARGEST] / all_largest
        out[row + DICE] *= of_full
        out[row + DICE_IN_LARGEST] *= of_full
        out[row + BORDER_DICE] *= of_full
        out[row + DICE_IN_DANGER] *= of_full


def score(weights, inputs, first, units):
    """The net's score of the player whose features begin at inputs[first]; `units` is HIDDEN.

    As an argument, not a constant, it keeps the loops loops, which the compiler makes do several units at a time.
    """
    hidden = scratch(HIDDEN, np.float64)
    biases = FEATURES * units
    second = biases + units
    for unit in range(units):
        hidden[unit] = weights[biases + unit]
    place = np.uint64(0)  # unsigned: an index that cannot be negative
    for feature in range(FEATURES):
        amount = inputs[first + feature]
        for unit in range(units):
            hidden[unit] += amount * weights[place + np.uint64(unit)]
        place += np.uint64(units)
    total = weights[second + units]
    for unit in range(units):
        total += max(hidden[unit], 0.0) * weights[second + unit]
    return total


def judge(board, view, me, weights, inputs, chances):
    """Fill chances[player] (float64[SEATS]) from what `describe` wrote; seats without areas have none."""
    seats, units = np.int64(board.seats), (weights.shape[0] - 1) // (FEATURES + 2)
    greatest = -np.inf
    for player in range(seats):
        chances[player] = -np.inf
        if view.owned[(me + player) % seats]:
            chances[player] = score(weights, inputs, player * FEATURES, units)
            greatest = max(greatest, chances[player])
    total = 0.0
    for player in range(seats):
        chances[player] = np.exp(chances[player] - greatest)
        total += chances[player]
    for player in range(seats):
        chances[player] /= total


def worth(board, view, me, weights, inputs, chances):
    """How likely `me` wins after ending the turn here, and a trifle for its areas; `inputs` and `chances` are scratch.

    Without the trifle a player who is sure to win sees no reason to.
    """
    describe(board, view, me, inputs)
    judge(board, view, me, weights, inputs, chances)
    return (1.0 - TRIFLE) * chances[0] + TRIFLE * inputs[OWN_AREAS]


@until_changed
def weights_in(path: Path) -> Array:
    """All numbers of a net (float64), as ``judge`` wants them."""
    return flat(layers_in(path)).astype(np.float64)


def layers_in(path: Path) -> Layers:
    """The layers of a net of such a value; others are refused."""
    layers = read_onnx(path)
    if sizes_of(layers) != (FEATURES, HIDDEN, 1):
        raise BadInput(f"{path} is not a value of Dice Wars; train one, or leave out its name")
    return layers
