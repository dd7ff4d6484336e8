"""Personalities of Tactics: behaviour against a count move by move, a tiny training, the archive that is shipped."""

import itertools
import json

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.match import Match
from turnsmith.arena.runners import ArenaPlan, run
from turnsmith.common.errors import BadInput
from turnsmith.contract.trainings import TrainingContext
from turnsmith.evolve.fitness import FitnessArena
from turnsmith.games.tactics import rules
from turnsmith.games.tactics.automata import Rusher
from turnsmith.games.tactics.matrix import write_matrix
from turnsmith.games.tactics.personality import SHIPPED, Personality, read_archive
from turnsmith.games.tactics.tables import cover_from
from turnsmith.learn.samples import every_decision, sample_batch
from turnsmith.studies.tactics.evolution import candidate
from turnsmith.studies.tactics.personalities import behaviour, cover_of, judge, minds, train, wins
from turnsmith.studies.tactics.trainings import PersonalitySettings

SMALL = "tactics:size=12,team=3,pool=4"


def counted(match, seat):
    """Turns, those ended nearer to an enemy, and those ended in cover: move by move, as a person would."""
    turns = []
    for position, action in zip(match.positions(), match.actions, strict=False):
        board, state = position.board, position.state
        if position.mover != seat:
            continue
        unit, cell = int(state.unit), int(state.cell[state.unit])
        enemies = [int(state.cell[u]) for u in range(1 - seat, 2 * board.team, 2) if state.hp[u] > 0]
        key, there = (int(state.turn), unit), action if action < board.cells else cell
        if not turns or turns[-1][0] != key:
            turns.append([key, min(int(board.steps[cell, e]) for e in enemies), 0, 0])
        side = int(board.side)
        near = min(enemies, key=lambda e: (e % side - there % side) ** 2 + (e // side - there // side) ** 2)
        level = cover_from(board, there, near % side - there % side, near // side - there // side)
        turns[-1][2] = min(int(board.steps[there, e]) for e in enemies)
        turns[-1][3] = level > 0 or rules.words(board, state, action) == "cover"
    return len(turns), sum(t[2] < t[1] for t in turns), sum(t[3] for t in turns)


def test_behaviour_is_what_a_person_would_count():
    """In every turn of some games of two characters, each in both seats."""
    game = ts.load(SMALL)
    for name in ("camper", "rusher"):
        plan = ArenaPlan(game, [ts.player(name, game), Rusher()], np.array([[0, 1], [1, 0]] * 2, np.int32), 5)
        for batch in run(plan, np.arange(4)):
            seen, sources = behaviour(sample_batch(plan, batch, every_decision, [0])), json.loads(batch.sources())
            for row, number in enumerate(batch.numbers.tolist()):
                moves = batch.log[batch.offsets[row] : batch.offsets[row + 1]].tolist()
                match = Match(SMALL, sources[batch.which[row]], ["", ""], 5, moves, batch.returns[row].tolist(), "")
                own = seen.match == number
                found = (own.sum(), seen.advanced[own].sum(), seen.covered[own].sum())
                assert found == counted(match, number % 2)
                assert found[0] > 3


def test_cover_of_many_is_that_of_each():
    """From every side and distance, on a random map."""
    board = ts.load("tactics:size=8").board(3)[0]
    cells = np.arange(board.cells)
    for dx, dy in itertools.product(range(-4, 5), repeat=2):
        found = cover_of(board.cover[: board.cells], np.full(len(cells), dx), np.full(len(cells), dy))
        assert found.tolist() == [cover_from(board, cell, dx, dy) for cell in cells]


def test_characters_are_told_apart(tmp_path):
    """All candidates play the same games on any number of workers: equal matrices do equally, and a runner runs."""
    runs, hides = np.zeros((14, 7)), np.zeros((14, 7))
    runs[0], hides[0] = [0, 2, 3, 0, 0, 0, 1], [0, 2, 0, 3, 0, 4, 1]
    genes = np.array([runs.ravel(), hides.ravel(), runs.ravel()])
    found = judge(FitnessArena(ts.load(SMALL), wins), minds(genes), 4, 9)
    assert found.won.shape == (3, 16)
    assert np.array_equal(found.won[0], found.won[2])
    assert np.array_equal(found.measures[0], found.measures[2])
    assert found.measures[0, 0] > 0.5 > found.measures[1, 0]
    assert found.measures[0, 1] < 0.5 < found.measures[1, 1]
    again = judge(FitnessArena(ts.load(SMALL), wins, workers=2), minds(genes), 4, 9)
    assert np.array_equal(again.won, found.won)
    assert np.array_equal(again.measures, found.measures)


TINY = {"generations": 2, "batch": 2, "games": 2, "cells": 3, "maps": 2, "again": 2, "proof": 2}


def test_a_tiny_training_leaves_an_archive_to_pick_from(tmp_path):
    """With measures and rates on new maps; the player takes the matrix of the nearest, from a file too."""
    done = train(PersonalitySettings(**TINY), TrainingContext(tmp_path / "run"))
    archive = read_archive(tmp_path / "run" / "archive.json")
    assert done.document["elites"] == len(archive)
    assert {"games", "won", "shown"} <= set(archive.notes[0])
    assert archive.notes[0]["won"]["low"] <= archive.notes[0]["won"]["rate"] <= archive.notes[0]["won"]["high"]
    assert (tmp_path / "run" / "archive.svg").read_text().startswith("<svg")
    assert done.document["rusher"]["aggression"] > done.document["camper"]["aggression"]
    assert "personalities" in (tmp_path / "run" / "card.md").read_text()
    chosen = Personality(aggression=0.9, cover=0.1, file=str(tmp_path / "run" / "archive.json"))
    genes = archive.genes[archive.nearest((0.9, 0.1))]
    assert np.array_equal(chosen.prepare(None, None).data.view(np.float64), genes)


def test_what_is_shipped_is_what_it_says():
    """Every elite lies in a cell of its own, small file; on new maps it behaves as it was said to."""
    archive = read_archive(SHIPPED)
    assert SHIPPED.stat().st_size < 300_000
    assert len(archive.best_of_cells()) == len(archive) > 80
    said, shown = archive.measures, np.array([[n["shown"][a.name] for a in archive.axes] for n in archive.notes])
    assert all(np.corrcoef(said[:, k], shown[:, k])[0, 1] > 0.98 for k in range(2))
    asked = [(0.2, 0.8), (0.8, 0.2), (0.5, 0.5)]
    genes = np.array([archive.genes[archive.nearest(each)] for each in asked])
    found = judge(FitnessArena(ts.load("tactics:pool=8"), wins), minds(genes), 8, 77)
    assert np.abs(found.measures - asked).max() < 0.15


def test_a_personality_plays_as_its_matrix_does(tmp_path):
    """The same moves as `matrix` with the file of its entries."""
    archive = read_archive(SHIPPED)
    write_matrix(tmp_path / "mind.txt", archive.genes[archive.nearest((0.7, 0.3))].reshape(14, 7))
    one = ts.play("tactics:size=12", ["personality:aggression=0.7,cover=0.3", "static"], seed=2)
    other = ts.play("tactics:size=12", [f"matrix:file={tmp_path / 'mind.txt'}", "static"], seed=2)
    assert one.actions == other.actions
    assert candidate(archive.genes[0]).prepare(None, None).data.tobytes() == archive.genes[0].tobytes()


def test_wrong_personalities_are_refused(tmp_path):
    """Out of range, no file, an archive of something else."""
    with pytest.raises(BadInput, match=r"aggression=1\.5 must be 0 to 1"):
        ts.player("personality:aggression=1.5", ts.load("tactics"))
    document = json.loads(SHIPPED.read_text())
    for row in document["elites"]:
        row["genes"] = row["genes"][:-1]
    (tmp_path / "other.json").write_text(json.dumps(document))
    for file, says in (("none.json", "there is no archive"), ("other.json", "97 genes; it must be one by aggression")):
        with pytest.raises(BadInput, match=says):
            ts.play("tactics:size=8", [f"personality:file={tmp_path / file}", "static"], seed=1)
