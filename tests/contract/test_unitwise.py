"""Games unit by unit, derived from games with joint moves."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.check.checking import check_laws, visit
from turnsmith.check.laws import LAWS
from turnsmith.check.report import Report
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import interpreted
from turnsmith.contract.loading import load_untried
from turnsmith.contract.unitwise import unitwise

COURIERS = str(Path(__file__).parents[1] / "games_for_tests" / "couriers.py")


@pytest.fixture(scope="module")
def couriers():
    return ts.load(COURIERS)


@pytest.fixture(scope="module")
def one_by_one(couriers):
    return unitwise(couriers)


def digits(number: int, count: int, base: int) -> list[int]:
    return [number // base ** (count - 1 - unit) % base for unit in range(count)]


@pytest.mark.parametrize("text", [COURIERS, "pacman:map=tiny,start=random"])
def test_the_same_joint_choices_lead_to_the_same_states(text):
    """Played by the digits of its joint moves, the derived game comes through the states of the joint one."""
    joint = load_untried(text)
    split, rng = unitwise(joint), np.random.default_rng(3)
    base = int(split.board()[0].actions)
    for seed in range(2):
        one, other = (ts.position(game, seed) for game in (joint, split))
        for _ in range(12):
            if one.outcome is not None:
                break
            action = int(rng.choice(one.actions))
            count = int(joint.units(one.board, one.state))
            for decided, piece in enumerate(digits(action, count, base)):
                assert other.mover == one.mover
                assert other.words(piece) == one.words(action).split(" ")[decided]
                other.advance(piece)
            one.advance(action)
            for name in joint.State.names:
                assert np.array_equal(one.state[name], other.state[name])
            while one.mover == ts.game.CHANCE:
                outcome = one.draw_chance(seed)
                one.advance(outcome)
                other.advance(outcome)
        assert one.mover == other.mover


def test_a_game_of_joint_moves_is_there_unit_by_unit(one_by_one):
    """Hidden commitments, chance, words and pictures: all laws hold, and its text loads it again."""
    assert one_by_one.text_name == f"{COURIERS}:moves=unit"
    assert load_untried(one_by_one.text_name).digest == one_by_one.digest
    assert int(one_by_one.board()[0].actions) == 3
    assert ts.check(one_by_one, positions=60, mutations=40).ok


def test_searches_play_it(one_by_one):
    """Tree search plays to the end, and a match is kept by the game's text."""
    match = ts.play(one_by_one, ["mcts:simulations=50", "random"], seed=2)
    assert match.game == one_by_one.text_name
    assert len(match.returns) == 2


def test_others_do_not_see_an_open_move(one_by_one):
    """What a seat's first units have chosen is hidden from the other, and undone with the round's commitments."""
    position = one_by_one.start(1).push("a1")
    assert position.view(0)[0].decided == 1
    assert (position.view(1)[0].decided, position.view(1)[0].chosen) == (0, 0)
    assert not position.is_rewound
    assert position.push("b0").mover == 1


def test_only_the_next_unit_can_be_clicked(one_by_one):
    """The picture keeps its parts, but those of other units are no longer to be clicked."""
    position = one_by_one.start(1)
    drawn = position.picture()
    assert drawn.count("<circle") == 6
    assert [word for word in ("a0", "a1", "a2", "b0", "b1", "b2") if f'data-word="{word}"' in drawn] == [
        "a0",
        "a1",
        "a2",
    ]
    assert position.push("a1").legal == ("b0", "b2")


def test_what_cannot_be_split_is_refused(couriers):
    """A game without joint moves, half a declaration and half the fields are refused in one line."""
    with pytest.raises(BadInput, match="connect_four has no joint moves to split; write units and radix"):
        unitwise(ts.load("connect_four"))
    with pytest.raises(BadInput, match="nim has no setting 'moves'"):
        ts.load("./examples/nim.py:moves=unit")
    with pytest.raises(BadInput, match="couriers has one of units and radix"):
        dataclasses.replace(couriers, radix=None)
    with pytest.raises(BadInput, match="couriers has pieces of joint moves but no units and radix"):
        dataclasses.replace(couriers, units=None, radix=None, pieces=lambda *_: 0)
    half = ts.game.record(**{n: couriers.State[n] for n in couriers.State.names if n[0] != "_"}, chosen=np.int64)
    with pytest.raises(BadInput, match="its State has one of the fields decided and chosen"):
        unitwise(dataclasses.replace(couriers, State=half))


def faults(game) -> list[str]:
    """What the laws of joint moves say of a game."""
    report = Report("a game", 0)
    nodes = visit(report, game, interpreted, 12, 20)
    check_laws(report, nodes, [law for law in LAWS if "joint move" in law.name])
    return [failure for result in report.laws for failure in result.failures]


def test_wrong_pieces_are_found_out(couriers):
    """The check says which moves have too few digits or words, and which pieces are no joint move's."""

    def all_doors(board, state, decided, chosen, out):
        out[:3] = (0, 1, 2)
        return 3

    assert not faults(couriers)
    assert "but action 7 has more digits" in faults(dataclasses.replace(couriers, units=lambda board, state: 1))[0]
    assert "it must give 1" in faults(dataclasses.replace(couriers, units=lambda board, state: 2))[0]
    joined = dataclasses.replace(couriers, words=lambda *a: couriers.words(*a).replace(" ", "-"))
    assert "has 1 pieces, but units gives 2" in faults(joined)[0]
    assert "pieces lists 0, 1, 2 after 1 units" in faults(dataclasses.replace(couriers, pieces=all_doors))[0]
