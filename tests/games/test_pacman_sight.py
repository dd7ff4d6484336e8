"""Pac-Man's numbers for small nets: against a breadth-first search on the map, and alike on boards of all sizes."""

import numpy as np

import turnsmith as ts
from turnsmith.compile.kernel import interpreted
from turnsmith.games.pacman.maps import STEPS, find, reached
from turnsmith.play.observe import observer

WAYS = ("up", "left", "down", "right", "stay")


def seen(position):
    """What the mover sees, by name."""
    names = position.game.feature_names(position.board)
    out = np.full(len(names), 77.0, np.float32)
    interpreted(position.game.features)(position.board, position.state, position.mover, out)
    return dict(zip(names, out.tolist(), strict=True))


def situation(position):
    """Pacmans, ghosts and dots as places, those that have decided where they go; and who decides."""
    board, state = position.board.joint, position.state
    place = {cell: (int(board.x[cell]), int(board.y[cell])) for cell in range(board.cells)}
    pacmans, ghosts = [place[c] for c in state.pacman[: state.pacmans]], [place[c] for c in state.ghost[: state.ghosts]]
    dots = {place[c] for c in range(board.cells) if state.dots[c >> 6] >> np.uint64(c & 63) & np.uint64(1)}
    team, decided = (pacmans, ghosts)[position.mover], int(state.decided)
    for unit in range(decided):
        way = int(state.chosen) // 5 ** (decided - 1 - unit) % 5
        team[unit] = stepped(team[unit], way)
    return pacmans, ghosts, dots, team, decided


def stepped(place, way):
    dx, dy = (*STEPS, (0, 0))[way]
    return place[0] + dx, place[1] + dy


def first_at(steps, ghosts, place):
    return all(steps[place] < ghost[place] for ghost in ghosts)


def check_each(told, rows, free, pacmans, ghosts, caught):
    """What is told of every pacman that is not caught, the most cramped first."""
    chasing, found = [reached(rows, ghost) for ghost in ghosts], []
    for pacman in pacmans:
        if pacman in caught:
            continue
        steps = reached(rows, pacman)
        own = [place for place in free if first_at(steps, chasing, place)]
        found.append((len(own), own, steps))
    found.sort(key=lambda each: each[0])
    for name, (room, own, steps) in zip(("most cramped", "next"), found, strict=False):
        assert np.isclose(told[f"{name} room"], room / len(free))
        if len({each[0] for each in found}) == len(found):  # else either may be the first
            crossroads = [place for place in own if sum(stepped(place, way) in free for way in range(4)) >= 3]
            assert np.isclose(told[f"{name} escapes"], min(len(crossroads), 4) / 4)
            assert np.isclose(told[f"{name} near_ghost"], 1 / (1 + min(steps[ghost] for ghost in ghosts)))
    assert [told[f"{name} lives"] for name in ("most cramped", "next")] == [len(found) > 0, len(found) > 1]


def test_numbers_of_ways_are_what_a_search_on_the_map_finds():
    rows = find("tiny").rows
    position, random = ts.load("pacman:map=tiny,moves=unit").start(0), np.random.default_rng(5)
    free = reached(rows, situation(position)[0][0])
    kinds, watcher = set(), observer(position.game, position.boards, "features")
    for _ in range(30):
        told, (pacmans, ghosts, dots, team, decided) = seen(position), situation(position)
        compiled = watcher.see(position.boards, position.view(position.mover), position.mover)
        assert np.allclose(compiled, list(told.values()))
        side = ("pacman", "ghost")[position.mover]
        kinds.add((side, decided))
        caught = set(team[:decided]) & set(ghosts if side == "pacman" else pacmans)
        check_each(told, rows, free, pacmans, ghosts, caught)
        for way, name in enumerate(WAYS):
            to, is_open = stepped(team[decided], way), told[f"{side} {name} open"] == 1.0
            assert is_open == (to in free and to not in team[:decided])
            assert told[f"{('ghost', 'pacman')[position.mover]} {name} open"] == 0.0
            if not is_open:
                continue
            steps = reached(rows, to)
            if side == "pacman":
                chasing = [reached(rows, ghost) for ghost in ghosts]
                room = sum(first_at(steps, chasing, place) for place in free)
                nearest = min(steps[ghost] for ghost in ghosts)
                assert np.isclose(told[f"pacman {name} room"], room / len(free))
                assert np.isclose(told[f"pacman {name} near_ghost"], 1 / (1 + nearest))
                eaten_before = {place for place in team[:decided] if place not in ghosts}
                assert told[f"pacman {name} eats"] == (to in dots - eaten_before and to not in ghosts)
                left = min((steps[place] for place in dots - eaten_before), default=255)
                assert np.isclose(told[f"pacman {name} near_dot"], 1 / (1 + left))
            else:
                there = [place for place in pacmans if place not in team[:decided]]
                chasing = [reached(rows, to), *(reached(rows, g) for at, g in enumerate(ghosts) if at != decided)]
                won = [p for p in free if any(first_at(reached(rows, pacman), chasing, p) for pacman in there)]
                assert np.isclose(told[f"ghost {name} won_cells"], len(won) / len(free))
                assert np.isclose(told[f"ghost {name} won_dots"], len(set(won) & dots) / 80)
                assert told[f"ghost {name} catches"] == (to in there)
        position.push(int(random.choice(position.actions)))
        if position.outcome is not None:
            break
    assert kinds == {("pacman", 0), ("pacman", 1), ("ghost", 0), ("ghost", 1)}


def test_numbers_are_as_many_on_every_map_and_small():
    for text in ("pacman:map=tiny,moves=unit", "pacman:map=open-corners,pacmans=5,ghosts=5", "pacman:map=13x15"):
        game = ts.load(text)
        position, random = game.start(3), np.random.default_rng(1)
        while position.outcome is None and int(position.state.ply) < 12:
            told = seen(position)
            assert all(0.0 <= number <= 8.0 for number in told.values())
            position.push(int(random.choice(position.actions)))
