"""Where nobody is to wait for the compiler: light kernels are done by Python, others say that they are not ready."""

import sys

import numpy as np
import pytest

from turnsmith.compile.kernel import (
    NotReady,
    at_once,
    compiled,
    compiled_in_this_process,
    interpreted,
    light,
    never_wait,
)
from turnsmith.contract.loading import load


def doubled(numbers):
    return 2 * numbers[0]


def tripled(numbers):
    return 3 * numbers[0]


def test_nothing_is_compiled_where_nobody_waits(tmp_path, monkeypatch):
    """A light kernel answers at once and is compiled when somebody may wait; what is compiled is ready at once."""
    monkeypatch.setenv("TURNSMITH_CACHE", str(tmp_path))
    light(doubled)
    numbers, before = np.array([21]), len(compiled_in_this_process)
    never_wait()
    try:
        assert compiled(doubled)(numbers) == 42
        with at_once(), pytest.raises(NotReady):
            compiled(tripled)(numbers)
        assert len(compiled_in_this_process) == before
    finally:
        never_wait(False)
    assert (compiled(doubled)(numbers), compiled(tripled)(numbers)) == (42, 63)
    assert len(compiled_in_this_process) == before + 2
    with at_once():
        assert compiled(tripled)(numbers) == 63


@pytest.mark.parametrize("name", ["dicewars", "homeguard"])
def test_light_boards_are_the_same(name, monkeypatch):
    """The board of a seed is the same whether Python or compiled code has drawn it."""
    game = load(name)
    drawn = [game.build(game.describe(seed)).tobytes() for seed in (3, 4)]
    asked = []
    module = sys.modules[f"turnsmith.games.{name}.rules"]
    monkeypatch.setattr(module, "compiled", lambda kernel: asked.append(kernel) or interpreted(kernel))
    assert [game.build(game.describe(seed)).tobytes() for seed in (3, 4)] == drawn
    assert asked
