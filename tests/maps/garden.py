"""Garden: two gardeners pick beds in turn, three each; who picked the better ones wins. A map says what grows where.

Maps have genes, and a grid that does not say which gene fills which cell. Some bed must have flowers: genes may need
repair.
"""

from __future__ import annotations

import numpy as np

from turnsmith.contract import sources
from turnsmith.contract.game import OVER
from turnsmith.contract.genes import checked_genes
from turnsmith.contract.grids import Form, Grid, Tile
from turnsmith.contract.records import board_record, record

ROWS, COLUMNS = 3, 4
BEDS, PICKS = ROWS * COLUMNS, 6
BARE, GRASS, FLOWERS = range(3)
Board = board_record(worth=(np.int64, BEDS))
State = record(picked=(np.int8, BEDS), points=(np.int64, 2), moves=np.int64)


def source(options, seed):
    return {"beds": "".join(map(str, np.random.default_rng(seed).integers(BARE, FLOWERS + 1, BEDS)))}


def tables(source):
    boards = np.zeros(1, Board)
    board = boards[0]
    board.seats, board.actions, board.low, board.high = 2, BEDS, -100.0, 100.0
    board.worth[:] = beds_of(source)
    return boards


def beds_of(source):
    return [int(bed) for bed in sources.text(source, "beds", BEDS, "012")]


def setup(board, state):
    pass


def to_move(board, state):
    return OVER if state.moves == PICKS else int(state.moves % 2)


def legal(board, state, out):
    count = 0
    for bed in range(BEDS):
        if state.picked[bed] == 0 and state.moves < PICKS:
            out[count] = bed
            count += 1
    return count


def apply(board, state, action):
    state.points[state.moves % 2] += board.worth[action]
    state.picked[action] = 1
    state.moves += 1


def returns(board, state, out):
    out[0] = state.points[0] - state.points[1]
    out[1] = -out[0]


def words(board, state, action):
    return f"{'abc'[action // COLUMNS]}{action % COLUMNS + 1}"


def picture(board, state):
    cells = []
    for bed in range(BEDS):
        can = f' data-word="{words(board, state, bed)}"' if not state.picked[bed] and state.moves < PICKS else ""
        x, y, fill = 20 * (bed % COLUMNS), 20 * (bed // COLUMNS), ("#ccbb99", "#88aa66", "#cc5577")[board.worth[bed]]
        cells.append(f'<rect x="{x}" y="{y}" width="18" height="18" fill="{fill}"{can}/>')
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 60">{"".join(cells)}</svg>'


def genes(source):
    return np.array(beds_of(source), np.int64)


def gene_values(source):
    return np.full(BEDS, FLOWERS + 1)


def with_genes(source, genes):
    beds = checked_genes(genes, gene_values(source))
    if not (beds == FLOWERS).any():
        beds[0] = FLOWERS
    return {**source, "beds": "".join(map(str, beds))}


GRID = Form(
    layers={"beds": (Tile("bare", "."), Tile("grass", ","), Tile("flowers", "*"))},
    kinds=(),
    to_grid=lambda source: Grid({"beds": np.array(beds_of(source), np.int16).reshape(ROWS, COLUMNS)}),
    from_grid=lambda grid: {"beds": "".join(map(str, grid.layers["beds"].reshape(-1)))},
)
