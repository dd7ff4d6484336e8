"""The players of Tactics: the automaton rule by rule, matrices and their files, and who wins."""

import numpy as np
import pytest
from test_tactics import FLAT, Table, cell_of

import turnsmith as ts
from turnsmith.common.errors import BadInput
from turnsmith.games.tactics import rules
from turnsmith.games.tactics.automata import Camper, Rusher, Static, decide_by_automaton
from turnsmith.games.tactics.matrix import (
    COLUMNS,
    INPUTS,
    Matrix,
    decide_by_matrix,
    fill_actions,
    fill_inputs,
    read_matrix,
    threat_at,
    write_matrix,
)
from turnsmith.games.tactics.scan import ATTACK, DEFENCE, PLACES, look, scan_moves

WALL = ["0" * 12] * 5 + ["000090000000"] * 2 + ["0" * 12] * 5


def choice(table, player=None, decide=decide_by_automaton):
    """The words of what a player decides, interpreted."""
    boards = np.array([table.board.copy()])
    ready = (player or Static()).prepare(None, boards)
    acts, memory, report = table.acts, np.zeros(64, np.uint8), np.zeros(3)
    action = decide(None, table.board, table.state, acts, ready.data, memory, ready.params, report, None)
    assert action in acts
    return rules.words(table.board, table.state, int(action))


def scanned(table):
    scan = np.zeros(PLACES, np.int64)
    look(table.board, table.state, table.acts, scan)
    scan_moves(table.board, table.state, table.acts, 1.0, scan)
    return scan


# ---------------------------------------------------------------- the automaton


def test_an_empty_magazine_is_filled_first():
    """Whatever else there is to do."""
    table = Table().put(green1="d4", red1="d7")
    table.state.ammo[0] = 0
    assert choice(table) == "reload"


def test_it_shoots_with_fair_odds_at_the_best_target():
    """From 50 % on, at the enemy it hits best; among equals at the weaker one."""
    table = Table(team=2).put(green1="a1", green2="a8", red1="a7", red2="g1")
    assert choice(table) == "red1"
    table.state.hp[3] = 4
    assert choice(table) == "red2"
    assert choice(table, Static(shoot=90, better=0)) not in ("red1", "red2")


def test_poor_odds_make_it_move_or_take_cover():
    """Below 50 % it goes where it hits better by 15, the weak to where they are not hit; else shoots or hides."""
    table = Table(["0" * 24] * 24).put(green1="a1", red1="r1")
    assert rules.chance_of(table.board, table.state, 0, 1) == 36
    moved = cell_of(table.board, choice(table))
    assert int(table.board.odds[0, table.state.cell[1], moved]) >= 36 + 15
    assert choice(table, Static(better=100)) == "red1"
    table.state.points = 1
    assert choice(table) == "red1"


def test_without_a_shot_it_comes_nearer():
    """The cell nearest an enemy on foot that leaves a point; the same for the weak."""
    table = Table(["0" * 24] * 24)
    steps = int(table.board.steps[0, table.state.cell[1]])
    for hp in (10, 1):
        table.state.hp[0] = hp
        to = cell_of(table.board, choice(table))
        assert int(table.board.steps[to, table.state.cell[1]]) == steps - 6
    assert choice(table, Camper()) not in ("skip", "reload")  # it steps out of sight, or stays


def test_with_the_last_point_it_looks_after_itself():
    """Reload at half, then out of sight, then cover; the rusher does not hide."""
    table = Table(WALL).put(green1="d6", red1="i6")
    table.state.points = 1
    scan = scanned(table)
    assert scan[ATTACK] == -1  # no point would be left to shoot
    table.state.ammo[0] = 2
    table.state.cooling[0, rules.SHOOT] = 1
    assert choice(table) == "reload"
    table.state.ammo[0] = 3
    hidden = cell_of(table.board, choice(table))
    assert hidden == scan[DEFENCE]
    assert table.board.threat[0, table.state.cell[1], hidden] == 0
    assert choice(table, Rusher()) in ("cover", "skip")


def test_both_sides_see_alike():
    """On a mirrored map green and red, on mirrored cells, decide on mirrored moves."""
    game = ts.load("tactics:size=12,team=1")
    image = rules.mirrored
    for seed in range(6):
        table = Table(game.describe(seed)["rows"])
        green, red = np.random.default_rng(seed).choice(144, 2, replace=False).tolist()
        table.state.cell[0], table.state.cell[1] = green, red
        first = scanned(table)
        table.state.cell[1], table.state.cell[0], table.state.unit = image(12, green), image(12, red), 1
        second = scanned(table)
        for place in (ATTACK, DEFENCE):
            assert second[place] == image(12, int(first[place]))


def test_thresholds_come_from_the_configuration_unless_they_are_set():
    """A player's own setting wins over the file's."""
    table = Table(static={"shoot": 99})
    boards = np.array([table.board.copy()])
    assert Static().prepare(None, boards).params[0] == 99
    assert Static(shoot=40).prepare(None, boards).params[0] == 40


# ---------------------------------------------------------------- matrices


def single(column, value=1.0):
    """A matrix for which one action is always the most suitable."""
    matrix = np.zeros((len(INPUTS), len(COLUMNS)))
    matrix[0, COLUMNS.index(column)] = value
    return matrix


def test_the_most_suitable_possible_action_wins(tmp_path):
    """Each column stands for its action; what is impossible is passed over, and the first of equals wins."""
    table = Table(["01" + "0" * 6, *FLAT[1:]]).put(red1="a6")
    table.state.ammo[0] = 3
    scan, actions = scanned(table), np.zeros(len(COLUMNS), np.int64)
    fill_actions(table.board, scan, actions)
    assert (actions >= 0).all()
    for column, action in zip(COLUMNS, actions.tolist(), strict=True):
        write_matrix(tmp_path / "m.txt", single(column))
        chosen = choice(table, Matrix(file=str(tmp_path / "m.txt")), decide_by_matrix)
        assert chosen == rules.words(table.board, table.state, action)
    table.state.ammo[0] = 4
    write_matrix(tmp_path / "m.txt", single("reload"))
    assert choice(table, Matrix(file=str(tmp_path / "m.txt")), decide_by_matrix) == "red1"  # the first of the zeros


def test_inputs_are_named_and_scaled():
    """Eighteen numbers from 0 to 1, from the one scan."""
    table = Table(["0" * 24] * 24, team=2).put(green1="d4", red1="d7")
    table.state.hp[0], table.state.ammo[0] = 5, 1
    found = np.full(len(INPUTS), np.nan)
    fill_inputs(table.board, table.state, scanned(table), found)
    seen = dict(zip(INPUTS, found.round(3).tolist(), strict=True))
    assert ((found >= 0) & (found <= 1)).all()
    assert (seen["one"], seen["hp"], seen["ammo"], seen["points"]) == (1.0, 0.5, 0.25, 1.0)
    assert seen["hit now"] == 0.71
    assert seen["hit after attack move"] == 0.8
    assert seen["exposure now"] == 0.355  # one of two enemies sees it
    assert (seen["in cover"], seen["own alive"], seen["enemies alive"]) == (0.0, 1.0, 1.0)
    assert seen["distance"] == 0.125
    assert seen["threat now"] == 0.4  # that enemy comes to the best distance, and the other is too far


def test_a_threat_is_what_an_enemy_can_do_after_a_move():
    """As much as the best chance among all cells it can walk to for a point, counted with the rules themselves."""
    game = ts.load("tactics:size=12,team=2")
    for seed in range(4):
        table = Table(game.describe(seed)["rows"], team=2)
        board, state = table.board, table.state
        for enemy, cell in ((1, 40 + seed), (3, 100)):
            state.cell[enemy] = cell
        here, total = int(state.cell[0]), 0
        for enemy in (1, 3):
            steps = board.steps[state.cell[enemy], :144]
            near = np.flatnonzero(steps <= board.pace[0])
            total += min(95, int(board.odds[0, here, near].max()))
        assert threat_at(board, state, here) == total


def test_a_matrix_file_gives_back_every_bit(tmp_path):
    """One item a line, the win rate if it is known, and nothing that comes after is read."""
    entries = np.random.default_rng(1).normal(size=(14, 7)) * 10.0 ** np.arange(-3, 4)
    write_matrix(tmp_path / "m.txt", entries, 0.47)
    lines = (tmp_path / "m.txt").read_text().split("\n")
    assert (lines[:2], lines[-3:], len(lines)) == (["14", "7"], ["Winrate", "0.47", ""], 14 * 7 + 5)
    with (tmp_path / "m.txt").open("a") as file:
        file.write("whatever\n1,5\n")
    found = read_matrix(tmp_path / "m.txt")
    assert np.array_equal(found.entries, entries)
    assert found.winrate == 0.47
    write_matrix(tmp_path / "m.txt", entries[:6])
    assert read_matrix(tmp_path / "m.txt").winrate is None
    assert read_matrix(tmp_path / "m.txt").entries.shape == (6, 7)


@pytest.mark.parametrize(
    ("line", "text", "complaint"),
    [
        (1, "19", "line 1: the number of rows must be 1 to 18, not 19"),
        (2, "3", "line 2: the number of columns must be 7, not 3"),
        (5, "1,5", "line 5 must be the entry of row 1, column 3, with a point and no other signs; it is '1,5'"),
        (12, " 2", "line 12 must be the entry of row 2, column 3"),
        (100, "nan", "line 100 must be the entry of row 14, column 7"),
        (102, "", "line 102 must be the win rate, with a point and no other signs; it is nothing"),
    ],
)
def test_a_broken_matrix_file_is_refused_by_line(tmp_path, line, text, complaint):
    """Which line, what should be there, and what is."""
    write_matrix(tmp_path / "m.txt", np.ones((14, 7)), 0.5)
    lines = (tmp_path / "m.txt").read_text().split("\n")
    lines[line - 1] = text
    (tmp_path / "m.txt").write_text("\n".join(lines))
    with pytest.raises(BadInput) as refused:
        read_matrix(tmp_path / "m.txt")
    assert complaint in str(refused.value)


def test_a_matrix_nobody_has_is_refused():
    """By name, with those there are."""
    with pytest.raises(BadInput, match=r"there is no matrix 'hnad' \(did you mean 'hand'\?\)"):
        ts.player("matrix:name=hnad", ts.load("tactics"))


# ---------------------------------------------------------------- who wins


def test_the_static_player_beats_random_and_seldom_draws():
    """Nearly always against random play; among themselves under 5 % are draws, on maps of the usual size."""
    against = ts.arena("tactics:pool=8", ["static", "random"], games=60, seed=1).to_dict()["players"]
    assert next(row for row in against if row["name"] == "static")["rate"] > 0.95
    among = ts.arena("tactics:pool=8", ["static", "static"], games=400, seed=1).to_dict()["players"]
    assert among[0]["draws"] < 0.05 * 400


@pytest.mark.parametrize("text", ["mcts:simulations=30", "expectimax:depth=1"])
def test_searches_play_it(text):
    """A search decides in a position with a shot at hand, moves of chance ahead."""
    position = ts.load("tactics:size=8,team=1").start(1)
    assert ts.player(text).act(position).words in position.legal
