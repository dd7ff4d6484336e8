"""How a game is played, for people who are new to it."""

import pytest

import turnsmith as ts
from turnsmith.contract.registry import built_in
from turnsmith.web.pages.lesson import lesson_of


@pytest.mark.parametrize("name", sorted(built_in()))
def test_every_game_has_a_lesson(name):
    """Five short sentences, each with a picture of a position that its moves lead to; the last says how to click."""
    game = ts.load(name)
    lines = lesson_of(game)
    assert len(game.lesson) == len(lines) == 5
    assert all(line.svg.startswith("<svg") and "data-word" not in line.svg for line in lines)
    assert all(10 <= len(line.said) <= 110 and line.said.endswith(".") for line in lines)
    assert any(verb in lines[-1].said for verb in ("Click", "click", "Type"))


def test_a_game_without_a_lesson_has_its_own_words():
    """The first sentences of its docstring, and its first position."""
    lines = lesson_of(ts.load("./examples/nim.py"))
    assert 1 <= len(lines) <= 5
    assert lines[0].svg.startswith("<svg")
