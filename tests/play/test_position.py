"""The object a person holds: checked moves, exact taking back, a repr that pastes back."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import turnsmith as ts

TESTS = Path(__file__).parents[1]
NIM = str(TESTS.parent / "examples" / "nim.py")
SHELLS = str(TESTS / "games_for_tests" / "shells.py")
GAMES = [*ts.games(), NIM, SHELLS]


def snapshot(position):
    """All that a position is."""
    return (
        position.state.tobytes(),
        position.mover,
        position.actions.tolist(),
        position.chances.tolist() if position.mover == ts.CHANCE else None,
        list(position.history),
        position.outcome,
        repr(position),
    )


def pushed(position, choices):
    """Push moves chosen by numbers, until they or the game run out."""
    for choice in choices:
        if position.mover < 0:
            break
        position.push(int(position.actions[choice % len(position.actions)]))
    return position


@pytest.mark.parametrize(
    ("move", "complaint"),
    [
        ("x", "'x' is not a legal move here; legal: a, b, c, d, e, f, g"),
        ("", "'' is not a legal move here; legal: a, b, c, d, e, f, g"),
        (9, "action 9 is not legal here; legal: a, b, c, d, e, f, g"),
        (-1, "action -1 is not legal here; legal: a, b, c, d, e, f, g"),
    ],
)
def test_an_illegal_move_is_refused_and_changes_nothing(move, complaint):
    """The refusal names the legal moves, and the position is what it was."""
    position = ts.load("connect_four").start().push("d")
    before = snapshot(position)
    with pytest.raises(ts.BadInput) as refused:
        position.push(move)
    assert str(refused.value) == complaint
    assert snapshot(position) == before


def test_many_legal_moves_are_named_in_part():
    """Where there are many moves, the refusal names some and says how many there are."""
    position = ts.load(f"{NIM}:piles=9-9-9-9").start()
    with pytest.raises(ts.BadInput, match=r"legal: a 1, a 2, .*, … \(36 in all\)$"):
        position.push("z 1")


def test_words_may_be_squeezed():
    """Spaces between the pieces may be left out, or be too many."""
    for text in ("b 2", "b2", "  b   2 "):
        assert ts.load(NIM).start().push(text).history == [10]


@pytest.mark.parametrize("text", GAMES)
@given(seed=st.integers(0, 2**40), choices=st.lists(st.integers(0, 10**6), max_size=30))
@settings(max_examples=15, deadline=None)
def test_repr_pastes_back(text, seed, choices):
    """What a position prints as is an expression for the same position."""
    position = pushed(ts.load(text).start(seed), choices)
    assert snapshot(eval(repr(position), {"turnsmith": ts})) == snapshot(position)


@pytest.mark.parametrize("text", GAMES)
@given(seed=st.integers(0, 2**40), choices=st.lists(st.integers(0, 10**6), max_size=30))
@settings(max_examples=15, deadline=None)
def test_pop_restores_exactly(text, seed, choices):
    """Every pop gives back the position before the last decision, and playing on meets the same chance."""
    position = ts.load(text).start(seed)
    past = [snapshot(position)]
    for choice in choices:
        pushed(position, [choice])
        if snapshot(position) != past[-1]:
            past.append(snapshot(position))
    last = position.history[:]
    for before in past[-2::-1]:
        assert snapshot(position.pop()) == before
    with pytest.raises(ts.BadInput, match="there is no move to take back"):
        position.pop()
    pushed(position, choices)
    assert position.history == last


def test_a_finished_game_takes_no_moves():
    """After the end there is an outcome, no legal move, and a way back."""
    position = ts.load("connect_four").start()
    for word in "abababa":
        position.push(word)
    assert position.outcome == ts.Outcome((1.0, -1.0), "4 in a row")
    assert position.outcome.winner == 0
    assert (position.mover, position.legal) == (ts.OVER, ())
    with pytest.raises(ts.BadInput, match=r"the game is over, so 'c' cannot be played; pop\(\) takes a move back"):
        position.push("c")
    assert position.pop().outcome is None


def test_a_draw_has_no_winner():
    """Nobody wins alone when the best returns are equal, or when one seat plays against nobody."""
    assert ts.Outcome((0.0, 0.0), "full").winner is None
    assert ts.Outcome((4.0,), "solved").winner is None


def test_history_is_checked():
    """A list of integers that is no game is refused with the number of the wrong move."""
    with pytest.raises(ts.BadInput, match=r"move 2 of the history: action 12 is not legal here; legal: a, b, c"):
        ts.position("connect_four", history=[3, 12])
    with pytest.raises(ts.BadInput, match="move 8 of the history: the game is over"):
        ts.position("connect_four", history=[0, 1, 0, 1, 0, 1, 0, 1])


def test_chance_depends_on_the_seed_alone():
    """The same seed and the same decisions meet the same chance; another seed meets another."""

    def rolls(seed):
        position = ts.load("pig").start(seed)
        return pushed(position, [0] * 12).history

    assert rolls(3) == rolls(3)
    assert len({tuple(rolls(seed)) for seed in range(5)}) > 1


def test_chance_can_be_left_to_the_caller():
    """Without chance of its own a position waits for the outcome, and shows the chances."""
    position = ts.Position(ts.load("pig"), draws_chance=False)
    position.push("roll")
    assert position.mover == ts.CHANCE
    assert position.legal == ("1", "2", "3", "4", "5", "6")
    assert position.chances == pytest.approx([1 / 6] * 6)
    position.push("4")
    assert (position.mover, position.state.turn_total) == (0, 4)


def test_what_is_given_out_is_a_copy():
    """Writing into what a position hands out does not change it."""
    position = ts.load("connect_four").start().push("d")
    before = snapshot(position)
    position.actions[:] = 0
    position.chances[:] = 0
    position.state.ply = 40
    position.view(0)[0].ply = 40
    assert snapshot(position) == before


def test_views_hide():
    """A viewer's view, picture and text do not hold what is hidden from it; the truth does."""
    position = ts.load(SHELLS).start(seed=1).push("a")
    assert (position.state.pea > 0, position.state.choice) == (True, 1)
    assert (position.view(1)[0].pea, position.view(1)[0].choice) == (0, 0)
    assert position.view(0)[0].choice == 1
    assert "pea" in position.text()
    assert "pea" not in position.text(viewer=1)
    assert position.picture() != position.picture(viewer=1)
    look = position.seen_by(1)
    assert (look.mover, look.legal, look.state.choice) == (1, position.legal, 0)
    assert position.history[-1] not in look.history


def test_a_position_draws_itself():
    """Text for print, SVG for notebooks."""
    position = ts.load(NIM).start().push("d 7")
    assert [line.rstrip() for line in str(position).splitlines()] == ["a  |", "b  | | |", "c  | | | | |", "d"]
    assert position._repr_svg_().startswith("<svg")


def test_a_game_without_text_still_prints():
    """A game need not draw for terminals: the numbers of its record are shown, as the viewer sees them."""
    game = dataclasses.replace(ts.load("connect_four"), text=None)
    assert str(game.start().push("d")).splitlines() == [
        "connect_four after 1 move", "  stones 2097152 0", "  ply 1", "  won 0",
    ]  # fmt: skip
    leduc = dataclasses.replace(ts.load("leduc"), text=None).start(3)
    assert leduc.text(0) != leduc.text(1)


def test_what_shows_a_position_cannot_change_it():
    """Words and pictures read fields, whole records and arrays of a position, and are refused when they write."""
    position = ts.load("connect_four").start().push("d")
    seen = {}

    def picture(board, state):
        seen["fields"] = (int(board.seats), int(state["ply"]), int(np.asarray(state).reshape(1)[0].ply))
        state.ply = 40

    spoiled = dataclasses.replace(position.game, picture=picture)
    with pytest.raises(AttributeError, match="must not change it"):
        ts.position(spoiled, history=position.history).picture()
    assert seen["fields"] == (2, 1, 1)
