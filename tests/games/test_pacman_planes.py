"""Pac-Man as learners see it: every plane against the map file and a breadth-first search; mazes of three sizes."""

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.games.pacman import mazes
from turnsmith.games.pacman.maps import check, find, reached
from turnsmith.games.pacman.sight import NEAR, PLANES


def seen(position):
    game, board = position.game, position.board.joint
    out = np.full((len(PLANES), *game.plane_shape(position.board)), 77, np.uint8)
    game.planes(position.board, position.state, position.mover, out)
    places = {name: {(int(x), int(y)) for y, x in np.argwhere(plane)} for name, plane in zip(PLANES, out, strict=True)}
    return dict(zip(PLANES, out, strict=True)), places, board


def cells(board, numbers):
    return {(int(board.x[cell]), int(board.y[cell])) for cell in numbers}


def nearest(rows, targets):
    """How near every place is to the nearest of some, as the planes say it."""
    steps = [reached(rows, target) for target in targets]
    return {
        (x, y): max((NEAR - one.get((x, y), NEAR) for one in steps), default=0)
        for y, row in enumerate(rows)
        for x in range(len(row))
    }


def test_planes_show_the_map_the_units_and_what_is_open():
    game, rows = ts.load("pacman:map=tiny,moves=unit"), find("tiny").rows
    random, position = np.random.default_rng(4), game.start(0)
    for _ in range(25):
        planes, places, board = seen(position)
        state = position.state
        pacmans, ghosts = (cells(board, team) for team in (state.pacman[: state.pacmans], state.ghost[: state.ghosts]))
        dots = cells(board, [c for c in range(board.cells) if state.dots[c >> 6] >> np.uint64(c & 63) & np.uint64(1)])
        assert (places["pacmans"], places["ghosts"], places["dots"]) == (pacmans, ghosts, dots)
        assert places["walls"] == {(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "#"}
        own = state.pacman if position.mover == 0 else state.ghost
        assert places["decides"] == cells(board, own[int(state.decided) : int(state.decided) + 1])
        assert len(places["going"]) == state.decided
        assert (planes["is_pacmans"] == (position.mover == 0)).all()
        assert (planes["eaten"] == 255 * int(state.eaten) // int(state.eaten + state.left)).all()
        for name, targets in {"near_pacman": pacmans, "near_ghost": ghosts, "near_dot": dots}.items():
            wanted = nearest(rows, targets)
            assert all(planes[name][y, x] == near for (x, y), near in wanted.items()), name
        piece = int(random.choice(position.actions))
        going = cells(board, [board.near[own[int(state.decided)], piece]])
        again = int(state.decided) == 0 and game.joint.units(board, state) == 2
        position.push(piece)
        assert not again or seen(position)[1]["going"] == going
    assert seen(position)[0]["turns_left"].max() < seen(game.start(0))[0]["turns_left"].min()


@pytest.mark.parametrize("size", mazes.SIZES)
def test_mazes_of_a_size_are_maps_without_dead_ends(size):
    wide, high, ghosts, _ = mazes.SIZES[size]
    found = [mazes.sized(size, seed).rows for seed in range(40)]
    assert len(set(found)) == 40
    assert found[7] == mazes.sized(size, 7).rows
    for rows in found:
        free = set(check(rows, size))
        assert (len(rows), {len(row) for row in rows}) == (high, {wide})
        assert ("".join(rows).count("P"), "".join(rows).count("G")) == (2, ghosts)
        assert all(sum((x + dx, y + dy) in free for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))) > 1 for x, y in free)
    assert ts.load(f"pacman:map={size}").describe(3) != ts.load(f"pacman:map={size}").describe(4)
