"""Mastermind's rules: answers, possible codes, views, the maker's choice, words and pictures."""

import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mastermind_reference import Reference, answer

import turnsmith as ts
from turnsmith.compile.kernel import interpreted
from turnsmith.compile.rng import stream
from turnsmith.games.mastermind import codes, rules, symmetry, trees

reference = cache(Reference)


def board_of(colors, pegs, **options):
    """An array of one board."""
    return rules.tables({"colors": colors, "pegs": pegs, **options})


@st.composite
def two_codes(draw):
    """A board and two codes on it."""
    pegs = draw(st.integers(1, 8))
    colors = draw(st.integers(2, 12 if pegs < 7 else 8))
    rows = st.lists(st.integers(0, colors - 1), min_size=pegs, max_size=pegs)
    return colors, draw(rows), draw(rows)


def number_of(pegs, colors):
    """The number of a code, the first peg most significant."""
    number = 0
    for colour in pegs:
        number = number * colors + colour
    return number


@given(two_codes())
@settings(max_examples=200, deadline=None)
def test_feedback(case):
    """Red and white are what counting by hand gives, for any two codes of any board."""
    colors, guess, secret = case
    board = board_of(colors, len(guess))[0]
    found = interpreted(codes.feedback)(board, number_of(guess, colors), number_of(secret, colors))
    assert (board.red[found], board.white[found]) == answer(guess, secret)


@pytest.mark.parametrize(("colors", "pegs"), [(2, 1), (12, 1), (5, 2), (4, 3), (3, 4), (4, 4), (2, 8)])
def test_bits_count_answers(colors, pegs):
    """The bits strategies count with give every pair of codes its answer, single-coloured codes included."""
    boards, small = board_of(colors, pegs), reference(colors, pegs)
    entries = trees.described(boards)
    red = np.bitwise_count(entries["places"][:, None] & entries["places"]).astype(int)
    total = np.bitwise_count(entries["colours"][:, None] & entries["colours"])
    assert np.array_equal(boards[0].numbers[red * (pegs + 1) + total], small.table)
    assert boards[0].answers == pegs * (pegs + 3) // 2 == len(small.answers)


@given(st.integers(0, 63), st.lists(st.integers(0, 63), max_size=4))
@settings(max_examples=60, deadline=None)
def test_possible_codes(secret, guesses):
    """The codes listed as possible are those that answer every guess as the secret does, ascending."""
    board, small = board_of(4, 3)[0], reference(4, 3)
    answers = small.table[guesses, secret] if guesses else []
    expected = [c for c in range(64) if all(small.table[g, c] == a for g, a in zip(guesses, answers, strict=True))]
    out = np.zeros(64, np.int32)
    asked, given_back = np.array([*guesses, 0], np.int32), np.array([*answers, 0], np.int8)
    count = interpreted(codes.possible)(board, asked, given_back, len(guesses), out, 64)
    assert out[:count].tolist() == expected
    one = np.zeros(1, np.int32)
    middle = (len(expected) + 1) // 2
    assert interpreted(codes.possible)(board, asked, given_back, len(guesses), one, middle) == middle
    assert one[0] == expected[middle - 1]


@pytest.mark.parametrize("history", [[], [0], [5], [27], [5, 16], [27, 6]])
def test_orbits(history):
    """Representatives and sizes of orbits are those found by trying every order of places and every renaming."""
    boards, small = board_of(4, 3), reference(4, 3)
    entries, listed = trees.described(boards), np.zeros(64, np.int32)
    made, room, sizes = np.array([*history, 0]), np.zeros(64, np.int64), np.zeros(64, np.int64)
    count = interpreted(symmetry.representatives)(boards[0], entries, made, len(history), listed)
    interpreted(symmetry.orbits)(boards[0], entries, made, len(history), room, sizes)
    lowest, counted = small.lowest_of_orbit(history)
    assert listed[:count].tolist() == lowest
    assert {code: int(size) for code, size in enumerate(sizes) if size} == counted


def test_a_game_in_words():
    """Guesses are words with or without spaces; the game ends when the code is broken and pays minus the guesses."""
    position = ts.position("mastermind", history=[7])  # the secret is a a b b
    position.push("aabc").push("a b a b")
    board, answers = position.board, position.state.answers[:2]
    assert list(zip(board.red[answers], board.white[answers], strict=True)) == [(3, 0), (2, 2)]
    position.push("aabb")
    assert position.outcome == ts.Outcome((-3.0,), "broken in 3 guesses")
    with pytest.raises(ts.BadInput, match="the game is over"):
        position.push("aabb")


def test_unbroken():
    """After the last try an unbroken code counts as all tries, and comes to light."""
    position = ts.position("mastermind:colors=2,pegs=2,tries=3", history=[3])
    for _ in range(3):
        position.push("a a")
    assert position.outcome == ts.Outcome((-3.0,), "not broken in 3 guesses")
    assert position.view(0)[0].secret == 3


def test_secret_is_not_in_the_view():
    """Two secrets that answered alike give the breaker the same bytes, picture and text."""
    game, small = ts.load("mastermind:colors=4,pegs=3"), reference(4, 3)
    alike = [secret for secret in range(64) if small.table[6, secret] == small.table[6, 40]]
    shown = set()
    for secret in alike:
        position = ts.position(game, history=[secret, 6])
        shown.add((position.view(0).tobytes(), position.picture(0), position.text(0)))
        assert position.view(0)[0].secret == rules.HIDDEN
        assert "the code" in position.text()
    assert len(alike) > 5
    assert len(shown) == 1


def test_resampled_secrets_fit():
    """A resampled secret gives the answers that were given, and hiding it restores the view."""
    game = ts.load("mastermind:colors=4,pegs=3")
    position = ts.position(game, history=[40, 6, 9])
    left = np.zeros(64, np.int32)
    views = position.view(0)
    count = interpreted(rules.believe)(position.board, views[0], 0, left)
    drawn = set()
    for seed in range(60):
        world = views.copy()
        interpreted(rules.resample)(position.board, world[0], 0, stream(seed))
        drawn.add(int(world[0].secret))
        interpreted(rules.hide)(position.board, world[0], 0)
        assert world.tobytes() == views.tobytes()
    assert len(drawn) > 1
    assert drawn <= set(left[:count].tolist())


def test_maker_may_give_only_answers_that_fit():
    """The maker's legal answers are those that some code gives to the whole history, at every turn."""
    game, small = ts.load("mastermind:colors=4,pegs=3,maker=seat,tries=6"), reference(4, 3)
    rng = np.random.default_rng(5)
    for _ in range(8):
        position, left = game.start(), list(range(64))
        while position.outcome is None:
            guess = int(rng.integers(64))
            position.push(guess)
            assert position.mover == rules.MAKER
            assert position.actions.tolist() == sorted(small.parts(guess, left))
            chosen = int(rng.choice(position.actions))
            left = small.parts(guess, left)[chosen]
            position.push(chosen)
        turns = len(position.history) // 2
        assert position.outcome.returns == (-turns, turns)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("mastermind:colors=12,pegs=8", r"429,981,696 codes; take fewer of either"),
        ("mastermind:colors=13", "colors=13 must be 2 to 12"),
        ("mastermind:pegs=0", "pegs=0 must be 1 to 8"),
        ("mastermind:tries=1", "tries=1 must be 2 to 20"),
        ("mastermind:maker=me", "is not one of chance, seat"),
    ],
)
def test_bad_options(text, reason):
    """Boards that cannot be are refused with the reason."""
    with pytest.raises(ts.BadInput, match=reason):
        ts.load(text)


@pytest.mark.parametrize(("colors", "pegs"), [(12, 6), (10, 7), (8, 8)])
def test_large_boards_play(colors, pegs):
    """Boards of millions of codes, places of more than 64 bits among them, can be played."""
    board = board_of(colors, pegs)[0]
    states = np.zeros(1, rules.State)
    last = int(board.codes) - 1
    for move in (last, 0, last - 1, last):
        interpreted(rules.apply)(board, states[0], move)
    given_back = [(int(board.red[a]), int(board.white[a])) for a in states[0].answers[:3]]
    assert given_back == [(0, 0), (board.pegs - 1, 0), (board.pegs, 0)]


def words_in(svg):
    """The clickable words of a picture."""
    return set(re.findall('data-word="([^"]+)"', svg))


def test_picture_offers_what_is_legal():
    """Colours are clickable for the breaker, fitting answers for the maker, nothing when the game is over."""
    position = ts.position("mastermind:maker=seat")
    assert words_in(position.picture()) == set("abcdef")
    position.push("aabb")
    assert words_in(position.picture()) == set(position.legal)
    position.push("4+0")
    assert words_in(position.picture()) == set()


def test_text_shows_every_turn():
    """The terminal shows each guess with its answer, and how many tries are left."""
    lines = str(ts.position("mastermind", history=[7, 8])).splitlines()
    assert lines[0].split() == ["1", "a", "a", "b", "c", "●●●·", "3+0"]
    assert lines[-1] == "colours a to f, 9 of 10 tries left"
