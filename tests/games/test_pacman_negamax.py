"""Pac-Man's negamax: just what plain minimax finds, whatever helps it on the way."""

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.game import OVER
from turnsmith.games.pacman import evaluation, judge, net
from turnsmith.games.pacman.evaluation import COLUMNS, COUNT, EATEN, GHOST, KINDS, LEFT, NEAREST, PACMAN, SCALE
from turnsmith.games.pacman.survey import survey
from turnsmith.nets.files import read_json
from turnsmith.play import step
from turnsmith.play.player import player
from turnsmith.play.seat import Seat


def seen_by_search(position, map_tables):
    """A position as the search keeps it."""
    state = position.state
    row = np.zeros(COLUMNS, np.int64)
    row[COUNT], row[EATEN], row[LEFT] = state.pacmans, state.eaten, state.left
    for unit in range(state.pacmans):
        row[PACMAN + unit] = state.pacman[unit]
        row[NEAREST + unit] = evaluation.nearest_dot(map_tables, state.dots, int(state.pacman[unit]))
    row[GHOST : GHOST + state.ghosts] = state.ghost[: state.ghosts]
    return row


SEARCHES = [*(f"negamax:evaluation={kind}" for kind in KINDS), "learned:table=0"]


def weights_of(position, kind):
    """The weights a search uses from a position on."""
    if kind != judge.NET:
        return np.array(evaluation.WEIGHTS[KINDS[kind]])
    side = position.state.ply % 2
    weights = np.array(net.numbers(""))[side * net.NUMBERS :][: net.NUMBERS]
    weights[net.TURNS] = (position.board.t_max - position.state.ply + 1) // 2 // 8 * 8
    return weights


def minimax(position, depth, kind, weights, map_tables):
    """The value of a position for the pacmans by plain minimax, in Python."""
    row = seen_by_search(position, map_tables)
    if position.mover == OVER:
        return judge.final_value(kind, weights, row)
    if depth == 0:
        dots = position.state.dots
        return judge.evaluate(kind, weights, position.board, map_tables, dots, row, position.mover == 1)
    best = max if position.mover == 0 else min
    values = []
    for action in position.actions:
        values.append(minimax(position.push(int(action)), depth - 1, kind, weights, map_tables))
        position.pop()
    return best(values)


def ask(position, text):
    """What a search reports of a position: value for the mover, nodes, depth; and its move."""
    game = position.game
    chosen = player(text, game)
    ready = chosen.prepare(game, position.boards)
    report, memory = np.zeros(3), np.zeros(ready.memory, np.uint8)
    action = compiled(step.ask)(
        game, position.boards, position.view(position.mover), position.actions, chosen.where(game), ready.data, memory,
        ready.params, report, stream(1),
    )  # fmt: skip
    return int(action), report


def moved(text, plies, seed):
    """A position after random moves."""
    position = ts.load(text).start(seed)
    rng = np.random.default_rng(seed)
    while len(position.history) < plies and position.mover != OVER:
        position.push(int(rng.choice(position.actions)))
    return position


PLACES = [
    ("pacman:map=tiny", 6, 3),
    ("pacman:map=tiny", 11, 3),
    ("pacman:map=tiny,t_max=14", 12, 3),
    ("pacman:map=small", 8, 2),
    ("pacman:map=small,pacmans=3", 21, 2),
    ("pacman:map=small,ghosts=1", 31, 3),
]


@pytest.mark.parametrize("kind", range(len(SEARCHES)), ids=[*KINDS, "net"])
@pytest.mark.parametrize(("text", "plies", "depth"), PLACES)
def test_exact_search_finds_the_value_of_plain_minimax(text, plies, depth, kind):
    """Table, ordering, null windows and the fast last ply change nothing, and the move is worth that value."""
    position = moved(text, plies, seed=plies)
    if position.mover == OVER:
        position.pop()
    map_tables = survey(position.boards)[0]
    sign = 1 if position.mover == 0 else -1
    weights = weights_of(position, kind)
    expected = minimax(position, depth, kind, weights, map_tables)
    action, report = ask(position, f"{SEARCHES[kind]},exact=true,depth={depth}")
    dots = int(position.state.eaten + position.state.left)
    assert report[0] == pytest.approx(max(-1.0, min(1.0, sign * expected / SCALE / dots)))
    assert minimax(position.push(action), depth - 1, kind, weights, map_tables) == expected


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=KINDS)
def test_it_tells_the_features_and_what_each_move_is_worth(kind):
    """Features times weights are the estimate; a move's value, or the bound on it, is that of plain minimax."""
    position = moved("pacman:map=tiny", 11, 3)
    weights, map_tables = weights_of(position, kind), survey(position.boards)[0]
    text = f"negamax:evaluation={KINDS[kind]},exact=true,depth=3"
    inspection = Seat(player(text, position.game), position.game, position.boards).explain(position).inspection
    judged = minimax(position, 0, kind, weights, map_tables)
    assert np.dot(list(inspection.inputs.values()), weights) == pytest.approx(judged / SCALE, abs=1 / SCALE)

    score = weights[9] if kind == 0 else weights[5]
    unit = SCALE * score * (position.state.eaten + position.state.left)
    side = 1 if position.mover == 0 else -1
    for choice in inspection.choices:
        value = side * minimax(position.push(choice.words), 2, kind, weights, map_tables) / unit
        position.pop()
        assert (
            choice.score == pytest.approx(value, abs=1e-9) if choice.told == "exactly" else choice.score >= value - 1e-9
        )
    assert {choice.told for choice in inspection.choices} == {"exactly", "at most"}


def test_every_ingredient_can_be_left_out():
    """Without null windows, killers, history or with a tiny table the value is the same, at other cost."""
    position = moved("pacman:map=classic-middle", 40, seed=2)
    value = ask(position, "negamax:exact=true,depth=5")[1][0]
    for without in ("pvs=false", "killers=false", "history=false", "table=4"):
        assert ask(position, f"negamax:exact=true,depth=5,{without}")[1][0] == value


def test_reductions_and_top_look_at_less():
    """Late-move reductions save nodes, and keeping only some moves saves more."""
    position = ts.load("pacman").start()
    nodes = [ask(position, f"negamax:depth=7,{how}")[1][1] for how in ("exact=true", "top=0", "top=12")]
    assert nodes[0] > nodes[1] > nodes[2]


def test_the_table_lets_it_see_each_position_once():
    """Joint moves transpose so much that the table saves most positions at depth 6."""
    position = ts.load("pacman").start()
    tiny, usual = (ask(position, f"negamax:exact=true,depth=6,table={size}")[1][1] for size in (4, 20))
    assert tiny > 4 * usual


def test_limits_hold():
    """A limit of nodes stops it near that many, and depth says how far it came."""
    report = ask(ts.load("pacman").start(), "negamax:nodes=20000")[1]
    assert 20_000 <= report[1] < 22_000
    assert report[2] >= 3


def test_weights_are_data(tmp_path):
    """A JSON file changes weights by name; other names are refused."""
    file = tmp_path / "weights.json"
    position = ts.load("pacman").start()
    before = ask(position, "negamax:depth=2")[1][0]
    file.write_text('{"relative_pacmans_count": 0}')
    assert ask(position, f"negamax:depth=2,weights={file}")[1][0] < before
    file.write_text('{"scores": 1}')
    with pytest.raises(BadInput, match=r"there is no feature 'scores' .did you mean 'score'"):
        ask(position, f"negamax:depth=2,weights={file}")


def test_the_weights_of_the_league_go_by_name():
    """`main` is a full set of weights for the features, and for nothing else."""
    assert evaluation.weights("features", "main") != evaluation.WEIGHTS["features"]
    assert set(read_json(evaluation.MAIN)) == set(evaluation.FEATURE_NAMES)
    with pytest.raises(BadInput, match="weights=main are for evaluation=features"):
        evaluation.weights("voronoi", "main")
