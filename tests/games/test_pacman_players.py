"""The players of Pac-Man: the arcade's ghosts in every detail, fuzzy rules, scripts."""

import pytest
from test_pacman import cells, drawn  # noqa: F401  (a fixture)

import turnsmith as ts
from turnsmith.arena.statistics import mean_interval
from turnsmith.common.errors import BadInput
from turnsmith.games.pacman.ghosts import is_new_mode, is_scattering
from turnsmith.games.pacman.rules import LETTERS, TEN
from turnsmith.studies.pacman.trainings import FAIR

OPEN = "........."
CHANGES = [10, 94, 104, 188, 198]
"""Turns of the ghosts on which their mode changes."""


def after_standing(position, turns, ways=None):
    """Let `turns` turns pass in which nobody moves, then the pacmans make a move."""
    for _ in range(turns):
        for units in (position.state.pacmans, position.state.ghosts):
            position.push("n" * int(units))
    return position.push(ways or "n" * int(position.state.pacmans))


def answer(position, text="original-ghosts"):
    return ts.player(text, position.game).act(position).words


def test_modes_come_in_three_waves():
    """Ten turns of scattering and 84 of chasing, three times, then chasing for good."""
    scattering = [turn for turn in range(400) if is_scattering(2 * turn + 1)]
    assert scattering == [*range(10), *range(94, 104), *range(188, 198)]
    assert [turn for turn in range(400) if is_new_mode(2 * turn + 1)] == CHANGES


def test_every_ghost_that_can_turns_round_when_the_mode_changes():
    """In games on every map, at each change of mode, a ghost goes back unless a wall or another ghost bars the way."""
    turned = changes = 0
    for seed in range(len(TEN)):
        match = ts.play("pacman:map=ten", ["fuzzy", "original-ghosts"], seed=seed)
        for position, action in zip(match.positions(), match.actions, strict=False):
            board, state = position.board, position.state
            if state.ply not in [2 * turn + 1 for turn in CHANGES]:
                continue
            ways = [LETTERS.index(way[-1]) for way in position.words(action).split()]
            ghosts = [int(cell) for cell in state.ghost[: state.ghosts]]
            taken = [int(board.near[cell, way]) for cell, way in zip(ghosts, ways, strict=True)]
            for cell, way, facing in zip(ghosts, ways, state.ghost_facing, strict=False):
                back = (int(facing) + 2) % 4
                turned += way == back
                assert way == back or board.near[cell, back] in (-1, *taken)
            changes += 1
    assert turned == 4 * changes > 80


def test_ghosts_scatter_to_their_corners_then_chase(drawn):  # noqa: F811
    """Blinky first goes up and right whatever the pacman does; then down after it, for he may not turn round."""
    rows = ["###########", "#.........#", "#....G....#", "#P........#", "###########"]
    assert answer(drawn(*rows, t_max=99).push("n")) == "1d"
    assert answer(after_standing(drawn(*rows, t_max=99), 11)) == "1s"


def test_equally_near_steps_go_up_before_left(drawn):  # noqa: F811
    """A ghost diagonal to its target goes up rather than left."""
    rows = ["###########", "#......P..#", "#.........#", "#........G#", "#.........#", "###########"]
    assert answer(after_standing(drawn(*rows, t_max=99), 11)) == "1w"


def test_pinky_goes_for_four_cells_ahead(drawn):  # noqa: F811
    """With the pacman looking left, Pinky's target lies to its left; once it looks right, to its right."""
    rows = [OPEN, OPEN, "....P....", OPEN, OPEN, OPEN, OPEN, "G...G....", OPEN]
    looking_left = after_standing(drawn(*rows, t_max=99), 11)
    assert answer(looking_left).split()[1] in ("2w", "2a")
    rows[2] = "...P....."
    looking_right = after_standing(drawn(*rows, t_max=99), 11, "d")
    assert answer(looking_right).split()[1] == "2w"


def test_clyde_is_shy_and_the_flag_turns_him_round(drawn):  # noqa: F811
    """Three cells from the pacman Clyde leaves for the lower left corner; inverted, he chases."""
    walls, empty = "#" * 24, "#" + "." * 22 + "#"
    rows = [walls, "#.G.G.G................#", empty, "#.................G..P.#", empty, empty, walls]
    near = after_standing(drawn(*rows, t_max=99), 11)
    assert answer(near).split()[3] == "4a"
    assert answer(near, "original-ghosts:inverted_clyde=true").split()[3] == "4w"


def test_ghosts_neither_turn_round_nor_stand_unless_forced(drawn):  # noqa: F811
    """In an alley a ghost goes on though its target is behind it; in a dead end it comes back."""
    position = after_standing(drawn("#....G..P..#", t_max=99), 11).push("a").push("n")
    assert answer(position) == "1a"
    position.push("a").push("n").push("a").push("n").push("a").push("n")
    assert cells(position, "ghost") == ["b1"]
    assert answer(position) == "1d"


def test_ghosts_never_share_a_cell_and_finish_games():
    """Every decision of theirs is legal through whole games, on every map, with one to five of them."""
    for ghosts in (1, 3, 5):
        game = ts.load(f"pacman:map=ten,ghosts={ghosts}")
        table = ts.arena(game, ["original-ghosts", "fuzzy"], games=20, seed=ghosts)
        assert not table.reasons


def test_original_ghosts_beat_random_ones():
    """Fuzzy pacmans eat nearly all against random ghosts, and clearly less against the arcade's."""

    def eaten(ghosts):
        table = ts.arena("pacman:map=ten", ["fuzzy", ghosts], games=40, seed=1)
        return table.returns[table.seating[:, 0] == 0, 0].mean()

    assert eaten("random") > 0.9
    assert eaten("original-ghosts") < 0.8


def test_scripts_are_followed(drawn):  # noqa: F811
    """A script gives the letters of each turn; afterwards units stand; what is illegal is refused."""
    game = drawn("P....", ".....", "....G", t_max=8).game
    match = ts.play(game, ["scripted:moves=d/s", "scripted:moves=w"])
    words = [position.words(action) for position, action in zip(match.positions(), match.actions, strict=False)]
    assert words == ["1d", "1w", "1s", "1n", "1n", "1n", "1n", "1n"]
    with pytest.raises(BadInput, match="cannot go w: there is a wall"):
        ts.play(game, ["scripted:moves=w", "random"])


def test_fuzzy_pacmans_go_for_dots(drawn):  # noqa: F811
    """Pacmans by fuzzy rules go for the nearest dot when no ghost is near."""
    position = drawn(".   P...........G")
    position.push(answer(position, "fuzzy"))
    assert cells(position, "pacman") == ["f1"]


def test_the_ten_starts_are_fair():
    """Self-play at depth 2 leaves the pacmans 0.2 to 0.6 of the dots on every shipped start."""
    for name in TEN:
        player = "negamax:depth=2,evaluation=voronoi"
        _, low, high = mean_interval(ts.arena(f"pacman:map={name}", [player, player], games=12, seed=1).returns[:, 0])
        assert low <= FAIR[1], name
        assert high >= FAIR[0], name


def test_junction_search_avoids_the_alley_with_a_ghost(drawn):  # noqa: F811
    """At a fork it sends the pacman away from the ghost, and whole games of it are legal."""
    rows = ["###########", "#G..P.....#", "#.###.###.#", "#.........#", "###########"]
    assert answer(drawn(*rows, t_max=99), "junctions") == "1d"
    assert not ts.arena("pacman:map=small,pacmans=3", ["junctions:simulations=20", "random"], games=4).reasons
