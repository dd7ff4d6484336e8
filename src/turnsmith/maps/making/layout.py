"""Where the genes of a map are: which gene fills which cell, what lies beside it, and what is its mirror image.

`cells`: int64[rows, columns], the gene of each cell, -1 where none fills it. `placed`: the genes that fill cells.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.contract.grids import Form

SYMMETRIES = ("columns", "rows", "turn", "diagonal", "quarter")
"""left and right alike; top and bottom; turned by half; the first diagonal a mirror; turned by a quarter"""
MOST_TRIED = 4096
"""Genes of which it is tried what they fill."""


def images(cells: Array, symmetry: str, hexes: bool) -> Array:
    """int64[rows, columns]: the gene at the image of each cell, -1 where that is none; refused where none fits."""
    rows, columns = cells.shape
    row, column = np.indices(cells.shape)
    across = 2 * column + (row % 2 if hexes else 0)
    wide = 2 * (columns - 1) + (1 if hexes and rows > 1 and rows % 2 == 0 else 0)
    if symmetry == "columns":
        to_row, to_across = row, 2 * (columns - 1) - across
    elif symmetry == "rows":
        to_row, to_across = rows - 1 - row, across
    elif symmetry == "turn":
        to_row, to_across = rows - 1 - row, wide - across
    elif symmetry in ("diagonal", "quarter") and rows == columns and not hexes:
        to_row, to_across = (column, 2 * row) if symmetry == "diagonal" else (column, 2 * (rows - 1 - row))
    else:
        return np.full(cells.shape, -1)
    to_across = to_across - (to_row % 2 if hexes else 0)
    fits = (to_across % 2 == 0) & (to_across >= 0) & (to_across < 2 * columns)
    image = cells[to_row, np.where(fits, to_across, 0) // 2]
    return np.asarray(np.where(fits, image, -1))


def partners(cells: Array, genes: int, symmetry: str, hexes: bool) -> Array:
    """int64[genes]: the gene of the image of each gene's cell, itself where there is none."""
    if symmetry not in (*SYMMETRIES, ""):
        raise BadInput(f"there is no symmetry '{shown(symmetry)}'; there are {', '.join(SYMMETRIES)}")
    partner_of = np.arange(genes)
    if symmetry:
        image = images(cells, symmetry, hexes)
        both = (cells >= 0) & (image >= 0)
        partner_of[cells[both]] = image[both]
    return partner_of


def classes(cells: Array, values: Array, symmetry: str, hexes: bool) -> Array:
    """int64[genes]: the first of all genes that must be alike under a symmetry, "" for none; a gene may fill several
    cells, so whatever is an image of an image is alike too. Genes with other values are left apart."""
    class_of, other = np.arange(len(values)), images(cells, symmetry, hexes) if symmetry else np.full(cells.shape, -1)
    both = (cells >= 0) & (other >= 0)
    one, two = cells[both], other[both]
    alike = values[one] == values[two]
    one, two = one[alike], two[alike]
    while (class_of[one] != class_of[two]).any():
        least = np.minimum(class_of[one], class_of[two])
        np.minimum.at(class_of, one, least)
        np.minimum.at(class_of, two, least)
    return class_of


def neighbours(cells: Array, placed: Array, hexes: bool) -> Array:
    """int64[pairs, 2]: genes of cells that touch, each pair once; where fields of a chess board hold genes, of those
    that touch at corners."""
    known = np.append(np.isin(np.arange(int(cells.max()) + 1), placed), False)  # the last is for cells without a gene
    touching = bool(((cells[:, :-1] >= 0) & (cells[:, 1:] >= 0)).any()) or cells.shape[0] == 1
    row, column = (np.asarray(index) for index in np.indices(cells.shape))
    odd = row % 2 if hexes else np.zeros_like(row)
    steps: list[tuple[int, Array]] = [(0, odd * 0 + 1), (1, odd), *([(1, odd - 1)] if hexes else [])]
    if not touching:
        steps = [(1, odd - 1), (1, odd + 1)]
    pairs = set()
    for down, right in steps:
        fits = (row + down < cells.shape[0]) & (column + right >= 0) & (column + right < cells.shape[1])
        one, other = cells[fits], cells[(row + down)[fits], (column + right)[fits]]
        both = known[one] & known[other] & (one != other)
        pairs |= set(zip(one[both].tolist(), other[both].tolist(), strict=True))
    return np.array(sorted(pairs), np.int64).reshape(-1, 2)


def beside(pairs: Array, placed: Array) -> Array:
    """int64[placed, most neighbours]: the genes beside each, -1 at the end."""
    near: dict[int, list[int]] = {gene: [] for gene in placed.tolist()}
    for one, other in pairs.tolist():
        near[one].append(other)
        near[other].append(one)
    table = np.full((len(placed), max(1, *(len(around) for around in near.values()))), -1)
    for place, around in enumerate(near.values()):
        table[place, : len(around)] = around
    return table


def middle(cells: Array, placed: Array) -> Array:
    """int64: those of the genes in the middle half of rows and columns; all where none is."""
    rows, columns = cells.shape
    inner = cells[rows // 4 : rows - rows // 4, columns // 4 : columns - columns // 4]
    genes = np.intersect1d(inner, placed)
    return genes if len(genes) else placed


def regions(cells: Array, placed: Array, total: int, starts: Array, numbers: Array) -> Array:
    """float32[total values of all genes, features]: summed over genes, the mean of some numbers in each of three times
    three parts of the map, and in its middle. numbers: float64[values, …] of every value of a placed gene."""
    rows = np.array_split(np.arange(cells.shape[0]), min(3, cells.shape[0]))
    columns = np.array_split(np.arange(cells.shape[1]), 3 if cells.shape[0] > 1 else 9)
    parts = [np.intersect1d(cells[np.ix_(row, column)], placed) for row in rows for column in columns]
    parts = [part for part in [*parts, middle(cells, placed)] if len(part)]
    return means_of(parts, total, starts, numbers)


def means_of(parts: list[Array], total: int, starts: Array, numbers: Array) -> Array:
    """float32[total, parts · numbers]: summed over genes, the mean of some numbers over the genes of each part."""
    table = np.zeros((total, len(parts), numbers.shape[1]), np.float32)
    for number, part in enumerate(parts):
        for value in range(len(numbers)):
            table[starts[part] + value, number] = numbers[value] / len(part)
    return table.reshape(total, -1)


def rings(cells: Array, placed: Array, total: int, starts: Array, numbers: Array) -> Array:
    """The same for all that is equally far from the middle of the map, counted as a king walks."""
    rows, columns = np.indices(cells.shape)
    far = np.maximum(np.abs(2 * rows - len(cells) + 1), np.abs(2 * columns - len(cells[0]) + 1)) // 2
    parts = [np.intersect1d(cells[far == ring], placed) for ring in np.unique(far)]
    return means_of([part for part in parts if len(part)], total, starts, numbers)


def genome_numbers(cells: Array, values: Array, starts: Array, few: int, genes: Array) -> tuple[Array, Array, int]:
    """Some genes as numbers whose squared distance counts those that differ: for every value of every gene,
    int64[values, 2] the numbers that it says and float32[values, 2] what they then are; and how many numbers there are.

    Values of a gene with `few` of them are kinds, any two equally far apart; those of others are near to their
    neighbours, or places on the map.
    """
    total, count = int(values.sum()), 0
    places, amounts = np.full((total, 2), -1), np.zeros((total, 2), np.float32)
    for start, kinds in zip(starts[genes].tolist(), values[genes].tolist(), strict=True):
        rows = slice(start, start + kinds)
        if kinds == 2:
            places[start + 1, 0], amounts[start + 1, 0] = count, 1.0
            count += 1
        elif 2 < kinds <= few:
            places[rows, 0], amounts[rows, 0] = count + np.arange(kinds), np.sqrt(0.5)
            count += kinds
        elif kinds == cells.size and cells.shape[0] > 1:  # a place on the map
            places[rows] = count, count + 1
            amounts[rows, 0], amounts[rows, 1] = np.divmod(np.arange(kinds), cells.shape[1])
            amounts[rows] /= cells.shape
            count += 2
        elif kinds > few:
            places[rows, 0], amounts[rows, 0] = count, np.arange(kinds) / (kinds - 1)
            count += 1
    return places, amounts, count


def group_shares(values: Array, starts: Array, few: int, genes: Array) -> Array:
    """float32[values of all genes, features]: summed over genes, the share of every value among some genes with as many
    values, or where these are not few their mean."""
    columns: list[Array] = []
    for kinds in np.unique(values[genes]):
        group = genes[values[genes] == kinds]
        amounts = np.eye(kinds) if 1 < kinds <= few else np.arange(kinds)[:, None] / max(kinds - 1, 1)
        column = np.zeros((int(values.sum()), amounts.shape[1]), np.float32)
        for value in range(kinds):
            column[starts[group] + value] = amounts[value] / len(group)
        columns.append(column)
    return np.concatenate(columns, axis=1) if columns else np.zeros((int(values.sum()), 0), np.float32)


# ---------------------------------------------------------------- what a game does not say


def _uniform(
    form: Form, base: dict[str, Any], with_genes: Callable[..., Any], start: Array, placed: Array, value: int
) -> Array:
    """The drawn layer of a map on which all placed genes have one value."""
    genome = start.copy()
    genome[placed] = value
    return np.asarray(form.grid_of(with_genes(base, genome)).layers[form.drawn])


def tiles(
    form: Form,
    base: dict[str, Any],
    start: Array,
    with_genes: Callable[..., Any],
    cells: Array,
    placed: Array,
    count: int,
) -> list[Array]:
    """For every value, int64[tiles]: how many placed cells are each tile where all genes have that value."""
    there = np.isin(cells, placed)
    width = len(form.layers[form.drawn])
    drawn = [_uniform(form, base, with_genes, start, placed, value) for value in range(count)]
    return [np.bincount(layer[there].astype(np.int64), minlength=width) for layer in drawn]


def cells_by_trying(
    form: Form, base: dict[str, Any], genes: Callable[..., Any], with_genes: Callable[..., Any]
) -> Array:
    """The gene of each cell: the one that changes what is drawn there, and as little else as any."""
    start = np.asarray(genes(base), np.int64)
    drawn = form.grid_of(base).layers[form.drawn]
    gene_at, fewest = np.full(drawn.shape, -1), np.full(drawn.shape, drawn.size + 1)
    for gene in range(min(len(start), MOST_TRIED)):
        for value in (0, 1):  # one of them is another than it has
            if start[gene] == value:
                continue
            changed = start.copy()
            changed[gene] = value
            try:
                other = form.grid_of(with_genes(base, changed)).layers[form.drawn]
            except ValueError:  # a gene of one value
                continue
            differs = other != drawn if other.shape == drawn.shape else np.zeros(drawn.shape, np.bool_)
            better = differs & (differs.sum() < fewest)
            gene_at[better], fewest[better] = gene, differs.sum()
            break
    return gene_at
