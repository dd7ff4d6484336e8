"""Pac-Man: the rulings on drawn positions, maps and their errors, starts by chance, unit by unit."""

import itertools
import re

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.games.pacman.maps import shipped
from turnsmith.games.pacman.rules import TEN, cell_name
from turnsmith.play.step import perft


@pytest.fixture
def drawn(tmp_path):
    """A function that starts a game on drawn rows."""

    def start(*rows, options="", t_max=20):
        file = tmp_path / "drawn.txt"
        size = f"{len(rows[0])} x {len(rows)}"
        file.write_text("\n".join(["id: drawn", "description: for a test", f"size: {size}", f"t_max: {t_max}", *rows]))
        return ts.load(f"pacman:map={file}{options}").start()

    return start


def cells(position, team):
    """Where a team stands: names like c2, in order."""
    state = position.state
    count = state.pacmans if team == "pacman" else state.ghosts
    return [cell_name(position.board, int(cell)) for cell in state[team][:count]]


def test_dots_lie_on_every_free_cell_but_the_pacmans_starts(drawn):
    """Ghosts start on dots, blanks have none, and a game begins with nothing eaten."""
    position = drawn("P. .G")
    assert (position.state.left, position.state.eaten) == (3, 0)
    assert position.mover == 0


def test_pacmans_eat_and_ghosts_leave_dots_alone(drawn):
    """A pacman that enters a dot eats it; a ghost walks over them."""
    position = drawn("P...#...G", "....#....", ".........").push("d")
    assert (position.state.eaten, position.state.left) == (1, 23)
    position.push("a")
    assert (position.state.eaten, position.state.left) == (1, 23)
    assert cells(position, "pacman") == ["b1"]
    assert cells(position, "ghost") == ["h1"]


def test_a_wall_is_no_way(drawn):
    """Only open ways and staying are legal, and a refusal says where the wall is."""
    position = drawn("#####", "#P.G#", "#####")
    assert position.legal == ("1d", "1n")
    with pytest.raises(BadInput, match="unit 1 on b2 cannot go w: there is a wall"):
        position.push("w")


def test_a_ghost_that_enters_a_pacmans_cell_removes_it(drawn):
    """Caught by a ghost's move: the game is over and what was eaten counts."""
    position = drawn("P.G..").push("d")
    assert cells(position, "pacman") == ["b1"]
    position.push("a")
    assert position.outcome.returns == (0.25, -0.25)
    assert position.outcome.ending == "no pacman is left; 1 of 4 dots eaten"


def test_a_pacman_that_enters_a_ghosts_cell_is_gone_and_eats_nothing(drawn):
    """Walking into a ghost removes the pacman, and the dot under the ghost stays."""
    position = drawn("PG...").push("d")
    assert position.outcome.returns == (0.0, 0.0)
    assert position.state.left == 4


def test_the_other_pacman_plays_on(drawn):
    """A team goes on without the one that was caught, and is numbered anew."""
    position = drawn("PG..", "....", "P...").push("1d 2n")
    assert position.outcome is None
    position.push("n")
    assert all(len(words.split()) == 1 for words in position.legal)


def test_teams_cannot_pass_through_each_other(drawn):
    """A pacman beside a ghost that steps towards it meets it: there is no swapping between teams."""
    position = drawn("P.G..").push("n").push("a")
    assert cells(position, "ghost") == ["b1"]
    assert position.legal == ("1d", "1n")
    assert position.push("d").outcome.ending.startswith("no pacman is left")


def test_targets_of_a_team_are_distinct_but_swapping_and_following_are_legal(drawn):
    """Two units never end on one cell; they may swap, follow, or go round in a ring."""
    position = drawn("PP..G")
    assert set(position.legal) == {"1d 2a", "1d 2d", "1n 2d", "1n 2n"}
    ring = drawn("PP#", "PP.", "##G")
    assert "1d 2w 3s 4a" in ring.legal
    with pytest.raises(BadInput, match="would leave two units on one cell"):
        position.push("dn")


def test_distinct_targets_are_judged_before_deaths(drawn):
    """Two pacmans may not run into the same ghost, though both would be gone."""
    position = drawn("P.P", ".G.", "...")
    position.push("1s 2s")
    assert cells(position, "pacman") == ["a2", "c2"]
    position.push("n")
    assert "1d 2a" not in position.legal
    assert "1d 2n" in position.legal


def test_two_pacmans_can_be_caught_by_one_move(drawn):
    """Every ghost that enters a pacman's cell removes it."""
    position = drawn("P.GG.P", "......").push("1d 2a")
    position.push("1a 2d")
    assert position.outcome.ending == "no pacman is left; 2 of 10 dots eaten"


def test_no_dot_left_ends_it(drawn):
    """All eaten, the one under the ghost too, is a return of one."""
    position = drawn("P G ").push("n").push("d")
    position.push("d").push("n")
    assert position.outcome is None
    position.push("d")
    assert position.outcome.returns == (1.0, -1.0)
    assert position.outcome.ending == "no dot is left; 1 of 1 dot eaten"


def test_t_max_ends_it(drawn):
    """After so many plies it is over, whatever is left."""
    position = drawn("P....G", t_max=3).push("d").push("n")
    assert position.outcome is None
    assert position.push("d").outcome.ending == "3 plies are over; 2 of 5 dots eaten"


def test_letters_alone_are_moves(drawn):
    """`da` is `1d 2a`, with or without a space, and the words stay the same."""
    for text in ("dn", "d n", "1d 2n", "1d2n"):
        position = drawn("P....", "P...G")
        assert position.words(position.parse(text)) == "1d 2n"
    with pytest.raises(BadInput, match="give a letter for each of 2 units"):
        position.push("d")


def test_moves_are_one_number_the_first_unit_most_significant():
    """A prefix of a move's words is a contiguous range of the legal actions."""
    position = ts.load("pacman").start().push("ad")
    words = position.legal
    for length in (1, 2, 3):
        starts = [tuple(text.split()[:length]) for text in words]
        assert len(list(itertools.groupby(starts))) == len(set(starts))


def test_perft_counts_what_units_can_do_on_their_own(drawn):
    """On an empty field the joint moves are those of the units, less those that end on one cell."""
    position = drawn("P....", ".....", "....G", "....G")
    assert len(position.actions) == 3
    ghosts = len(position.push("n").actions)
    ways = [("e3", "d3", "e2", "e4"), ("e4", "d4", "e3")]  # where either ghost can go
    assert ghosts == sum(a != b for a in ways[0] for b in ways[1])


def test_unit_by_unit_is_the_same_game():
    """The positions after both teams' moves are as many unit by unit as at once, and they are the same ones."""
    at_once, one_by_one = ts.load("pacman:map=tiny"), ts.load("pacman:map=tiny,moves=unit")

    def leaves(game, plies):
        boards = game.board()
        states = np.zeros(plies + 1, game.State)
        position = game.start()
        states[0] = position.state
        return compiled(perft)(game, boards, states, plies, np.zeros((plies + 1, int(boards[0].actions)), np.int32))

    assert leaves(at_once, 2) == leaves(one_by_one, 4)
    assert leaves(at_once, 4) == leaves(one_by_one, 8)


def test_unit_by_unit_never_leaves_a_team_without_a_move(drawn):
    """In a dead end the first unit may only push as far as the last one can make room."""
    position = drawn("PPP..G", options=",moves=unit")
    position.push("1d").push("2d")
    assert position.legal == ("3d",)
    stuck = drawn("PP#G", ".##.", "....", options=",moves=unit")
    assert stuck.push("1d").legal == ("2a",)


def test_luck_can_choose_the_starts():
    """Random starts are drawn by chance: distinct cells, ghosts apart from the pacmans, no dot under a pacman."""
    game = ts.load("pacman:map=small,start=random")
    seen = set()
    for seed in range(5):
        position = game.start(seed)
        board, state = position.board, position.state
        standing = [*state.pacman[:2], *state.ghost[:4]]
        assert len(set(standing)) == 6
        assert min(board.dist[p, g] for p in standing[:2] for g in standing[2:]) >= 8
        assert state.left == int(board.cells) - 2
        seen.add(tuple(standing))
    assert len(seen) == 5


def test_any_number_of_units(drawn):
    """Spare starts of a map become dots; missing ones start beside their team."""
    one = drawn("P...P", ".....", "G...G", options=",pacmans=1,ghosts=1")
    assert (one.state.pacmans, one.state.ghosts, one.state.left) == (1, 1, 14)
    many = drawn("P....", ".....", "....G", options=",pacmans=3,ghosts=5")
    assert cells(many, "pacman") == ["a1", "a2", "b1"]
    assert (many.state.ghosts, many.state.left) == (5, 12)
    with pytest.raises(BadInput, match="pacmans=6 must be 0 to 5"):
        ts.load("pacman:pacmans=6")


def test_the_ten_games_come_by_seed():
    """`map=ten` plays all ten of 17 x 20, which are shipped beside small ones."""
    game = ts.load("pacman:map=ten")
    assert {game.describe(seed)["map"] for seed in range(10)} == set(TEN)
    for name in TEN:
        board = ts.load(f"pacman:map={name}").board()[0]
        assert (board.width, board.height, board.t_max, board.pacmans, board.ghosts) == (17, 20, 575, 2, 4)
    assert set(shipped()) == {*TEN, "small", "tiny"}


BROKEN = {
    "row 2, column 3: 'x' is no sign of a map": ("P..", "..x", "..G"),
    "row 1, column 5: this dot cannot be reached from row 1, column 1": ("PG.#.", "...##"),
    "row 1, column 5: this ghost cannot be reached": ("P..#G", "...##"),
    "row 2, column 3: the row has 2 signs where the size says 3": ("P..", "..", "..G"),
    "map .* has no pacman; write P": ("...", "..G"),
    "map .* has no ghost; write G": ("...", "..P"),
}


@pytest.mark.parametrize("reason", BROKEN)
def test_a_broken_map_is_refused_with_row_and_column(drawn, reason):
    """The first thing wrong with a map is named, with its place."""
    with pytest.raises(BadInput, match=reason):
        drawn(*BROKEN[reason])


def test_a_broken_header_is_refused(tmp_path):
    """Each line of the header is checked, and a missing map names those there are."""
    good = "id: a\ndescription: b\nsize: 3 x 1\nt_max: 5\nP.G\n"
    file = tmp_path / "a.txt"
    for was, now, reason in [
        ("id: a\n", "", "line 1 must say 'id: …'"),
        ("3 x 1", "3 by 1", "line 3: size '3 by 1' must be columns x rows"),
        ("3 x 1", "3 x 2", "row 2, column 1: there are 1 rows where the size says 2"),
        ("t_max: 5", "t_max: 0", "line 4: t_max '0' must be 1 to 100,000 plies"),
    ]:
        file.write_text(good.replace(was, now))
        with pytest.raises(BadInput, match=re.escape(reason)):
            ts.load(f"pacman:map={file}").start()
    with pytest.raises(BadInput, match=r"there is no map 'clasic-middle' .did you mean 'classic-middle'"):
        ts.load("pacman:map=clasic-middle").start()
    with pytest.raises(BadInput, match=r"there is no map file ./none.txt"):
        ts.load("pacman:map=./none.txt").start()


@pytest.mark.parametrize("options", ["map=ten", "map=tiny,moves=unit,start=random"])
def test_games_keep_the_contract(options):
    """The ten maps, unit by unit and by chance: all pass the public check."""
    assert ts.check(ts.load(f"pacman:{options}"), positions=15, mutations=50).ok
