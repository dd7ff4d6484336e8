"""The rules of Dice Wars. Areas, owners and dice are small arrays; who owns what is also a bit mask a seat."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import compiled, light, lowest_bit, nth_bit, popcount
from turnsmith.compile.rng import below, mix, set_stream, unit
from turnsmith.contract import sources
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.contract.records import board_record, record
from turnsmith.games.dicewars.genes import gene_values as gene_values
from turnsmith.games.dicewars.genes import genes as genes
from turnsmith.games.dicewars.genes import with_genes as with_genes
from turnsmith.games.dicewars.maps import (
    AREAS,
    COLUMNS,
    HEXES,
    MOST_DICE,
    NAMES,
    ONE,
    ROWS,
    WATER,
    deal_dice,
    deal_owners,
    grow,
    hexes_beside,
    link,
    read_grid,
    region_of,
    write_grids,
)
from turnsmith.languages import _, player_name

EDGES, SEATS = 400, 8
DIGITS = "0123456789"
ZERO = ord("0")
MOST_BATTLES, IDLE_ROUNDS, RESERVE, TRANSFERS = 10_000, 8, 64, 6


@dataclass(frozen=True)
class Options:
    players: int = setting(4, 2, SEATS)
    """Players."""
    areas: int = setting(0, 0, 40)
    """Areas of the map, one a player at least; 0 for what the edition has: 29, or 34."""
    dice: Literal["flat", "random"] = setting("flat")
    """Dice at the start: three on every area, or about as many spread at random."""
    edition: Literal[2020, 2021] = setting(2020)
    """Rules of the year."""
    ownership: Literal["edition", "random", "continuous"] = setting("edition")
    """Who owns what at the start: areas anywhere, or parts that hang together; the edition says which."""

    def __post_init__(self) -> None:
        if 0 < self.areas < self.players:
            told = _("areas={areas} must be {players} (one a player) to 40")
            raise ValueError(told.format(areas=self.areas, players=self.players))


Board = board_record(
    areas=np.int64,
    edges=np.int64,
    edition=np.int64,
    source=(np.int8, EDGES),
    target=(np.int8, EDGES),
    first_edge=(np.int16, AREAS + 2),
    beside=(np.uint64, AREAS),
    odds=(np.float64, (MOST_DICE + 1, MOST_DICE + 1)),
    owner=(np.int8, AREAS),
    dice=(np.int8, AREAS),
    grid=(np.int8, HEXES),
)
State = record(
    owned=(np.uint64, SEATS),
    largest=(np.uint64, SEATS),
    full=np.uint64,
    able=np.uint64,
    owner=(np.int8, AREAS),
    dice=(np.int8, AREAS),
    score=(np.int8, SEATS),
    reserve=(np.int8, SEATS),
    battles=np.int32,
    idle=np.int16,
    pending=np.int16,
    attacks=np.int16,
    phase=np.int8,
    seat=np.int8,
    transfers=np.int8,
    attacker=np.int8,
    defender=np.int8,
    won=np.int8,
    winner=np.int8,
)
DECIDE, ROLL, PLACE, DONE = 0, 1, 2, 3
LOST, WON = 0, 1


@cache
def odds() -> Array:
    """odds[a, d]: how likely the sum of a dice is greater than the sum of d dice, exactly counted."""
    ways = [np.array([1.0])]
    for _die in range(MOST_DICE):
        ways.append(np.convolve(ways[-1], np.r_[0.0, np.ones(6)]))
    table = np.zeros((MOST_DICE + 1, MOST_DICE + 1))
    for a in range(1, MOST_DICE + 1):
        for d in range(1, MOST_DICE + 1):
            below_sum = np.concatenate([[0.0], np.cumsum(ways[d])])  # ways to roll less than each sum
            reach = below_sum[np.minimum(np.arange(len(ways[a])), len(below_sum) - 1)]
            table[a, d] = float((ways[a] * reach).sum()) / 6.0 ** (a + d)
    return table


# ---------------------------------------------------------------- boards, in Python


def source(options: Options, seed: int) -> dict[str, Any]:
    return sources_of(draw_boards(options, np.array([seed], np.uint64)))[0]


def sources_of(boards: Array) -> list[dict[str, Any]]:
    maps, owners, dice = write_grids(boards["grid"]), _digits(boards["owner"]), _digits(boards["dice"])
    numbers = zip(*(boards[name].tolist() for name in ("seats", "edition", "areas")), strict=True)
    return [
        {"players": seats, "edition": edition, "map": rows, "owners": own[:areas], "dice": count[:areas]}
        for (seats, edition, areas), rows, own, count in zip(numbers, maps, owners, dice, strict=True)
    ]


def _digits(numbers: Array) -> list[str]:
    """A text of digits for each row."""
    text = (numbers + ZERO).tobytes().decode()
    return [text[place : place + AREAS] for place in range(0, len(text), AREAS)]


def draw_boards(options: Options, seeds: Array) -> Array:
    areas = options.areas or (29 if options.edition == 2020 else 34)
    parts = options.ownership == "continuous" or (options.ownership == "edition" and options.edition == 2021)
    boards, flat, rng = np.zeros(len(seeds), Board), options.dice == "flat", np.zeros(1, np.uint64)
    chosen = (options.players, options.edition, areas, parts, flat)
    if not compiled(draw_each)(boards, seeds, *chosen, odds(), rng):
        raise BadInput(_("{} areas do not fit on the map; choose fewer").format(areas))
    return boards


def draw_each(boards, seeds, players, edition, areas, parts, flat, odds, rng):
    """A random board for every seed; False if there is no room for that many areas."""
    for index in range(seeds.shape[0]):
        board = boards[index]
        set_stream(rng, seeds[index], 0, 1)
        if not grow(board.grid, areas, board.beside, rng):
            return False
        set_stream(rng, seeds[index], 0, 2)
        deal_owners(board.beside, players, parts, board.owner[:areas], rng)
        deal_dice(board.owner[:areas], players, flat, board.dice[:areas], rng)
        complete(board, players, edition, areas, odds)
    return True


def tables(source: dict[str, Any]) -> Array:
    given = sources.fields(source, "players", "edition", "map", "owners", "dice")
    players, edition = sources.whole(given, "players", 2, SEATS), sources.whole(given, "edition", 2020, 2021)
    owners = sources.text(given, "owners", AREAS, DIGITS[:players])
    dice = sources.text(given, "dice", AREAS, DIGITS[1 : MOST_DICE + 1])
    grid = read_grid(sources.rows(given, "map", ROWS, COLUMNS))
    areas = int(grid.max()) + 1
    if not len(owners) == len(dice) == areas:
        raise BadInput(f"the map has {areas} areas, but {len(owners)} owners and {len(dice)} dice counts are given")
    if len(np.unique(grid[grid != WATER])) != areas:
        raise BadInput(f"areas are named {NAMES[:3]}… in order, but the map leaves out one before {NAMES[areas - 1]}")
    if len(set(owners)) != players:
        raise BadInput(f"there are {players} players, but only {len(set(owners))} of them own an area")
    boards = np.zeros(1, Board)
    boards["grid"][0] = grid
    for name, digits in (("owner", owners), ("dice", dice)):
        boards[name][0, :areas] = np.frombuffer(digits.encode(), np.int8) - ZERO
    if not compiled(link_and_complete)(boards, players, edition, areas, hexes_beside(), odds()):
        raise BadInput(f"more than {EDGES // 2} pairs of areas touch each other; draw areas that hang together")
    return boards


def link_and_complete(boards, players, edition, areas, beside, odds):
    """False if the board has no capacity for so many edges."""
    board = boards[0]
    link(board.grid, beside, board.beside)
    edges = np.int64(0)
    for area in range(areas):
        edges += np.int64(popcount(board.beside[area]))
    if edges > EDGES:
        return False
    complete(board, players, edition, areas, odds)
    return True


def complete(board, players, edition, areas, odds):
    """All that follows from a board's grid, links, owners and dice; edges are in the order of their areas."""
    board.seats, board.edition, board.areas, board.low, board.high = players, edition, areas, -1.0, 1.0
    board.outcomes = max(areas, 2)
    for a in range(MOST_DICE + 1):
        for d in range(MOST_DICE + 1):
            board.odds[a, d] = odds[a, d] if a > 1 else 0.0  # a lone die never attacks
    edge = 0
    for area in range(areas):
        board.first_edge[area] = edge
        left = board.beside[area]
        while left:
            board.source[edge], board.target[edge] = area, lowest_bit(left)
            left &= left - ONE
            edge += 1
    board.first_edge[areas] = board.edges = edge
    board.actions = edge + 1 if edition == 2020 else 2 * edge + 1


light(draw_each, link_and_complete)


# ---------------------------------------------------------------- regions


def measure(board, state, seat):
    """Find the largest connected region of a seat; among equals the one with the lowest area."""
    left = state.owned[seat]
    best, best_size = np.uint64(0), 0
    while left:
        region = region_of(board.beside, left, left & (~left + ONE))
        left &= ~region
        size = np.int64(popcount(region))
        if size > best_size:
            best, best_size = region, size
    state.largest[seat] = best
    state.score[seat] = best_size


def measure_gain(board, state, seat, area):
    """The same after a seat won an area: only the region of that area can have become the largest."""
    largest = state.largest[seat]
    region = region_of(board.beside, state.owned[seat] & ~largest, ONE << np.uint64(area))
    if board.beside[area] & largest:  # nothing else touched the largest region before
        region |= largest
    size, before = np.int64(popcount(region)), np.int64(state.score[seat])
    if size > before or (size == before and lowest_bit(region) < lowest_bit(largest)):
        state.largest[seat] = region
        state.score[seat] = size


def put_dice(state, area, count):
    """Set the dice of an area, and remember whether it is full and whether it is able to attack."""
    state.dice[area] = count
    place = np.uint64(area)
    state.full = (state.full & ~(ONE << place)) | (np.uint64(count == MOST_DICE) << place)
    state.able = (state.able & ~(ONE << place)) | (np.uint64(count > 1) << place)


# ---------------------------------------------------------------- the game


def setup(board, state):
    for area in range(board.areas):
        state.owner[area] = board.owner[area]
        state.owned[board.owner[area]] |= ONE << np.uint64(area)
        put_dice(state, area, board.dice[area])
    for seat in range(board.seats):
        measure(board, state, seat)
    state.winner = -1
    state.attacker = -1
    state.transfers = TRANSFERS


def to_move(board, state):
    if state.phase == DECIDE:
        return np.int64(state.seat)
    return np.int64(OVER if state.phase == DONE else CHANCE)


def living(board, state):
    """How many seats still own something."""
    count = 0
    for seat in range(board.seats):
        if state.owned[seat]:
            count += 1
    return count


def legal(board, state, out):
    """Attacks are the numbers of directed edges, then (2021) transfers likewise, then the end of the turn."""
    if state.phase == DONE:
        return 0
    if state.phase == ROLL:
        if is_certain(board, state):
            out[0] = WON
            return 1
        out[0] = LOST
        out[1] = WON
        return 2
    count = 0
    if state.phase == PLACE:
        room = state.owned[state.seat] & ~state.full
        while room:
            out[count] = lowest_bit(room)
            count += 1
            room &= room - ONE
        return count
    mine = state.owned[state.seat]
    left = mine & state.able
    attacks = np.uint64(0)  # unsigned: an index that cannot be negative need not be looked at
    while left:
        area = lowest_bit(left)
        left &= left - ONE
        for edge in range(np.uint64(board.first_edge[area]), np.uint64(board.first_edge[area + 1])):
            out[attacks] = edge  # overwritten by the next if its target is one's own: no branch to guess wrong
            attacks += ~(mine >> np.uint64(board.target[edge])) & ONE
    count = np.int64(attacks)
    if board.edition == 2021 and state.transfers > 0:
        for edge in range(board.edges):
            if movable(board, state, edge) > 0:
                out[count] = board.edges + edge
                count += 1
    out[count] = board.actions - 1
    return count + 1


def is_certain(board, state):
    """Whether the attack at hand cannot fail: seven dice always beat one."""
    return state.dice[state.attacker] >= 7 and state.dice[state.defender] == 1


def movable(board, state, edge):
    """Dice a transfer along an edge would move: all but one, as far as there is room; 0 if it is none."""
    source, target = board.source[edge], board.target[edge]
    if state.owner[source] != state.seat or state.owner[target] != state.seat:
        return np.int64(0)
    return min(np.int64(state.dice[source]) - 1, MOST_DICE - np.int64(state.dice[target]))


def weights(board, state, out):
    if state.phase == ROLL:
        won = board.odds[state.dice[state.attacker], state.dice[state.defender]]
        if is_certain(board, state):
            out[0] = 1.0
        else:
            out[LOST] = 1.0 - won
            out[WON] = won
        return
    count = np.int64(popcount(state.owned[state.seat] & ~state.full))
    for index in range(count):
        out[index] = 1.0 / count


def sample(board, state, rng):
    if state.phase == ROLL:
        won = unit(rng) < board.odds[state.dice[state.attacker], state.dice[state.defender]]
        return np.int64(WON if won else LOST)
    room = state.owned[state.seat] & ~state.full
    return nth_bit(room, below(rng, np.int64(popcount(room))))


def apply(board, state, action):
    if state.phase == ROLL:
        fight(board, state, action)
    elif state.phase == PLACE:
        put_dice(state, action, state.dice[action] + 1)
        state.pending -= 1
        if state.pending == 0 or not state.owned[state.seat] & ~state.full:
            finish_turn(board, state)
    elif action < board.edges:
        state.attacker = board.source[action]
        state.defender = board.target[action]
        state.phase = ROLL
    elif action < board.actions - 1:
        edge = action - board.edges
        count = movable(board, state, edge)
        put_dice(state, board.source[edge], state.dice[board.source[edge]] - count)
        put_dice(state, board.target[edge], state.dice[board.target[edge]] + count)
        state.transfers -= 1
    else:
        state.idle += 1  # ends of turns since the last battle
        state.pending = min(np.int64(state.reserve[state.seat]) + np.int64(state.score[state.seat]), RESERVE)
        state.phase = PLACE
        if state.idle >= IDLE_ROUNDS * living(board, state):
            state.phase = DONE
        elif not state.owned[state.seat] & ~state.full or state.pending == 0:
            finish_turn(board, state)


def reserve_limit(board, state):
    """How many dice may wait."""
    if board.edition == 2020:
        return np.int64(RESERVE)
    return max(np.int64(0), 24 - np.int64(popcount(state.owned[state.seat])))


def fight(board, state, outcome):
    attacker, defender = np.int64(state.attacker), np.int64(state.defender)
    dice = np.int64(state.dice[attacker])
    state.attacks += 1
    state.idle = 0
    state.battles += 1
    state.phase = DECIDE if state.battles < MOST_BATTLES else DONE
    state.won = outcome
    put_dice(state, attacker, 1)
    if outcome == LOST:
        if board.edition == 2021:
            put_dice(state, defender, max(1, np.int64(state.dice[defender]) - dice // 4))
        return
    loser = np.int64(state.owner[defender])
    bit = ONE << np.uint64(defender)
    put_dice(state, defender, dice - 1)
    state.owner[defender] = state.seat
    state.owned[loser] &= ~bit
    state.owned[state.seat] |= bit
    measure_gain(board, state, np.int64(state.seat), defender)
    if state.largest[loser] & bit:
        measure(board, state, loser)
    if state.phase == DECIDE and np.int64(popcount(state.owned[state.seat])) == board.areas:
        state.winner = state.seat  # unless it was the last battle allowed: then nobody wins
        state.phase = DONE


def finish_turn(board, state):
    """What found no place waits in the reserve; the next seat that still owns something moves."""
    state.reserve[state.seat] = min(np.int64(state.pending), reserve_limit(board, state))
    state.pending = 0
    state.phase = DECIDE
    state.attacks = 0
    state.transfers = TRANSFERS
    state.seat = (state.seat + 1) % board.seats
    while not state.owned[state.seat]:
        state.seat = (state.seat + 1) % board.seats


def returns(board, state, out):
    for seat in range(board.seats):
        out[seat] = 0.0 if state.winner < 0 else -1.0 / (board.seats - 1)
    if state.winner >= 0:
        out[state.winner] = 1.0


def evaluate(board, state, out):
    """A plain guess: chances in proportion to dice times the largest region. The learned value is in ``value.py``."""
    total = 0.0
    for seat in range(board.seats):
        out[seat] = 0.0
    for area in range(board.areas):
        out[state.owner[area]] += state.dice[area]
    for seat in range(board.seats):
        out[seat] *= state.score[seat]
        total += out[seat]
    for seat in range(board.seats):
        out[seat] = (out[seat] / total * board.seats - 1.0) / (board.seats - 1.0)


def hash(board, state):
    """Of what still matters: not how many battles there were (unless they may soon be too many), nor the last one."""
    fighting = state.phase == ROLL
    late = np.int64(state.battles) if state.battles > MOST_BATTLES - 1000 else np.int64(0)
    value = np.uint64(np.int64(state.phase) + 4 * np.int64(state.seat) + 64 * np.int64(state.transfers))
    value = mix(value ^ np.uint64(1024 * np.int64(state.pending) + (1 << 20) * np.int64(state.idle)))
    value = mix(value ^ np.uint64(late))
    value = mix(value ^ np.uint64(64 * np.int64(state.attacker) + np.int64(state.defender) + 1 if fighting else 0))
    for seat in range(board.seats):
        value = mix(value ^ state.owned[seat])
        value = mix(value ^ np.uint64(state.reserve[seat]))
    packed = np.uint64(0)
    for area in range(board.areas):
        packed = (packed << np.uint64(4)) | np.uint64(state.dice[area])
        if area % 16 == 15 or area == board.areas - 1:
            value = mix(value ^ packed)
            packed = np.uint64(0)
    return value


def hide(board, state, viewer):
    for seat in range(board.seats):
        if seat != viewer:
            state.reserve[seat] = 0


def resample(board, view, viewer, rng):
    """Others may hold dice back only when all their areas were full; how many is anybody's guess."""
    for seat in range(board.seats):
        if seat != viewer and view.owned[seat] and not view.owned[seat] & ~view.full:
            view.reserve[seat] = below(rng, 8)


def ending(board, state):
    if state.winner >= 0:
        return _("{} owns every area").format(player_name(state.winner))
    return _("10,000 battles") if state.battles >= MOST_BATTLES else _("eight rounds of passing")
