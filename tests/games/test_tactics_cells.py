"""`cells` and `master` of Tactics: what they look at, their files, and that they beat who they were made to beat."""

import json

import numpy as np
import pytest
from test_tactics import Table
from test_tactics_players import WALL, choice

import turnsmith as ts
from turnsmith.arena.tournament import arena
from turnsmith.common.errors import BadInput
from turnsmith.contract.loading import load
from turnsmith.contract.trainings import TrainingContext
from turnsmith.games.tactics import odds, rules
from turnsmith.games.tactics.cells import (
    CONTEXTS,
    COVER,
    DEPTH,
    KINDS,
    LAST_MOVE,
    LAST_SHOT,
    MOVE,
    RELOAD,
    SHIPPED,
    SHOT,
    START,
    USED,
    WIDTH,
    CellsPlayer,
    WeightedCells,
    decide_by_cells,
    genes_of,
    note_contexts,
    read_weights,
    score_actions,
    weights_of,
    write_weights,
)
from turnsmith.games.tactics.master import TacticsMaster, keep_better_half
from turnsmith.play.seat import Seat
from turnsmith.studies.tactics.trainings import CellsSettings, cells


def scored(table, weights=START):
    """Of every legal action: its score, its kind and its inputs, interpreted."""
    acts = table.acts
    scores, kinds, inputs = np.zeros(len(acts)), np.zeros(len(acts), np.int8), np.zeros((len(acts), WIDTH))
    score_actions(table.board, table.state, acts, weights, scores, kinds, inputs)
    return acts, scores, kinds, inputs


def test_danger_is_the_worst_an_enemy_can_do_after_a_move():
    """The greatest threat from any cell that it can walk to and still shoot from, its own included."""
    board = Table(ts.load("tactics:size=12").describe(3)["rows"]).board
    for start in (0, 17, 77, 143):
        near = [cell for cell in range(144) if board.steps[start, cell] <= 6]
        worst = np.max([board.threat[0, cell, :144] for cell in near], axis=0)
        assert (board.danger[0, start, :144] == worst).all()


def test_inputs_are_what_the_odds_say():
    """Chances, exposure and cover of every cell in reach, worked out one by one another way."""
    table = Table(ts.load("tactics:size=12").describe(5)["rows"], team=2)
    table.put(green1="d4", green2="b2", red1="h8", red2="i5")
    table.state.hp[1], table.state.taking[3] = 4, 1
    board, state = table.board, table.state
    acts, _, kinds, inputs = scored(table)
    for act, kind, line in zip(acts.tolist(), kinds.tolist(), inputs, strict=True):
        assert line[0] == 1.0
        if act >= board.cells:
            continue
        assert kind == (MOVE if board.steps[state.cell[0], act] <= 6 else LAST_MOVE)
        chances = odds.shots(board, state, 0, act)
        assert line[1] == pytest.approx(max(chances.values(), default=0) / 100)
        deadly = {1: 10 / 16, 3: 0.0}  # 4 and 5 of 3 to 5 kill who has 4 left, in whole sixteenths
        assert line[2] == pytest.approx(max((chance * deadly[t] / 100 for t, chance in chances.items()), default=0))
        threats = [int(board.threat[0, state.cell[enemy], act]) for enemy in (1, 3)]
        assert line[3] == pytest.approx(sum(threats) / 100)
        assert line[4] >= line[3]
        assert line[5] == board.shelter[act] / 4
        assert line[6] == pytest.approx(min(int(board.steps[act, state.cell[enemy]]) for enemy in (1, 3)) / 12)
        assert line[8] == pytest.approx(int(board.steps[act, state.cell[2]]) / 12)


def test_every_kind_of_action_has_its_weights():
    """One weight alone makes its kind of action the best; skipping is worth nothing."""
    table = Table(WALL).put(green1="d6", red1="d9")
    table.state.ammo[0] = 2
    for kind, named in enumerate(KINDS):
        table.state.points = 1 if kind in (LAST_MOVE, LAST_SHOT) else 2
        weights = np.zeros(len(USED))
        weights[kind * WIDTH * DEPTH] = 1.0
        _, scores, kinds, _ = scored(table, weights)
        assert (scores[kinds == kind] == 1.0).all(), named
        assert (scores[kinds != kind] == 0.0).all(), named
        assert (kinds == kind).any(), named
        said = choice(table, WeightedCells(weights=tuple(weights)), decide_by_cells)
        if kind in (SHOT, LAST_SHOT, RELOAD, COVER):
            assert said == {SHOT: "red1", LAST_SHOT: "red1", RELOAD: "reload", COVER: "cover"}[kind]


def test_weights_change_with_the_position():
    """Weakness, the lead in soldiers and time are between -1 and 1, and weigh as the file says."""
    table, found = Table(team=2), np.zeros(DEPTH)
    table.state.hp[0], table.state.turn = 4, 5
    table.state.alive[1] = 1
    note_contexts(table.board, table.state, found)
    assert found.tolist() == pytest.approx([1.0, 0.6, 0.5, 0.5])
    assert len(CONTEXTS) == DEPTH


def test_both_sides_choose_alike():
    """On a mirrored map green and red, on mirrored cells, choose mirrored moves and the same shots."""
    image = rules.mirrored
    for seed in range(6):
        table = Table(load("tactics:size=12,team=1").describe(seed)["rows"])
        green, red = np.random.default_rng(seed).choice(144, 2, replace=False).tolist()
        table.state.cell[0], table.state.cell[1] = green, red
        first = choice(table, CellsPlayer(), decide_by_cells)
        table.state.cell[1], table.state.cell[0], table.state.unit = image(12, green), image(12, red), 1
        second = choice(table, CellsPlayer(), decide_by_cells)
        names = {rules.cell_name(table.board, cell): cell for cell in range(144)}
        if first in names:
            assert names[second] == image(12, names[first])
        else:
            assert second == first.replace("red", "green")


def test_weights_are_kept_to_the_last_bit(tmp_path):
    """Written and read again they are the same; only those of inputs are genes."""
    genes = np.random.default_rng(1).normal(size=USED.sum())
    write_weights(tmp_path / "w.json", genes, 0.5)
    assert (read_weights(tmp_path / "w.json") == weights_of(genes)).all()
    assert (genes_of(weights_of(genes)) == genes).all()


def test_damaged_weights_are_refused_by_name(tmp_path):
    """No file, no JSON, another document, a missing weight, a wrong one."""
    file = tmp_path / "w.json"
    good = json.loads(SHIPPED.read_text())
    lacking, wrong, endless = (json.loads(json.dumps(good)) for _ in range(3))
    del lacking["weights"]["shot"]["hit"]
    wrong["weights"]["cover"]["danger"]["time"] = "much"
    endless["weights"]["move"]["one"]["always"] = float("inf")
    told = {
        "{": "no weights of Tactics",
        "[]": "no weights of Tactics",
        json.dumps(lacking): "weights, shot, hit, always must be a number",
        json.dumps(wrong): "weights, cover, danger, time must be a number, not much",
        json.dumps(endless): "weights, move, one, always must be a number, not inf",
    }
    with pytest.raises(BadInput, match="there is no file"):
        read_weights(file)
    for text, reason in told.items():
        file.write_text(text)
        with pytest.raises(BadInput, match=reason):
            read_weights(file)


def test_a_decision_is_told_as_a_sum():
    """Every legal action has its row; parts add up to the score, and the greatest is what is played."""
    position = load("tactics:size=12,team=2").start(4)
    found = CellsPlayer().inspect(position)
    assert [each.words for each in found.choices] == list(position.legal)
    for each in found.choices:
        assert sum(each.parts.values()) == pytest.approx(each.score)
    assert found.ranked()[0].words == CellsPlayer().act(position).words


def test_the_better_half_stays_in_order():
    """The greatest totals come first; of equals who stood before."""
    ideas, totals = np.array([7, 5, 3, 1, 9]), np.array([1.0, 2.0, 0.0, 2.0, 1.0])
    assert keep_better_half(ideas, totals, 5) == 3
    assert ideas.tolist() == [5, 1, 7, 3, 9]
    assert totals.tolist() == [2.0, 2.0, 1.0, 0.0, 1.0]


def test_master_can_be_stopped_and_is_the_same_again():
    """Stopped at once it plays the best idea of `cells`; with the same seed it decides the same."""
    game = load("tactics:size=12,team=2")
    position = game.start(4)
    seat = Seat(TacticsMaster(playouts=40), game, position.boards)
    first, second = seat.ask(position), seat.ask(position)
    assert first == second
    assert "played on 32 times" in first.note  # 8 ideas once, 4 of them three times, 2 six times
    stopped = Seat(TacticsMaster(playouts=1_000_000), game, position.boards)
    stopped.prepare()
    stopped.stop()
    assert stopped.choose(position) == CellsPlayer().act(position).action


def test_master_finds_what_cells_does_not(tmp_path):
    """With weights that like to skip, `cells` skips; playing on shows that shooting is better."""
    table = np.zeros(len(USED))
    table[[SHOT * WIDTH * DEPTH, LAST_SHOT * WIDTH * DEPTH]] = -0.1
    table[[kind * WIDTH * DEPTH for kind in (MOVE, LAST_MOVE, RELOAD, COVER)]] = -0.2
    write_weights(tmp_path / "lazy.json", genes_of(table), 0.0)
    game = load("tactics:size=8,team=1")
    position = game.start(1)
    while not any(words.startswith("red") for words in position.legal) or position.mover != 0:
        legal = [w for w in position.legal if not w.startswith(("green", "red", "skip", "reload", "cover"))]
        position.push(legal[len(legal) // 2] if legal else "skip")
    lazy = str(tmp_path / "lazy.json")
    assert CellsPlayer(file=lazy).act(position).words == "skip"
    assert TacticsMaster(file=lazy, playouts=400, rounds=1, doubt=0.0).act(position).words == "red1"


def test_they_beat_the_static_player():
    """By far: the shipped weights win more than two games of three, and playing on wins too."""
    found = arena("tactics:pool=16", ["cells", "static"], 120, seed=5, workers=2).to_dict()["players"]
    assert found[0]["low"] > 0.66
    small = arena("tactics:size=16,team=2,pool=8", ["master:playouts=100", "static"], 60, seed=5, workers=2)
    assert small.to_dict()["players"][0]["low"] > 0.5


def test_weights_are_evolved_and_go_on(tmp_path):
    """A short league leaves weights that can be played, its curve and card; given again it plays nothing new."""
    few = {"population": 4, "maps": 4, "generations": 1, "final_maps": 2, "finalists": 1, "static_games": 4, "proof": 4}
    settings = CellsSettings(iterations=2, options="size=8", team=1, **few)
    done = cells(settings, TrainingContext(tmp_path / "run"))
    assert read_weights(tmp_path / "run" / "cells.json").shape == START.shape
    assert (tmp_path / "run" / "card.md").exists()
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "run").glob("main-*/*")}
    assert cells(settings, TrainingContext(tmp_path / "run")).document == done.document
    assert times == {path: path.stat().st_mtime_ns for path in (tmp_path / "run").glob("main-*/*")}
    position = load("tactics:size=8,team=1").start(0)
    assert CellsPlayer(file=str(tmp_path / "run" / "cells.json")).act(position).words in position.legal
