"""Random numbers that are the same everywhere: splitmix64 on an array of one uint64.

A stream is named by (seed, index, ...) so that matches need not be played in order, nor by one thread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from turnsmith.compile.kernel import compiled, keep_gil, light

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


def mix(value: Any) -> Any:
    """A bijection on uint64 whose output bits all depend on all input bits."""
    value = (value ^ (value >> np.uint64(30))) * FIRST
    value = (value ^ (value >> np.uint64(27))) * SECOND
    return value ^ (value >> np.uint64(31))


def draw(rng: Any) -> Any:
    """The next 64 random bits of the stream `rng` (uint64[1])."""
    rng[0] = rng[0] + GOLDEN
    return mix(rng[0])


def below(rng: Any, n: int) -> Any:
    """A uniform whole number 0 <= x < n, for n up to 2**31 (the bias is under n / 2**32)."""
    return np.int64(((draw(rng) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))  # int() would stay unsigned


def unit(rng: Any) -> float:
    """A uniform float 0 <= x < 1."""
    return float(draw(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


def begin(seed: Any, number: Any, index: Any) -> Any:
    """Where the stream named (seed, number, index) begins, or an array of such places for an array of names."""
    value = mix(np.uint64(seed) + GOLDEN)
    value = mix(value ^ (np.uint64(number) * GOLDEN + FIRST))
    return mix(value ^ (np.uint64(index) * GOLDEN + SECOND))


def set_stream(rng: Any, seed: int, number: int, index: int) -> None:
    """Point `rng` at the stream named (seed, number, index).

    In a match the number is the ply: index 0 is what chance draws there, s + 1 what seat s decides with.
    """
    rng[0] = begin(seed, number, index)


keep_gil(set_stream)
light(set_stream)


def stream(seed: int, number: int = 0, index: int = 0) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """A new stream for Python code."""
    rng = np.zeros(1, np.uint64)
    compiled(set_stream)(rng, np.uint64(seed % 2**64), number, index)
    return rng
