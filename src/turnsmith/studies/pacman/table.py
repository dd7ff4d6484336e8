"""The table of Kulka's thesis: ghosts in rows, pacmans in columns, the share of dots eaten; and a plot by map.

Every cell is played on the ten maps alike, half of the games from the map's own start, half from random starts, the
same ones in every cell. A finished cell stays in the folder, so a table that was stopped goes on where it was.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.arena.statistics import mean_interval
from turnsmith.common.arrays import Array
from turnsmith.common.files import write_text
from turnsmith.common.settings import split
from turnsmith.compile.digest import digest
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext, TrainingResult
from turnsmith.games.pacman.rules import TEN
from turnsmith.learn.run import Run
from turnsmith.play.player import player
from turnsmith.studies.pacman import trainings as declares
from turnsmith.studies.pacman.cells import eaten

SEARCHES = {
    "main": "negamax:depth=2,weights=main",
    "default": "negamax:depth=2",
    "voronoi": "negamax:depth=2,evaluation=voronoi",
    "learned": "learned:depth=2",
    "zero": "zero:simulations=64",
    "mcts": "mcts:simulations=300,leaf=evaluate",
}
PACMANS = {
    **SEARCHES,
    "junctions": "junctions:simulations=100",
    "sarsa": "sarsa",
    "fuzzy": "fuzzy",
    "random": "random",
}
GHOSTS = {**SEARCHES, "original ghosts": "original-ghosts", "random": "random"}
STARTS = {"map": "From the maps' own starts", "random": "From starts drawn at random"}
COLOURS = (
    "#1b6ca8", "#c0392b", "#1e8449", "#8e44ad", "#d68910", "#555555", "#16a085", "#7b241c", "#2c3e50", "#c71585",
)  # fmt: skip
"""Of the columns in the plot."""


def train(settings: declares.TableSettings, work: TrainingContext) -> TrainingResult:
    """Every cell of the table, as Markdown, and the plot if it is asked for."""
    columns = {text: PACMANS.get(text, text) for text in split(settings.pacmans)} or PACMANS
    rows = {text: GHOSTS.get(text, text) for text in split(settings.ghosts)} or GHOSTS
    run = Run(work.folder, {})
    cells = fill(run, columns, rows, settings.games, settings.seed, work)
    if settings.plot:
        write_text(Path(settings.plot), plot(cells))
    shown = {f"{cell['pacmans']} from {cell['ghosts']}": cell["eaten"] for cell in cells}
    run.finish("Pac-Man: share of dots eaten", work.command, shown)
    return TrainingResult(cells, markdown(cells))


def fill(
    run: Run, pacmans: dict[str, str], ghosts: dict[str, str], games: int, seed: int, work: TrainingContext
) -> list[dict[str, Any]]:
    """Every cell, row by row, with its score on each map; at least `games` games a cell. A cell is known by who plays
    it and how: whatever else the folder holds is left alone."""
    game, games_each = load("pacman"), -(-games // (2 * len(TEN)))
    cells: list[dict[str, Any]] = []
    for ghost_name, ghost in ghosts.items():
        for pacman_name, pacman in pacmans.items():
            work.progress(len(cells), len(ghosts) * len(pacmans))
            code = [game.digest, *(player(text, game).digest() for text in (pacman, ghost))]
            known = digest(*code, pacman, ghost, games_each, seed, tuple(STARTS))[:16]
            cell = run.json(f"cells/{known}.json", partial(play, pacman, ghost, games_each, seed, work.workers))
            cells.append({"ghosts": ghost_name, "pacmans": pacman_name, **cell})
    work.progress(len(cells), len(cells))
    return cells


def play(pacmans: str, ghosts: str, each: int, seed: int, workers: int) -> dict[str, Any]:
    """One cell: `each` games from either kind of start on each map."""
    shares = np.zeros((len(TEN), len(STARTS), each))
    for row, name in enumerate(TEN):
        for column, start in enumerate(STARTS):
            game = f"pacman:map={name},start={start}"
            shares[row, column] = eaten(game, pacmans, ghosts, each, seed, workers)
    mean, low, high = told(shares)
    starts = {start: told(shares[:, column]) for column, start in enumerate(STARTS)}
    maps = {name: told(shares[row]) for row, name in enumerate(TEN)}
    return {"games": shares.size, "eaten": mean, "low": low, "high": high, "starts": starts, "maps": maps}


def told(shares: Array) -> list[float]:
    """Their mean and its 95 % interval."""
    return [round(end, 4) for end in mean_interval(shares.ravel())]


def markdown(cells: list[dict[str, Any]]) -> str:
    """The table as text, the mean and how far the 95 % interval reaches; then the same for each kind of start."""
    parts = [rows_of(cells, [[cell["eaten"], cell["low"], cell["high"]] for cell in cells])]
    for start, title in STARTS.items():
        parts += [title, rows_of(cells, [cell["starts"][start] for cell in cells])]
    return "\n\n".join(parts)


def rows_of(cells: list[dict[str, Any]], scores: list[list[float]]) -> str:
    columns = list(dict.fromkeys(cell["pacmans"] for cell in cells))
    lines = [f"| ghosts \\ pacmans | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for row in dict.fromkeys(cell["ghosts"] for cell in cells):
        in_row = [score for cell, score in zip(cells, scores, strict=True) if cell["ghosts"] == row]
        lines.append(f"| {row} | {' | '.join(f'{mean:.3f} ± {high - mean:.3f}' for mean, _, high in in_row)} |")
    return "\n".join(lines)


def plot(cells: list[dict[str, Any]]) -> str:
    """An SVG: for each map a row, for each player's pacmans the mean score on it against all ghosts, as a dot."""
    columns = list(dict.fromkeys(cell["pacmans"] for cell in cells))
    wide, left, top, step = 560, 150, 40, 26
    high = top + step * len(TEN) + 60
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + wide + 30} {high}" font-family="sans-serif"'
        ' font-size="12">',
        f'<rect width="{left + wide + 30}" height="{high}" fill="white"/>',
    ]
    for tenth in range(0, 11, 2):
        x = left + wide * tenth / 10
        parts.append(f'<path d="M{x} {top - 10}V{top + step * len(TEN)}" stroke="#dddddd"/>')
        parts.append(f'<text x="{x}" y="{top + step * len(TEN) + 16}" text-anchor="middle">{tenth / 10:g}</text>')
    for row, name in enumerate(TEN):
        y = top + step * row + 6
        parts.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{name}</text>')
        for place, column in enumerate(columns):
            mean = float(np.mean([cell["maps"][name][0] for cell in cells if cell["pacmans"] == column]))
            colour = COLOURS[place % len(COLOURS)]
            parts.append(f'<circle cx="{left + wide * mean:.1f}" cy="{y}" r="5" fill="{colour}"/>')
    for place, column in enumerate(columns):
        x, y = 20 + place * (left + wide) / len(columns), high - 16
        parts.append(f'<circle cx="{x}" cy="{y - 4}" r="5" fill="{COLOURS[place % len(COLOURS)]}"/>')
        parts.append(f'<text x="{x + 10}" y="{y}">{column}</text>')
    parts.append(f'<text x="{left}" y="18">share of dots eaten, mean over all ghosts of the table</text></svg>')
    return "\n".join(parts) + "\n"
