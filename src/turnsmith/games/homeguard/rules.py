"""The rules of Homeguard. Soldiers are numbered 0 and 1 (the player's, seat 0), 2 and 3 (the enemy's, seat 1).

A soldier does one of six things: stay, walk (+1,+1), (+1,-1), (-1,+1) or (-1,-1), columns to the right and rows down,
or go through a portal. A joint move is one number to the base 6, the first soldier's part the more significant. A
place is a cell that can be walked on, see ``tables.py``.

`list_moves`, `resolve` and `lead` are all that whoever grows game trees needs: `resolve` plays a round from both joint
moves and never ends the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import compiled, light, scratch
from turnsmith.compile.rng import below, mix
from turnsmith.contract import sources
from turnsmith.contract.game import OVER
from turnsmith.contract.records import board_record, record
from turnsmith.games.homeguard import maps
from turnsmith.games.homeguard.maps import CELLS, CHECKERS, CORNERS, LARGEST, LINES, MOST_DRAWN, MOST_PORTALS, SMALLEST
from turnsmith.games.homeguard.maps import gene_values as gene_values
from turnsmith.games.homeguard.maps import genes as genes
from turnsmith.games.homeguard.maps import with_genes as with_genes
from turnsmith.games.homeguard.tables import PLACES, PORTAL, STAY, WAYS, fill_tables
from turnsmith.languages import _, counted, marked

PLAYER, ENEMY = 0, 1
TEAM, UNITS, MOVES = 2, 4, WAYS * WAYS
HP, KILLS, ROUNDS = 40, 2, 40
HIDDEN = -1
NOBODY = -1
STARTS = (CORNERS, maps.TOGETHER)
MOST_SEED = 2**53


@dataclass(frozen=True)
class Options:
    size: int = setting(9, SMALLEST, LARGEST)
    """Cells a side, an odd number."""
    generator: Literal["checkers", "lines"] = setting("checkers")
    """Where covers may be: on every cell that nobody walks on, or along the lines of a lattice."""
    portals: int = setting(2, 0, MOST_DRAWN)
    """Pairs of portals."""
    covers: int = setting(-1, -1, MOST_SEED)
    """The seed of the covers; -1 for that of the game. So the same covers can have other portals."""
    starts: Literal["corners", "together"] = setting("corners")
    """Start: soldiers on corners of a diagonal each, or each two around a corner."""
    strict: bool = setting(False)
    """Strict cover: where a shot goes exactly between two cells, whether the stronger one counts."""

    def __post_init__(self) -> None:
        if self.size % 2 == 0:
            raise ValueError(_("size={} must be odd").format(self.size))


Board = board_record(
    side=np.int64,
    places=np.int64,
    pairs=np.int64,
    rounds=np.int64,
    kills=np.int64,
    hp=np.int64,
    strict=np.int64,
    lines=np.int64,
    together=np.int64,
    start=(np.int16, UNITS),
    corner=(np.int16, TEAM),
    cover=(np.int8, CELLS),
    portal=(np.int16, (MOST_PORTALS, 2)),
    x=(np.int8, PLACES),
    y=(np.int8, PLACES),
    near=(np.int16, (PLACES, WAYS)),
    refuge=(np.int16, (TEAM, PLACES)),
    damage=(np.uint8, (PLACES, PLACES)),
    steps=(np.uint8, (PLACES, PLACES)),
)
"""cover: of cells, NONE, SHORT or LONG; portal: cells of the first `pairs` pairs. near[p, way]: the place after an
action, -1 for none. refuge[k]: where soldier k of either team comes back, best first: corner k, the other one, then by
steps. damage[p, q]: what a shot from p does to somebody on q. steps[p, q]: actions from p to q."""

State = record(
    place=(np.int8, UNITS),
    hp=(np.int8, UNITS),
    dealt=(np.int16, 2),
    kills=(np.int16, 2),
    committed=np.int8,
    decided=np.int8,
    chosen=np.int8,
    turn=np.int16,
    stood=(np.int8, UNITS),
    target=(np.int8, UNITS),
    hit=(np.int8, UNITS),
)
"""dealt: hit points a seat has removed, never more than there were; kills: soldiers it has killed. committed: the
player's joint move, counted from 1; 0 for none, HIDDEN for one not to be seen. decided, chosen: what is open, unit by
unit. turn: rounds that are over. Of the last round's shots: where each soldier stood, at whom it fired (NOBODY) and the
damage."""


# ---------------------------------------------------------------- boards, in Python


def source(options: Options, seed: int) -> dict[str, Any]:
    return source_of(options, seed if options.covers < 0 else options.covers, seed)


def source_of(options: Options, covers: int, portals: int) -> dict[str, Any]:
    """The description of the board with the covers of one seed and the portals of another."""
    return sources_of(_drawn(options, [covers], [portals]))[0]


light(fill_tables, maps.draw_maps)


def tables(source: dict[str, Any]) -> Array:
    given = sources.fields(source, "rows", "portals", "generator", "starts", "strict")
    size, covers = maps.read_covers(given)
    portals = maps.read_portals(given, size)
    starts = maps.read_choice(given, "starts", STARTS)
    boards = _bare(1, size, given["generator"], starts, sources.flag(given, "strict"))
    boards[0].cover[: size * size] = covers
    boards[0].pairs = len(portals)
    boards[0].portal[: len(portals)] = np.array(portals).reshape(-1, 2)
    compiled(fill_tables)(boards)
    return boards


def draw_boards(options: Options, seeds: Array) -> Array:
    covers = seeds if options.covers < 0 else np.full(len(seeds), options.covers, np.uint64)
    return boards_of(options, covers, seeds)


def boards_of(options: Options, covers: Any, portals: Any) -> Array:
    """A board for each pair of seeds, one of its covers and one of its portals."""
    boards = _drawn(options, covers, portals)
    compiled(fill_tables)(boards)
    return boards


def _drawn(options: Options, covers: Any, portals: Any) -> Array:
    """Boards without their tables."""
    size = options.size
    boards = _bare(len(covers), size, options.generator, options.starts, options.strict)
    taken = np.zeros(size * size, np.int8)
    taken[maps.corner_cells(size) + maps.start_cells(size, options.starts)] = 1
    of_cell = maps.gene_of_cell(size, options.generator)
    covers, portals = (np.array([int(seed) % 2**64 for seed in seeds], np.uint64) for seeds in (covers, portals))
    compiled(maps.draw_maps)(boards, of_cell, taken, options.portals, covers, portals)
    return boards


def _bare(count: int, size: int, generator: str, starts: str, strict: bool) -> Array:
    """Boards with nothing on them."""
    boards = np.zeros(count, Board)
    settings = {"seats": 2, "actions": MOVES, "low": -1.0, "high": 1.0, "rounds": ROUNDS, "kills": KILLS, "hp": HP}
    settings |= {"side": size, "places": (size * size + 1) // 2, "strict": strict, "lines": generator == LINES}
    for name, value in {**settings, "together": starts == maps.TOGETHER}.items():
        boards[name] = value
    boards["start"] = [cell // 2 for cell in maps.start_cells(size, starts)]
    boards["corner"] = [cell // 2 for cell in maps.corner_cells(size)[:TEAM]]
    return boards


def sources_of(boards: Array) -> list[dict[str, Any]]:
    return [
        {
            "rows": maps.rows_of(board.cover, int(board.side)),
            "portals": board.portal[: board.pairs].tolist(),
            "generator": LINES if board.lines else CHECKERS,
            "starts": STARTS[int(board.together)],
            "strict": bool(board.strict),
        }
        for board in boards
    ]


# ---------------------------------------------------------------- the game


def setup(board, state):
    for unit in range(UNITS):
        state.place[unit], state.hp[unit] = board.start[unit], board.hp
        state.target[unit] = NOBODY


def to_move(board, state):
    if state.turn >= board.rounds or state.kills[PLAYER] >= board.kills or state.kills[ENEMY] >= board.kills:
        return np.int64(OVER)
    return np.int64(PLAYER if state.committed == 0 else ENEMY)


def legal(board, state, out):
    mover = to_move(board, state)
    return 0 if mover == OVER else list_moves(board, state, mover, out)


def list_moves(board, state, seat, out):
    """The joint moves of a team, ascending: its soldiers never end on the same place, or on places that touch."""
    one, other = np.int64(state.place[2 * seat]), np.int64(state.place[2 * seat + 1])
    count = 0
    for first in range(WAYS):
        to_one = np.int64(board.near[one, first])
        if to_one < 0:
            continue
        for second in range(WAYS):
            to_other = np.int64(board.near[other, second])
            if to_other >= 0 and not touch(board, to_one, to_other):
                out[count] = first * WAYS + second
                count += 1
    return count


def touch(board, one, other):
    """Whether two places are the same or have a corner in common."""
    across, down = np.int64(board.x[one]) - board.x[other], np.int64(board.y[one]) - board.y[other]
    return -1 <= across <= 1 and -1 <= down <= 1


def pick(board, state, rng):
    """Both do anything; draw again while they would touch, so each joint move is as likely."""
    return pick_move(board, state, to_move(board, state), rng)


def pick_move(board, state, seat, rng):
    """A joint move of a team, each as likely."""
    one, other = np.int64(state.place[2 * seat]), np.int64(state.place[2 * seat + 1])
    while True:
        move = below(rng, MOVES)
        to_one, to_other = np.int64(board.near[one, move // WAYS]), np.int64(board.near[other, move % WAYS])
        if to_one >= 0 and to_other >= 0 and not touch(board, to_one, to_other):
            return move


def apply(board, state, action):
    if state.committed == 0:
        state.committed = action + 1
        return
    first = np.int64(state.committed) - 1
    state.committed = 0
    resolve(board, state, first, np.int64(action))


def resolve(board, state, first, second):
    """A round: all go where the joint moves of player and enemy say, all fire, and the dead come back."""
    state.place[0] = board.near[state.place[0], first // WAYS]
    state.place[1] = board.near[state.place[1], first % WAYS]
    state.place[2] = board.near[state.place[2], second // WAYS]
    state.place[3] = board.near[state.place[3], second % WAYS]
    fire(board, state)
    state.turn += 1


def fire(board, state):
    """Each soldier fires at the enemy it hurts most, the first of equals; then all are hurt at once."""
    hurt = scratch(UNITS, np.int64)
    for unit in range(UNITS):
        hurt[unit] = 0
    for unit in range(UNITS):
        target, damage = aim(board, state, unit)
        hurt[target] += damage
        state.stood[unit], state.hit[unit] = state.place[unit], damage
        state.target[unit] = target if damage > 0 else NOBODY
    died = False
    for unit in range(UNITS):
        hp, shooter = np.int64(state.hp[unit]), 1 - (unit >> 1)
        taken = min(hp, hurt[unit])
        state.hp[unit] = hp - taken
        state.dealt[shooter] += taken
        if hp == taken:
            state.kills[shooter] += 1
            died = True
    if died:
        revive(board, state)


def aim(board, state, unit):
    """At whom a soldier fires, and the damage; 0 is no shot."""
    place, foe = state.place[unit], 2 - (unit & 2)
    damage = np.int64(board.damage[place, state.place[foe]])
    other = np.int64(board.damage[place, state.place[foe + 1]])
    if other > damage:
        return foe + 1, other
    return foe, damage


def revive(board, state):
    """The dead come back. A place is free where none of the survivors stands and which no living comrade touches; those
    of the other team who come back in the same round do not count, so that no team comes first."""
    survives = scratch(UNITS, np.int8)
    for unit in range(UNITS):
        survives[unit] = state.hp[unit] > 0
    for unit in range(UNITS):
        if not survives[unit]:
            choice = 0
            while not is_free(board, state, survives, unit, np.int64(board.refuge[unit & 1, choice])):
                choice += 1
            state.place[unit], state.hp[unit] = board.refuge[unit & 1, choice], board.hp


def is_free(board, state, survives, unit, place):
    """Whether a dead soldier can come back on a place."""
    for other in range(UNITS):
        if survives[other] and state.place[other] == place:
            return False
    comrade = unit ^ 1
    return state.hp[comrade] == 0 or not touch(board, np.int64(state.place[comrade]), place)


# ---------------------------------------------------------------- unit by unit


def radix(board):
    return WAYS


def units(board, state):
    return TEAM


def pieces(board, state, decided, chosen, out):
    """What the next soldier may do: the first what leaves the second something, the second what does not touch it."""
    team = 2 * to_move(board, state)
    one, other = np.int64(state.place[team]), np.int64(state.place[team + 1])
    count = 0
    for way in range(WAYS):
        if decided == 0:
            fits = leaves_room(board, np.int64(board.near[one, way]), other)
        else:
            to_other = np.int64(board.near[other, way])
            fits = to_other >= 0 and not touch(board, np.int64(board.near[one, chosen]), to_other)
        if fits:
            out[count] = way
            count += 1
    return count


def leaves_room(board, to_one, other):
    """Whether the second soldier can still do something if the first goes there."""
    found = False
    for way in range(WAYS):
        to_other = np.int64(board.near[other, way])
        found = found or (to_one >= 0 and to_other >= 0 and not touch(board, to_one, to_other))
    return found


# ---------------------------------------------------------------- values


def lead(state, seat):
    """The score: hit points that a seat has removed, minus those it has lost."""
    return np.int64(state.dealt[seat]) - np.int64(state.dealt[1 - seat])


def returns(board, state, out):
    """Whoever alone has the kills wins; otherwise the score decides."""
    player_won, enemy_won = state.kills[PLAYER] >= board.kills, state.kills[ENEMY] >= board.kills
    ahead = lead(state, PLAYER)
    if player_won != enemy_won:
        ahead = 1 if player_won else -1
    out[PLAYER] = 1.0 if ahead > 0 else -1.0 if ahead < 0 else 0.0
    out[ENEMY] = -out[PLAYER]


def evaluate(board, state, out):
    """The score, as a share of what wins."""
    share = lead(state, PLAYER) / (board.kills * board.hp)
    out[PLAYER] = min(1.0, max(-1.0, share))
    out[ENEMY] = -out[PLAYER]


def hash(board, state):
    """Of all but the last round's shots; what was dealt follows from kills and hit points."""
    standing, strength = np.int64(0), np.int64(0)
    for unit in range(UNITS):
        standing = standing * 128 + np.int64(state.place[unit])
        strength = strength * 64 + np.int64(state.hp[unit])
    standing = (standing * 64 + np.int64(state.committed) + 1) * 64 + np.int64(state.chosen)
    strength = (strength * 256 + np.int64(state.kills[PLAYER])) * 256 + np.int64(state.kills[ENEMY])
    key = mix(np.uint64(standing * 2 + np.int64(state.decided)))
    return mix(key ^ np.uint64(strength * 4096 + np.int64(state.turn)))


# ---------------------------------------------------------------- hidden information


def hide(board, state, viewer):
    if viewer == ENEMY and state.committed != 0:
        state.committed = HIDDEN


def resample(board, view, viewer, rng):
    if view.committed == HIDDEN:
        view.committed = pick_move(board, view, PLAYER, rng) + 1


def believe(board, view, viewer, out):
    """A world is the joint move that the player has committed; 0 where there is none to be guessed."""
    if view.committed == HIDDEN:
        return list_moves(board, view, PLAYER, out)
    out[0] = 0
    return 1


def reveal(board, view, viewer, world):
    if view.committed == HIDDEN:
        view.committed = world + 1


def rewind(board, state):
    state.committed = 0
    state.decided, state.chosen = 0, 0


# ---------------------------------------------------------------- for learners

SEEN = ("hp", "column", "row", "deals", "takes", "steps to an enemy")
"""Of every soldier, own ones first. What it deals and takes is as all stand now. The enemy sees the board mirrored,
left for right, so both seats start on the first diagonal."""
PLANES = ("stones", "trees", "portals", "own 1", "own 2", "enemy 1", "enemy 2", "own fire", "enemy fire", "corners")
"""Soldiers by their hit points, portals by the number of their pair, fire by the most damage there, the corners where
the dead come back."""


def feature_names(board):
    soldiers = [f"{side} {number + 1}" for side in ("own", "enemy") for number in range(TEAM)]
    ways = [f"first soldier: {way}" for way in ("stays", "+1+1", "+1-1", "-1+1", "-1-1", "portal")]
    others = ["score", "own kills", "enemy kills", "round", "comes back on the first diagonal", *ways]
    return [*(f"{soldier}: {name}" for soldier in soldiers for name in SEEN), *others]


def features(board, view, viewer, out):
    hurt, place = scratch(UNITS, np.int64), 0
    for unit in range(UNITS):
        hurt[unit] = 0
    for unit in range(UNITS):
        target, damage = aim(board, view, unit)
        hurt[target] += damage
    for index in range(UNITS):
        unit = (index + 2 * viewer) & 3
        see_soldier(board, view, viewer, unit, hurt[unit], out[place:])
        place += len(SEEN)
    out[place] = lead(view, viewer) / (board.kills * board.hp)
    out[place + 1] = view.kills[viewer] / board.kills
    out[place + 2] = view.kills[1 - viewer] / board.kills
    out[place + 3] = view.turn / board.rounds
    out[place + 4] = 1.0 if viewer == PLAYER else 0.0
    for way in range(WAYS):
        out[place + 5 + way] = 1.0 if view.decided > 0 and view.chosen == way else 0.0


def see_soldier(board, view, viewer, unit, taken, out):
    """The numbers of SEEN of one soldier."""
    place, foe, last = np.int64(view.place[unit]), 2 - (unit & 2), np.int64(board.side) - 1
    _, damage = aim(board, view, unit)
    x = np.int64(board.x[place])
    out[0] = view.hp[unit] / board.hp
    out[1] = (x if viewer == PLAYER else last - x) / last
    out[2] = board.y[place] / last
    out[3] = damage / 10.0
    out[4] = taken / 10.0
    out[5] = min(board.steps[place, view.place[foe]], board.steps[place, view.place[foe + 1]]) / 10.0


def plane_names(board):
    return list(PLANES)


def plane_shape(board):
    return int(board.side), int(board.side)


def planes(board, view, viewer, out):
    side = np.int64(board.side)
    for plane in range(len(PLANES)):
        for cell in range(side * side):
            out[plane, cell // side, cell % side] = 0
    for cell in range(side * side):
        cover = np.int64(board.cover[cell])
        if cover > 0:
            mark(board, viewer, out[cover - 1], cell, 1)
    for pair in range(board.pairs):
        for end in range(2):
            mark(board, viewer, out[2], np.int64(board.portal[pair, end]), pair + 1)
    for index in range(UNITS):
        unit = (index + 2 * viewer) & 3
        mark(board, viewer, out[3 + index], 2 * np.int64(view.place[unit]), np.int64(view.hp[unit]))
    for corner in range(TEAM):
        mark(board, viewer, out[9], 2 * np.int64(board.corner[corner]), 1)
    for place in range(board.places):
        for team in range(2):
            unit = 2 * (team ^ viewer)
            most = max(board.damage[view.place[unit], place], board.damage[view.place[unit + 1], place])
            mark(board, viewer, out[7 + team], 2 * place, np.int64(most))


def mark(board, viewer, plane, cell, value):
    """Write a number on a cell as the viewer sees it."""
    x, side = cell % np.int64(board.side), np.int64(board.side)
    plane[cell // side, x if viewer == PLAYER else side - 1 - x] = value


# ---------------------------------------------------------------- for people

NAMES = (marked("blue"), marked("red"))
"""How people call player and enemy: either may be the enemy of who reads."""


def roles(board):
    """Seats differ in where their soldiers come back: the player's on corners they start from, the enemy's not."""
    return [marked("player"), marked("enemy")]


def signed(number):
    """A lead as people write it."""
    return f"{number:+d}" if number else "0"


def ending(board, state):
    score = _("score {score} for blue, round {turn}").format(score=signed(lead(state, PLAYER)), turn=int(state.turn))
    done, kills, rounds = [int(each) >= board.kills for each in state.kills], int(board.kills), int(board.rounds)
    if all(done):
        why = counted("both have {} kill", "both have {} kills", kills).format(kills)
    elif done[PLAYER]:
        why = counted("blue has {} kill", "blue has {} kills", kills).format(kills)
    elif any(done):
        why = counted("red has {} kill", "red has {} kills", kills).format(kills)
    else:
        why = counted("{} round is over", "{} rounds are over", rounds).format(rounds)
    return f"{why}; {score}"


def cell_name(board, place):
    """A column by its letter and a row: c5."""
    return f"{chr(97 + int(board.x[place]))}{int(board.y[place]) + 1}"


def way_name(board, place, way):
    """What a soldier on a place does, in a word: `stay`, `portal`, or the cell it walks to."""
    return (
        marked("stay")
        if way == STAY
        else marked("portal")
        if way == PORTAL
        else cell_name(board, board.near[place, way])
    )


def ways_of(action):
    """What the first and the second soldier do."""
    return divmod(int(action), WAYS)


def words(board, state, action):
    team = 2 * int(to_move(board, state))
    ways = enumerate(ways_of(action))
    return " ".join(f"{unit + 1}{way_name(board, int(state.place[team + unit]), way)}" for unit, way in ways)


def shorthand(board, state, text):
    """Numbers of soldiers may be left out: `c3 stay` for `1c3 2stay`; `-` stays, and `p` goes through a portal."""
    short = {"-": "stay", "skip": "stay", "s": "stay", "p": "portal"}
    said = []
    for number, piece in enumerate(text.lower().split(), start=int(state.decided) + 1):
        numbered = piece[0].isdecimal() and len(piece) > 1
        number, piece = (piece[0], piece[1:]) if numbered else (number, piece)
        said.append(f"{number}{short.get(piece, piece)}")
    return " ".join(said)


def refusal(board, state, text):
    """Why a person's words are no move here."""
    if to_move(board, state) == OVER:
        return None
    team, decided = 2 * int(to_move(board, state)), int(state.decided)
    said, numbers = shorthand(board, state, text).split(), list(range(decided + 1, TEAM + 1))
    if not said or [piece[0] for piece in said] != [str(number) for number in numbers[: len(said)]]:
        said = _("'{text}' is no move; say for soldier {number} a cell, stay or portal, such as {example}")
        if len(numbers) > 1:
            said = _("'{text}' is no move; say for soldier 1 and soldier 2 a cell, stay or portal, such as {example}")
        return said.format(text=text, number=numbers[0], example=words(board, state, 0))
    for number, piece in zip(numbers, said, strict=False):
        place = int(state.place[team + number - 1])
        ways = [way for way in range(WAYS) if board.near[place, way] >= 0]
        names = [way_name(board, place, way) for way in ways]
        if piece[1:] not in names:
            told = _("soldier {number} on {cell} cannot do '{wanted}'; it can do {names}")
            cell = cell_name(board, place)
            return told.format(number=number, cell=cell, wanted=piece[1:], names=", ".join(names))
    if len(said) < len(numbers):
        told = _("'{text}' leaves out soldier {number}; say what it does too")
        return told.format(text=text, number=numbers[len(said)])
    return _("'{}' would leave two soldiers of a team side by side; send one of them elsewhere").format(text)
