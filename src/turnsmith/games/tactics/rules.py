"""The rules of Tactics. Soldiers take turns in the order green 1, red 1, green 2, red 2, …; that is also their number.

Actions are numbers: a cell to move to, then an enemy to shoot at, then reload, take cover and skip. What a soldier may
do follows from tables of all pairs of cells on the board, see ``tables.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import Changes, FileName, setting
from turnsmith.compile.kernel import compiled, lowest_bit, nth_bit, popcount, scratch
from turnsmith.compile.rng import below, mix
from turnsmith.contract import sources
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.contract.records import board_record, record
from turnsmith.games.tactics import config as configuration
from turnsmith.games.tactics.config import MOST_POINTS, Config, as_table
from turnsmith.games.tactics.genes import gene_values as gene_values
from turnsmith.games.tactics.genes import genes as genes
from turnsmith.games.tactics.genes import with_genes as with_genes
from turnsmith.games.tactics.maps import LARGEST, SMALLEST, generate, mirrored, read_file, read_rows, write_rows
from turnsmith.games.tactics.tables import fill_tables
from turnsmith.languages import _, counted, marked

TEAM = 8
UNITS, OTHERS = 2 * TEAM, TEAM + 3
"""Soldiers in all, and what one of them may do besides moving."""
USUAL = 24 * 24
"""Cells that the smaller of the two kinds of boards has room for."""
MOST_WORDS = LARGEST * LARGEST // 64
STARTS = ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (2, 1), (1, 2))
"""Columns and rows where green starts, soldier by soldier; red starts on their images."""
GREEN, RED = 0, 1
DECIDE, SHOT, DONE = 0, 1, 2
MOVE, SHOOT, RELOAD, COVER = range(4)
"""The actions that have a cooldown."""
ONE = np.uint64(1)


@dataclass(frozen=True)
class Options:
    size: int = setting(24, SMALLEST, LARGEST)
    """Cells a side, an even number; a map file says its own."""
    team: int = setting(4, 1, TEAM)
    """Soldiers of each side."""
    map: Annotated[str, FileName(("random",))] = setting("random")
    """Map: a random one for every seed, or the path of a text file with the height of every cell, 0-9 and a-z."""
    pool: int = setting(0, 0, 1_000_000)
    """Maps in all: how many the seeds share; 0 for a new one with every seed. A pool makes tournaments fast."""
    config: Annotated[str, FileName()] = setting("")
    """File of rules: the path of a TOML file that changes numbers of the rules; the page of the game lists them."""
    changes: Annotated[str, Changes()] = setting("")
    """Changed rules: single numbers by their keys in such a file, for example turn.rounds=20,weapon.damage=2-4."""

    def __post_init__(self) -> None:
        if self.size % 2:
            raise ValueError(_("size={} must be even").format(self.size))


@lru_cache(maxsize=64)
def board_type(cells: int, classes: int) -> np.dtype[Any]:
    """The record of a board with room for so many cells, a multiple of 64, and classes of soldiers.

    steps[s, c] = steps_to[c, s]: steps from s to c, 255 if it is too far. reach[k, p, c]: cells that class k can walk
    to from c for p + 1 points, as bits. odds[k, t, s]: the chance in percent that class k on s hits what is on t, up to
    most + taking, as taking cover takes from it before it is cut; 0 without a line of fire. threat[k, s, t]: the same
    cut at `most`, for targets that do not take cover; danger[k, s, t]: the same after the best move that leaves points
    for a shot. cover[c, way]: 0 to 2; shelter[c]: the sum of it. rank[seat, c]: the order in which a side prefers cells
    that are equal to it, the same seen from either corner.
    """
    return board_record(
        side=np.int64, cells=np.int64, words=np.int64, team=np.int64, rounds=np.int64, points=np.int64,
        shot_points=np.int64, reload_points=np.int64, shot_ends=np.int64, least=np.int64, most=np.int64,
        level=np.int64, height_most=np.int64, half=np.int64, full=np.int64, taking=np.int64, classes=np.int64,
        kind=(np.int8, UNITS), hp=(np.int8, UNITS), magazine=(np.int8, UNITS), start=(np.int16, UNITS),
        cooldown=(np.int8, 4), aim=(np.int64, classes), pace=(np.int64, classes), damage=(np.int64, (classes, 2)),
        optimum=(np.int64, classes), bonus=(np.int64, classes), nearer=(np.int64, classes),
        farther=(np.int64, classes), range=(np.int64, classes), thresholds=(np.int64, 5),
        heights=(np.int8, cells), shelter=(np.int8, cells), cover=(np.int8, (cells, 4)), rank=(np.int16, (2, cells)),
        reach=(np.uint64, (classes, MOST_POINTS, cells, cells // 64)),
        steps=(np.uint8, (cells, cells)), steps_to=(np.uint8, (cells, cells)),
        odds=(np.uint8, (classes, cells, cells)), threat=(np.uint8, (classes, cells, cells)),
        danger=(np.uint8, (classes, cells, cells)),
    )  # fmt: skip


def room_for(side: int) -> int:
    """Two kinds of boards, each compiled for itself: the usual ones, and large ones."""
    return USUAL if side * side <= USUAL else LARGEST * LARGEST


def Board(options: Options) -> np.dtype[Any]:
    side = options.size if options.map == "random" else len(read_file(options.map))
    return board_type(room_for(side), len(configuration.load(options.config, options.changes).classes))


State = record(
    cell=(np.int16, UNITS),
    hp=(np.int8, UNITS),
    ammo=(np.int8, UNITS),
    taking=(np.int8, UNITS),
    cooling=(np.int8, (UNITS, 4)),
    alive=(np.int8, 2),
    phase=np.int8,
    unit=np.int8,
    points=np.int8,
    target=np.int8,
    shooter=np.int8,
    damage=np.int16,
    turn=np.int16,
)
"""Whose turn it is (unit), with how many points left; turn: rounds that are over. shooter, target, damage: the last
shot, or the one in the air; shooter is -1 before the first. hp is 0 for the dead."""


# ---------------------------------------------------------------- boards, in Python


def source(options: Options, seed: int) -> dict[str, Any]:
    config = configuration.load(options.config, options.changes)
    if options.map != "random":
        return {"rows": read_file(options.map), "team": options.team, "config": as_table(config)}
    if options.pool == 0:
        return _random_source(options.size, options.team, config, seed)
    return _pooled_source(options.size, options.team, config, seed % options.pool)


def _random_source(size: int, team: int, config: Config, number: int) -> dict[str, Any]:
    return {"rows": write_rows(generate(size, config.map, number)[0], size), "team": team, "config": as_table(config)}


_pooled_source = lru_cache(maxsize=1024)(_random_source)


def tables(source: dict[str, Any]) -> Array:
    given = sources.fields(source, "rows", "team", "config")
    heights = read_rows(sources.rows(given, "rows", LARGEST, LARGEST), "the map")
    config: Config = configuration.read(given["config"])
    side, team = len(given["rows"]), sources.whole(given, "team", 1, TEAM)
    boards = np.zeros(1, board_type(room_for(side), len(config.classes)))
    board = boards[0]
    board.seats, board.low, board.high = 2, -1.0, 1.0
    board.side, board.cells, board.words, board.team = side, side * side, -(-side * side // 64), team
    board.actions = board.cells + team + 3
    board.heights[: board.cells] = heights
    _settle(board, config)
    for number, (x, y) in enumerate(STARTS[:team]):
        board.start[2 * number] = y * side + x
        board.start[2 * number + 1] = mirrored(side, y * side + x)
    cells = np.arange(board.cells)
    board.rank[GREEN, : board.cells], board.rank[RED, : board.cells] = cells, mirrored(side, cells)
    compiled(fill_tables)(boards)
    return boards


def _settle(board: Any, config: Config) -> None:
    """The numbers of the configuration, on the board."""
    turn, hit, static, cool = config.turn, config.hit, config.static, config.cooldown
    board.rounds, board.points, board.shot_ends = turn.rounds, turn.points, turn.shot_ends
    board.shot_points, board.reload_points = turn.shoot, turn.reload
    board.least, board.most, board.level, board.height_most = hit.least, hit.most, hit.level, hit.height
    board.half, board.full, board.taking = hit.half, hit.full, hit.taking
    board.cooldown[:] = cool.move, cool.shoot, cool.reload, cool.cover
    board.thresholds[:] = static.shoot, static.better, static.poor, static.weak, static.safer
    board.classes = len(config.classes)
    for kind, name in enumerate(config.classes):
        soldier = config.soldiers[name]
        weapon = config.weapons[soldier.weapon]
        board.aim[kind], board.pace[kind], board.damage[kind] = soldier.aim, soldier.steps, weapon.damage
        board.optimum[kind], board.bonus[kind], board.range[kind] = weapon.optimum, weapon.bonus, weapon.range
        board.nearer[kind], board.farther[kind] = weapon.nearer, weapon.farther
    for seat, names in enumerate(config.classes_of(int(board.team))):
        for number, name in enumerate(names):
            unit, soldier = 2 * number + seat, config.soldiers[name]
            board.kind[unit], board.hp[unit] = config.classes.index(name), soldier.hp
            board.magazine[unit] = config.weapons[soldier.weapon].magazine
    board.outcomes = int(board.damage[:, 1].max()) + 1


# ---------------------------------------------------------------- the game


def setup(board, state):
    for unit in range(2 * board.team):
        state.cell[unit], state.hp[unit] = board.start[unit], board.hp[unit]
        state.ammo[unit] = board.magazine[unit]
    state.alive[GREEN], state.alive[RED] = board.team, board.team
    state.shooter = -1
    state.points = board.points


def to_move(board, state):
    if state.phase == DECIDE:
        return np.int64(state.unit) & 1
    return np.int64(CHANCE if state.phase == SHOT else OVER)


def chance_after(board, odds, taking):
    """The chance in percent that the board's odds give, if the target is taking cover and if not; 0 for none."""
    if odds == 0:
        return odds
    return max(board.least, odds - board.taking) if taking else min(board.most, odds)


def chance_of(board, state, shooter, target):
    """The chance in percent that one soldier hits another from where they are; 0 if it cannot shoot at it."""
    odds = np.int64(board.odds[board.kind[shooter], state.cell[target], state.cell[shooter]])
    return np.int64(chance_after(board, odds, state.taking[target]))


def mark_moves(board, state, bits):
    """The cells the soldier at hand may move to, as bits; returns how many there are."""
    unit = np.int64(state.unit)
    words = np.uint64(board.words)
    if state.cooling[unit, MOVE]:
        for word in range(words):
            bits[word] = 0
        return np.int64(0)
    kind, points, cell = np.uint64(board.kind[unit]), np.uint64(state.points - 1), np.uint64(state.cell[unit])
    for word in range(words):
        bits[word] = board.reach[kind, points, cell, word]
    for other in range(2 * board.team):
        if state.hp[other] > 0:
            place = np.uint64(state.cell[other])
            bits[place >> np.uint64(6)] &= ~(ONE << (place & np.uint64(63)))
    count = np.uint64(0)
    for word in range(words):
        count += popcount(bits[word])
    return np.int64(count)


def list_others(board, state, out, count):
    """What else than a move the soldier at hand may do, behind `count` moves; returns how many there are in all."""
    unit, cells, points = np.int64(state.unit), np.int64(board.cells), np.int64(state.points)
    if state.ammo[unit] > 0 and points >= board.shot_points and state.cooling[unit, SHOOT] == 0:
        kind, cell = board.kind[unit], state.cell[unit]
        for number in range(board.team):
            target = 2 * number + 1 - (unit & 1)
            if state.hp[target] > 0 and board.odds[kind, state.cell[target], cell] > 0:
                out[count] = cells + number
                count += 1
    action = cells + np.int64(board.team)
    has_room = state.ammo[unit] < board.magazine[unit]
    if has_room and points >= board.reload_points and state.cooling[unit, RELOAD] == 0:
        out[count] = action
        count += 1
    if board.shelter[state.cell[unit]] > 0 and state.cooling[unit, COVER] == 0:
        out[count] = action + 1
        count += 1
    out[count] = action + 2
    return count + 1


def legal(board, state, out):
    if state.phase == DONE:
        return 0
    if state.phase == SHOT:
        return list_damage(board, state, out)
    bits = scratch(MOST_WORDS, np.uint64)
    if mark_moves(board, state, bits) == 0:
        return list_others(board, state, out, 0)
    count = np.uint64(0)
    for word in range(np.uint64(board.words)):
        left, first = bits[word], np.int64(word) * 64
        while left:
            out[count] = first + lowest_bit(left)
            left &= left - ONE
            count += ONE
    return list_others(board, state, out, np.int64(count))


def pick(board, state, rng):
    """Any legal action: the n-th of them, found without listing the moves."""
    bits, others = scratch(MOST_WORDS, np.uint64), scratch(OTHERS, np.int32)
    moves = mark_moves(board, state, bits)
    chosen = below(rng, moves + list_others(board, state, others, 0))
    if chosen >= moves:
        return np.int64(others[chosen - moves])
    word = 0
    while chosen >= np.int64(popcount(bits[word])):
        chosen -= np.int64(popcount(bits[word]))
        word += 1
    return word * 64 + nth_bit(bits[word], chosen)


# ---------------------------------------------------------------- chance: what a shot does


def list_damage(board, state, out):
    """0 for a miss, else the damage of a hit."""
    kind = board.kind[state.shooter]
    low, high = np.int64(board.damage[kind, 0]), np.int64(board.damage[kind, 1])
    count = 0
    if chance_of(board, state, state.shooter, state.target) < 100:
        out[0] = 0
        count = 1
    for damage in range(low, high + 1):
        out[count] = damage
        count += 1
    return count


def weights(board, state, out):
    kind = board.kind[state.shooter]
    spread = np.int64(board.damage[kind, 1]) - np.int64(board.damage[kind, 0]) + 1
    chance = chance_of(board, state, state.shooter, state.target)
    count = 0
    if chance < 100:
        out[0] = 1.0 - chance / 100.0
        count = 1
    for _damage in range(spread):
        out[count] = chance / 100.0 / spread
        count += 1


def sample(board, state, rng):
    if below(rng, 100) >= chance_of(board, state, state.shooter, state.target):
        return np.int64(0)
    kind = board.kind[state.shooter]
    low, high = np.int64(board.damage[kind, 0]), np.int64(board.damage[kind, 1])
    return low + below(rng, high - low + 1)


# ---------------------------------------------------------------- moves


def apply(board, state, action):
    if state.phase == SHOT:
        strike(board, state, action)
        return
    unit, cells, team = np.int64(state.unit), np.int64(board.cells), np.int64(board.team)
    if action < cells:
        steps, pace = np.int64(board.steps[state.cell[unit], action]), np.int64(board.pace[board.kind[unit]])
        state.cell[unit] = action
        state.cooling[unit, MOVE] = board.cooldown[MOVE]
        state.points -= (steps + pace - 1) // pace
    elif action < cells + team:
        state.shooter, state.target, state.damage = unit, 2 * (action - cells) + 1 - (unit & 1), 0
        state.ammo[unit] -= 1
        state.cooling[unit, SHOOT] = board.cooldown[SHOOT]
        state.points -= board.shot_points
        state.phase = SHOT
        return
    elif action == cells + team:
        state.ammo[unit] = board.magazine[unit]
        state.cooling[unit, RELOAD] = board.cooldown[RELOAD]
        state.points -= board.reload_points
    else:
        if action == cells + team + 1:
            state.taking[unit] = 1
            state.cooling[unit, COVER] = board.cooldown[COVER]
        state.points = 0
    if state.points == 0:
        next_soldier(board, state)


def strike(board, state, damage):
    """What a shot does; the dead leave the order at once."""
    target = np.int64(state.target)
    state.phase, state.damage = DECIDE, damage
    if damage >= state.hp[target]:
        state.hp[target], state.taking[target] = 0, 0
        state.alive[target & 1] -= 1
        if state.alive[target & 1] == 0:
            state.phase = DONE
            return
    else:
        state.hp[target] -= damage
    if state.points == 0 or board.shot_ends:
        next_soldier(board, state)


def next_soldier(board, state):
    """The next living soldier begins its activation; a round ends behind the last."""
    unit = np.int64(state.unit)
    while True:
        unit += 1
        if unit == 2 * board.team:
            unit = 0
            state.turn += 1
        if state.hp[unit] > 0:
            break
    state.unit, state.points, state.taking[unit] = unit, board.points, 0
    for action in range(4):
        state.cooling[unit, action] -= state.cooling[unit, action] > 0
    if state.turn >= board.rounds:
        state.phase = DONE


# ---------------------------------------------------------------- values


def returns(board, state, out):
    lead = 0.0
    if state.alive[GREEN] == 0 or state.alive[RED] == 0:
        lead = 1.0 if state.alive[GREEN] > 0 else -1.0
    out[GREEN], out[RED] = lead, -lead


def evaluate(board, state, out):
    """The lead in living soldiers and in hit points, each as a share, the former for a half."""
    hp, total = 0, 0
    for unit in range(2 * board.team):
        points = np.int64(state.hp[unit])
        hp += points if unit & 1 == GREEN else -points
        total += points
    living = np.int64(state.alive[GREEN]) + np.int64(state.alive[RED])
    lead = 0.5 * hp / max(total, 1) + 0.5 * (np.int64(state.alive[GREEN]) - np.int64(state.alive[RED])) / max(living, 1)
    out[GREEN], out[RED] = lead, -lead


def hash(board, state):
    """Of all but the last shot, once it has struck."""
    in_air = np.int64(state.target) + 1 if state.phase == SHOT else np.int64(0)
    key = np.uint64(np.int64(state.unit) + 16 * np.int64(state.points) + 128 * in_air)
    key = mix(key ^ (np.uint64(state.turn) << np.uint64(16)) ^ (np.uint64(state.phase) << np.uint64(40)))
    for unit in range(2 * board.team):
        if state.hp[unit] > 0:
            packed = np.int64(state.cell[unit]) + 4096 * np.int64(state.hp[unit]) + 2**20 * np.int64(state.ammo[unit])
            packed = 2 * packed + np.int64(state.taking[unit])
            cooling = np.int64(0)
            for action in range(4):
                cooling = 128 * cooling + np.int64(state.cooling[unit, action])
            key = mix(key ^ np.uint64(packed + (unit << 32)))
            key = mix(key ^ np.uint64(cooling)) if cooling else key
        else:
            key = mix(key)
    return key


# ---------------------------------------------------------------- for learners

SEEN = ("hp", "ammo", "column", "row", "height", "in cover", "taking cover", "acts", "best chance")
"""Of every soldier, own ones first; all are 0 for the dead. Columns and rows count from the viewer's own corner."""


def feature_names(board):
    soldiers = [f"{side} {number + 1}" for side in ("own", "enemy") for number in range(board.team)]
    return ["points", "round", *(f"{soldier}: {name}" for soldier in soldiers for name in SEEN)]


def features(board, view, viewer, out):
    out[0] = view.points / board.points if np.int64(view.unit) & 1 == viewer else 0.0
    out[1] = view.turn / board.rounds
    place = 2
    for turn in range(2):
        seat = viewer if turn == 0 else 1 - viewer
        for number in range(board.team):
            see_soldier(board, view, viewer, 2 * number + seat, out, place)
            place += len(SEEN)


def see_soldier(board, view, viewer, unit, out, place):
    """The numbers of SEEN of one soldier, from `place` on."""
    if view.hp[unit] == 0:
        for index in range(len(SEEN)):
            out[place + index] = 0.0
        return
    cell, side = view.cell[unit], np.int64(board.side)
    seen, best = np.int64(board.rank[viewer, cell]), np.int64(0)
    for number in range(board.team):
        target = 2 * number + 1 - (unit & 1)
        if view.hp[target] > 0:
            best = max(best, chance_of(board, view, unit, target))
    out[place] = view.hp[unit] / board.hp[unit]
    out[place + 1] = view.ammo[unit] / board.magazine[unit]
    out[place + 2] = seen % side / side
    out[place + 3] = seen // side / side
    out[place + 4] = board.heights[cell] / 10.0
    out[place + 5] = 1.0 if board.shelter[cell] > 0 else 0.0
    out[place + 6] = view.taking[unit]
    out[place + 7] = 1.0 if view.unit == unit and view.phase == DECIDE else 0.0
    out[place + 8] = best / 100.0


# ---------------------------------------------------------------- for people


def ending(board, state):
    turn, rounds = int(state.turn) + 1, int(board.rounds)
    if state.alive[GREEN] == 0:
        return _("no green soldier is left, in round {}").format(turn)
    if state.alive[RED] == 0:
        return _("no red soldier is left, in round {}").format(turn)
    return counted("{} round is over", "{} rounds are over", rounds).format(rounds)


def column_name(column):
    """a to z, then aa, ab, …"""
    return (chr(96 + column // 26) if column >= 26 else "") + chr(97 + column % 26)


def cell_name(board, cell):
    """A column in letters and a row: c5."""
    row, column = divmod(int(cell), int(board.side))
    return f"{column_name(column)}{row + 1}"


def unit_name(unit):
    return f"{'green' if int(unit) & 1 == GREEN else 'red'}{int(unit) // 2 + 1}"


def words(board, state, action):
    """A cell to move to, an enemy to shoot at, `reload`, `cover`, `skip`; of chance `miss` or `hit` with the damage."""
    action, cells, team = int(action), int(board.cells), int(board.team)
    if state.phase == SHOT:
        return marked("hit") + f" {action}" if action else marked("miss")
    if action < cells:
        return cell_name(board, action)
    if action < cells + team:
        return unit_name(2 * (action - cells) + 1 - (int(state.unit) & 1))
    return (marked("reload"), marked("cover"), marked("skip"))[action - cells - team]


def shorthand(board, state, text):
    """`move c5` and `shoot red2` are c5 and red2, and `shoot 2` is the second enemy."""
    pieces = text.lower().split()
    if len(pieces) == 2 and pieces[0] in ("move", "shoot", "take"):
        if pieces[0] == "shoot" and pieces[1].isdecimal():
            return f"{'red' if int(state.unit) & 1 == GREEN else 'green'}{pieces[1]}"
        return pieces[1]
    return " ".join(pieces)


def barred(board, state, kind):
    """Why the soldier at hand can do nothing of a kind (MOVE, SHOOT, RELOAD, COVER), wherever it aims; else None."""
    unit, points = int(state.unit), int(state.points)
    who, need = unit_name(unit), {SHOOT: int(board.shot_points), RELOAD: int(board.reload_points)}.get(kind, 0)
    if kind == SHOOT and state.ammo[unit] == 0:
        return _("{} has an empty magazine; reload").format(who)
    if kind == RELOAD and state.ammo[unit] == board.magazine[unit]:
        return _("the magazine of {} is full").format(who)
    if kind == COVER and board.shelter[state.cell[unit]] == 0:
        return _("{} is not in cover; it needs a higher cell beside it").format(who)
    if points < need:
        said = counted(
            "{who} has {points} of the {need} point it takes", "{who} has {points} of the {need} points it takes", need
        )
        return said.format(who=who, points=points, need=need)
    if state.cooling[unit, kind]:
        again = _("{} cannot move again yet"), _("{} cannot shoot again yet"), _("{} cannot reload again yet")
        return (*again, _("{} cannot take cover again yet"))[kind].format(who)
    return None


def refusal(board, state, text):
    """Why a person's words are no move here."""
    if state.phase != DECIDE:
        return None
    wanted, unit = shorthand(board, state, text), int(state.unit)
    who, cell = unit_name(unit), int(state.cell[unit])
    cells = {cell_name(board, c): c for c in range(board.cells)}
    units = {unit_name(u): u for u in range(2 * board.team)}
    if wanted in cells:
        there = next((u for u in units.values() if state.hp[u] > 0 and state.cell[u] == cells[wanted]), None)
        if there is not None:
            said = _("{other} stands on {cell}; {who} must end its move on a free cell")
            return said.format(other=unit_name(there), cell=wanted, who=who)
        steps, pace = int(board.steps[cell, cells[wanted]]), int(board.pace[board.kind[unit]])
        if state.cooling[unit, MOVE]:
            return barred(board, state, MOVE)
        said = _("{who} needs {need} points for {steps} steps; it has {points}")
        said = _("{who} cannot get there; it has {points}") if steps == 255 else said
        return said.format(who=who, need=-(-steps // pace), steps=steps, points=int(state.points))
    if wanted in units:
        target = units[wanted]
        if target & 1 == unit & 1 or state.hp[target] == 0:
            is_own = target & 1 == unit & 1
            said = (
                _("{} is on your side; shoot at a living enemy") if is_own else _("{} is dead; shoot at a living enemy")
            )
            return said.format(wanted)
        said = _("{who} has no line of fire to {target} within its range; move first").format(who=who, target=wanted)
        return barred(board, state, SHOOT) or said
    if wanted in ("reload", "cover"):
        return barred(board, state, RELOAD if wanted == "reload" else COVER)
    said = _("'{}' is no move; name a cell such as c5, an enemy such as red1, or say reload, cover or skip")
    return said.format(text)
