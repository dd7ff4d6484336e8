"""Maps as genes: round trips, repair, and what the check finds wrong."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnsmith as ts
from turnsmith.check.genes import BACK, BOARDS, MUTATED, PLAYED, RANDOM, RANGE, REFUSED, REPAIRED, check_genes
from turnsmith.check.report import Report
from turnsmith.common.errors import BadInput
from turnsmith.contract.genes import joined
from turnsmith.games.pacman.maps import places
from turnsmith.games.tactics.maps import mirrored, read_rows

TEXTS = ("pacman:map=ten", "pacman:map=tiny", "dicewars", "dicewars:players=7,areas=9", "tactics:size=8", "tactics")
GAMES = {text: ts.load(text) for text in TEXTS}

SMALL = GAMES["dicewars:players=7,areas=9"]


def mutated(game, source, seed, changes):
    """The genes of a source with so many of them changed."""
    dice, values, genes = np.random.default_rng(seed), game.gene_values(source), game.genes(source)
    for place in dice.choice(np.flatnonzero(values > 1), changes):
        genes[place] = (genes[place] + dice.integers(1, values[place])) % values[place]
    return genes


@pytest.mark.parametrize("text", GAMES)
@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=st.integers(0, 99), changes=st.sampled_from([1, 2, 10, 100, 2000]))
def test_any_genes_make_a_board_and_are_repaired_once(text, seed, changes):
    """From one changed gene to noise: a board comes of it, and its genes make the same source again."""
    game = GAMES[text]
    source = game.describe(seed)
    made = game.with_genes(source, mutated(game, source, seed, changes))
    game.build(made)
    repaired = game.genes(made)
    assert (repaired < game.gene_values(source)).all()
    assert game.with_genes(source, repaired) == game.with_genes(made, repaired) == made


@pytest.mark.parametrize("text", GAMES)
def test_a_map_has_the_genes_it_was_made_of(text):
    """The genes of a source give the same source back."""
    game = GAMES[text]
    for seed in range(3):
        source = game.describe(seed)
        assert game.with_genes(source, game.genes(source)) == source


def test_a_mutation_of_a_maze_is_local():
    """One gene changes one place, or moves one unit; a wall that would cut off some floor opens another way."""
    game = GAMES["pacman:map=tiny"]
    source = game.describe()
    rows, genes = source["rows"], game.genes(source)

    def drawn(changed):
        return game.with_genes(source, changed)["rows"]

    wall = genes.copy()
    wall[1 * 9 + 4] = 0
    assert drawn(wall) == [rows[0], "#G..#...#", *rows[2:]]
    away = genes.copy()
    away[90] = 7 * 9 + 5  # the first pacman
    assert places(drawn(away), "P") == [(4, 5), (5, 7)]
    cut = genes.copy()
    cut[[1 * 9 + 2, 2 * 9 + 1]] = 0  # around a corner
    freed = drawn(cut)
    assert game.build({**source, "rows": freed})[0].cells >= 42
    assert freed[1][2] == "." or freed[2][1] == "."


def test_a_maze_too_large_or_without_floor_is_mended(tmp_path):
    """Of too much floor what lies around the first pacman is left; where all is wall, every unit gets a place."""
    file = tmp_path / "large.txt"
    row = "P" + "." * 27 + "G"
    rows = [row, *["#" * 28 + "." if n % 2 else "." * 29 for n in range(15)], row.replace("P", ".").replace("G", ".")]
    size = f"{len(row)} x {len(rows)}"
    file.write_text(f"id: large\ndescription: much\nsize: {size}\nt_max: 9\n" + "\n".join(rows) + "\n")
    game = ts.load(f"pacman:map={file}")
    source = game.describe()
    genes = game.genes(source)
    wide_open, closed = genes.copy(), genes.copy()
    wide_open[:-2], closed[:-2] = 1, 0
    assert game.build(game.with_genes(source, wide_open))[0].cells <= 512
    assert game.build(game.with_genes(source, closed))[0].cells == 2
    snake = genes.copy()  # ways of over 254 steps
    grid = snake[:-2].reshape(len(rows), len(row))
    grid[:] = 1
    grid[1::4, 1:] = grid[3::4, :-1] = 0
    assert game.build(game.with_genes(source, snake))[0].dist.max() <= 254


def test_a_map_of_dice_wars_hangs_together():
    """An area that loses all its land keeps a hex, land that is cut off is joined again, and everybody owns an area."""
    game = GAMES["dicewars"]
    source = game.describe(2)
    genes = game.genes(source)
    grid = "".join(source["map"])
    genes[[place for place, sign in enumerate(grid) if sign in "ABC"]] = 0
    genes[896 : 896 + 29] = 3
    made = game.with_genes(source, genes)
    board = game.build(made)[0]
    assert set("ABC") <= set("".join(made["map"]))
    assert set(made["owners"]) == set("0123")
    assert board.beside[:29].all()
    left, reached = {0}, {0}
    while left:
        near = int(board.beside[left.pop()])
        new = {area for area in range(29) if near >> area & 1} - reached
        left, reached = left | new, reached | new
    assert len(reached) == 29


def test_wrong_genes_are_refused():
    """One line says whether the number of genes or which gene is wrong."""
    game = GAMES["dicewars"]
    source = game.describe()
    genes = game.genes(source).tolist()
    for wrong, reason in [
        (genes[:-1], "there are 953 genes; this map has 954"),
        ([2, *genes[1:]], "gene 0 is 2; it must be 0 to 1"),
        ([0.5, *genes[1:]], "genes are a list of whole numbers"),
        ("x", "genes are a list of whole numbers, not x"),
        ([[1], [2, 3]], "genes are a list of whole numbers"),
    ]:
        with pytest.raises(BadInput, match=reason):
            game.with_genes(source, wrong)


def test_joined_opens_the_fewest_cells():
    """On a line of cells, those between free ones are opened, none beyond."""
    near = [[cell for cell in (place - 1, place + 1) if 0 <= cell < 8] for place in range(8)]
    assert joined([False, True, False, False, True, True, False, False], near, 4) == [2, 3]


def test_some_of_the_functions_are_not_enough():
    """A game has genes, gene_values and with_genes, or none of them."""
    with pytest.raises(
        BadInput, match="pacman has some of genes, gene_values and with_genes; write all three, or none"
    ):
        dataclasses.replace(GAMES["pacman:map=tiny"], genes=None)


def faults(**changed):
    report = Report("a game", 0)
    check_genes(report, dataclasses.replace(SMALL, **changed))
    return {result.name: result.failures[0] for result in report.laws if result.failed}


def test_the_check_finds_out_wrong_genes():
    """Each law of genes is broken by something, and counted on what keeps it."""
    game = SMALL
    report = Report("a game", 0)
    check_genes(report, game)
    tried = BOARDS * (RANDOM + MUTATED)
    counts = {RANGE: BOARDS, BACK: BOARDS, REFUSED: BOARDS, REPAIRED: tried, PLAYED: tried}
    assert report.ok
    assert {result.name: result.cases for result in report.laws} == counts

    def unchecked(source, genes):
        return game.with_genes(source, np.clip(np.resize(genes, 896 + 18).astype(int), 0, game.gene_values(source) - 1))

    def spoiled(source, genes):
        made = game.with_genes(source, genes)
        return made if made == source else {**made, "owners": "0" * 9}

    def restless(source, genes):
        made = game.with_genes(source, genes)
        return made if made == source else {**made, "dice": source["dice"][:-1] + str(int(made["dice"][-1]) % 8 + 1)}

    fewer = lambda source: np.minimum(game.gene_values(source), 3)  # noqa: E731
    assert "but has the values 0 to 2" in faults(gene_values=fewer)[RANGE]
    assert "makes another board than the source" in faults(with_genes=lambda s, g: {**s, "dice": "1" * 9})[BACK]
    assert "takes one gene less" in faults(with_genes=unchecked)[REFUSED]
    assert "only 1 of them own an area" in faults(with_genes=spoiled)[PLAYED]
    assert "repaired genes" in faults(with_genes=restless)[REPAIRED]


def walks(heights, side, start):
    """The cells that can be walked to, one level up at a time."""
    found, queue = {start}, [start]
    for cell in queue:
        x, y = cell % side, cell // side
        for a, b in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)):
            other = b * side + a
            inside = 0 <= a < side and 0 <= b < side
            if inside and other not in found and heights[other] <= heights[cell] + 1:
                found.add(other)
                queue.append(other)
    return found


@pytest.mark.parametrize("changes", [1, 20, 5000])
def test_on_a_repaired_map_of_heights_the_squads_meet_and_nobody_is_stuck(changes):
    """One level at a time, every cell leads to both corners; a map that is its own image stays so."""
    game = GAMES["tactics:size=8"]
    for seed in range(5):
        source = game.describe(seed)
        made = game.with_genes(source, mutated(game, source, seed, changes))
        heights = read_rows(made["rows"], "the map")
        assert np.array_equal(heights, heights[mirrored(8, np.arange(64))])
        for cell in range(64):
            assert {0, 63} <= walks(heights, 8, cell)


def test_a_map_of_heights_that_is_no_mirror_image_has_a_gene_a_cell(tmp_path):
    """It comes back as it is, with a pit in it, and one gene changes one cell of it."""
    rows = ["33333333", *["30000000"] * 3, "30000020", "30004000", *["30000000"] * 2]
    (tmp_path / "mine.txt").write_text("\n".join(rows))
    game = ts.load(f"tactics:map={tmp_path / 'mine.txt'}")
    source = game.describe()
    genes = game.genes(source)
    assert len(genes) == 64
    assert game.with_genes(source, genes)["rows"] == rows
    genes[63] = 1
    made = game.with_genes(source, genes)["rows"]
    assert made[7][7] == "1"
    assert walks(read_rows(made, "it"), 8, 63) >= {0, 63}
    assert made[0] == rows[0]
