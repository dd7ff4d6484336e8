"""A mind of one matrix: what a soldier sees, as a row of numbers, times the matrix is how suitable each action is.

The largest wins among the possible ones. A matrix is a text file, one item a line: rows, columns, the entries row by
row, and perhaps `Winrate` and a number; what comes after is not read. Or it is a JSON file that ``export`` wrote.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown, suggestion
from turnsmith.common.files import write_text
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import scratch
from turnsmith.games.tactics import terms
from turnsmith.games.tactics.scan import (
    ATTACK,
    ATTACK_EXPOSED,
    ATTACK_HIT,
    BALANCED,
    BALANCED_HIT,
    CAN_COVER,
    CAN_RELOAD,
    DEFENCE,
    DEFENCE_EXPOSED,
    DISTANCE,
    EXPOSED,
    HIT,
    LIVING,
    PLACES,
    TARGET,
    look,
    scan_moves,
)
from turnsmith.nets.linear_policy import LinearPolicy, read_policy
from turnsmith.play.player import CompiledPlayer, Prepared, filled, numbers

if TYPE_CHECKING:
    from turnsmith.play.inspection import Inspection
    from turnsmith.play.position import PositionView

INPUTS, COLUMNS = tuple(terms.INPUTS), tuple(terms.ACTIONS)
"""The rows, all within 0 to 1, and the columns. A matrix may have only the first rows."""
PLAIN = INPUTS.index("threat now")
"""Rows that need no look at where enemies can go."""
WIDTH, HEIGHT = len(COLUMNS), len(INPUTS)
LONGEST = 1_000_000
"""Characters of a file that are read."""
SHIPPED = {file.stem: file for file in sorted((Path(__file__).parent / "matrices").glob("*.txt"))}
"""The matrices that come with the game, by name."""


def fill_inputs(board, view, scan, out):
    """The numbers of INPUTS from a whole scan (``look`` and ``scan_moves``)."""
    fill_plain(board, view, scan, out)
    fill_threats(board, view, scan, out)


def fill_plain(board, view, scan, out):
    """The first of them."""
    unit = np.int64(view.unit)
    exposure = 1.0 / (100.0 * max(1, scan[LIVING]))
    out[0] = 1.0
    out[1] = view.hp[unit] / board.hp[unit]
    out[2] = view.ammo[unit] / board.magazine[unit]
    out[3] = view.points / board.points
    out[4] = scan[HIT] / 100.0
    out[5] = scan[ATTACK_HIT] / 100.0
    out[6] = scan[BALANCED_HIT] / 100.0
    out[7] = scan[EXPOSED] * exposure
    out[8] = scan[ATTACK_EXPOSED] * exposure
    out[9] = scan[DEFENCE_EXPOSED] * exposure
    out[10] = 1.0 if board.shelter[view.cell[unit]] > 0 else 0.0
    out[11] = view.alive[unit & 1] / board.team
    out[12] = view.alive[1 - (unit & 1)] / board.team
    out[13] = min(1.0, scan[DISTANCE] / board.side)


def fill_threats(board, view, scan, out):
    """The rest; where there is no cell to move to, as where one stands."""
    share = 1.0 / (100.0 * max(1, scan[LIVING]))
    out[PLAIN] = threat_at(board, view, np.int64(view.cell[view.unit])) * share
    for place in range(3):
        cell = scan[ATTACK] if place == 0 else scan[DEFENCE] if place == 1 else scan[BALANCED]
        out[PLAIN + 1 + place] = threat_at(board, view, cell) * share if cell >= 0 else out[PLAIN]


def threat_at(board, view, cell):
    """Percent, summed over the living enemies: the best chance of each at a soldier on `cell`, from where it stands or
    from any cell it can walk to with enough points left to shoot."""
    total = np.int64(0)
    for number in range(board.team):
        enemy = 2 * number + 1 - (np.int64(view.unit) & 1)
        if view.hp[enemy] > 0:
            total += np.int64(board.danger[board.kind[enemy], view.cell[enemy], cell])
    return total


def fill_actions(board, scan, out):
    """The action that each of COLUMNS stands for, -1 where it is impossible."""
    reload = np.int64(board.cells) + np.int64(board.team)
    out[0] = reload if scan[CAN_RELOAD] else -1
    out[1] = np.int64(board.cells) + scan[TARGET] if scan[HIT] > 0 else -1
    out[2], out[3], out[4] = scan[ATTACK], scan[DEFENCE], scan[BALANCED]
    out[5] = reload + 1 if scan[CAN_COVER] else -1
    out[6] = reload + 2


def suitability(matrix, rows, inputs, column):
    """How suitable the action of a column is: the sum of input times weight, in order."""
    suitable = 0.0
    for row in range(rows):
        suitable += inputs[row] * matrix[row * WIDTH + column]
    return suitable


Size = numbers("rows")


def decide_by_matrix(game, board, view, acts, data, memory, params, report, rng):
    """The most suitable possible action; among equals the first column."""
    matrix, rows = data.view(np.float64), int(params.view(Size)[0].rows)
    scan, actions, inputs = scratch(PLACES, np.int64), scratch(WIDTH, np.int64), scratch(HEIGHT, np.float64)
    look(board, view, acts, scan)
    scan_moves(board, view, acts, 1.0, scan)
    fill_plain(board, view, scan, inputs)
    if rows > PLAIN:
        fill_threats(board, view, scan, inputs)
    fill_actions(board, scan, actions)
    best, choice = -np.inf, actions[WIDTH - 1]
    for column in range(WIDTH):
        suitable = suitability(matrix, rows, inputs, column)
        if actions[column] >= 0 and suitable > best:
            best, choice = suitable, actions[column]
    return choice


@dataclass(frozen=True, repr=False)
class Matrix(CompiledPlayer):
    name = "matrix"
    summary = "what it sees, as 14 or 18 numbers, times a matrix: the most suitable action wins"
    decide = decide_by_matrix
    board_independent = True
    name_: Annotated[str, FileName(tuple(SHIPPED))] = setting("league")
    """The name of a matrix that comes with the game: evolved ones, and `hand`, which was written by hand."""
    file: Annotated[str, FileName()] = setting("")
    """The path of a matrix file (.txt, or .json of `turnsmith export`) to take instead: up to 18 rows, one an input,
    and 7 columns, one an action."""

    def __post_init__(self) -> None:
        if self.name_ not in SHIPPED:
            near, has = suggestion(self.name_, SHIPPED), ", ".join(SHIPPED)
            raise BadInput(f"there is no matrix '{shown(self.name_)}'{near}; there are {has}, or file=./my.txt")

    def contents(self) -> MatrixFile:
        """What its file says."""
        return read_matrix(Path(self.file) if self.file else SHIPPED[self.name_])

    def prepare(self, game, boards):
        entries = self.contents().entries
        return Prepared.of(data=entries, params=filled(Size, self, rows=len(entries)))

    def inspect(self, position: PositionView) -> Inspection:
        from turnsmith.games.tactics.why import inspect_matrix

        return inspect_matrix(self, position)


# ---------------------------------------------------------------- files


@dataclass(frozen=True)
class MatrixFile:
    """What a matrix file says: float64[rows, 7], and the share of games won, if it is there."""

    entries: Array
    winrate: float | None = None
    policy: LinearPolicy | None = None
    """All that a JSON file says besides."""


NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WHOLE = re.compile(r"\d{1,4}", re.ASCII)


def matrix_text(entries: Array, winrate: float | None = None) -> str:
    """A matrix as text of which reading gives the same numbers, bit for bit."""
    if not (np.isfinite(entries).all() and math.isfinite(winrate or 0.0)):
        raise BadInput("a matrix file holds finite numbers only; this matrix has others")
    lines = [str(len(entries)), str(len(entries[0])), *(repr(float(each)) for each in np.ravel(entries))]
    lines += [] if winrate is None else ["Winrate", repr(float(winrate))]
    return "\n".join(lines) + "\n"


def write_matrix(path: Path, entries: Array, winrate: float | None = None) -> None:
    write_text(path, matrix_text(entries, winrate))


def read_json(path: Path) -> MatrixFile:
    """Read a matrix that was exported as JSON; its inputs and actions must be ours, in our order."""
    policy = read_policy(path)
    named = {"inputs": [each.name for each in policy.inputs], "actions": [each.name for each in policy.actions]}
    for what, known in (("inputs", INPUTS), ("actions", COLUMNS)):
        for number, name in enumerate(named[what]):
            if number >= len(known) or name != known[number]:
                wanted = (
                    f"must be '{known[number]}'" if number < len(known) else f"is one too many; {len(known)} are known"
                )
                raise BadInput(f"{path}: {what}[{number}].name {wanted}; it is '{shown(name)}'")
    if len(policy.actions) < WIDTH:
        raise BadInput(
            f"{path}: actions[{len(policy.actions)}] is missing; it must be '{COLUMNS[len(policy.actions)]}'"
        )
    rate = policy.origin.winrate
    return MatrixFile(policy.matrix, rate.rate if rate else None, policy)


def read_matrix(path: Path) -> MatrixFile:
    """Read a matrix; damage is refused by line (of a JSON file by key), with the reason."""
    if path.suffix == ".json":
        return read_json(path)
    if not path.is_file():
        raise BadInput(f"there is no matrix file {path}; give the path of a .txt or .json file")
    try:
        with path.open(encoding="utf-8", newline="") as file:
            lines = file.read(LONGEST).replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not a text; a matrix file has one number a line") from None

    def number(line: int, what: str) -> float:
        text = lines[line - 1] if line <= len(lines) else ""
        if not NUMBER.fullmatch(text) or not math.isfinite(float(text)):
            found = f"'{shown(text)}'" if text else "nothing"
            raise BadInput(f"{path}: line {line} must be {what}, with a point and no other signs; it is {found}")
        return float(text)

    def count(line: int, what: str, low: int, high: int) -> int:
        number(line, what)
        text = lines[line - 1]
        if not WHOLE.fullmatch(text) or not low <= int(text) <= high:
            span = f"{low} to {high}" if low < high else f"{high}"
            raise BadInput(f"{path}: line {line}: {what} must be {span}, not {shown(text)}")
        return int(text)

    rows, columns = count(1, "the number of rows", 1, HEIGHT), count(2, "the number of columns", WIDTH, WIDTH)
    entries = [
        number(3 + row * columns + column, f"the entry of row {row + 1}, column {column + 1}")
        for row in range(rows)
        for column in range(columns)
    ]
    end = 3 + rows * columns
    has_rate = end <= len(lines) and lines[end - 1] == "Winrate"
    rate = number(end + 1, "the win rate") if has_rate else None
    return MatrixFile(np.array(entries).reshape(rows, columns), rate)
