"""What a person is told of a match: a line a deed, with the dice that fell; and nothing that is hidden."""

from collections import Counter
from itertools import product

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.arena.store import Store
from turnsmith.contract.game import CHANCE
from turnsmith.games.dicewars.rules import LOST, WON
from turnsmith.games.dicewars.telling import faces, sums
from turnsmith.web.match.log import Log
from turnsmith.web.match.matches import Matches
from turnsmith.web.pages.viewer import replayed


def played(tmp_path, game, seats, moves):
    """A match of players after so many moves of theirs."""
    match = Matches(Store(f"sqlite:///{tmp_path}/store.db")).create(game, seats, 3)
    for _ in range(moves):
        if not match.over:
            match.play_on(5)
    return match


def test_a_dice_wars_attack_is_one_line(tmp_path):
    """Attack, dice and outcome are one line, the dice of a turn's end another; the dice agree with what happened."""
    match = played(tmp_path, "dicewars", ["rand"] * 4, 60)
    entries = match.log.entries(match.position, None, 10_000)
    lines = match.log.lines
    assert len(lines) > 2 * len(entries)
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))
    assert sorted(ply for e in entries for ply in range(e.first, e.last + 1)) == list(range(len(lines)))
    ends = [entry for entry in entries if entry.said.startswith("end")]
    assert all(entry.said == f"end, +{entry.last - entry.first} dice" for entry in ends if entry.last > entry.first + 1)
    for entry in entries:
        assert entry.mover >= 0
        if lines[entry.last].truth in ("won", "lost"):
            words, _, score = entry.said.partition(", ")
            assert words == f"{lines[entry.first].truth} {lines[entry.last].truth}"
            rows = match.log.last_roll(match.position, None, entry.last + 1).rows
            assert score == f"{sum(rows[0][1])} to {sum(rows[1][1])}"
            assert (sum(rows[0][1]) > sum(rows[1][1])) == (lines[entry.last].truth == "won")
    halfway = match.log.entries(match.position, None, 5, until=len(lines) // 2)
    assert [e.number for e in halfway] == list(range(halfway[0].number, halfway[0].number + 5))
    assert replayed(match, None, None, len(lines)).log == entries[-200:]


def test_the_faces_are_as_likely_as_rolled_ones():
    """Counted against every roll of two dice against two that ends so."""
    import random

    rng, pairs = random.Random(1), list(product(range(1, 7), repeat=4))
    for outcome in (WON, LOST):
        expected = Counter(roll for roll in pairs if (sum(roll[:2]) > sum(roll[2:])) == (outcome == WON))
        choices, chances = sums(2, 2, outcome == WON)
        assert sum(chances) == sum(expected.values())
        drawn = Counter()
        for _ in range(20_000):
            mine, theirs = rng.choices(choices, chances)[0]
            drawn[tuple(faces(2, mine, rng) + faces(2, theirs, rng))] += 1
        assert set(drawn) <= set(expected)
        counts, mean = np.array([drawn[roll] for roll in expected]), 20_000 / len(expected)
        chi = float(((counts - mean) ** 2 / mean).sum())
        assert chi < len(expected) + 5 * np.sqrt(2 * len(expected))


def test_pig_tells_its_rolls():
    """Turn total, a 1 that loses it, and what a hold banks; the dice shown are those of chance."""
    position = ts.load("pig").start(5)
    log = Log([0, 1])
    for _ in range(40):
        position.push("hold" if int(position.state.turn_total) >= 8 else "roll")
        log.extend(position)
    entries = log.entries(position, 0, 1000)
    told = [entry.said for entry in entries]
    assert any(said.startswith("rolled a 1: ") and said.endswith("lost") for said in told)
    assert any(said.startswith("held ") for said in told)
    for entry in entries:
        if log.lines[entry.last].mover == CHANCE:
            ((_, (face,)),) = log.last_roll(position, 0, entry.last + 1).rows
            assert log.lines[entry.last].truth == str(face)
            assert f"rolled a {face}: " in entry.said


@pytest.mark.parametrize("game", ["pig:sides=20,players=10", "dicewars:players=8,edition=2021", "backgammon"])
def test_every_roll_can_be_shown(game):
    """Other sizes: more sides, more seats, other editions; each row is of a seat, with whole faces from 1."""
    position = ts.load(game).start(2)
    rng = np.random.default_rng(1)
    for _ in range(150):
        if position.outcome is None:
            position.push(int(rng.choice(position.actions)))
    shown = 0
    for before, action in position.trail():
        if before.mover == CHANCE:
            rows = before.game.roll(before.board, before.state, action)
            assert all(0 <= seat < before.board.seats and min(faces) >= 1 for seat, faces in rows)
            shown += bool(rows)
    assert shown > 10


def test_what_is_hidden_is_not_told(tmp_path):
    """A move that its reader may not know is no text in any line of theirs."""
    match = Matches(Store(f"sqlite:///{tmp_path}/store.db")).create("kuhn", ["person", "random"], 4)
    dealt = [line.truth for line in match.log.lines]
    said = [entry.said for entry in match.log.entries(match.position, 0, 100)]
    assert len(dealt) == 2
    assert said.count("") == 1
    mastermind = Matches(Store(f"sqlite:///{tmp_path}/other.db")).create("mastermind", ["person"], 4)
    assert [entry.said for entry in mastermind.log.entries(mastermind.position, 0, 100)] == [""]


def test_mastermind_draws_the_pegs_chosen():
    """Pegs of a guess in the making stand in the row of that guess, and nothing else changes."""
    position = ts.load("mastermind").start(1)
    position.push("a a b b")
    drawn = position.game.draft(position.board, position.state, ["c", "d"])
    position.push("c d c d")
    assert drawn in position.picture(0)
    assert drawn.count("<circle") == 2
